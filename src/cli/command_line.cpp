#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/matrix.hpp"
#include "alfcg/core/text.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

namespace {

// What is wrong with the text of a whole number, if anything: CLI11 would take 0x10 for 16, and 2^64 for 2^64 - 1.
template <class Whole>
std::string refuse_other_than_whole(const std::string& text) {
    const char* const end = text.data() + text.size();
    const char* const first = text.data() + (text.starts_with('+') ? 1 : 0);
    Whole number{};
    const auto [stop, problem] = std::from_chars(first, end, number);
    if (problem == std::errc() && stop == end && !text.starts_with("+-")) return {};
    if (std::is_unsigned_v<Whole> && text.starts_with('-')) return "must be 0 or more, not " + text;
    char* after = nullptr;
    static_cast<void>(std::strtod(text.c_str(), &after));
    const bool is_number = !text.empty() && *after == '\0';
    return fmt::format("must be {}, not '{}'",
                       is_number ? "a whole number in digits, not too large" : "a number", text);
}

// The whole number, or numbers, that a value is made of; void where it is not.
template <class Value>
struct WholeIn {
    using Type = std::conditional_t<std::is_integral_v<Value>, Value, void>;
};
template <class Value>
struct WholeIn<std::optional<Value>> : WholeIn<Value> {};
template <class Value>
struct WholeIn<std::vector<Value>> : WholeIn<Value> {};

// A word as a shell would need it to be typed.
std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=.,:/@%") == std::string::npos;
    if (plain) return word;
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// Those that lists show.
std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string explain_option(const CLI::App& app, const std::string& given) {
    const std::string name = given.substr(0, given.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        if (!option->get_lnames().empty()) names.push_back(option->get_lnames().front());
    const auto* others = app.get_parent();
    if (others != nullptr)
        for (const CLI::App* command : shown_commands(*others))
            if (command->get_option_no_throw(name) != nullptr)
                return fmt::format("unknown option {}, which is for {}", name, command->get_name());
    const std::size_t letters = std::min(name.find_first_not_of('-'), name.size());
    return "unknown option " + name + suggestion(name.substr(letters), names, "--");
}

// No command, or one that does not exist.
std::string explain_command(const CLI::App& app, const std::string& given) {
    if (given.starts_with('-')) return explain_option(app, given);
    std::vector<std::string> names;
    for (const CLI::App* command : shown_commands(app)) names.push_back(command->get_name());
    const std::string all = fmt::format("{}", fmt::join(names, ", "));
    if (given.empty()) return "a command is needed: " + all;
    const std::string meant = suggestion(given, names);
    return "unknown command '" + given + "'" + (meant.empty() ? ": use " + all : meant);
}

// "Could not convert: --gap = x"
std::string explain_conversion(const std::string& text) {
    const std::size_t name = text.find("--");
    const std::size_t value = text.find(" = ");
    if (name == std::string::npos || value == std::string::npos) return text;
    return fmt::format("{} must be a number, not '{}'", text.substr(name, value - name),
                       text.substr(value + 3));
}

// "--rows: must be a whole number": our messages go on from the name.
std::string explain_validation(std::string text) {
    const std::size_t colon = text.find(": must");
    return colon == std::string::npos ? text : text.erase(colon, 1);
}

// CLI11's words, in others where those leave the reader guessing.
std::string explain(const CLI::ParseError& error, CLI::App& app, const std::string& first_argument) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) return explain_command(app, first_argument) + " (see alfcg --help)";
    const std::string& command = chosen.front()->get_name();
    std::string text = error.what();
    const auto extras = app.remaining(true);
    // The value of an option with a slip may have been taken for something else: the slip is what to tell first.
    const auto slip = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& extra) { return extra.starts_with('-'); });
    if (slip != extras.end()) {
        text = explain_option(*chosen.front(), *slip);
    } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
        text = "'" + extras.front() + "' is one argument too many";
    } else if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
        text = explain_conversion(text);
    } else if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
        text = explain_validation(std::move(text));
    }
    return fmt::format("{} (see alfcg {} --help)", text, command);
}

}  // namespace

template <class Value>
void CommandOptions::add_option(const std::string& name, Value& value, const std::string& help,
                                const std::string& word, const std::string& group) {
    CLI::Option* option = app_->add_option(name, value, help)->type_name(word);
    if (!group.empty()) option->group(group);
    using Whole = typename WholeIn<Value>::Type;
    if constexpr (!std::is_void_v<Whole>) option->check(refuse_other_than_whole<Whole>);
}

