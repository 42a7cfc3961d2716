#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/core/version.hpp"
#include "alfcg/fit/fit.hpp"
#include "alfcg/method/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/problem.hpp"
#include "cli/run_options.hpp"
#include "cli/status_line.hpp"
#include "core/threads.hpp"
#include "report/page.hpp"
#include "report/reproduction.hpp"
#include "report/svg_figure.hpp"

namespace alfcg::cli {

namespace {

namespace fs = std::filesystem;

constexpr double reproduced_epochs = 30;
constexpr double reproduced_points = 80;
constexpr const char* printed_rho = "1e-5";

struct ReproduceArguments {
    std::vector<int> figures;
    std::string scale = "small";
    std::string normalize;  // empty: each comparison has its own
    bool intercept = false;
    ParameterArguments parameters;
    BudgetArguments budget;
    int seeds = 3;
    std::string precision = "f32";
    int threads = 0;
    std::string data_dir;
    std::string output = "alfcg-reproduction";
    bool quiet = false;
    bool silent = false;
    std::string command;
};

struct RunKey {
    std::string method;
    std::uint64_t seed;
};

std::string data_name(const std::string& data, const std::string& scale) {
    if (data == "randn") return scale == "paper" ? "randn-30000-5000" : "randn-3000-500";
    return scale == "paper" ? "mnist-50000-768" : "mnist-5000-768";
}

// What decides the outcome of a run, in words: runs of other settings live in other folders.
std::string settings_name(const ReproduceArguments& arguments) {
    std::string name = fmt::format("{}-{}-{}-{}threads", arguments.scale, arguments.normalize,
                                   arguments.precision, resolve_threads(arguments.threads));
    if (arguments.intercept) name += "-intercept";
    for (const auto& [parameter, value] : arguments.parameters.given)
        name += fmt::format("-{}{}", parameter, value);
    if (arguments.budget.max_iterations)
        name += fmt::format("-{}iterations", *arguments.budget.max_iterations);
    if (arguments.budget.max_epochs) name += fmt::format("-{}epochs", *arguments.budget.max_epochs);
    if (arguments.budget.max_seconds) name += fmt::format("-{}seconds", *arguments.budget.max_seconds);
    if (arguments.budget.gap) name += fmt::format("-gap{}", *arguments.budget.gap);
    return name;
}

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Figure 7 shows alfcg-mvr2 alone: a panel that only serves it needs no other runs.
bool is_asked(const PaperPanel& panel, const std::vector<int>& figures) {
    return std::find(figures.begin(), figures.end(), panel.figure) != figures.end();
}

std::vector<RunKey> plan_of(const PaperPanel& panel, const ReproduceArguments& arguments) {
    const int seeds = arguments.seeds;
    std::vector<RunKey> keys;
    for (const std::string& method :
         select_methods(is_asked(panel, arguments.figures) ? panel.setting : "alfcg-mvr2"))
        for (int k = 0; k < (is_stochastic(method) ? seeds : 1); ++k) {
            keys.push_back({method, static_cast<std::uint64_t>(k)});
        }
    return keys;
}

// The panels of the figures asked for, each once.
std::vector<PaperPanel> panels_of(const std::vector<int>& figures) {
    std::set<std::pair<int, char>> seen;
    std::vector<PaperPanel> panels;
    for (const int figure : figures)
        for (const PaperPanel& panel : paper_panels(figure))
            if (seen.emplace(panel.figure, panel.letter).second) panels.push_back(panel);
    return panels;
}

// Runs what is missing; files of finished runs are read instead.
template <class Real>
class Series {
  public:
    Series(const ReproduceArguments& arguments, const std::vector<PaperPanel>& panels)
        : arguments_(arguments),
          parameters_(arguments.parameters.resolve()),
          folder_(fs::path(arguments.output) / "runs" / settings_name(arguments)) {
        arguments_.budget.apply_bounded(budget_, reproduced_epochs);
        for (const PaperPanel& panel : panels) total_ += plan_of(panel, arguments).size();
    }

    // False when it was interrupted.
    bool run(const std::vector<PaperPanel>& panels, std::vector<PanelRuns>& done);

  private:
    // All panels of one data set: the data are read (or made) once, and only when a run is missing.
    bool run_data(const std::string& data, const std::vector<PaperPanel>& panels,
                  std::vector<PanelRuns>& done, StatusLine& status);
    Problem<Real>& problem(const std::string& data);
    std::optional<RunRecord> run_one(const PaperPanel& panel, const RunKey& key);

