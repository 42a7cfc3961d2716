#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

namespace alfcg::cli {

/// Each adds one command to the program and returns what runs it; the answer is the exit status.
using Command = std::function<int()>;

Command add_train(CLI::App& app);
Command add_predict(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_reproduce(CLI::App& app);
Command add_methods(CLI::App& app);
Command add_regions(CLI::App& app);
Command add_losses(CLI::App& app);
Command add_demo(CLI::App& app);

/// What was typed, for the record: "alfcg compare DATA --seeds 3".
std::string command_line(const CLI::App& app);
/// Finds out before hours of work whether the outputs can be written, and that none of them would replace
/// another one or an input; nothing is left behind. Empty names are passed over.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);
/// Throw Error when --threads or --precision is none that there is.
void check_threads(int threads);
void check_precision(const std::string& precision);
/// JSON on one line, or indented; bytes that are no UTF-8 (a file's name may have them) are replaced, not refused.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}
/// Throws Error when a folder of this name cannot be made or is something else.
void check_folder(const std::string& path);

inline constexpr int exit_bad_input = 2;
inline constexpr int exit_interrupted = 130;

}  // namespace alfcg::cli
