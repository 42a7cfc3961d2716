#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/fit/fit.hpp"
#include "alfcg/method/batch_file.hpp"
#include "alfcg/method/catalogue.hpp"
#include "cli/closing.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/many_ranks.hpp"
#include "cli/problem.hpp"
#include "cli/progress.hpp"
#include "cli/radius_table.hpp"
#include "cli/run_options.hpp"
#include "cli/terminal.hpp"
#include "report/trace.hpp"

namespace alfcg::cli {

namespace {

struct TrainArguments : ClosingArguments {
    Index trace_every = 1;
    std::string batches;
    std::string batches_out;
    bool early_stop = false;
    std::optional<Index> patience;
    CheckpointArguments checkpoints;
    bool quiet = false;
    bool silent = false;
    bool json = false;
};

constexpr Index default_patience = 20;

// How the problem is solved; what it is has been said.
template <class Real>
std::string banner(const TrainArguments& arguments, const Problem<Real>& problem, const std::string& start) {
    std::string text = fmt::format("region     {}\n", problem.region_text);
    if (!start.empty()) text += fmt::format("start      {}\n", start);
    if (!arguments.checkpoints.resume.empty())
        text += fmt::format("resume     {}\n", arguments.checkpoints.resume);
    const MethodChoice method =
        choose_method(*problem.objective, *problem.new_region(), arguments.run.resolve(0));
    const std::string why = method.reason.empty() ? "" : fmt::format(" (default: {})", method.reason);
    return text + fmt::format("method     {}{}, {}, {} thread{}\n\n", method.name, why,
                              arguments.problem.precision, problem.threads, problem.threads == 1 ? "" : "s");
}

// The weights of a model, as a point of the region; how that was done goes to `told`.
template <class Real>
Matrix<Real> starting_point(const std::string& path, const Problem<Real>& problem, std::string& told) {
    Matrix<Real> weights = start_from(load_model<Real>(path), problem);
    const auto region = problem.new_region();
    const double outside = region->violation(weights);
    told = path;
    if (outside > 0) {
        weights = scaled_into(*region, std::move(weights));
        told += fmt::format(", which lies outside of the region: scaled in, by {:.4g}", 1 / (1 + outside));
    }
    return weights;
}

// What the radius of a region is when none is given; none where it has no radius, or where 1 means the set as it is.
std::optional<double> usual_radius(const std::string& region) {
    for (const Parameter& parameter : region_info(region).parameters)
        if (parameter.info.name == "radius" && parameter.fallback.number != 1)
            return parameter.fallback.number;
    return std::nullopt;
}

template <class Real>
int train(TrainArguments& arguments) {
    Ranks* const ranks = ManyRanks::opened();
    const bool leads = ranks == nullptr || ranks->rank() == 0;
    Options options = arguments.run.resolve(arguments.problem.seed());
    std::string drawn;
    if (leads && !arguments.batches_out.empty())
        options.on_draw = [&](auto batch) { drawn += batch_line(batch); };
    // A trace does not change where a run ends by its tolerance.
    if (!arguments.trace.empty() && options.gap) options.gap_every = arguments.trace_every;

    std::FILE* table = arguments.json ? stderr : stdout;
    // The summary alone goes to stdout; a stderr that is not looked at keeps its one line for errors.
    const bool show =
        !arguments.quiet && !arguments.silent && (!arguments.json || isatty(STDERR_FILENO) != 0);

    std::optional<InterruptGuard> guard(std::in_place);
    Specification specification = arguments.problem.resolve(options);
    specification.ranks = ranks;
    arguments.checkpoints.apply(specification.options.checkpoints);  // a run that goes on stays on its device
    if (ranks != nullptr && arguments.problem.radius_auto())
        throw QuantityError("radius", "must be a number on several ranks: auto is for one");
    std::optional<Matrix<Real>> start;
    std::string start_text;
    std::string introduction;  // unless a search for the radius has given it
    Problem<Real> problem;
    const bool given = specification.region.parameters.has("radius");
    if (arguments.problem.radius_auto() || (!given && specification.hold_out > 0 && ranks == nullptr)) {
        RadiusTable radii(show ? table : nullptr);
        Path<Real> path =
            find_radius<Real>(arguments.problem.file(), specification, {},
                              {[&](const PathPoint& point) { radii.add(point); }, InterruptGuard::asked},
                              [&](const Problem<Real>& found) {
                                  if (show) put(table, describe_problem(found.training.name, found) + "\n");
                              });
        radii.close(path);
        options = path.adapted(options);
        problem = std::move(path.problem);
        start = std::move(path.start);
    } else {
        problem = prepare<Real>(arguments.problem.file(), specification);
        introduction = describe_problem(problem.training.name, problem);
        if (const auto usual = usual_radius(problem.region.name); !given && usual)
            arguments.notes.push_back(
                fmt::format("the radius is {:g} because none was given: --radius auto finds a better one, as "
                            "does --holdout",
                            *usual));
    }
    agree(ranks, [&] {
        if (!arguments.batches.empty())
            options.batches = read_batches(arguments.batches, problem.objective->samples());
        if (!arguments.start.empty()) start = starting_point(arguments.start, problem, start_text);
    });
    if (show) put(table, introduction + banner(arguments, problem, start_text));

    std::string trace(trace_header);
    std::optional<Progress> progress;
    if (show) progress.emplace(table, options);
    arguments.checkpoints.apply(options.checkpoints);
    options.checkpoints.facts = {{"program", "alfcg train"}};
    // What has been written down so far goes with the run.
    options.checkpoints.also.emplace_back("output", [&](Archive& state) {
        Progress unseen(stdout, options);
        state(trace, drawn, progress ? *progress : unseen);
    });
    const auto watch = [&](const Snapshot<Real>& now) {
        if (!arguments.trace.empty() && (now.last || now.iteration % arguments.trace_every == 0)) {
            trace += trace_line(trace_row(now));
        }
        if (progress) progress->show(now);
        return InterruptGuard::asked() ? Action::stop : Action::proceed;
    };
    const Fitted<Real> fitted = fit<Real>(problem, options, watch, start ? &*start : nullptr);
    progress.reset();
    guard.reset();
    const Report& report = fitted.report;

    // Everything is on disk before the first name appears: a full disk leaves no half of the outputs.
    std::optional<OutputFile> trace_file;
    std::optional<OutputFile> batches_file;
    const auto prepare = [](std::optional<OutputFile>& file, const std::string& path,
                            const std::string& text) {
        if (path.empty()) return;
        file.emplace(path).write(text);
        file->sync();
    };
    agree(ranks, [&] {
        if (!leads) return;
        prepare(trace_file, arguments.trace, trace);
        prepare(batches_file, arguments.batches_out, drawn);
        save_model(fitted.model, arguments.model);
        if (trace_file) trace_file->commit();
        if (batches_file) batches_file->commit();
    });

    if (arguments.json) {
        put_data(stdout,
                 json_text(closing_summary(arguments, problem, report, fitted.model.intercept)) + "\n");
    } else if (!arguments.silent) {
        if (show) say("\n");
        print_closing(arguments, options, problem.loss.name, fitted.model.weights.size(), report);
    }
    return report.status == Status::interrupted ? exit_interrupted : 0;
}

}  // namespace

Command add_train(CommandOptions options) {
    auto arguments = std::make_shared<TrainArguments>();
    arguments->problem.add_to(options, true);
    options.add_option("more", arguments->problem.data.more,
                       "further files of the same form, whose rows come after those of the first", "DATA");
    arguments->run.add_to(options);
    options.add_option("--start", arguments->start,
                       "begin at this model's weights, scaled in where they lie outside the region", "MODEL",
                       "Method");
    options.add_flag(
        "--early-stop", arguments->early_stop,
        "end when the score on the rows held out (--holdout) gets no better; the best weights are the model",
        "Method");
    options.add_option(
        "--patience", arguments->patience,
        fmt::format("early stop: looks at these rows without a better score before the end; a look comes "
                    "every epoch, later every sixteenth of the epochs so far [{}]",
                    default_patience),
        "K", "Method");
    const std::string group = "Output";
    options.add_option("--model", arguments->model,
                       "where the model goes [NAME.model.npz in this folder, after the data]", "FILE", group);
    options.add_option("--trace", arguments->trace, "write the course of the run as CSV", "FILE", group);
    options.add_option("--trace-every", arguments->trace_every, "a trace row every K iterations [1]", "K",
                       group);
    options.add_option("--batches", arguments->batches,
                       "draw the batches from this file: a line of row numbers per draw", "FILE", group);
    options.add_option("--batches-out", arguments->batches_out, "write the batches that were drawn", "FILE",
                       group);
    arguments->checkpoints.add_to(options, group);
    options.add_flag("--quiet", arguments->quiet, "print no table, only the closing summary", group);
    options.add_flag("--silent", arguments->silent, "print nothing but errors", group);
    options.add_flag("--json", arguments->json,
                     "print the closing summary as one JSON object; a table only on a terminal, to stderr",
                     group);
    return [arguments] {
        check_silence(arguments->silent, arguments->json);
        if (arguments->trace_every < 1) throw QuantityError("trace-every", "must be at least 1");
        if (arguments->patience && !arguments->early_stop)
            throw QuantityError("patience", "is for runs with --early-stop");
        if (arguments->patience.value_or(1) < 1)
            throw QuantityError("patience", fmt::format("must be at least 1, not {}", *arguments->patience));
        arguments->checkpoints.verify();
        if (arguments->early_stop)
            arguments->problem.specification.patience = arguments->patience.value_or(default_patience);
        arguments->problem.verify(true);
        if (arguments->model.empty())
            arguments->model = name_of_data(arguments->problem.data.source) + ".model.npz";
        Ranks* const ranks = ManyRanks::opened();
        agree(ranks, [&] {
            if (ranks != nullptr && ranks->rank() > 0) return;
            const DataArguments& data = arguments->problem.data;
            std::vector<std::string> inputs{data.source, data.read.labels, data.read.weights,
                                            arguments->batches};
            inputs.insert(inputs.end(), data.more.begin(), data.more.end());
            check_outputs(
                {arguments->model, arguments->trace, arguments->batches_out, arguments->checkpoints.file},
                inputs);
        });
        return arguments->problem.is_double() ? train<double>(*arguments) : train<float>(*arguments);
    };
}

}  // namespace alfcg::cli