    const ReproduceArguments& arguments_;
    Parameters parameters_;
    fs::path folder_;
    Options budget_;
    std::size_t total_ = 0;
    std::size_t finished_ = 0;
    std::size_t kept_ = 0;
    std::optional<Problem<Real>> problem_;
    std::string problem_data_;
};

template <class Real>
Problem<Real>& Series<Real>::problem(const std::string& data) {
    if (problem_data_ != data) {
        problem_.reset();
        FileData file{data_name(data, arguments_.scale), {}};
        file.read.data_dir = arguments_.data_dir;
        Specification wanted;
        wanted.loss.name = "multinomial";
        wanted.region.name = "nuclear";
        wanted.normalization = parse_normalization(arguments_.normalize);
        wanted.threads = arguments_.threads;
        wanted.intercept = arguments_.intercept;
        problem_ = prepare<Real>(file, wanted);
        problem_data_ = data;
    }
    return *problem_;
}

template <class Real>
std::optional<RunRecord> Series<Real>::run_one(const PaperPanel& panel, const RunKey& key) {
    const fs::path path = folder_ / panel.problem() / fmt::format("{}-{}.csv", key.method, key.seed);
    if (fs::exists(path)) {
        ++kept_;
        return RunRecord{key.method, setting_of(key.method), key.seed,
                         "kept",     std::nullopt,           parse_trace(read_text(path), path.string())};
    }
    Problem<Real>& shared = problem(panel.data);
    RegionSpec spec{panel.region, {{"radius", panel.radius}}, {}};
    if (panel.region == "lp") spec.parameters.set("p", 3);
    const auto region = make_region<Real>(spec, shared.threads);
    Options options = budget_;
    options.method = key.method;
    options.seed = key.seed;
    options.parameters = own_parameters(key.method, parameters_);
    RunRecord run = record_run(*shared.objective, *region, options, reproduced_points,
                               [] { return InterruptGuard::asked(); });
    if (InterruptGuard::asked()) return std::nullopt;
    fs::create_directories(path.parent_path());
    write_file(path.string(), trace_text(run.trace));
    return run;
}

template <class Real>
bool Series<Real>::run_data(const std::string& data, const std::vector<PaperPanel>& panels,
                            std::vector<PanelRuns>& done, StatusLine& status) {
    std::string skipped;
    for (const PaperPanel& panel : panels) {
        if (panel.data != data) continue;
        PanelRuns result{panel,
                         fmt::format("({}) {}, radius {}", panel.letter, data_name(data, arguments_.scale),
                                     format_number(panel.radius)),
                         {},
                         {},
                         is_asked(panel, arguments_.figures)};
        if (!skipped.empty()) {
            result.note = skipped;
            done.push_back(result);
            continue;
        }
        for (const RunKey& key : plan_of(panel, arguments_)) {
            status.show(finished_, fmt::format("figure {} ({}) {}", panel.figure, panel.letter, key.method),
                        kept_);
            try {
                auto run = run_one(panel, key);
                if (!run) return false;
                result.runs.push_back(std::move(*run));
                ++finished_;
            } catch (const Error& error) {
                // MNIST is not ours to ship: without it, its panels are left out, and said so.
                if (data != "mnist" || problem_data_ == data) throw;
                skipped = fmt::format("skipped: {}", with_options(error.what()));
                status.clear();
                if (!arguments_.silent) put(stderr, "MNIST panels " + skipped + "\n");
                result.note = skipped;
                result.runs.clear();  // half a panel cannot be judged
                break;
            }
        }
        done.push_back(std::move(result));
    }
    return true;
}

template <class Real>
bool Series<Real>::run(const std::vector<PaperPanel>& panels, std::vector<PanelRuns>& done) {
    const InterruptGuard guard;
    StatusLine status(arguments_.quiet || arguments_.silent ? nullptr : stderr, total_);
    const bool complete = run_data("randn", panels, done, status) && run_data("mnist", panels, done, status);
    std::sort(done.begin(), done.end(), [](const PanelRuns& a, const PanelRuns& b) {
        return std::pair(a.panel.figure, a.panel.letter) < std::pair(b.panel.figure, b.panel.letter);
    });
    return complete;
}

// The figures under one choice of parameters and normalisation.
struct Comparison {
    ReproduceArguments arguments;
    std::vector<PanelRuns> panels;

