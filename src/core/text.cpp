#include "alfcg/core/text.hpp"

#include <fmt/format.h>

namespace alfcg {

std::string format_number(double number) {
    return fmt::format("{}", number);
}

}  // namespace alfcg
