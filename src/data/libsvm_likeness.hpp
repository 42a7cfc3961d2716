#pragma once

#include <string_view>

namespace alfcg {

/// Whether the first lines look like "label index:value ..." rather than like a table.
bool looks_like_libsvm(std::string_view sample);

}  // namespace alfcg
