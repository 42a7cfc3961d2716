#include "report/paper_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <sstream>
#include <tuple>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/data/dataset.hpp"
#include "alfcg/method/catalogue.hpp"
#include "alfcg/objective/objective.hpp"
#include "alfcg/region/spec.hpp"
#include "core/side_by_side.hpp"
#include "core/threads.hpp"

namespace alfcg {

namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;
using SteadyClock = std::chrono::steady_clock;

// Of a run's course: each costs a pass over the data, beside the thirty that the run itself makes.
constexpr double kept_points = 40;

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// What decides the outcome of a run, in words: runs of other settings live in other folders.
std::string settings_name(const PaperPlan& plan, const PaperComparison& comparison, const char* precision) {
    std::string name = fmt::format("{}-{}-{}", plan.scale, to_text(comparison.normalization), precision);
    if (plan.intercept) name += "-intercept";
    if (plan.device != "cpu") name += "-device-" + plan.device;
    for (const auto& [parameter, value] : comparison.given) name += fmt::format("-{}{}", parameter, value);
    const Options& budget = plan.budget;
    if (budget.max_iterations != std::numeric_limits<Index>::max())
        name += fmt::format("-{}iterations", budget.max_iterations);
    if (std::isfinite(budget.max_epochs)) name += fmt::format("-{}epochs", budget.max_epochs);
    if (std::isfinite(budget.max_seconds)) name += fmt::format("-{}seconds", budget.max_seconds);
    if (budget.gap) name += fmt::format("-gap{}", *budget.gap);
    return name;
}

// The panels of the figures asked for, each once.
std::vector<PaperPanel> panels_of(const std::vector<int>& figures) {
    std::set<std::pair<int, char>> seen;
    std::vector<PaperPanel> panels;
    for (const int figure : figures)
        for (const PaperPanel& panel : paper_panels(figure))
            if (seen.emplace(panel.figure, panel.letter).second) panels.push_back(panel);
    std::sort(panels.begin(), panels.end(), [](const PaperPanel& a, const PaperPanel& b) {
        return std::pair(a.figure, a.letter) < std::pair(b.figure, b.letter);
    });
    return panels;
}

// A run that is to be made.
struct Job {
    PaperComparison* comparison;
    PanelRuns* panel;
    std::size_t place;  // among the panel's runs
    fs::path file;

    [[nodiscard]] RunRecord& run() const { return panel->runs[place]; }
    [[nodiscard]] const std::string& data() const { return panel->panel.data; }
};

// How long runs take, from those that were finished.
class Costs {
  public:
    void add(const Job& job, double seconds) {
        for (Mean* mean : {&alike_[like(job)], &methods_[job.run().method], &all_}) {
            mean->sum += seconds;
            ++mean->count;
        }
    }
    // Of the same method on the same data over the same kind of region.
    [[nodiscard]] std::optional<double> measured(const Job& job) const {
        const auto found = alike_.find(like(job));
        return found == alike_.end() ? std::nullopt : std::optional(found->second.value());
    }
    // Else of the method on other data, or of any. There must have been one.
    [[nodiscard]] double expected(const Job& job) const {
        if (const auto seconds = measured(job)) return *seconds;
        const auto found = methods_.find(job.run().method);
        return found == methods_.end() ? all_.value() : found->second.value();
    }
    [[nodiscard]] bool empty() const { return all_.count == 0; }

  private:
    using Like = std::tuple<std::string, std::string, std::string>;
    static Like like(const Job& job) { return {job.data(), job.panel->panel.region, job.run().method}; }
    struct Mean {
        double sum = 0;
        double count = 0;
        [[nodiscard]] double value() const { return sum / count; }
    };
    std::map<Like, Mean> alike_;
    std::map<std::string, Mean> methods_;
    Mean all_;
};

template <class Real>
class PaperRuns {
  public:
    PaperRuns(const PaperPlan& plan, std::vector<PaperComparison>& comparisons, const PaperObserver& observer)
        : plan_(plan),
          comparisons_(comparisons),
          observer_(observer),
          device_(open_device(plan.device)),
          workers_(device_ != nullptr ? 1 : resolve_threads(plan.workers)) {
        for (PaperComparison& comparison : comparisons) lay_out(comparison);
    }

    bool run();

  private:
    // What all runs on some data share: nobody writes to it.
    struct Data {
        Features<Real> features;
        Targets targets;
    };

