#include "cli/closing.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "alfcg/core/device.hpp"
#include "core/memory.hpp"

namespace alfcg::cli {

namespace {

void print_score(const char* title, const Score& score) {
    if (score.classification) {
        say("{:<11}{:.2f}% ({}/{})\n", title, 100.0 * score.value(), score.correct, score.rows);
    } else {
        say("{:<11}mean squared error {:.6g}\n", title, score.value());
    }
}

// How far from the optimum a run may be that a limit ended, or rounding, and what to do about it; empty for others.
std::string limit_note(const ClosingArguments& arguments, const Options& options, const Report& report,
                       const std::string& loss) {
    const double objective = report.metrics.objective;
    const double gap = report.metrics.gap;
    if (report.status == Status::precision)
        return fmt::format("rounding ended the run, with a gap of {:.2g}{}", gap,
                           arguments.problem.precision == "f32" ? "; --precision f64 goes further" : "");
    if (report.status != Status::max_epochs && report.status != Status::max_iterations &&
        report.status != Status::max_seconds)
        return {};
    const std::string share =
        objective > 0 && gap < objective ? fmt::format(" ({:.2g}% of it)", 100 * gap / objective) : "";
    std::string line = loss_info(loss).convex
                           ? fmt::format("the objective may be up to {:.3g}{} above the optimum", gap, share)
                           : fmt::format("a point without a way down has gap 0, this one {:.3g}", gap);
    // The generous limit that nobody asked for.
    if (options.tolerance > 0 && options.max_epochs == Specification::default_options().max_epochs)
        line += fmt::format("; to go on: --start MODEL, or --max-epochs {:.0f}; to ask for less: --tol {:g}",
                            10 * options.max_epochs, 10 * options.tolerance);
    return line;
}

}  // namespace

template <class Real>
nlohmann::ordered_json closing_summary(const ClosingArguments& arguments, const Problem<Real>& problem,
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
    if (report.best_iteration) json["best_iteration"] = *report.best_iteration;
    json["gap_certificate"] = report.metrics.gap_exact ? "exact" : "upper bound";
    json[measure] = report.training.value();
    if (report.held_out) json["holdout_" + measure] = report.held_out->value();
    json["rank"] = report.rank ? nlohmann::json(*report.rank) : nlohmann::json();
    json["nonzeros"] = report.nonzeros;
    json["method"] = report.method;
    json["rho"] = number(report.scale);
    for (const auto& [name, value] : report.parameters.all())
        if (const auto chosen = report.parameters.number(name)) json[name] = *chosen;
    json["loss"] = problem.loss.name;
    if (const auto radius = problem.region.parameters.number("radius")) json["radius"] = *radius;
    json["region"] = problem.region_text;
    json["intercept"] = intercept;
    json["rows"] = problem.objective->samples();
    if (problem.training.header) json["header"] = true;
    json["features"] = weights.cols;
    json["outputs"] = weights.rows;
    json["precision"] = arguments.problem.precision;
    json["seed"] = arguments.problem.seed();
    json["threads"] = problem.threads;
    json["device"] = problem.device == nullptr ? "cpu" : problem.device->name();
    if (problem.device != nullptr) {
        json["device_name"] = problem.device->description();
        json["device_streamed"] = problem.objective->streamed();
    }
    for (const DeviceTime& time : problem.device_times) json["device_seconds"][time.name] = time.seconds;
    json["reproducible"] = arguments.problem.specification.reproducible;
    if (report.ranks > 1) {
        json["ranks"] = report.ranks;
        json["bytes_sent"] = report.bytes_sent;
        json["messages"] = report.messages;
    }
    json["timings"] = {{"gradient", report.seconds.gradient},
                       {"oracle", report.seconds.oracle},
                       {"step", report.seconds.step},
                       {"metrics", report.seconds.metrics}};
    json["oracle_calls"] = report.counters.oracle_calls;
    json["peak_memory"] = peak_memory();
    json["warnings"] = nlohmann::json::array();
    for (const std::string& warning : report.warnings) json["warnings"].push_back(with_options(warning));
    json["model"] = arguments.model;
    if (!arguments.start.empty()) json["start"] = arguments.start;
    if (!arguments.trace.empty()) json["trace"] = arguments.trace;
    return json;
}

void print_closing(const ClosingArguments& arguments, const Options& options, const std::string& loss,
                   Index weights, const Report& report) {
    say("{:<11}{} after {} iterations, {:.4g} epochs, {:.3f} s\n", "status", to_text(report.status),
        report.iterations, report.epochs, report.seconds.method());
    if (report.best_iteration)
        say("{:<11}of iteration {}, the best on the rows held out\n", "weights", *report.best_iteration);
    say("{:<11}{:.8g}\n", "objective", report.metrics.objective);
    say("{:<11}{:.6g} ({})\n", "gap", report.metrics.gap, report.metrics.gap_exact ? "exact" : "upper bound");
    if (report.scale) {
        say("{:<11}{:.3g}{}\n", "rho", *report.scale,
            arguments.run.resolve(0).parameters.number("rho") ? "" : " (found)");
    }
    print_score(report.training.classification ? "accuracy" : "fit", report.training);
    if (report.held_out) print_score("held out", *report.held_out);
    if (report.rank) say("{:<11}{}\n", "rank", *report.rank);
    say("{:<11}{} of {}\n", "non-zeros", report.nonzeros, weights);
    say("{:<11}gradient {:.3f} s, oracle {:.3f} s, step {:.3f} s; metrics {:.3f} s, not counted\n", "time",
        report.seconds.gradient, report.seconds.oracle, report.seconds.step, report.seconds.metrics);
    if (report.ranks > 1)
        say("{:<11}{}, rank 0 has sent {:.4g} MB to the others, {:.4g} MB an epoch\n", "ranks", report.ranks,
            1e-6 * static_cast<double>(report.bytes_sent),
            1e-6 * static_cast<double>(report.bytes_sent) / std::max(report.epochs, 1.0));
    say("{:<11}{:.4g} MB at most{}, with what is mapped of the data\n", "memory", peak_memory() / 1e6,
        report.ranks > 1 ? " on rank 0" : "");
    if (const std::string note = limit_note(arguments, options, report, loss); !note.empty())
        say("{:<11}{}\n", "note", note);
    for (const std::string& note : arguments.notes) say("{:<11}{}\n", "note", note);
    say("{:<11}{}\n", "model", arguments.model);
    if (!arguments.trace.empty()) say("{:<11}{}\n", "trace", arguments.trace);
    for (const std::string& warning : report.warnings) say("{:<11}{}\n", "warning", with_options(warning));
}

template nlohmann::ordered_json closing_summary(const ClosingArguments&, const Problem<float>&, const Report&,
                                                const std::vector<double>&);
template nlohmann::ordered_json closing_summary(const ClosingArguments&, const Problem<double>&,
                                                const Report&, const std::vector<double>&);

}  // namespace alfcg::cli
