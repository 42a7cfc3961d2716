#include "alfcg/core/text.hpp"

#include <fmt/format.h>

namespace alfcg {

std::string format_number(double number) {
    return fmt::format("{}", number);
}

std::string listed(const std::vector<std::string>& items, std::string_view word) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 < items.size() ? ", " : fmt::format(" {} ", word);
        text += items[i];
    }
    return text;
}

}  // namespace alfcg
