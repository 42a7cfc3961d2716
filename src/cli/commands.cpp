#include "cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/fit/fit.hpp"

namespace alfcg::cli {

namespace {

// Whether two names stand for one file. Devices and pipes may be named twice.
bool same_file(const std::string& one, const std::string& other) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::exists(one, ignored) && !fs::is_regular_file(one, ignored)) return false;
    if (fs::exists(one, ignored) && fs::exists(other, ignored)) return fs::equivalent(one, other, ignored);
    const auto whole = [&](const std::string& path) {
        return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
    };
    return whole(one) == whole(other);
}

}  // namespace

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        if (output->empty()) continue;
        const OutputFile probe(*output);
        for (const std::string& input : inputs)
            if (std::filesystem::exists(input) && same_file(*output, input))
                throw Error(*output + ": is an input, and would be replaced by an output; give another name");
        if (std::any_of(outputs.begin(), output,
                        [&](const auto& other) { return same_file(*output, other); }))
            throw Error(*output + ": two outputs have this name; give another one");
    }
}

std::string with_options(const std::string& message) {
    std::string text;
    std::size_t copied = 0;
    for (std::size_t open = message.find('`'); open != std::string::npos;) {
        const std::size_t close =
            message.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", open + 1);
        if (close != std::string::npos && message[close] == '`' && close > open + 1) {
            text += message.substr(copied, open - copied) + "--" + message.substr(open + 1, close - open - 1);
            copied = close + 1;
            open = message.find('`', copied);
        } else {
            open = message.find('`', open + 1);
        }
    }
    return text + message.substr(copied);
}

std::string name_of_data(const std::string& source) {
    std::filesystem::path name = std::filesystem::path(source).filename();
    const auto strip = [&](std::initializer_list<std::string_view> endings) {
        std::string ending = name.extension().string();
        for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (std::find(endings.begin(), endings.end(), ending) != endings.end()) name.replace_extension();
    };
    strip({".gz", ".bz2", ".xz"});
    strip({".libsvm", ".svm", ".svmlight", ".csv", ".tsv", ".npy", ".alf", ".idx", ".txt", ".data", ".dat"});
    return name.string();
}

Index parse_size(std::string_view name, const std::string& text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    double unit = end - stop == 1 ? 0 : 1;
    double factor = 1;
    for (const char letter : {'K', 'M', 'G', 'T'}) {
        factor *= 1024;
        if (unit == 0 && (*stop == letter || *stop == letter - 'A' + 'a')) unit = factor;
    }
    const double bytes = number * unit;
    if (problem != std::errc() || end - stop > 1 || !(bytes >= 1 && bytes <= 0x1p62))
        throw QuantityError(std::string(name),
                            fmt::format("must be a size such as 500M, 2G or 100000 (bytes), not '{}'", text));
    return static_cast<Index>(bytes);
}

void check_threads(int threads) {
    Specification specification;
    specification.threads = threads;
    specification.verify();
}

void check_precision(const std::string& precision) {
    if (precision != "f32" && precision != "f64") {
        throw Error("unknown precision '" + precision + "': use f32 or f64");
    }
}

void check_silence(bool silent, bool json) {
    if (silent && json) throw Error("--silent prints nothing and --json prints a summary: give one of them");
}

void check_folder(const std::string& path) {
    namespace fs = std::filesystem;
    if (fs::exists(path) && !fs::is_directory(path)) throw Error(path + ": is not a folder");
    // The nearest folder that exists must take a file.
    fs::path nearest = fs::absolute(path);
    while (!fs::exists(nearest)) nearest = nearest.parent_path();
    const OutputFile probe((nearest / ".alfcg-check").string());
}

}  // namespace alfcg::cli
