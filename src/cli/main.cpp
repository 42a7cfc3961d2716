#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "alfcg/core/error.hpp"
#include "alfcg/core/version.hpp"
#include "cli/commands.hpp"
#include "cli/many_ranks.hpp"
#include "cli/terminal.hpp"

namespace {

using namespace alfcg::cli;

// What is said about an error.
std::string in_a_line(const std::string& message) {
    std::string line = with_options(message);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return "alfcg: " + line + "\n";
}

// Several ranks train one model; everything else is done by one.
void check_ranks(int argc, char** argv) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (ManyRanks::opened() != nullptr && command != "train" && !command.starts_with('-'))
        throw alfcg::Error(fmt::format("{} runs on one rank: start it without mpirun, which is for train",
                                       command.empty() ? "alfcg" : command));
}

}  // namespace

int main(int argc, char** argv) {
    hold_standard_streams();
    // A reader that leaves (`| head`) makes printing fail; it does not end a run.
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    ManyRanks ranks;
    const auto fail = [&](const std::string& message) {
        ranks.fail(in_a_line(message), exit_bad_input);
        return exit_bad_input;
    };
    // The command's own status, unless what it printed was lost.
    const auto checked = [&](int status) {
        const std::string failure = output_failure();
        if (!failure.empty()) return fail(failure);
        ranks.close(status);
        return status;
    };
    try {
        ranks.open();
        check_ranks(argc, argv);
        CommandLine line("alfcg",
                         "alfcg trains constrained models without projections.\n"
                         "Each command explains itself: alfcg train --help.",
                         fmt::format("alfcg {}", alfcg::version()));
        line.add("train", "fit a model, print progress, write the model", add_train);
        line.add("predict", "apply a model to data, print the score when there are labels", add_predict);
        line.add("show", "what a model has learned: coefficients by name, scores, rank", add_show);
        line.add("path", "fits over many radii, judged on unseen rows: the best model and a report",
                 add_path);
        line.add("complete", "fill in a matrix of which some entries are known: factors, biases, scores",
                 add_complete);
        line.add("recommend", "the largest entries of a row of a completed matrix", add_recommend);
        line.add("compare", "several methods on one problem, one report", add_compare);
        line.add("reproduce", "the paper's figures, and whether its claims held", add_reproduce);
        line.add("methods", "list the methods and their parameters", add_methods);
        line.add("regions", "list the regions and their composite terms", add_regions);
        line.add("losses", "list the losses", add_losses);
        line.add("demo", "train on embedded data and show what came of it", add_demo);
        line.add_hidden("manual", "the manual page, for man", add_manual);
        line.add_hidden("completion", "what bash or zsh needs to complete alfcg's words", add_completion);
        return checked(line.run(argc, argv));
    } catch (const std::bad_alloc&) {
        return fail(
            "out of memory: fewer rows (--rows), fewer features (--features) or --precision f32 need less");
    } catch (const alfcg::QuantityError& error) {
        return fail(fmt::format("--{} {}", error.quantity(), error.complaint()));
    } catch (const std::exception& error) {
        const bool printing =
            std::ferror(stdout) != 0 && dynamic_cast<const std::system_error*>(&error) != nullptr;
        return printing ? checked(0) : fail(error.what());
    }
}
