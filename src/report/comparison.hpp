#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/method/options.hpp"
#include "report/trace.hpp"

namespace alfcg {

/// What a run's weights are worth as a model; of several runs, the means.
struct Learned {
    bool classification = false;     // scores are shares of right answers, else mean squared errors
    double training = 0;             // score on the rows that train
    std::optional<double> held_out;  // score on those that do not
    std::optional<double> rank;      // of a matrix of weights
    double nonzeros = 0;

    void archive(Archive& state) { state(classification, training, held_out, rank, nonzeros); }
    /// The score's name: accuracy or mean_squared_error.
    [[nodiscard]] const char* measure() const { return classification ? "accuracy" : "mean_squared_error"; }
};

/// One finished run of a comparison.
struct RunRecord {
    std::string method;
    std::string setting;
    std::uint64_t seed = 0;
    std::string status;
    std::optional<double> rho;    // given or found, where the method has it
    std::vector<TraceRow> trace;  // sampled; the first and the last iterate always
    std::optional<Learned> learned = std::nullopt;

    [[nodiscard]] const TraceRow& last() const { return trace.back(); }
    void archive(Archive& state) { state(method, setting, seed, status, rho, trace, learned); }
};

/// Keeps about `points` rows of a run's course, shown iterate by iterate.
class RunRecorder {
  public:
    RunRecorder(const Options& options, double points);
    template <class Real>
    void look(const Snapshot<Real>& now) {
        if (sampler_.wants(now.iteration, now.epochs, now.seconds, now.last))
            record_.trace.push_back(trace_row(now));
    }
    /// The record of the run, which ended so.
    RunRecord finish(Status status, const std::optional<double>& rho);

  private:
    RunRecord record_;
    TraceSampler sampler_;
};

/// Runs one method and keeps about `points` rows of its course; metrics are off the method's clock. `stop` is asked at
/// every iterate.
template <class Real>
RunRecord record_run(Objective<Real>& objective, Region<Real>& region, const Options& options, double points,
                     const std::function<bool()>& stop);

/// Means over the seeds of one method; `spread` is the standard deviation over them (0 for one run).
struct Ranked {
    std::string method;
    std::string setting;
    int runs = 0;
    double objective = 0;
    double spread = 0;
    double gap = 0;
    double iterations = 0;
    double epochs = 0;
    double seconds = 0;
    std::optional<double> rho;       // where every run has one
    std::optional<Learned> learned;  // likewise
};

/// One entry per method, the lowest final objective first.
std::vector<Ranked> rank_runs(const std::vector<RunRecord>& runs);

/// The lowest objective seen in any row of any run.
double best_objective(const std::vector<RunRecord>& runs);

/// The runs as a panel of the report page (schema in page.hpp).
nlohmann::json panel_of(const std::string& title, const std::vector<RunRecord>& runs);

/// The ranking as a table of the report page.
nlohmann::json ranking_table(const std::vector<RunRecord>& runs);

/// Methods by name, by setting (deterministic, finite-sum, expectation, corrective) or all, separated by commas; in the table's
/// order, each once. Throws Error for what is neither.
std::vector<std::string> select_methods(std::string_view list);

/// Whether such a list has the method by its own name.
bool is_named(std::string_view list, std::string_view method);

/// The words that select_methods takes.
std::vector<std::string> method_choices();

/// The setting of a method; whether its runs depend on the seed.
std::string setting_of(std::string_view method);
bool is_stochastic(std::string_view method);

}  // namespace alfcg
