#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/region/spec.hpp"
#include "cli/command_line.hpp"
#include "report/json_text.hpp"

namespace alfcg::cli {

/// Each adds the options of one command and returns what runs it.
Command add_train(CommandOptions options);
Command add_predict(CommandOptions options);
Command add_show(CommandOptions options);
Command add_path(CommandOptions options);
Command add_convert(CommandOptions options);
Command add_complete(CommandOptions options);
Command add_recommend(CommandOptions options);
Command add_compare(CommandOptions options);
Command add_reproduce(CommandOptions options);
Command add_methods(CommandOptions options);
Command add_regions(CommandOptions options);
Command add_losses(CommandOptions options);
Command add_demo(CommandOptions options);

/// About the commands themselves: the manual page and the shells' completions, made from the options' table.
Command add_manual(CommandOptions options, const CommandLine& line);
Command add_completion(CommandOptions options, const CommandLine& line);

/// Finds out before hours of work whether the outputs can be written, and that none of them would replace
/// another one or an input; nothing is left behind. Empty names are passed over.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);
/// The name of a data file less its folder and the endings that say how it is stored ("data/a9a.libsvm.gz" is a9a): what is
/// made of it begins with that.
std::string name_of_data(const std::string& source);
/// "2G", "500M", "64K", or bytes.
Index parse_size(std::string_view name, const std::string& text);
/// Throw QuantityError when `threads` or `precision` is none that there is.
void check_threads(int threads);
void check_precision(const std::string& precision);
/// Throws Error when both are asked for.
void check_silence(bool silent, bool json);
/// A message of the library, which names quantities in backticks, in the words of the command line: `rows` is --rows here.
std::string with_options(const std::string& message);
/// What it is, its parameters with their defaults, and the terms it takes.
std::string in_words(const RegionInfo& region);
/// Throws Error when a folder of this name cannot be made or is something else.
void check_folder(const std::string& path);

inline constexpr int exit_bad_input = 2;
inline constexpr int exit_interrupted = 130;

}  // namespace alfcg::cli
