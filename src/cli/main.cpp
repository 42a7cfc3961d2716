#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/version.hpp"
#include "cli/commands.hpp"
#include "cli/many_ranks.hpp"
#include "cli/terminal.hpp"
#include "data/mapped_pages.hpp"

namespace {

using namespace alfcg::cli;

// What is said about an error.
std::string in_a_line(const std::string& message) {
    std::string line = with_options(message);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return "alfcg: " + line + "\n";
}

// Several ranks train one model; everything else is done by one. They would wait for each other for ever where they were asked for
// different things.
void check_ranks(int argc, char** argv) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    alfcg::Ranks* const ranks = ManyRanks::opened();
    if (ranks == nullptr) return;
    std::string asked;
    for (int k = 1; k < argc; ++k) asked += std::string(argv[k]) + '\n';
    const std::vector<std::string> all = ranks->gather(asked);
    for (std::size_t k = 1; k < all.size(); ++k)
        if (all[k] != all[0])
            throw alfcg::Error(fmt::format("rank {} was started with other arguments than rank 0", k));
    if (command != "train" && !command.starts_with('-'))
        throw alfcg::Error(fmt::format("{} runs on one rank: start it without mpirun, which is for train",
                                       command.empty() ? "alfcg" : command));
}

// A file that is looked at in place and is cut short, or whose disk fails: there is no value to go on with. What was about to be written
// has no name yet, and the next run removes it.
void on_lost_page(int signal, siginfo_t* info, void* /*context*/) {
    const char* const path = alfcg::mapped_file_at(info->si_addr);
    if (path == nullptr) {
        std::signal(signal, SIG_DFL);
        return;  // to the same instruction, and the system's own end
    }
    const auto say = [](const char* text) {
        [[maybe_unused]] const auto written = ::write(ManyRanks::errors(), text, std::strlen(text));
    };
    say("alfcg: ");
    say(path);
    say(": was cut short, or its disk failed, while it was read\n");
    ::_exit(exit_bad_input);
}

void watch_mapped_files() {
    struct sigaction action = {};
    action.sa_sigaction = on_lost_page;
    action.sa_flags = SA_SIGINFO;
    static_cast<void>(sigaction(SIGBUS, &action, nullptr));
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
        watch_mapped_files();  // MPI has a word about lost pages of its own, which comes first
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
        line.add("convert", "write data to a file that is looked at where it lies, for more data than memory",
                 add_convert);
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
            "out of memory: fewer rows (--rows), features (--features) or classes, or --precision f32, need "
            "less");
    } catch (const alfcg::QuantityError& error) {
        return fail(fmt::format("--{} {}", error.quantity(), error.complaint()));
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
