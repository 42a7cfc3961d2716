#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <string>

#include "alfcg/core/error.hpp"
#include "cli/commands.hpp"

namespace {

int fail(std::string message) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    fmt::print(stderr, "alfcg: {}\n", message);
    return alfcg::cli::exit_bad_input;
}

// No command, or one that does not exist.
std::string explain_command(CLI::App& app, const std::string& given) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
        names += (names.empty() ? "" : ", ") + command->get_name();
    return (given.empty() ? "a command is needed: " : "unknown command '" + given + "': use ") + names;
}

// "Could not convert: --rows = 1e3": what reads as a number all the same should have been a whole one.
std::string explain_conversion(const std::string& text) {
    const std::size_t name = text.find("--");
    const std::size_t value = text.find(" = ");
    if (name == std::string::npos || value == std::string::npos) return text;
    const std::string given = text.substr(value + 3);
    char* end = nullptr;
    static_cast<void>(std::strtod(given.c_str(), &end));
    const bool number = !given.empty() && *end == '\0';
    return fmt::format("{} must be {}, not '{}'", text.substr(name, value - name),
                       number ? "a whole number in digits, not too large" : "a number", given);
}

// CLI11's words, in others where those leave the reader guessing.
std::string explain(const CLI::ParseError& error, CLI::App& app, const std::string& first_argument) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) return explain_command(app, first_argument) + " (see alfcg --help)";
    const std::string& command = chosen.front()->get_name();
    std::string text = error.what();
    if (const auto extras = app.remaining(true);
        dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
        const std::string& extra = extras.front();
        text =
            extra.starts_with('-') ? "unknown option " + extra : "'" + extra + "' is one argument too many";
    } else if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
        text = explain_conversion(text);
    }
    return fmt::format("{} (see alfcg {} --help)", text, command);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace alfcg::cli;
    try {
        CLI::App app(
            "alfcg trains constrained models without projections.\n"
            "Each command explains itself: alfcg train --help.");
        app.name("alfcg");
        app.set_version_flag("--version", "alfcg " ALFCG_VERSION);
        app.require_subcommand(1);
        std::map<CLI::App*, Command> commands;
        const auto add = [&](const char* name, const char* description, Command (*fill)(CLI::App&)) {
            CLI::App* command = app.add_subcommand(name, description);
            command->get_formatter()->column_width(34);
            commands[command] = fill(*command);
        };
        add("train", "fit a model, print progress, write the model", add_train);
        add("predict", "apply a model to data, print the score when there are labels", add_predict);
        add("compare", "several methods on one problem, one report", add_compare);
        add("reproduce", "the paper's figures, and whether its claims held", add_reproduce);
        add("methods", "list the methods and their parameters", add_methods);
        add("regions", "list the regions and their composite terms", add_regions);
        add("losses", "list the losses", add_losses);
        add("demo", "train on embedded data and show what came of it", add_demo);
        const std::string first_argument = argc > 1 ? argv[1] : "";
        if (argc == 1) fmt::print("{}", app.help());
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& request) {  // --help, --version
            return app.exit(request);
        } catch (const CLI::ParseError& error) {
            return fail(explain(error, app, first_argument));
        }
        return commands.at(app.get_subcommands().front())();
    } catch (const std::bad_alloc&) {
        return fail(
            "out of memory: fewer rows (--rows), fewer features (--features) or --precision f32 need less");
    } catch (const alfcg::QuantityError& error) {
        return fail(fmt::format("--{} {}", error.quantity(), error.complaint()));
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
