#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/fit/completion.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/problem.hpp"
#include "cli/progress.hpp"
#include "cli/run_options.hpp"
#include "cli/terminal.hpp"
#include "report/trace.hpp"

namespace alfcg::cli {

namespace {

struct CompleteArguments {
    std::string source;
    bool weights = false;
    std::optional<Index> rows;
    std::uint64_t max_unpacked = 0;
    std::string loss = "squared";
    std::optional<double> threshold;
    std::string radius;
    std::string radii;
    std::optional<double> hold_out;
    bool biases = false;
    std::string bias_penalty = "auto";
    bool refit = false;
    std::optional<Index> rank;
    RunArguments run;
    std::string start;
    std::string precision = "f32";
    int threads = 0;
    bool reproducible = false;
    std::uint64_t seed = 0;
    std::string model;
    std::string trace;
    CheckpointArguments checkpoints;
    bool quiet = false;
    bool silent = false;
    bool json = false;
};

// A number, or none for "auto".
std::optional<double> number_or_auto(const std::string& name, const std::string& text) {
    if (text == "auto") return std::nullopt;
    try {
        std::size_t used = 0;
        const double number = std::stod(text, &used);
        if (used == text.size()) return number;
    } catch (const std::exception&) {  // said below
    }
    throw QuantityError(name, fmt::format("must be auto or a number, not '{}'", text));
}

CompletionSpecification specification_of(const CompleteArguments& arguments) {
    CompletionSpecification specification;
    specification.loss.name = arguments.loss;
    if (arguments.threshold) specification.loss.parameters.set("threshold", *arguments.threshold);
    if (arguments.radius.empty())
        throw QuantityError(
            "radius", "is needed: a number, or auto, which finds one on observations that are held out");
    specification.radius = number_or_auto("radius", arguments.radius);
    if (!arguments.radii.empty()) specification.radii = parse_radii(arguments.radii);
    specification.hold_out = arguments.hold_out.value_or(0);
    if (arguments.hold_out && !(*arguments.hold_out > 0))
        throw QuantityError("holdout",
                            fmt::format("must be a share between 0 and 1, not {}", *arguments.hold_out));
    specification.biases = arguments.biases;
    specification.bias_penalty = number_or_auto("bias-penalty", arguments.bias_penalty);
    specification.refit = arguments.refit;
    if (arguments.rank && *arguments.rank < 1)
        throw QuantityError("rank", fmt::format("must be at least 1, not {}", *arguments.rank));
    specification.rank = arguments.rank.value_or(0);
    specification.threads = arguments.threads;
    specification.reproducible = arguments.reproducible;
    specification.options = arguments.run.resolve(arguments.seed);
    specification.verify();
    return specification;
}

nlohmann::ordered_json summary_of(const CompleteArguments& arguments, const CompletionReport& report,
                                  Shape shape) {
    nlohmann::ordered_json json;
    const bool signs = loss_info(arguments.loss).classifies();
    const std::string error = signs ? "error_rate" : "rmse";
    json["status"] = std::string(to_text(report.status));
    json["iterations"] = report.iterations;
    json["epochs"] = report.epochs;
    json["function_evaluations"] = report.counters.function_evaluations;
    json["seconds"] = report.seconds;
    json["objective"] = report.metrics.objective;
    json["gap"] = report.metrics.gap;
    json["gap_exact"] = report.metrics.gap_exact;
    json[error] = report.error;
    if (report.held_out) json["test_" + error] = *report.held_out;
    if (report.refit_held_out) json["refit_test_" + error] = *report.refit_held_out;
    if (report.refit_penalty) json["refit_penalty"] = *report.refit_penalty;
    json["rank"] = report.rank;
    json["nuclear_norm"] = report.norm;
    json["radius"] = report.radius;
    if (arguments.biases) json["bias_penalty"] = report.bias_penalty;
    json["rows"] = shape.rows;
    json["columns"] = shape.cols;
    json["observations"] = report.trained_on;
    json["held_out"] = report.held_out_count;
    json["on_all"] = report.on_all;
    json["method"] = report.method;
    json["seed"] = arguments.seed;
    json["threads"] = arguments.threads;
    json["reproducible"] = arguments.reproducible;
    json["model"] = arguments.model;
    return json;
}

void print_summary(const CompleteArguments& arguments, const CompletionReport& report) {
    const bool signs = loss_info(arguments.loss).classifies();
    const char* error = signs ? "error rate" : "RMSE";
    say("{} after {} iterations, {:.3g} s: {} {:.6g}, gap {:.3g} ({})\n", to_text(report.status),
        report.iterations, report.seconds, "objective", report.metrics.objective, report.metrics.gap,
        report.metrics.gap_exact ? "exact" : "upper bound");
    say("rank {}, nuclear norm {:.6g} of radius {:.6g}\n", report.rank, report.norm, report.radius);
    if (arguments.biases) say("biases with a penalty of {:g} observations each\n", report.bias_penalty);
    if (report.held_out)
        say("{} {:.6g} on {} observations held out", error, *report.held_out, report.held_out_count);
    if (report.refit_held_out)
        say(", {:.6g} after a refit{}", *report.refit_held_out,
            report.refit_penalty ? "" : " (which is no better, and was left)");
    if (report.held_out) say("\n");
    say("{} {:.6g} on {} observations{}\n", error, report.error, report.trained_on,
        report.on_all ? ", all of them: the model has been fitted to those held out too" : "");
    if (report.status == Status::max_rank)
        say("note: the optimum has more singular values than --rank {} keeps, and the gap stays: a larger "
            "rank, or a smaller radius, would help\n",
            *arguments.rank);
    say("model {}\n", arguments.model);
}

// The model of another run, its rows and columns in the order of these data. What it does not know begins at zero.
template <class Real>
CompletionModel<Real> starting_model(const std::string& path, const Ratings<Real>& ratings) {
    if (!is_completion(path)) throw Error(path + ": is no model by 'alfcg complete'");
    return in_order(load_completion<Real>(path), ratings.rows, ratings.columns);
}

template <class Real>
int complete_with(CompleteArguments& arguments) {
    CompletionSpecification specification = specification_of(arguments);
    std::optional<InterruptGuard> guard(std::in_place);
    Ratings<Real> ratings = load_ratings<Real>(
        arguments.source, {arguments.weights, arguments.rows.value_or(0), arguments.max_unpacked});
    const Shape shape = ratings.known.pattern.shape;
    std::FILE* table = arguments.json ? stderr : stdout;
    const bool show =
        !arguments.quiet && !arguments.silent && (!arguments.json || isatty(STDERR_FILENO) != 0);
    if (show)
        put(table,
            fmt::format("{}: {} observations of {} rows and {} columns, {:.3g} % of the matrix\n",
                        arguments.source, ratings.known.size(), shape.rows, shape.cols,
                        100 * static_cast<double>(ratings.known.size()) / static_cast<double>(shape.size())));
    std::string trace(trace_header);
    std::optional<Progress> progress;
    if (show) progress.emplace(table, specification.options);
    arguments.checkpoints.apply(specification.options.checkpoints);
    // What has been written down so far goes with the run.
    specification.options.checkpoints.also.emplace_back("output", [&](Archive& state) {
        Progress unseen(stdout, specification.options);
        state(trace, progress ? *progress : unseen);
    });
    std::optional<CompletionModel<Real>> start;
    if (!arguments.start.empty()) start = starting_model<Real>(arguments.start, ratings);
    CompletionWatch<Real> watch;
    watch.stop = InterruptGuard::asked;
    watch.radius = [&](const RadiusScore& score) {
        if (show)
            put(table, fmt::format("radius {:<10.4g} rank {:<4} error {:.5f}, held out {:.5f}{}, {:.3g} s\n",
                                   score.radius, score.rank, score.training, score.held_out,
                                   score.refit ? fmt::format(", {:.5f} after a refit", *score.refit) : "",
                                   score.seconds));
    };
    watch.run = [&](const Snapshot<Real>& now) {
        if (!arguments.trace.empty()) trace += trace_line(trace_row(now));
        if (progress) progress->show(now);
        return InterruptGuard::asked() ? Action::stop : Action::proceed;
    };
    const Completed<Real> found =
        complete<Real>(std::move(ratings), specification, watch, start ? &*start : nullptr);
    progress.reset();
    guard.reset();
    std::optional<OutputFile> trace_file;
    if (!arguments.trace.empty()) {
        trace_file.emplace(arguments.trace).write(trace);
        trace_file->sync();
    }
    save_completion(found.model, arguments.model);
    if (trace_file) trace_file->commit();
    if (arguments.json) {
        put_data(stdout, json_text(summary_of(arguments, found.report, shape)) + "\n");
    } else if (!arguments.silent) {
        if (show) say("\n");
        print_summary(arguments, found.report);
    }
    return found.report.status == Status::interrupted ? exit_interrupted : 0;
}

struct RecommendArguments {
    std::string model;
    std::string user;
    Index count = 10;
    std::string without;
    bool json = false;
};

template <class Real>
int recommend_with(const RecommendArguments& arguments) {
    const auto model = load_completion<Real>(arguments.model);
    const auto rows = positions(model.rows);
    const auto row = rows.find(arguments.user);
    if (row == rows.end())
        throw Error(fmt::format("{}: has no row '{}'; it has {}, such as '{}'", arguments.model,
                                arguments.user, model.rows.size(),
                                model.rows.empty() ? "" : model.rows.front()));
    std::vector<Index> without;
    if (!arguments.without.empty()) {
        const auto columns = positions(model.columns);
        const Pairs pairs = load_pairs(arguments.without);
        for (std::size_t k = 0; k < pairs.rows.size(); ++k) {
            const auto column = columns.find(pairs.columns[k]);
            if (pairs.rows[k] == arguments.user && column != columns.end()) without.push_back(column->second);
        }
        std::sort(without.begin(), without.end());
    }
    const auto best = recommend(model, row->second, arguments.count, without);
    if (arguments.json) {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const Recommendation& one : best)
            json.push_back(
                {{"column", model.columns[static_cast<std::size_t>(one.column)]}, {"value", one.value}});
        put_data(stdout, json_text(json) + "\n");
        return 0;
    }
    for (const Recommendation& one : best)
        say("{}\t{:.6g}\n", model.columns[static_cast<std::size_t>(one.column)], one.value);
    return 0;
}

}  // namespace

