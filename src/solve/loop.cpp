#include "solve/loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "solve/iterate.hpp"

namespace alfcg {

namespace {

// An iterative oracle stops once it is within this fraction of the last gap.
constexpr double oracle_accuracy = 1e-2;
// Rounding that a feasible starting point may show.
constexpr double feasibility_slack = 1e-5;

// A gap is never negative (spec 1): what rounding leaves below zero is zero.
double not_negative(double gap) {
    return gap < 0 ? 0 : gap;
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Adds the time until its end to one of the run's accounts.
class Stopwatch {
  public:
    explicit Stopwatch(double& account) : account_(account), start_(now()) {}
    ~Stopwatch() { account_ += now() - start_; }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    double& account_;
    double start_;
};

template <class Real>
class Run final : public Snapshot<Real>, private LineFunction {
  public:
    Run(Objective<Real>& objective, Region<Real>& region, Estimator<Real>& estimator,
        DirectionRule<Real>& direction, StepRule& rule, const Options& options,
        const Observer<Real>& observer)
        : objective_(objective),
          region_(region),
          estimator_(estimator),
          direction_(direction),
          rule_(rule),
          options_(options),
          observer_(observer),
          samples_(static_cast<double>(objective.samples())),
          x_(objective.shape()),
          gradient_(objective.shape()) {}
    ~Run() override { objective_.follow(nullptr); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void start(const Matrix<Real>* x0);
    Result<Real> solve();

    [[nodiscard]] const Matrix<Real>& x() const override { return x_; }
    [[nodiscard]] bool metrics_free() const override {
        return measured_ || (estimate_.value && oracle_slack_ == 0);
    }
    [[nodiscard]] const Metrics& metrics() const override;

  private:
    double smooth(double eta) override;
    double composite() override;

    std::optional<Status> budget_spent(bool stop_asked) const;
    void make_trial();
    void look();                  // g_t, v_t, η_t
    bool gap_reached();           // where a look at the exact gap is due
    void take_step();             // x_{t+1}
    void settle();                // a last look at the end of a run
    void open_row(Index number);  // a fresh snapshot of iterate x_t

    Objective<Real>& objective_;
    Region<Real>& region_;
    Estimator<Real>& estimator_;
    DirectionRule<Real>& direction_;
    StepRule& rule_;
    const Options& options_;
    const Observer<Real>& observer_;
    double samples_;

    Matrix<Real> x_;
    Matrix<Real> gradient_;  // g_t
    Vertex<Real> vertex_;    // v_t
    Matrix<Real> trial_;     // x_t + η d of a search
    double trial_step_ = 0;  // its η
    bool aimed_ = false;     // whether the objective has been told where the search looks
    Estimate estimate_;
    double oracle_slack_ = 0;
    double composite_ = 0;  // h(x_t)
    double gap_ = 0;        // as the estimator sees it
    double length_ = 0;     // ‖v_t − x_t‖
    double next_gap_check_ = 0;
    Counters counters_;
    mutable Timings seconds_;

    mutable bool measured_ = false;
    mutable Metrics metrics_;
    mutable Matrix<Real> exact_gradient_;
    mutable Vertex<Real> exact_vertex_;
};

template <class Real>
void Run<Real>::start(const Matrix<Real>* x0) {
    if (x0 != nullptr) {
        if (x0->shape() != objective_.shape())
            throw Error("the starting point does not have the objective's shape");
        x_ = *x0;
        if (!(region_.gauge(x_) <= 1 + feasibility_slack))
            throw Error("the starting point lies outside the region");
    } else if (region_.gauge(x_) > 1) {
        region_.minimize(gradient_, 0, false, vertex_);  // any point of a region without the origin
        x_ = vertex_.to_matrix();
    }
    if (estimator_.full()) objective_.follow(&x_);
}

template <class Real>
void Run<Real>::open_row(Index number) {
    this->iteration = number;
    this->epochs = static_cast<double>(counters_.component_gradients) / samples_;
    this->seconds = seconds_.method();
    this->step.reset();
    this->curvature.reset();
    this->alpha.reset();
    estimate_ = {};
    measured_ = false;
}

template <class Real>
std::optional<Status> Run<Real>::budget_spent(bool stop_asked) const {
    if (stop_asked) return Status::interrupted;
    if (this->iteration >= options_.max_iterations) return Status::max_iterations;
    if (this->epochs >= options_.max_epochs) return Status::max_epochs;
    if (this->seconds >= options_.max_seconds) return Status::max_seconds;
    return std::nullopt;
}

template <class Real>
void Run<Real>::look() {
    std::optional<double> momentum;
    {
        const Stopwatch watch(seconds_.step);
        momentum = rule_.begin(this->iteration);
    }
    {
        const Stopwatch watch(seconds_.gradient);
        estimate_ = estimator_.estimate(this->iteration, x_, momentum, gradient_);
        counters_.component_gradients += estimate_.cost;
    }
    {
        const Stopwatch watch(seconds_.oracle);
        const double tolerance = oracle_accuracy * std::max(gap_, 0.0);
        oracle_slack_ = direction_.target(region_, gradient_, x_, tolerance, vertex_, counters_);
    }
    const Stopwatch watch(seconds_.step);
    const auto direction = direction_to(vertex_, gradient_, x_);
    composite_ = region_.composite(x_);
    gap_ = composite_ - vertex_.composite - direction.slope;
    if (!std::isfinite(gap_) || !std::isfinite(direction.length_squared)) {
        throw Error("the objective or its gradient is not a finite number at iteration " +
                    std::to_string(this->iteration) +
                    ": the problem overflows; scale the data (--normalize), or use --precision f64");
    }
    length_ = std::sqrt(direction.length_squared);
    const StepInput input{this->iteration, gap_,      direction.length_squared, direction.slope,
                          estimate_.value, composite_};
    aimed_ = false;
    this->step = rule_.step(input, *this);
    this->curvature = rule_.curvature();
    this->alpha = estimate_.alpha;
}

template <class Real>
double Run<Real>::smooth(double eta) {
    ++counters_.function_evaluations;
    trial_step_ = eta;
    if (!aimed_) objective_.aim(vertex_);
    aimed_ = true;
    if (const auto value = objective_.value_along(eta)) return *value;
    make_trial();
    return objective_.value(trial_);
}

template <class Real>
double Run<Real>::composite() {
    make_trial();
    return region_.composite(trial_);
}

template <class Real>
void Run<Real>::make_trial() {
    trial_ = x_;
    move_towards(vertex_, trial_step_, trial_);
}

template <class Real>
const Metrics& Run<Real>::metrics() const {
    if (measured_) return metrics_;
    const Stopwatch watch(seconds_.metrics);
    measured_ = true;
    if (estimate_.value && oracle_slack_ == 0) {
        metrics_ = {*estimate_.value + composite_, not_negative(gap_), true, 0.0};
        return metrics_;
    }
    const bool exact = estimate_.value.has_value();
    const double value = exact ? *estimate_.value : objective_.evaluate(x_, exact_gradient_);
    const Matrix<Real>& full = exact ? gradient_ : exact_gradient_;
    const double slack = region_.minimize(full, 0, true, exact_vertex_);
    const double composite = region_.composite(x_);
    metrics_.objective = value + composite;
    const double slope = direction_to(exact_vertex_, full, x_).slope;
    metrics_.gap = not_negative(composite - exact_vertex_.composite - slope) + slack;
    metrics_.gap_exact = slack == 0;
    metrics_.error.reset();
    if (this->step) {
        metrics_.error = exact ? 0.0 : kernels::distance_squared(x_.size(), gradient_.data(), full.data());
    }
    return metrics_;
}

template <class Real>
bool Run<Real>::gap_reached() {
    if (!options_.gap) return false;
    const bool due = options_.gap_every > 0 ? this->iteration % options_.gap_every == 0
                                            : metrics_free() || this->epochs >= next_gap_check_;
    if (!due) return false;
    next_gap_check_ = this->epochs + 1;
    return metrics().gap <= *options_.gap;
}

template <class Real>
void Run<Real>::take_step() {
    const Stopwatch watch(seconds_.step);
    move_towards(vertex_, *this->step, x_);
    objective_.moved(vertex_, *this->step);
    rule_.moved(*this->step * length_);
}

template <class Real>
void Run<Real>::settle() {
    objective_.follow(nullptr);
    {
        const Stopwatch watch(seconds_.gradient);
        direction_.settle(region_, x_, counters_);
    }
    this->epochs = static_cast<double>(counters_.component_gradients) / samples_;
    this->seconds = seconds_.method();
}

template <class Real>
Result<Real> Run<Real>::solve() {
    bool stop_asked = false;
    std::optional<Status> status;
    for (Index t = 0;; ++t) {
        open_row(t);
        status = budget_spent(stop_asked);
        if (status) break;
        look();
        if (gap_reached()) {
            status = Status::converged;
            break;
        }
        if (observer_ && observer_(*this) == Action::stop) stop_asked = true;
        take_step();
    }
    // The last iterate: it has been reached, and no step leads away from it.
    if (status != Status::converged) settle();
    this->last = true;
    this->step.reset();
    this->curvature.reset();
    this->alpha.reset();
    const Metrics final_metrics = metrics();
    metrics_.error.reset();
    if (observer_) observer_(*this);

    Result<Real> result;
    result.status = *status;
    result.metrics = final_metrics;
    result.metrics.error.reset();
    result.iterations = this->iteration;
    result.epochs = this->epochs;
    result.counters = counters_;
    result.seconds = seconds_;
    result.x = std::move(x_);
    return result;
}

}  // namespace

template <class Real>
Result<Real> run_loop(Objective<Real>& objective, Region<Real>& region, Estimator<Real>& estimator,
                      DirectionRule<Real>& direction, StepRule& step, const Options& options,
                      const Observer<Real>& observer, const Matrix<Real>* x0) {
    Run<Real> run(objective, region, estimator, direction, step, options, observer);
    run.start(x0);
    return run.solve();
}

template Result<float> run_loop(Objective<float>&, Region<float>&, Estimator<float>&, DirectionRule<float>&,
                                StepRule&, const Options&, const Observer<float>&, const Matrix<float>*);
template Result<double> run_loop(Objective<double>&, Region<double>&, Estimator<double>&,
                                 DirectionRule<double>&, StepRule&, const Options&, const Observer<double>&,
                                 const Matrix<double>*);

}  // namespace alfcg
