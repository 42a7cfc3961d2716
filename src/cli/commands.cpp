#include "cli/commands.hpp"

#include <algorithm>
#include <filesystem>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"

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

void check_threads(int threads) {
    if (threads < 0 || threads > 1024) throw Error("--threads must be from 1 to 1024, or 0 for all cores");
}

void check_precision(const std::string& precision) {
    if (precision != "f32" && precision != "f64") {
        throw Error("unknown precision '" + precision + "': use f32 or f64");
    }
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