    // The comparison's panels, with the runs that are there already; the others are jobs.
    void lay_out(PaperComparison& comparison);
    Data load(const std::string& data, Normalization normalization) const;
    // Jobs of one comparison on the same data.
    void run_together(std::vector<const Job*> jobs);
    void skip(const std::vector<const Job*>& jobs, const std::string& why);
    void work(const Data& data);
    // The one to begin with: of all that wait, the one that will take longest, so that at the end no worker waits long for the
    // others; a kind that has not been timed yet comes first.
    const Job* take();
    void run_job(const Job& job, Objective<Real>& objective);
    void report_next(const Job& next) const;
    [[nodiscard]] bool stopped() const { return failed_ || (observer_.stop && observer_.stop()); }

    const PaperPlan& plan_;
    const std::vector<PaperComparison>& comparisons_;
    const PaperObserver& observer_;
    std::shared_ptr<Device> device_;
    int workers_;
    std::vector<Job> jobs_;
    std::size_t total_ = 0;

    std::atomic<bool> failed_ = false;
    std::mutex mutex_;                                          // guards what follows
    std::vector<const Job*> waiting_;                           // on the data at hand
    std::map<const Job*, SteadyClock::time_point> unfinished_;  // with when they began, or will
    Costs costs_;
};

template <class Real>
void PaperRuns<Real>::lay_out(PaperComparison& comparison) {
    const char* precision = sizeof(Real) == sizeof(double) ? "f64" : "f32";
    const fs::path folder = fs::path(plan_.folder) / "runs" / settings_name(plan_, comparison, precision);
    const std::vector<PaperPanel> panels = panels_of(plan_.figures);
    comparison.panels.clear();
    comparison.panels.reserve(panels.size());  // jobs point at them
    for (const PaperPanel& panel : panels) {
        const bool asked =
            std::find(plan_.figures.begin(), plan_.figures.end(), panel.figure) != plan_.figures.end();
        PanelRuns& runs = comparison.panels.emplace_back(
            PanelRuns{panel,
                      fmt::format("({}) {}, radius {}", panel.letter, plan_.data_name(panel.data),
                                  format_number(panel.radius)),
                      {},
                      {},
                      asked});
        // Figure 7 shows alfcg-mvr2 alone: a panel that only serves it needs no other runs.
        for (const std::string& method : select_methods(asked ? panel.setting : "alfcg-mvr2")) {
            for (int seed = 0; seed < (is_stochastic(method) ? plan_.seeds : 1); ++seed) {
                const fs::path file = folder / panel.problem() / fmt::format("{}-{}.csv", method, seed);
                RunRecord record{method, setting_of(method), static_cast<std::uint64_t>(seed),
                                 "kept", std::nullopt,       {}};
                if (fs::exists(file)) {
                    record.trace = parse_trace(read_text(file), file.string());
                } else {
                    jobs_.push_back({&comparison, &runs, runs.runs.size(), file});
                }
                runs.runs.push_back(std::move(record));
            }
        }
        total_ += runs.runs.size();
    }
}

template <class Real>
typename PaperRuns<Real>::Data PaperRuns<Real>::load(const std::string& data,
                                                     Normalization normalization) const {
    ReadOptions read;
    read.data_dir = plan_.data_dir;
    read.threads = workers_;
    auto set = load_dataset<Real>(plan_.data_name(data), read);
    // On one thread: a sum depends in its last digits on how many share it, and no run shall.
    const Scaling scaling = measure_scaling(set.features, normalization, 1);
    Classes classes;
    Targets targets = make_targets(set.labels, "multinomial", classes);
    return {scaled(std::move(set.features), scaling, workers_), std::move(targets)};
}

template <class Real>
bool PaperRuns<Real>::run() {
    for (const Job& job : jobs_) unfinished_[&job] = SteadyClock::time_point::max();
    for (const PaperComparison& comparison : comparisons_)
        for (const char* data : {"randn", "mnist"}) {
            std::vector<const Job*> together;
            for (const Job& job : jobs_)
                if (job.comparison == &comparison && job.data() == data) together.push_back(&job);
            if (!together.empty() && !stopped()) run_together(std::move(together));
        }
    return unfinished_.empty();
}

template <class Real>
void PaperRuns<Real>::run_together(std::vector<const Job*> jobs) {
    Data data;
    try {
        data = load(jobs.front()->data(), jobs.front()->comparison->normalization);
    } catch (const Error& error) {
        // MNIST is not ours to ship: without it, its panels are left out, and said so.
        if (jobs.front()->data() != "mnist") throw;
        return skip(jobs, error.what());
    }
    waiting_ = std::move(jobs);
    const std::size_t workers = std::min(static_cast<std::size_t>(workers_), waiting_.size());
    side_by_side(workers, workers_, [&](std::size_t /*worker*/) { work(data); });
}

template <class Real>
void PaperRuns<Real>::skip(const std::vector<const Job*>& jobs, const std::string& why) {
    for (const Job* job : jobs) {
        job->panel->note = "skipped: " + why;
        unfinished_.erase(job);
    }
    for (const Job* job : jobs) job->panel->runs.clear();  // half a panel cannot be judged
    if (observer_.mnist_skipped) observer_.mnist_skipped(why);
}

template <class Real>
const Job* PaperRuns<Real>::take() {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty() || stopped()) return nullptr;
    const auto seconds = [&](const Job* job) {
        return costs_.measured(*job).value_or(std::numeric_limits<double>::infinity());
    };
    const auto longest = std::max_element(waiting_.begin(), waiting_.end(), [&](const Job* a, const Job* b) {
        return seconds(a) < seconds(b);
    });
    const Job* job = *longest;
    waiting_.erase(longest);
    unfinished_[job] = SteadyClock::now();
    report_next(*job);
    return job;
}