Command add_complete(CommandOptions options) {
    auto arguments = std::make_shared<CompleteArguments>();
    options.add_argument("ratings", arguments->source,
                         "triples 'row column value' with names of any kind (CSV, TSV), a Matrix Market "
                         "file, or a sparse matrix of "
                         "SciPy (.npz)",
                         "RATINGS");
    const std::string data = "Data";
    options.add_flag("--weights", arguments->weights,
                     "the fourth column (.npz: the array weights) has weights", data);
    options.add_option("--rows", arguments->rows, "take the first N observations [all]", "N", data);
    add_max_unpacked(options, arguments->max_unpacked, data);
    const std::string problem = "Problem";
    options.add_option("--radius", arguments->radius,
                       "of the nuclear ball; auto: the best on observations that are held out", "auto|R",
                       problem);
    options.add_option("--loss", arguments->loss, "squared, huber, or logistic for values -1 and 1 [squared]",
                       "NAME", problem);
    options.add_values("--loss", {"squared", "huber", "logistic"});
    options.add_option("--threshold", arguments->threshold, "huber: where the loss becomes linear [1]", "T",
                       problem);
    options.add_flag("--biases", arguments->biases,
                     "a number for every row and column beside the low-rank part", problem);
    options.add_option(
        "--bias-penalty", arguments->bias_penalty,
        "so many observations that say 0, for every row and column; auto: the best on what is held out, "
        "none where nothing is [auto]",
        "auto|K", problem);
    options.add_option(
        "--holdout", arguments->hold_out,
        "judge on this share of the observations, drawn at random [0.1 where something is chosen]", "F",
        problem);
    options.add_flag(
        "--refit", arguments->refit,
        "sweeps of least squares at the rank found, with a penalty of their own, where that is better on "
        "what is held out",
        problem);
    options.add_option("--rank", arguments->rank, "keep no more singular values than this [all]", "K",
                       problem);
    arguments->run.defaults = CompletionSpecification::default_options();
    arguments->run.add_to(options);
    options.add_option("--radii", arguments->radii,
                       "radius auto: these, by commas, in place of those along a path of penalties", "R,R,...", problem);
    options.add_option("--start", arguments->start,
                       "begin at this model, scaled in where it lies outside the ball", "MODEL", "Method");
    const std::string running = "Running";
    options.add_option("--precision", arguments->precision, "f32 or f64 [f32]", "P", running);
    options.add_values("--precision", {"f32", "f64"});
    options.add_option("--threads", arguments->threads, "threads [all cores]", "N", running);
    options.add_flag("--reproducible", arguments->reproducible,
                     "the same bits for every number of threads: work is divided in one way for all",
                     running);
    options.add_option("--seed", arguments->seed, "of batches and of what is held out [0]", "S", running);
    const std::string output = "Output";
    options.add_option("--model", arguments->model,
                       "where the model goes [NAME.model.npz in this folder, after the data]", "FILE",
                       output);
    options.add_option("--trace", arguments->trace, "write the course of the run as CSV", "FILE", output);
    arguments->checkpoints.add_to(options, output);
    options.add_flag("--quiet", arguments->quiet, "print no table, only the closing summary", output);
    options.add_flag("--silent", arguments->silent, "print nothing but errors", output);
    options.add_flag("--json", arguments->json, "print the closing summary as one JSON object", output);
    return [arguments] {
        check_silence(arguments->silent, arguments->json);
        check_threads(arguments->threads);
        check_precision(arguments->precision);
        arguments->checkpoints.verify();
        if (!arguments->start.empty() && arguments->radius == "auto")
            throw QuantityError("start", "is for a `radius` that is given: a search begins at the origin");
        static_cast<void>(specification_of(*arguments));
        if (arguments->model.empty()) arguments->model = name_of_data(arguments->source) + ".model.npz";
        check_outputs({arguments->model, arguments->trace, arguments->checkpoints.file}, {arguments->source});
        return arguments->precision == "f64" ? complete_with<double>(*arguments)
                                             : complete_with<float>(*arguments);
    };
}

Command add_recommend(CommandOptions options) {
    auto arguments = std::make_shared<RecommendArguments>();
    options.add_argument("model", arguments->model, "a model written by 'alfcg complete'", "MODEL");
    options.add_argument("user", arguments->user, "the name of a row", "USER");
    options.add_option("-n", arguments->count, "how many columns [10]", "K", "Output");
    options.add_option("--without", arguments->without, "pairs or triples that are known already", "FILE",
                       "Output");
    options.add_flag("--json", arguments->json, "print a JSON array", "Output");
    return [arguments] {
        if (arguments->count < 1) throw Error(fmt::format("-n must be at least 1, not {}", arguments->count));
        return completion_is_double(arguments->model) ? recommend_with<double>(*arguments)
                                                      : recommend_with<float>(*arguments);
    };
}

}  // namespace alfcg::cli
