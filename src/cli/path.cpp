#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/core/version.hpp"
#include "alfcg/fit/path.hpp"
#include "cli/closing.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/path_pictures.hpp"
#include "cli/radius_table.hpp"
#include "cli/terminal.hpp"
#include "report/compare_methods.hpp"
#include "report/page.hpp"

namespace alfcg::cli {

namespace {

struct PathArguments : ClosingArguments {
    std::string radii = "auto";
    Index folds = 0;
    std::string pick = "best";
    std::string csv;
    std::string output;
    CheckpointArguments checkpoints;
    bool quiet = false;
    bool silent = false;
    bool json = false;
    std::string command;  // as typed
};

PathOptions path_options(const PathArguments& arguments) {
    PathOptions options;
    options.folds = arguments.folds;
    if (arguments.pick != "best" && arguments.pick != "1se")
        throw QuantityError("pick", "must be best or 1se, not '" + arguments.pick + "'");
    options.pick = arguments.pick == "best" ? Pick::best : Pick::smallest;
    arguments.checkpoints.apply(options.checkpoints);
    options.checkpoints.facts = {{"program", "alfcg path"}};
    if (arguments.radii == "auto") return options;
    options.radii = parse_radii(arguments.radii);
    return options;
}

std::string csv_text(const std::vector<PathPoint>& points) {
    std::string text = "radius,objective,gap,nonzeros,rank,train_score,score,score_se,seconds\n";
    for (const PathPoint& point : points)
        text += fmt::format("{:.17g},{:.17g},{:.17g},{},{},{:.17g},{:.17g},{:.17g},{:.6f}\n", point.radius,
                            point.metrics.objective, point.metrics.gap, point.nonzeros,
                            point.rank ? std::to_string(*point.rank) : "", point.training.value(),
                            point.score, point.score_error, point.seconds);
    return text;
}

template <class Real>
nlohmann::json table_of(const Path<Real>& path) {
    using nlohmann::json;
    const bool classes = path.points.front().training.classification;
    const char* best = classes ? "max" : "min";
    json rows = json::array();
    for (std::size_t k = 0; k < path.points.size(); ++k) {
        const PathPoint& point = path.points[k];
        std::string remark;
        if (k == path.best) remark = "best";
        if (k == path.smallest && k != path.best) remark = "smallest within one standard error";
        if (k == path.chosen) remark += remark.empty() ? "chosen" : ", chosen";
        rows.push_back({point.radius, point.metrics.objective, point.metrics.gap,
                        point.rank ? json(*point.rank) : json(), point.nonzeros, point.training.value(),
                        point.score, point.score_error, point.seconds, remark});
    }
    const std::string score = classes ? "accuracy" : "mean squared error";
    return {{"title", "Radii"},
            {"columns",
             json::array(
                 {{{"name", "radius"}, {"type", "number"}, {"digits", 4}},
                  {{"name", "objective"}, {"type", "number"}, {"digits", 6}},
                  {{"name", "gap"}, {"type", "number"}, {"digits", 3}},
                  {{"name", "rank"}, {"type", "number"}},
                  {{"name", "non-zeros"}, {"type", "number"}},
                  {{"name", "training " + score}, {"type", "number"}, {"digits", 4}},
                  {{"name", score + " on unseen rows"}, {"type", "number"}, {"digits", 4}, {"best", best}},
                  {{"name", "standard error"}, {"type", "number"}, {"digits", 2}},
                  {{"name", "seconds"}, {"type", "number"}, {"digits", 3}},
                  {{"name", ""}, {"type", "text"}}})},
            {"rows", std::move(rows)}};
}

template <class Real>
std::string page_of(const PathArguments& arguments, const Path<Real>& path, const Report& report) {
    using nlohmann::json;
    const Problem<Real>& problem = path.problem;
    json facts = json::array();
    facts.push_back({"data", arguments.problem.data.source + ": " +
                                 describe_features(problem.training.features) + ", normalisation " +
                                 arguments.problem.normalize});
    facts.push_back({"loss", problem.loss.name});
    facts.push_back({"judged on", judged_on(path.folds)});
    facts.push_back(
        {"model", fmt::format("{}: {}, {}", arguments.model, problem.region_text, to_text(report.status))});
    json pictures = json::array();
    for (const Picture& picture :
         path_pictures(path.points, path.best, path.smallest, problem.training.names))
        pictures.push_back(
            {{"title", picture.title}, {"note", picture.note}, {"svg", picture_markup(picture)}});
    const json source{{"title", "alfcg path " + name_of_data(arguments.problem.data.source)},
                      {"command", arguments.command},
                      {"version", version()},
                      {"facts", std::move(facts)},
                      {"pictures", std::move(pictures)},
                      {"tables", {table_of(path)}}};
    return report_page(source);
}

template <class Real>
int run_path(PathArguments& arguments) {
    Options options = arguments.run.resolve(arguments.problem.seed());
    const PathOptions along = path_options(arguments);
    std::FILE* table = arguments.json ? stderr : stdout;
    const bool show =
        !arguments.quiet && !arguments.silent && (!arguments.json || isatty(STDERR_FILENO) != 0);
    std::optional<InterruptGuard> guard(std::in_place);
    RadiusTable radii(show ? table : nullptr);
    Path<Real> path =
        find_radius<Real>(arguments.problem.file(), arguments.problem.resolve(options), along,
                          {[&](const PathPoint& point) { radii.add(point); }, InterruptGuard::asked},
                          [&](const Problem<Real>& problem) {
                              if (show)
                                  put(table, describe_problem(arguments.problem.data.source, problem) + "\n");
                          });
    radii.close(path);
    for (const std::string& note : path.problem.training.notes) arguments.notes.push_back(with_options(note));
    const auto watch = [](const Snapshot<Real>& /*now*/) {
        return InterruptGuard::asked() ? Action::stop : Action::proceed;
    };
    options = path.adapted(options);
    const Fitted<Real> fitted = fit<Real>(path.problem, options, watch, &path.start);
    const bool cut_short = InterruptGuard::asked();
    guard.reset();

    const std::filesystem::path folder(arguments.output);
    std::filesystem::create_directories(folder);
    const std::string csv = csv_text(path.points);
    write_file((folder / "path.csv").string(), csv);
    if (!arguments.csv.empty()) write_file(arguments.csv, csv);
    write_file((folder / "report.html").string(), page_of(arguments, path, fitted.report));
    save_model(fitted.model, arguments.model);

    const std::string page = (folder / "report.html").string();
    if (arguments.json) {
        auto json = closing_summary(arguments, path.problem, fitted.report, fitted.model.intercept);
        json["best_radius"] = path.points[path.best].radius;
        json["smallest_radius"] = path.points[path.smallest].radius;
        json["folds"] = path.folds;
        json["points"] = nlohmann::ordered_json::array();
        for (const PathPoint& point : path.points)
            json["points"].push_back({{"radius", point.radius},
                                      {"objective", point.metrics.objective},
                                      {"score", point.score},
                                      {"score_se", point.score_error}});
        json["report"] = page;
        put_data(stdout, json_text(json) + "\n");
    } else if (!arguments.silent) {
        say("{:<11}{}\n", "region", path.problem.region_text);
        print_closing(arguments, options, path.problem.loss.name, fitted.model.weights.size(), fitted.report);
        say("{:<11}{}\n", "report", page);
    }
    return cut_short ? exit_interrupted : 0;
}

}  // namespace

Command add_path(CommandOptions options) {
    auto arguments = std::make_shared<PathArguments>();
    arguments->problem.add_to(options, true);
    const std::string group = "Radius";
    options.add_option(
        "--radii", arguments->radii,
        "radii to try, by commas; auto: doubling, from one that hardly matters to where it holds nothing "
        "back, or unseen rows fare no better [auto]",
        "auto|LIST", group);
    options.add_option("--folds", arguments->folds,
                       "judge on K parts of the rows, each unseen once [5 without --holdout]", "K", group);
    options.add_option(
        "--pick", arguments->pick,
        "best: the radius with the best score; 1se: the smallest within one standard error of it [best]",
        "NAME", group);
    options.add_values("--pick", {"best", "1se"});
    arguments->run.add_to(options);
    const std::string output = "Output";
    options.add_option("--path", arguments->csv, "write the table as CSV", "FILE", output);
    options.add_option("--model", arguments->model,
                       "where the model goes [NAME.model.npz in this folder, after the data]", "FILE",
                       output);
    options.add_option("--output", arguments->output, "folder for the report [NAME.path]", "FOLDER", output);
    arguments->checkpoints.add_to(options, output, "radius");
    options.add_flag("--quiet", arguments->quiet, "print no table, only the closing summary", output);
    options.add_flag("--silent", arguments->silent, "print nothing but errors", output);
    options.add_flag("--json", arguments->json, "print the closing summary as one JSON object", output);
    return [arguments, options] {
        check_silence(arguments->silent, arguments->json);
        arguments->problem.verify(true);
        if (arguments->problem.specification.region.parameters.number("radius"))
            throw QuantityError("radius", "is what path is to find: give --radii, or use train");
        const Options run = arguments->run.resolve(arguments->problem.seed());
        path_options(*arguments).verify(arguments->problem.resolve(run));
        const std::string name = name_of_data(arguments->problem.data.source);
        if (arguments->model.empty()) arguments->model = name + ".model.npz";
        if (arguments->output.empty()) arguments->output = name + ".path";
        check_folder(arguments->output);
        check_outputs({arguments->model, arguments->csv, arguments->checkpoints.file},
                      {arguments->problem.data.source, arguments->problem.data.read.labels,
                       arguments->problem.data.read.weights});
        arguments->command = options.as_typed();
        return arguments->problem.is_double() ? run_path<double>(*arguments) : run_path<float>(*arguments);
    };
}

}  // namespace alfcg::cli
