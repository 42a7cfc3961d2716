#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/core/version.hpp"
#include "cli/commands.hpp"

namespace {

int fail(const std::string& message) {
    std::string line = alfcg::cli::with_options(message);
    std::replace(line.begin(), line.end(), '\n', ' ');
    fmt::print(stderr, "alfcg: {}\n", line);
    return alfcg::cli::exit_bad_input;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace alfcg::cli;
    try {
        CommandLine line("alfcg",
                         "alfcg trains constrained models without projections.\n"
                         "Each command explains itself: alfcg train --help.",
                         fmt::format("alfcg {}", alfcg::version()));
        line.add("train", "fit a model, print progress, write the model", add_train);
        line.add("predict", "apply a model to data, print the score when there are labels", add_predict);
        line.add("compare", "several methods on one problem, one report", add_compare);
        line.add("reproduce", "the paper's figures, and whether its claims held", add_reproduce);
        line.add("methods", "list the methods and their parameters", add_methods);
        line.add("regions", "list the regions and their composite terms", add_regions);
        line.add("losses", "list the losses", add_losses);
        line.add("demo", "train on embedded data and show what came of it", add_demo);
        return line.run(argc, argv);
    } catch (const std::bad_alloc&) {
        return fail(
            "out of memory: fewer rows (--rows), fewer features (--features) or --precision f32 need less");
    } catch (const alfcg::QuantityError& error) {
        return fail(fmt::format("--{} {}", error.quantity(), error.complaint()));
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
