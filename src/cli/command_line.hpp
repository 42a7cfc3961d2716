#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace alfcg::cli {

/// An option or an argument as the help, the manual and the shells' completions show it.
struct OptionDescription {
    std::vector<std::string> names;  // "--rows"; empty: an argument without dashes
    std::string word;                // stands for the value; empty: a flag
    std::string help;
    std::string group;                // the heading it stands under
    bool required = false;            // an argument that must be given
    std::vector<std::string> values;  // that may be typed, where there is a list of them
};

struct CommandDescription {
    std::string name;
    std::string help;
    std::vector<OptionDescription> options;
};

/// The values that options have, by option.
using OptionValues = std::map<const CLI::Option*, std::vector<std::string>>;

/// The options of one command. What this header declares is all that commands see of CLI11, whose headers take longer
/// to compile than most commands: command_line.cpp alone includes them.
class CommandOptions {
  public:
    CommandOptions(CLI::App& app, OptionValues& values) : app_(&app), values_(&values) {}

    /// An option ("--rows") or an argument without dashes that may be left out. `word` stands for the value in the
    /// help, `group` is the help's heading. Value: std::string, int, Index, double, std::uint64_t, an optional Index
    /// or double, or a vector of std::string or int.
    template <class Value>
    void add_option(const std::string& name, Value& value, const std::string& help, const std::string& word,
                    const std::string& group = {});
    /// An option whose value is handed on as typed.
    void add_text(const std::string& name, const std::function<void(const std::string&)>& take,
                  const std::string& help, const std::string& word, const std::string& group);
    /// An argument without dashes that must be given.
    void add_argument(const std::string& name, std::string& value, const std::string& help,
                      const std::string& word);
    void add_flag(const std::string& name, bool& value, const std::string& help, const std::string& group);

    /// All that may be typed for an option that is there, for shells to complete. Where its word is LIST, several by commas.
    void add_values(const std::string& name, std::vector<std::string> values);

    /// What was typed, for the record: "alfcg compare DATA --seeds 3".
    [[nodiscard]] std::string as_typed() const;

  private:
    CLI::App* app_;
    OptionValues* values_;
};

/// Runs a command; the answer is the exit status.
using Command = std::function<int()>;

/// The program's commands, and the choice among them.
class CommandLine {
  public:
    CommandLine(const std::string& name, const std::string& description, const std::string& version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// `fill` adds the command's options and returns what runs it.
    void add(const std::string& name, const std::string& description, Command (*fill)(CommandOptions));
    /// The same for a command about the others, which no list shows.
    void add_hidden(const std::string& name, const std::string& description,
                    Command (*fill)(CommandOptions, const CommandLine&));
    /// The commands that lists show, with their options.
    [[nodiscard]] std::vector<CommandDescription> describe() const;
    /// Runs the command that was asked for, or shows help; throws Error when the arguments make no sense.
    int run(int argc, char** argv);

  private:
    std::unique_ptr<CLI::App> app_;
    std::map<CLI::App*, Command> commands_;
    OptionValues values_;
};

}  // namespace alfcg::cli
