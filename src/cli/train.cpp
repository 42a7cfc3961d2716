#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/fit/fit.hpp"
#include "alfcg/method/batch_file.hpp"
#include "alfcg/method/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/problem.hpp"
#include "cli/progress.hpp"
#include "cli/run_options.hpp"
#include "report/trace.hpp"

namespace alfcg::cli {

namespace {

struct TrainArguments {
    ProblemArguments problem;
    RunArguments run;
    std::string model;
    std::string trace;
    Index trace_every = 1;
    std::string batches;
    std::string batches_out;
    bool quiet = false;
    bool silent = false;
    bool json = false;
};

template <class Real>
nlohmann::ordered_json summary(const TrainArguments& arguments, const Problem<Real>& problem,
                               const Report& report, const std::vector<double>& intercept) {
    const std::string measure = report.training.classification ? "accuracy" : "mean_squared_error";
    const Shape weights = problem.objective->shape();
    const auto number = [](const std::optional<double>& value) {
        return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    };
    nlohmann::ordered_json json;
    json["status"] = to_text(report.status);
    json["iterations"] = report.iterations;
    json["epochs"] = report.epochs;
    json["function_evaluations"] = report.counters.function_evaluations;
    json["seconds"] = report.seconds.method();
    json["objective"] = report.metrics.objective;
    json["gap"] = report.metrics.gap;
    json["gap_certificate"] = report.metrics.gap_exact ? "exact" : "upper bound";
    json[measure] = report.training.value();
    if (report.held_out) json["holdout_" + measure] = report.held_out->value();
    json["rank"] = report.rank ? nlohmann::json(*report.rank) : nlohmann::json();
    json["nonzeros"] = report.nonzeros;
    json["method"] = arguments.run.method;
    json["rho"] = number(report.scale);
    for (const auto& [name, value] : report.parameters.all())
        if (const auto chosen = report.parameters.number(name)) json[name] = *chosen;
    json["loss"] = problem.loss.name;
    json["region"] = problem.region_text;
    json["intercept"] = intercept;
    json["rows"] = rows(problem.training.features);
    json["features"] = weights.cols;
    json["outputs"] = weights.rows;
    json["precision"] = arguments.problem.precision;
    json["seed"] = arguments.problem.seed();
    json["threads"] = problem.threads;
    json["timings"] = {{"gradient", report.seconds.gradient},
                       {"oracle", report.seconds.oracle},
                       {"step", report.seconds.step},
                       {"metrics", report.seconds.metrics}};
    json["oracle_calls"] = report.counters.oracle_calls;
    json["warnings"] = nlohmann::json::array();
    for (const std::string& warning : report.warnings) json["warnings"].push_back(with_options(warning));
    json["model"] = arguments.model;
    if (!arguments.trace.empty()) json["trace"] = arguments.trace;
    return json;
}

void print_score(const char* title, const Score& score) {
    if (score.classification) {
        fmt::print("{:<11}{:.2f}% ({}/{})\n", title, 100.0 * score.value(), score.correct, score.rows);
    } else {
        fmt::print("{:<11}mean squared error {:.6g}\n", title, score.value());
    }
}

void print_closing(const TrainArguments& arguments, Index weights, const Report& report) {
    fmt::print("{:<11}{} after {} iterations, {:.4g} epochs, {:.3f} s\n", "status", to_text(report.status),
               report.iterations, report.epochs, report.seconds.method());
    fmt::print("{:<11}{:.8g}\n", "objective", report.metrics.objective);
    fmt::print("{:<11}{:.6g} ({})\n", "gap", report.metrics.gap,
               report.metrics.gap_exact ? "exact" : "upper bound");
    if (report.scale) {
        fmt::print("{:<11}{:.3g}{}\n", "rho", *report.scale,
                   arguments.run.resolve(0).parameters.number("rho") ? "" : " (found)");
    }
    print_score(report.training.classification ? "accuracy" : "fit", report.training);
    if (report.held_out) print_score("held out", *report.held_out);
    if (report.rank) fmt::print("{:<11}{}\n", "rank", *report.rank);
    fmt::print("{:<11}{} of {}\n", "non-zeros", report.nonzeros, weights);
    fmt::print("{:<11}gradient {:.3f} s, oracle {:.3f} s, step {:.3f} s; metrics {:.3f} s, not counted\n",
               "time", report.seconds.gradient, report.seconds.oracle, report.seconds.step,
               report.seconds.metrics);
    fmt::print("{:<11}{}\n", "model", arguments.model);
    if (!arguments.trace.empty()) fmt::print("{:<11}{}\n", "trace", arguments.trace);
    for (const std::string& warning : report.warnings)
        fmt::print("{:<11}{}\n", "warning", with_options(warning));
}

template <class Real>
std::string banner(const TrainArguments& arguments, const Problem<Real>& problem) {
    const std::string& loss = problem.loss.name;
    const std::string classes =
        problem.classes.size() > 0 ? fmt::format(", {} classes", problem.classes.size()) : std::string();
    const double scale = problem.training.reading.scale;
    std::string text = fmt::format("data       {}: {}{}{}\n", arguments.problem.data.source,
                                   describe_features(problem.training.features), classes,
                                   scale == 1 ? "" : fmt::format(", divided by {}", scale));
    if (problem.held_out)
        text += fmt::format("held out   {}\n", describe_features(problem.held_out->features));
    const std::string& reason = problem.loss_reason;
    text += fmt::format("loss       {}{}{}\n", loss, reason.empty() ? "" : " (" + with_options(reason) + ")",
                        problem.intercept ? ", with an intercept" : "");
    text += fmt::format("region     {}\n", problem.region_text);
    return text + fmt::format("method     {}, {}, {} thread{}\n\n", arguments.run.method,
                              arguments.problem.precision, problem.threads, problem.threads == 1 ? "" : "s");
}

template <class Real>
int train(TrainArguments& arguments) {
    Options options = arguments.run.resolve(arguments.problem.seed());
    std::string drawn;
    if (!arguments.batches_out.empty()) options.on_draw = [&](auto batch) { drawn += batch_line(batch); };
    if (!arguments.trace.empty()) options.gap_every = arguments.trace_every;

    auto problem = prepare<Real>(arguments.problem.file(), arguments.problem.resolve(options));
    if (!arguments.batches.empty())
        options.batches = read_batches(arguments.batches, rows(problem.training.features));
    std::FILE* table = arguments.json ? stderr : stdout;
    // The summary alone goes to stdout; a stderr that is not looked at keeps its one line for errors.
    const bool show =
        !arguments.quiet && !arguments.silent && (!arguments.json || isatty(STDERR_FILENO) != 0);
    if (show) put(table, banner(arguments, problem));

    std::string trace(trace_header);
    std::optional<InterruptGuard> guard(std::in_place);
    std::optional<Progress> progress;
    if (show) progress.emplace(table, options);
    const Fitted<Real> fitted = fit(problem, options, [&](const Snapshot<Real>& now) {
        if (!arguments.trace.empty() && (now.last || now.iteration % arguments.trace_every == 0)) {
            trace += trace_line(trace_row(now));
        }
        if (progress) progress->show(now);
        return InterruptGuard::asked() ? Action::stop : Action::proceed;
    });
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
    prepare(trace_file, arguments.trace, trace);
    prepare(batches_file, arguments.batches_out, drawn);
    save_model(fitted.model, arguments.model);
    if (trace_file) trace_file->commit();
    if (batches_file) batches_file->commit();

    if (arguments.json) {
        fmt::print("{}\n", json_text(summary(arguments, problem, report, fitted.model.intercept)));
    } else if (!arguments.silent) {
        if (show) fmt::print("\n");
        print_closing(arguments, fitted.model.weights.size(), report);
    }
    return report.status == Status::interrupted ? exit_interrupted : 0;
}

}  // namespace

Command add_train(CommandOptions options) {
    auto arguments = std::make_shared<TrainArguments>();
    arguments->problem.add_to(options, true);
    arguments->run.add_to(options);
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
    options.add_flag("--quiet", arguments->quiet, "print no table, only the closing summary", group);
    options.add_flag("--silent", arguments->silent, "print nothing but errors", group);
    options.add_flag("--json", arguments->json,
                     "print the closing summary as one JSON object; a table only on a terminal, to stderr",
                     group);
    return [arguments] {
        check_silence(arguments->silent, arguments->json);
        if (arguments->trace_every < 1) throw QuantityError("trace-every", "must be at least 1");
        arguments->problem.verify();
        if (arguments->model.empty())
            arguments->model = name_of_data(arguments->problem.data.source) + ".model.npz";
        check_outputs({arguments->model, arguments->trace, arguments->batches_out},
                      {arguments->problem.data.source, arguments->problem.data.read.labels,
                       arguments->problem.data.read.weights, arguments->batches});
        return arguments->problem.is_double() ? train<double>(*arguments) : train<float>(*arguments);
    };
}

}  // namespace alfcg::cli