void CommandOptions::add_text(const std::string& name, const std::function<void(const std::string&)>& take,
                              const std::string& help, const std::string& word, const std::string& group) {
    app_->add_option_function<std::string>(name, take, help)->type_name(word)->group(group);
}

void CommandOptions::add_argument(const std::string& name, std::string& value, const std::string& help,
                                  const std::string& word) {
    app_->add_option(name, value, help)->type_name(word)->required();
}

void CommandOptions::add_flag(const std::string& name, bool& value, const std::string& help,
                              const std::string& group) {
    app_->add_flag(name, value, help)->group(group);
}

void CommandOptions::add_values(const std::string& name, std::vector<std::string> values) {
    (*values_)[app_->get_option(name)] = std::move(values);
}

std::string CommandOptions::as_typed() const {
    std::string text = "alfcg " + app_->get_name();
    std::set<const CLI::Option*> written;
    for (const CLI::Option* option : app_->parse_order()) {
        if (!written.insert(option).second) continue;  // one that takes several words comes with each of them
        if (!option->get_positional()) text += " " + option->get_name();
        if (option->get_items_expected_max() == 0) continue;  // a flag
        for (const std::string& word : option->results()) text += " " + quoted(word);
    }
    return text;
}

CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& version)
    : app_(std::make_unique<CLI::App>(description)) {
    app_->name(name);
    app_->set_version_flag("--version", version);
    app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& name, const std::string& description,
                      Command (*fill)(CommandOptions)) {
    CLI::App* command = app_->add_subcommand(name, description);
    command->get_formatter()->column_width(34);
    commands_[command] = fill(CommandOptions(*command, values_));
}

void CommandLine::add_hidden(const std::string& name, const std::string& description,
                             Command (*fill)(CommandOptions, const CommandLine&)) {
    CLI::App* command = app_->add_subcommand(name, description)->group("");
    commands_[command] = fill(CommandOptions(*command, values_), *this);
}

std::vector<CommandDescription> CommandLine::describe() const {
    std::vector<CommandDescription> commands;
    for (const CLI::App* command : shown_commands(*app_)) {
        CommandDescription description{command->get_name(), command->get_description(), {}};
        for (const CLI::Option* option : command->get_options()) {
            OptionDescription entry;
            for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
            if (entry.names.empty())
                for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
            if (option->get_items_expected_max() > 0) entry.word = option->get_type_name();
            entry.help = option->get_description();
            entry.group = option->get_group();
            entry.required = option->get_required();
            const auto values = values_.find(option);
            if (values != values_.end()) entry.values = values->second;
            description.options.push_back(std::move(entry));
        }
        commands.push_back(std::move(description));
    }
    return commands;
}

int CommandLine::run(int argc, char** argv) {
    if (argc == 1) put(stdout, app_->help());
    try {
        app_->parse(argc, argv);
    } catch (const CLI::Success& request) {  // --help, --version
        std::ostringstream answer;
        const int status = app_->exit(request, answer, answer);
        put(stdout, answer.str());
        return status;
    } catch (const CLI::ParseError& error) {
        throw Error(explain(error, *app_, argc > 1 ? argv[1] : ""));
    }
    return commands_.at(app_->get_subcommands().front())();
}

template void CommandOptions::add_option(const std::string&, std::string&, const std::string&,
                                         const std::string&, const std::string&);
template void CommandOptions::add_option(const std::string&, int&, const std::string&, const std::string&,
                                         const std::string&);
template void CommandOptions::add_option(const std::string&, Index&, const std::string&, const std::string&,
                                         const std::string&);
template void CommandOptions::add_option(const std::string&, double&, const std::string&, const std::string&,
                                         const std::string&);
template void CommandOptions::add_option(const std::string&, std::uint64_t&, const std::string&,
                                         const std::string&, const std::string&);
template void CommandOptions::add_option(const std::string&, std::optional<Index>&, const std::string&,
                                         const std::string&, const std::string&);
template void CommandOptions::add_option(const std::string&, std::optional<double>&, const std::string&,
                                         const std::string&, const std::string&);
template void CommandOptions::add_option(const std::string&, std::vector<std::string>&, const std::string&,
                                         const std::string&, const std::string&);
template void CommandOptions::add_option(const std::string&, std::vector<int>&, const std::string&,
                                         const std::string&, const std::string&);

}  // namespace alfcg::cli