    [[nodiscard]] std::string title() const {
        return fmt::format("rho {}, normalisation {}", arguments.parameters.given.at("rho"),
                           arguments.normalize);
    }
    [[nodiscard]] const char* note() const {
        if (arguments.parameters.given.size() > 1) return "Run with parameters other than the paper's.";
        const std::string& rho = arguments.parameters.given.at("rho");
        if (rho == printed_rho && arguments.normalize == "spectral") {
            return "Run with the paper's printed parameters on data divided by their largest singular value. "
                   "The paper does not say how it scaled its data; that it did so in this way is an "
                   "inference: "
                   "it is the only one of the usual normalisations under which the printed rho = 1e-5 makes "
                   "sense.";
        }
        if (rho == "auto" && arguments.normalize == "none")
            return "Run on the data as they are, with ALFCG finding its own scale.";
        return "Run with parameters or a normalisation other than the paper's printed ones.";
    }
};

// What is not said is both: the paper's printed parameters, and the rule that needs none on unscaled data.
std::vector<Comparison> comparisons_of(const ReproduceArguments& arguments) {
    std::vector<Comparison> list;
    const auto add = [&](const char* rho, const char* normalize) {
        Comparison comparison{arguments, {}};
        comparison.arguments.parameters.given.try_emplace("rho", rho);
        if (arguments.normalize.empty()) comparison.arguments.normalize = normalize;
        list.push_back(std::move(comparison));
    };
    add(printed_rho, "spectral");
    if (arguments.normalize.empty() && !arguments.parameters.given.contains("rho")) add("auto", "none");
    return list;
}

void write_report(const ReproduceArguments& arguments, const std::vector<Comparison>& comparisons) {
    using nlohmann::json;
    const fs::path folder(arguments.output);
    const bool several = comparisons.size() > 1;
    json figures = json::array();
    json tables = json::array();
    json notes = json::array();
    json verdicts = json::array();
    for (const Comparison& comparison : comparisons) {
        const std::string suffix = several ? " (" + comparison.title() + ")" : "";
        for (const int figure : arguments.figures) {
            json entry = figure_json(figure, comparison.panels);
            entry["title"] = entry["title"].get<std::string>() + suffix;
            if (several)
                entry["short"] =
                    fmt::format("Figure {}, rho {}", figure, comparison.arguments.parameters.given.at("rho"));
            figures.push_back(std::move(entry));
        }
        json table = verdict_table(comparison.panels);
        table["title"] = table["title"].get<std::string>() + suffix;
        tables.push_back(std::move(table));
        notes.push_back((several ? comparison.title() + ": " : "") + comparison.note());
        for (json verdict : verdict_summary(comparison.panels)) {
            verdict["rho"] = comparison.arguments.parameters.given.at("rho");
            verdict["normalize"] = comparison.arguments.normalize;
            verdicts.push_back(std::move(verdict));
        }
    }
    json facts = json::array();
    const auto fact = [&](const char* name, const std::string& text) {
        facts.push_back(json::array({name, text}));
    };
    fact("data", data_name("randn", arguments.scale) + ", " + data_name("mnist", arguments.scale));
    for (const Comparison& comparison : comparisons) {
        fact("normalisation", comparison.arguments.normalize);
        for (const auto& [parameter, value] : comparison.arguments.parameters.given)
            fact(parameter.c_str(), value);
    }
    fact("seeds", std::to_string(arguments.seeds) + " for the stochastic methods");
    fact("precision", arguments.precision);
    const json report{{"title", "The paper's figures, " + arguments.scale + " scale"},
                      {"command", arguments.command},
                      {"version", version()},
                      {"facts", facts},
                      {"figures", figures},
                      {"tables", tables},
                      {"notes", notes}};
    write_file((folder / "report.html").string(), report_page(report));
    write_file((folder / "summary.json").string(),
               json_text(json{{"command", arguments.command}, {"verdicts", verdicts}}, 2) + "\n");
    fs::create_directories(folder / "figures");
    const auto styles = curve_styles(report);
    for (std::size_t k = 0; k < figures.size(); ++k) {
        const json& figure = figures[k];
        const std::string quantity = figure.value("quantity", "suboptimality");
        const std::size_t count = arguments.figures.size();
        const char* suffix = k < count ? "" : "-auto";
        char letter = 'a';
        for (const json& panel : figure["panels"]) {
            const fs::path path =
                folder / "figures" /
                fmt::format("figure-{}{}{}.svg", arguments.figures[k % count], letter++, suffix);
            if (!panel["curves"].empty())
                write_file(path.string(), svg_figure(panel, quantity, "epochs", styles));
        }
    }
}

void print_verdicts(const std::vector<PanelRuns>& panels) {
    fmt::print("{:<8} {:<14} {:<37} {:>7}  {:<7} {}\n", "panel", "setting", "problem", "rank", "claim",
               "why");
    std::map<std::string, std::map<std::string, int>> counts;
    for (const PanelRuns& panel : panels) {
        if (!panel.judged()) continue;
        const Verdict verdict = judge(panel.panel.setting, panel.runs);
        ++counts[panel.panel.setting][std::string(to_text(verdict.outcome))];
        const std::string problem =
            fmt::format("{}, {}", panel.title.substr(4), panel.panel.region == "nuclear" ? "nuclear" : "l_3");
        fmt::print("{:<8} {:<14} {:<37} {:>2} of {}  {:<7} {}\n",
                   fmt::format("{} ({})", panel.panel.figure, panel.panel.letter), panel.panel.setting,
                   problem, verdict.rank, verdict.methods, to_text(verdict.outcome), verdict.reason);
    }
    fmt::print("\n");
    for (auto& [setting, outcome] : counts) {
        fmt::print("{:<14} held {}, partly {}, tie {}, failed {}\n", setting, outcome["held"],
                   outcome["partly"], outcome["tie"], outcome["failed"]);
    }
}

template <class Real>
int reproduce(const ReproduceArguments& arguments) {
    const auto panels = panels_of(arguments.figures);
    auto comparisons = comparisons_of(arguments);
    for (Comparison& comparison : comparisons) {
        auto& done = comparison.panels;
        Series<Real> series(comparison.arguments, panels);
        if (!series.run(panels, done)) {
            put(stderr, "interrupted: finished runs are kept in " + arguments.output +
                            "; the same command goes on from there\n");
            return exit_interrupted;
        }
        if (std::all_of(done.begin(), done.end(),
                        [](const PanelRuns& panel) { return panel.runs.empty(); })) {
            throw Error("no panel could be run");
        }
    }
    write_report(arguments, comparisons);
    if (arguments.silent) return 0;
    for (const Comparison& comparison : comparisons) {
        if (arguments.quiet) break;
        if (comparisons.size() > 1) fmt::print("{}\n", comparison.title());
        print_verdicts(comparison.panels);
        fmt::print("\n");
    }
    fmt::print("report     {}\n", (fs::path(arguments.output) / "report.html").string());
    return 0;
}

}  // namespace

Command add_reproduce(CommandOptions options) {
    auto arguments = std::make_shared<ReproduceArguments>();
    options.add_option("figures", arguments->figures, "figures of the paper, 1 to 7 [all]", "FIGURE");
    options.add_values("figures", {"1", "2", "3", "4", "5", "6", "7"});
    options.add_option("--scale", arguments->scale,
                       "small (randn-3000-500, mnist-5000-768) or paper (full sizes) [small]", "NAME",
                       "Data");
    options.add_values("--scale", {"small", "paper"});
    options.add_flag("--intercept", arguments->intercept,
                     "add a constant, which nothing constrains, to every score; the paper has none", "Data");
    options.add_option("--normalize", arguments->normalize,
                       "none, rows, columns or spectral [without this and --rho two comparisons: spectral "
                       "with the printed rho, none with auto]",
                       "NAME", "Data");
    options.add_values("--normalize", normalization_names());
    options.add_option("--data-dir", arguments->data_dir, "folder of the MNIST files [$ALFCG_DATA]", "FOLDER",
                       "Data");
    options.add_option("--seeds", arguments->seeds, "seeds of the stochastic methods [3]", "K", "Method");
    arguments->parameters.add_to(options);
    arguments->budget.add_to(options, fmt::format("{:.0f} epochs when none is given", reproduced_epochs));
    options.add_option("--precision", arguments->precision, "f32 or f64 [f32]", "NAME", "Running");
    options.add_values("--precision", {"f32", "f64"});
    options.add_option("--threads", arguments->threads, "threads [all cores]", "N", "Running");
    options.add_option("--output", arguments->output,
                       "folder for the report and the runs [alfcg-reproduction]", "FOLDER", "Output");
    options.add_flag("--quiet", arguments->quiet, "no progress line and no table", "Output");
    options.add_flag("--silent", arguments->silent, "print nothing but errors", "Output");
    return [arguments, options] {
        if (arguments->scale != "small" && arguments->scale != "paper") {
            throw Error("unknown scale '" + arguments->scale + "': use small or paper");
        }
        check_precision(arguments->precision);
        if (arguments->seeds < 1) throw QuantityError("seeds", "must be at least 1");
        check_threads(arguments->threads);
        if (!arguments->normalize.empty()) static_cast<void>(parse_normalization(arguments->normalize));
        if (arguments->figures.empty()) arguments->figures = {1, 2, 3, 4, 5, 6, 7};
        std::sort(arguments->figures.begin(), arguments->figures.end());
        arguments->figures.erase(std::unique(arguments->figures.begin(), arguments->figures.end()),
                                 arguments->figures.end());
        static_cast<void>(panels_of(arguments->figures));
        const Parameters parameters = arguments->parameters.resolve();
        for (const MethodInfo& method : methods()) {
            check_parameters(method.name, own_parameters(method.name, parameters));
        }
        check_folder(arguments->output);
        arguments->command = options.as_typed();
        return arguments->precision == "f64" ? reproduce<double>(*arguments) : reproduce<float>(*arguments);
    };
}

}  // namespace alfcg::cli