template <class Real>
void PaperRuns<Real>::report_next(const Job& next) const {
    if (!observer_.before_run) return;
    const PaperPanel& panel = next.panel->panel;
    PaperProgress progress{total_ - unfinished_.size(), total_,
                           fmt::format("figure {} ({}) {}", panel.figure, panel.letter, next.run().method)};
    if (!costs_.empty()) {
        double left = 0;
        for (const auto& [job, began] : unfinished_) {
            const Seconds spent = std::max(Seconds(SteadyClock::now() - began), Seconds::zero());
            left += std::max(costs_.expected(*job) - spent.count(), 0.0);
        }
        progress.seconds_left = left / workers_;
    }
    observer_.before_run(progress);
}

template <class Real>
void PaperRuns<Real>::work(const Data& data) {
    try {
        const auto objective = linear_objective<Real>(data.features, data.targets, {"multinomial", {}}, 1,
                                                      plan_.intercept, std::nullopt, nullptr, device_);
        while (const Job* job = take()) run_job(*job, *objective);
    } catch (...) {
        failed_ = true;  // the others need not go on
        throw;
    }
}

template <class Real>
void PaperRuns<Real>::run_job(const Job& job, Objective<Real>& objective) {
    const auto began = SteadyClock::now();
    const PaperPanel& panel = job.panel->panel;
    RegionSpec spec{panel.region, {{"radius", panel.radius}}, {}};
    if (panel.region == "lp") spec.parameters.set("p", 3);
    const auto region = make_region<Real>(spec, {.threads = 1});
    Options options = plan_.budget;
    options.clock = Clock::thread;
    options.method = job.run().method;
    options.seed = job.run().seed;
    options.parameters = own_parameters(options.method, job.comparison->parameters);
    RunRecord record = record_run(objective, *region, options, kept_points, [this] { return stopped(); });
    if (stopped()) return;
    fs::create_directories(job.file.parent_path());
    write_file(job.file.string(), trace_text(record.trace));
    const std::scoped_lock lock(mutex_);
    costs_.add(job, Seconds(SteadyClock::now() - began).count());
    unfinished_.erase(&job);
    job.run() = std::move(record);
}

}  // namespace

void PaperPlan::verify() const {
    if (scale != "small" && scale != "paper")
        throw Error("unknown scale '" + scale + "': use small or paper");
    if (seeds < 1) throw QuantityError("seeds", "must be at least 1");
    for (const int figure : figures) static_cast<void>(paper_panels(figure));
    check_device(device);
    budget.verify();
}

std::string PaperPlan::data_name(const std::string& data) const {
    if (data == "randn") return scale == "paper" ? "randn-30000-5000" : "randn-3000-500";
    return scale == "paper" ? "mnist-50000-768" : "mnist-5000-768";
}

template <class Real>
bool run_paper(const PaperPlan& plan, std::vector<PaperComparison>& comparisons,
               const PaperObserver& observer) {
    if (!PaperRuns<Real>(plan, comparisons, observer).run()) return false;
    for (const PaperComparison& comparison : comparisons)
        if (std::all_of(comparison.panels.begin(), comparison.panels.end(),
                        [](const PanelRuns& panel) { return panel.runs.empty(); }))
            throw Error("no panel could be run");
    return true;
}

template bool run_paper<float>(const PaperPlan&, std::vector<PaperComparison>&, const PaperObserver&);
template bool run_paper<double>(const PaperPlan&, std::vector<PaperComparison>&, const PaperObserver&);

}  // namespace alfcg
