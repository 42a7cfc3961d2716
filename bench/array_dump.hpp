#pragma once

#include <fstream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "core/npy.hpp"

namespace alfcg::bench {

/// Writes an array as .npy for a peer to read. `shape` empty: a vector. A plain stream: the library's
/// OutputFile waits for the disk, which is of no use to a file that is read at once and then removed.
template <class T>
void dump_array(const std::string& path, std::span<const T> entries, std::vector<std::int64_t> shape = {}) {
    NpyHeader header;
    header.dtype = (std::is_floating_point_v<T> ? "<f" : "<i") + std::to_string(sizeof(T));
    header.shape = std::move(shape);
    if (header.shape.empty()) header.shape = {static_cast<std::int64_t>(entries.size())};
    std::ofstream file(path, std::ios::binary);
    const std::string bytes = encode_npy_header(header);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.write(reinterpret_cast<const char*>(entries.data()),
               static_cast<std::streamsize>(entries.size_bytes()));
    file.close();
    if (!file) throw Error(path + ": cannot be written");
}

}  // namespace alfcg::bench
