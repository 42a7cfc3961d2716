#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>

#include "cli/commands.hpp"

namespace {

int fail(std::string message) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    fmt::print(stderr, "alfcg: {}\n", message);
    return alfcg::cli::exit_bad_input;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace alfcg::cli;
    try {
        CLI::App app(
            "alfcg trains constrained models without projections and without tuning.\n"
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
        add("methods", "list the methods and their parameters", add_methods);
        add("regions", "list the regions and their composite terms", add_regions);
        add("losses", "list the losses", add_losses);
        add("demo", "train on embedded data and show what came of it", add_demo);
        if (argc == 1) {
            fmt::print("{}", app.help());
            return exit_bad_input;
        }
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& request) {  // --help, --version
            return app.exit(request);
        } catch (const CLI::ParseError& error) {
            const auto chosen = app.get_subcommands();
            return fail(fmt::format("{} (see alfcg {}--help)", error.what(),
                                    chosen.empty() ? "" : chosen.front()->get_name() + " "));
        }
        return commands.at(app.get_subcommands().front())();
    } catch (const std::bad_alloc&) {
        return fail(
            "out of memory: fewer rows (--rows), fewer features (--features) or --precision f32 need less");
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
