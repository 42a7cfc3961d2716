#pragma once

#include <string_view>

#include "alfcg/data/dataset.hpp"
#include "data/byte_source.hpp"

namespace alfcg {

/// npy or idx by the magic bytes, automatic when it must be text. Throws InputError for a zip archive (.npz).
Format recognize_binary(ByteSource& source);

/// Whether the first lines look like "label index:value ..." rather than like a table.
bool looks_like_libsvm(std::string_view sample);

}  // namespace alfcg
