#include "alfcg/core/column_numbers.hpp"

#include <algorithm>

namespace alfcg {

SharedArray<std::int32_t> ColumnNumbers::narrow() const {
    if (wide_.empty()) return narrow_;
    Buffer<std::int32_t> copy;
    std::transform(wide_.begin(), wide_.end(), copy.extend(wide_.size()),
                   [](std::int64_t column) { return static_cast<std::int32_t>(column); });
    return copy;
}

}  // namespace alfcg
