#include "data/builtin.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string_view>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

constexpr Index mnist_images = 60000;
constexpr Index mnist_pixels = 784;

enum class Size { good, malformed, too_large };

Size parse_size(std::string_view text, Index& value) {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
        return Size::malformed;
    const auto answer = std::from_chars(text.data(), text.data() + text.size(), value);
    return answer.ec == std::errc() ? Size::good : Size::too_large;
}

}  // namespace

std::optional<Builtin> parse_builtin(const std::string& source) {
    Builtin builtin;
    builtin.name = source;
    std::string_view rest = source;
    if (rest.starts_with("mnist-"))
        builtin.kind = Builtin::Kind::mnist;
    else if (!rest.starts_with("randn-"))
        return std::nullopt;
    rest.remove_prefix(6);
    const std::size_t dash = rest.find('-');
    const Size rows = parse_size(rest.substr(0, dash), builtin.rows);
    const Size cols =
        dash == std::string_view::npos ? Size::malformed : parse_size(rest.substr(dash + 1), builtin.cols);
    if (rows == Size::malformed || cols == Size::malformed) {
        // "mnist-train.csv" is a file's good right; a misspelt built-in is not a missing file.
        std::error_code ignored;
        if (std::filesystem::exists(source, ignored)) return std::nullopt;
        throw Error(fmt::format(
            "{}: neither a file nor a built-in data set; built-in is {}-N-d with whole numbers N and d",
            source, source.substr(0, 5)));
    }
    if (rows == Size::too_large || cols == Size::too_large)
        throw Error(source + ": too large: N and d must be below 2^63");
    if (builtin.rows == 0 || builtin.cols == 0) throw Error(source + ": N and d must be at least 1");
    if (builtin.kind == Builtin::Kind::mnist && builtin.rows > mnist_images)
        throw Error(fmt::format("{}: MNIST has {} training images, N can be no more", source, mnist_images));
    if (builtin.kind == Builtin::Kind::mnist && builtin.cols > mnist_pixels)
        throw Error(fmt::format("{}: MNIST images have {} pixels, d can be no more", source, mnist_pixels));
    return builtin;
}

}  // namespace alfcg
