#pragma once

#include <string>

#include "core/npy.hpp"
#include "data/array_file.hpp"
#include "data/byte_source.hpp"

namespace alfcg {

/// Uses up the header. Throws InputError when it is damaged or of an unknown kind.
NpyHeader read_npy_header(ByteSource& source);

/// Whether the array holds text (kinds S and U).
bool is_text(const NpyHeader& header);
/// Whether the entries are stored in the other byte order.
bool is_swapped(const NpyHeader& header);

/// Where the numbers lie; throws InputError for types that are no (supported) numbers.
ArrayLayout npy_layout(const std::string& path, const NpyHeader& header);

/// Uses up the header of an array of features, which have two dimensions or more.
ArrayLayout read_npy_layout(ByteSource& source);

}  // namespace alfcg
