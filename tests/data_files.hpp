#pragma once

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "temporary_folder.hpp"

namespace alfcg {

// ---- archives, written with the libraries
// -----------------------------------------------------------------------

inline std::string gzip(const std::string& bytes) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

inline std::string bzip2(const std::string& bytes) {
    std::string out(bytes.size() + bytes.size() / 50 + 1000, '\0');
    auto length = static_cast<unsigned>(out.size());
    EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &length, const_cast<char*>(bytes.data()),
                                       static_cast<unsigned>(bytes.size()), 1, 0, 0),
              BZ_OK);
    out.resize(length);
    return out;
}

inline std::string xz(const std::string& bytes) {
    std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
    std::size_t length = 0;
    EXPECT_EQ(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, nullptr,
                                      reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                      reinterpret_cast<std::uint8_t*>(out.data()), &length, out.size()),
              LZMA_OK);
    out.resize(length);
    return out;
}

struct Packer {
    const char* kind;
    std::string (*compress)(const std::string&);
};
inline const Packer archives[] = {{"gzip", gzip}, {"bzip2", bzip2}, {"xz", xz}};

// ---- array files, byte by byte
// ------------------------------------------------------------------------------------

template <class T>
std::string element(T value, bool big_endian) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    if (big_endian) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

/// An NPY header around a dictionary; the whole is a multiple of `alignment` bytes.
inline std::string npy_prefix(std::string dictionary, int version = 1, std::size_t alignment = 64) {
    const std::size_t fixed = version == 1 ? 10 : 12;
    dictionary.append((alignment - (fixed + dictionary.size() + 1) % alignment) % alignment, ' ');
    dictionary += '\n';
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (std::size_t k = 0; k < fixed - 8; ++k)
        bytes += static_cast<char>(dictionary.size() >> (8 * k) & 0xFFU);
    return bytes + dictionary;
}

inline std::string npy_dictionary(const std::string& dtype, bool fortran, const std::string& shape) {
    return "{'descr': '" + dtype + "', 'fortran_order': " + (fortran ? "True" : "False") +
           ", 'shape': " + shape + ", }";
}

/// A rows x cols array of entry(i, j) in any order of axes and bytes.
template <class T>
std::string npy_file(const std::string& kind, bool big_endian, bool fortran, Index rows, Index cols,
                     const std::function<double(Index, Index)>& entry, std::size_t alignment = 64) {
    const std::string dtype = (sizeof(T) == 1 ? "|" : big_endian ? ">" : "<") + kind;
    const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
    std::string bytes = npy_prefix(npy_dictionary(dtype, fortran, shape), 1, alignment);
    for (Index a = 0; a < (fortran ? cols : rows); ++a)
        for (Index b = 0; b < (fortran ? rows : cols); ++b)
            bytes += element(static_cast<T>(fortran ? entry(b, a) : entry(a, b)), big_endian);
    return bytes;
}

inline std::string idx_header(int type, const std::vector<std::uint32_t>& shape) {
    std::string bytes(2, '\0');
    bytes += static_cast<char>(type);
    bytes += static_cast<char>(shape.size());
    for (const std::uint32_t size : shape) bytes += element(size, true);
    return bytes;
}

// ---- looking at data
// ----------------------------------------------------------------------------------------------

/// All entries, row-major, whatever the storage.
template <class Real>
std::vector<double> entries(const Features<Real>& features) {
    const Index n = rows(features);
    const Index d = cols(features);
    std::vector<double> result(static_cast<std::size_t>(n * d));
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features)) {
        for (Index k = 0; k < n * d; ++k)
            result[static_cast<std::size_t>(k)] = static_cast<double>(dense->row(k / d)[k % d]);
    } else {
        const auto& sparse = std::get<SparseFeatures<Real>>(features);
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            for (auto k = static_cast<std::size_t>(sparse.start[i]);
                 k < static_cast<std::size_t>(sparse.start[i + 1]); ++k)
                result[i * static_cast<std::size_t>(d) + static_cast<std::size_t>(sparse.column[k])] =
                    static_cast<double>(sparse.value[k]);
    }
    return result;
}

inline std::vector<std::string> texts(const Labels& labels) {
    std::vector<std::string> result;
    for (Index i = 0; i < labels.size(); ++i) result.push_back(labels.text(i));
    return result;
}

/// A dense matrix that owns its entries.
template <class Real>
DenseFeatures<Real> dense_features(const std::vector<double>& values, Index row_count, Index col_count) {
    Buffer<Real> buffer(values.size());
    std::transform(values.begin(), values.end(), buffer.begin(),
                   [](double x) { return static_cast<Real>(x); });
    return {std::move(buffer), row_count, col_count};
}

/// The same as compressed rows; zeros are left out.
template <class Real>
SparseFeatures<Real> sparse_features(const std::vector<double>& values, Index row_count, Index col_count) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    for (Index i = 0; i < row_count; ++i) {
        for (Index j = 0; j < col_count; ++j) {
            const double entry = values[static_cast<std::size_t>(i * col_count + j)];
            if (entry == 0) continue;
            column.push_back(static_cast<std::int32_t>(j));
            value.push_back(static_cast<Real>(entry));
        }
        start.push_back(static_cast<Index>(value.size()));
    }
    return {std::move(start), std::move(column), std::move(value), row_count, col_count};
}

/// A test with a folder for its files.
class DataTest : public ::testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& bytes) const {
        write_bytes(folder_.file(name), bytes);
        return folder_.file(name);
    }
    template <class Real = double>
    [[nodiscard]] Dataset<Real> load(const std::string& bytes, const ReadOptions& options = {}) const {
        return load_dataset<Real>(write("data", bytes), options);
    }
    /// The message of the Error for a file with these bytes, without its "FILE:" prefix when it has one.
    template <class Real = double>
    [[nodiscard]] std::string problem(const std::string& bytes, const ReadOptions& options = {}) const {
        const std::string path = write("data", bytes);
        std::string message = message_of<Error>([&] { load_dataset<Real>(path, options); });
        EXPECT_EQ(message.find('\n'), std::string::npos) << "more than one line: " << message;
        if (message.starts_with(path + ":")) message.erase(0, path.size() + 1);
        return message;
    }

    TemporaryFolder folder_;
};

/// A file of the real data sets beside the repository; empty when it is not there.
inline std::string real_data(const std::string& name) {
    const std::string path = std::string(ALFCG_SOURCE_DIR) + "/../shared/data/" + name;
    return std::filesystem::exists(path) ? path : std::string();
}

}  // namespace alfcg
