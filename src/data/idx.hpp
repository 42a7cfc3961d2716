#pragma once

#include "data/array_file.hpp"
#include "data/byte_source.hpp"

namespace alfcg {

/// Uses up the header of an IDX file (0, 0, type, number of dimensions, then the dimensions, all big-endian)
/// and says where its numbers lie, flattened to rows x everything else. Throws InputError when it is damaged.
ArrayLayout read_idx_header(ByteSource& source);

}  // namespace alfcg
