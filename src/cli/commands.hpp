#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace alfcg::cli {

/// Each adds one command to the program and returns what runs it; the answer is the exit status.
using Command = std::function<int()>;

Command add_train(CLI::App& app);
Command add_predict(CLI::App& app);
Command add_methods(CLI::App& app);
Command add_regions(CLI::App& app);
Command add_losses(CLI::App& app);
Command add_demo(CLI::App& app);

inline constexpr int exit_bad_input = 2;
inline constexpr int exit_interrupted = 130;

}  // namespace alfcg::cli
