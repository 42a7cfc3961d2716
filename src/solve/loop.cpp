// The one loop (spec 2): a method looks at x_t and proposes, the loop moves. It knows neither the data nor the names of
// methods.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/solve/solve.hpp"
#include "kernels/vector.hpp"
#include "solve/keeper.hpp"

namespace alfcg {

std::string_view to_text(Status status) {
    constexpr std::array<std::string_view, 8> names{"converged",   "max-iterations", "max-epochs",
                                                    "max-seconds", "interrupted",    "early-stop",
                                                    "precision",   "max-rank"};
    return names[static_cast<std::size_t>(status)];
}

namespace {

// An iterative oracle stops once it is within this fraction of the last gap.
constexpr double oracle_accuracy = 1e-2;
// Units in the last place, of ‖g‖ times the lengths in play, that rounding may take a gap below zero.
constexpr double gap_rounding = 1e3;
// Looks at the exact gap that cost something come this share of the epochs so far apart, where a tolerance alone is asked
// for: a long run pays little for them, and ends little too late.
constexpr double look_spacing = 1.0 / 16;
// Where x may keep no more singular values: what the last half of a run must have gained, as a share of what the gap leaves to gain, for
// the run to go on; and the first iteration that is looked at.
constexpr double least_gain = 0.01;
constexpr Index first_mark = 4;

template <class Real>
double norm(const Matrix<Real>& m) {
    return std::sqrt(kernels::direction(m.size(), m.data(), m.data(), 0, nullptr).length_squared);
}

// The entries that a gradient has.
template <class Real>
Shape gradient_shape(const Objective<Real>& objective) {
    const Pattern* pattern = objective.pattern();
    return pattern == nullptr ? objective.shape() : Shape{1, pattern->size()};
}

template <class Real>
class Loop final : public Run<Real>, public Snapshot<Real> {
  public:
    Loop(Objective<Real>& objective, Region<Real>& region, Method<Real>& method, const Limits& limits,
         const Observer<Real>& observer, const Checkpoints& checkpoints)
        : Run<Real>(objective, region),
          method_(method),
          limits_(limits),
          observer_(observer),
          keeper_(checkpoints, objective.ranks()),
          samples_(static_cast<double>(objective.samples())),
          metrics_account_(limits.clock) {
        account_ = Account(limits.clock);
        proposal_.gradient.reshape(gradient_shape(objective));
        if (const Ranks* ranks = objective.ranks(); ranks != nullptr && method.takes_shares())
            objective.keep_shares(region.takes_shares(objective.shape(), *ranks));
    }
    ~Loop() override { objective_.keep_shares(false); }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    void start(const Iterate<Real>* x0);
    void resume();
    [[nodiscard]] bool resumes() const { return keeper_.resumes(); }
    Result<Real> solve();

    [[nodiscard]] const Matrix<Real>& x() const override { return x_.matrix(); }
    [[nodiscard]] const Iterate<Real>& iterate() const override { return x_; }
    [[nodiscard]] bool metrics_free() const override {
        return measured_ || (proposal_.value && proposal_.slack == 0);
    }
    [[nodiscard]] const Metrics& metrics() const override;
    [[nodiscard]] std::vector<double> intercept() const override;
    [[nodiscard]] bool ends_at(const Proposal<Real>& proposal) override;

  private:
    using Run<Real>::objective_;
    using Run<Real>::region_;
    using Run<Real>::x_;
    using Run<Real>::account_;

    [[nodiscard]] std::optional<Status> budget_spent(bool stop_asked) const;
    void ask_method();
    [[nodiscard]] bool gap_matters() const { return limits_.gap || limits_.tolerance > 0; }
    bool gap_reached();  // where a look at the exact gap is due
    bool good_enough();  // by that gap
    bool settled();      // else x is a new point, where the objective goes on
    bool rank_binds();   // x gets no better with the singular values that it may keep
    [[nodiscard]] double wanted_gap(double objective);
    void take_step();             // x_{t+1}
    void conclude();              // at the end of a run
    void open_row(Index number);  // a fresh snapshot of iterate x_t
    void count_epochs();
    void forget_step();
    void archive(Archive& state);
    // Where the gradient tells nothing.
    [[nodiscard]] double gap_of_values() const;
    double honest_gap(double gap, double composite, const Vertex<Real>& vertex, const Matrix<Real>& gradient,
                      double length) const;

    Method<Real>& method_;
    const Limits& limits_;
    const Observer<Real>& observer_;
    Keeper keeper_;
    double samples_;

    Proposal<Real> proposal_;
    double next_gap_check_ = 0;
    std::optional<double> first_objective_;  // F(x_0), where there is a tolerance
    Index marked_ = 0;                       // an iteration with a full x, and F there
    double marked_objective_ = 0;

    // Looks at the exact gap leave no trace in the run.
    mutable Account metrics_account_;
    mutable bool measured_ = false;
    mutable Metrics metrics_;
    mutable Iterate<Real> here_;
    mutable Matrix<Real> exact_gradient_;
    mutable Matrix<Real> whole_;  // the proposal's gradient, where that is a share
    mutable Vertex<Real> exact_vertex_;
};

template <class Real>
void Loop<Real>::start(const Iterate<Real>* x0) {
    const bool factored = objective_.pattern() != nullptr;
    if (x0 == nullptr) {
        if (factored) throw Error("an objective that looks at a few places starts from factors");
        x_.jump_to(region_.start(objective_.shape()));
        return;
    }
    if (x0->shape() != objective_.shape())
        throw Error("the starting point does not have the objective's shape");
    if ((x0->factors() != nullptr) != factored)
        throw Error("the starting point does not have the form that the objective looks at");
    if (!(violation_at(region_, *x0) <= feasibility_slack))
        throw Error("the starting point lies outside the region");
    x_.stand_at(*x0);
    x_.look_again();
}

// Between two iterations: x_t has been reached, and nothing has been asked there.
template <class Real>
void Loop<Real>::archive(Archive& state) {
    if (x_.factors() != nullptr) state.set_places(x_.pattern(), x_.threads());
    state.section("run", [&] {
        state(this->iteration_, account_, metrics_account_, this->known_gap_, this->recalled_,
              next_gap_check_, first_objective_, marked_, marked_objective_);
    });
    state.section("point", [&] { state(x_); });
    state.section("proposal", [&] { state(proposal_); });
    state.section("objective", [&] { objective_.archive(state); });
    state.section("region", [&] { region_.archive(state); });
    state.section("method", [&] { method_.archive(*this, state); });
}

template <class Real>
void Loop<Real>::resume() {
    keeper_.read([&](Archive& state) { archive(state); });
    if (limits_.tolerance > 0 && this->iteration_ > 0 && !first_objective_)
        throw QuantityError("tol",
                            "needs the objective at the start, which a checkpoint of a run without `tol` or "
                            "`gap` does not know");
}

template <class Real>
void Loop<Real>::count_epochs() {
    this->epochs = static_cast<double>(account_.counters.component_gradients) / samples_;
    this->seconds = account_.seconds.method();
    // One clock for all.
    if (Ranks* ranks = objective_.ranks(); ranks != nullptr && std::isfinite(limits_.max_seconds))
        this->seconds = ranks->told(this->seconds);
}

template <class Real>
void Loop<Real>::forget_step() {
    this->step.reset();
    this->estimated_gap.reset();
    this->curvature.reset();
    this->alpha.reset();
}

template <class Real>
void Loop<Real>::open_row(Index number) {
    this->iteration_ = Snapshot<Real>::iteration = number;
    count_epochs();
    forget_step();
    proposal_.value.reset();
    proposal_.curvature.reset();
    proposal_.alpha.reset();
    proposal_.exhausted = false;
    measured_ = false;
}

template <class Real>
std::optional<Status> Loop<Real>::budget_spent(bool stop_asked) const {
    if (stop_asked) return Status::interrupted;
    if (this->iteration_ >= limits_.max_iterations) return Status::max_iterations;
    if (this->epochs >= limits_.max_epochs) return Status::max_epochs;
    if (this->seconds >= limits_.max_seconds) return Status::max_seconds;
    return std::nullopt;
}

template <class Real>
void Loop<Real>::ask_method() {
    this->oracle_tolerance_ = oracle_accuracy * std::max(proposal_.gap, 0.0);
    {
        const auto charge = account_.charge(&Timings::step);
        method_.propose(*this, proposal_);
    }
    if (proposal_.value) this->require_finite(*proposal_.value);
    if (!this->recalled_) this->known_gap_ = proposal_.gap;
    this->step = proposal_.step;
    this->estimated_gap = proposal_.gap;
    this->curvature = proposal_.curvature;
    this->alpha = proposal_.alpha;
}

// A gap is never negative (spec 1) but by rounding. One that is more so certifies nothing.
template <class Real>
double Loop<Real>::honest_gap(double gap, double composite, const Vertex<Real>& vertex,
                              const Matrix<Real>& gradient, double length) const {
    if (gap >= 0) return gap;
    const double scale =
        norm(gradient) * (x_.norm() + length) + std::abs(composite) + std::abs(vertex.composite);
    const double rounding = gap_rounding * static_cast<double>(std::numeric_limits<Real>::epsilon()) * scale;
    if (gap >= -rounding) return 0;
    throw Error("the gap is " + format_number(gap) + " at iteration " + std::to_string(this->iteration_) +
                ", below zero by more than rounding (" + format_number(rounding) +
                "): the iterate lies outside the region, or the oracle's answer does not minimise over it");
}

// f is at least 0, and h at least what the oracle finds where nothing else counts.
template <class Real>
double Loop<Real>::gap_of_values() const {
    Matrix<Real> nothing(objective_.shape());
    nothing.fill(0);
    Vertex<Real> least;
    const double slack = region_.minimize(nothing, 0, true, least);
    return std::max(0.0, metrics_.objective - least.composite + slack);
}

template <class Real>
const Metrics& Loop<Real>::metrics() const {
    if (measured_) return metrics_;
    const auto charge = metrics_account_.charge(&Timings::metrics);
    measured_ = true;
    metrics_ = {};
    const bool exact = proposal_.value.has_value();
    const Vertex<Real>* vertex = &proposal_.move.atom();
    const Matrix<Real>* seen = &proposal_.gradient;
    if (seen->shared_by() != nullptr) {
        whole_ = *seen;
        add_up(whole_);
        seen = &whole_;
    }
    const Matrix<Real>* full = seen;
    double value = 0;
    double composite = proposal_.composite;
    double gap = proposal_.gap;
    double slack = 0;
    double length = std::sqrt(proposal_.direction.length_squared);
    if (exact) value = *proposal_.value;
    if (!exact) {
        here_.stand_at(x_);
        value = objective_.evaluate(here_, exact_gradient_);
        add_up(exact_gradient_);
        full = &exact_gradient_;
    }
    if (!exact || proposal_.slack != 0) {
        slack = objective_.pattern() == nullptr
                    ? region_.minimize(*full, 0, true, exact_vertex_)
                    : region_.minimize_at(*objective_.pattern(), *full, 0, true, exact_vertex_);
        vertex = &exact_vertex_;
        composite = composite_at(region_, x_);
        const Direction direction = direction_to(exact_vertex_, *full, x_);
        gap = composite - exact_vertex_.composite - direction.slope;
        length = std::sqrt(direction.length_squared);
    }
    metrics_.objective = value + composite;
    this->require_finite(metrics_.objective);
    metrics_.gap = honest_gap(gap, composite, *vertex, *full, length) + slack;
    metrics_.gap_exact = slack == 0;
    if (!objective_.certifies(exact ? x_ : here_)) {
        metrics_.gap = gap_of_values();
        metrics_.gap_exact = false;
    }
    if (this->step)
        metrics_.error = exact ? 0.0 : kernels::distance_squared(full->size(), seen->data(), full->data());
    return metrics_;
}

template <class Real>
std::vector<double> Loop<Real>::intercept() const {
    const auto charge = metrics_account_.charge(&Timings::metrics);
    if (x_.intercept().best) return objective_.intercept(x_);
    if (here_.version() != x_.version()) here_.stand_at(x_);
    return objective_.intercept(here_);
}

template <class Real>
double Loop<Real>::wanted_gap(double objective) {
    if (!first_objective_) first_objective_ = objective;
    return std::max(limits_.gap.value_or(0),
                    limits_.tolerance * std::max(std::abs(objective), *first_objective_ - objective));
}

template <class Real>
bool Loop<Real>::ends_at(const Proposal<Real>& proposal) {
    if (!proposal.value || !gap_matters()) return false;
    return proposal.gap + proposal.slack <= wanted_gap(*proposal.value + proposal.composite);
}

template <class Real>
bool Loop<Real>::gap_reached() {
    if (!gap_matters()) return false;
    const bool due = limits_.gap_every > 0 ? this->iteration_ % limits_.gap_every == 0
                                           : metrics_free() || this->epochs >= next_gap_check_;
    if (!due) return false;
    // Any point of the region gives a lower bound on the exact gap. Where the gradient is exact, and the way to the method's
    // point alone is too steep, a look is spared.
    if (proposal_.value && proposal_.move.along_x() == -1 &&
        proposal_.gap > wanted_gap(*proposal_.value + proposal_.composite))
        return false;
    next_gap_check_ = this->epochs + (limits_.gap ? 1 : std::max(1.0, look_spacing * this->epochs));
    return good_enough();
}

template <class Real>
bool Loop<Real>::good_enough() {
    return gap_matters() && metrics().gap <= wanted_gap(metrics().objective);
}

// Steps that lose what they gain would go on until the limits. The exact gap tells nothing then: it stays where the rank leaves it.
template <class Real>
bool Loop<Real>::rank_binds() {
    if (x_.factors() == nullptr || !x_.factors()->full() || !proposal_.value) return false;
    if (proposal_.exhausted) return true;
    if (this->iteration_ < 2 * marked_) return false;
    const double objective = *proposal_.value + proposal_.composite;
    const bool stands = marked_ > 0 && marked_objective_ - objective < least_gain * proposal_.gap;
    marked_ = std::max(this->iteration_, first_mark);
    marked_objective_ = objective;
    return stands;
}

template <class Real>
bool Loop<Real>::settled() {
    const bool own = proposal_.value.has_value();
    if (objective_.settled(own ? x_ : here_)) return true;
    if (!own) x_.stand_at(here_);
    x_.look_again();
    return false;
}

template <class Real>
void Loop<Real>::take_step() {
    const auto charge = account_.charge(&Timings::step);
    x_.make(proposal_.move, proposal_.step);
    method_.moved(proposal_.step * std::sqrt(proposal_.direction.length_squared));
}

template <class Real>
void Loop<Real>::conclude() {
    {
        const auto charge = account_.charge(&Timings::gradient);
        method_.conclude(*this, x_);
    }
    count_epochs();
}

template <class Real>
Result<Real> Loop<Real>::solve() {
    bool stop_asked = false;
    std::optional<Status> status;
    for (Index t = this->iteration_;; ++t) {
        open_row(t);
        status = budget_spent(stop_asked);
        if (keeper_.due() || (status && keeper_.keeps()))
            keeper_.write([&](Archive& state) { archive(state); });
        if (status) break;
        ask_method();
        const bool reached = gap_reached();
        if (reached && settled()) {
            status = Status::converged;
            break;
        }
        if (!reached && rank_binds()) {
            status = Status::max_rank;
            break;
        }
        if (!reached && proposal_.exhausted) {
            status = Status::precision;
            break;
        }
        if (reached) this->step = 0;
        if (observer_(*this) == Action::stop) stop_asked = true;
        if (!reached) take_step();
    }
    // The last iterate: it has been reached, and no step leads away from it.
    if (status != Status::converged && status != Status::precision && status != Status::max_rank) conclude();
    this->last = true;
    forget_step();
    static_cast<void>(metrics());
    metrics_.error.reset();
    // A budget may end just where there was nothing left to do.
    const bool spent =
        status == Status::max_iterations || status == Status::max_epochs || status == Status::max_seconds;
    if (spent && good_enough() && objective_.settled(here_)) status = Status::converged;
    observer_(*this);

    Result<Real> result;
    result.status = *status;
    result.metrics = metrics_;
    result.iterations = this->iteration_;
    result.epochs = this->epochs;
    result.counters = account_.counters;
    result.seconds = account_.seconds;
    result.intercept = intercept();
    result.seconds.metrics = metrics_account_.seconds.metrics;
    result.scale = method_.scale();
    if (x_.factors() != nullptr) {
        result.factors = std::move(x_).release_factors();
    } else {
        result.x = std::move(x_).release();
    }
    return result;
}

}  // namespace

template <class Real>
Result<Real> solve(Objective<Real>& objective, Region<Real>& region, Method<Real>& method,
                   const Limits& limits, const std::type_identity_t<Observer<Real>>& observer,
                   const Iterate<Real>* x0, const Checkpoints& checkpoints) {
    limits.verify();
    region.check(objective.shape());
    Loop<Real> loop(objective, region, method, limits, observer, checkpoints);
    loop.start(x0);
    if (loop.resumes()) loop.resume();
    return loop.solve();
}

template <class Real>
Result<Real> solve(Objective<Real>& objective, Region<Real>& region, Method<Real>& method,
                   const Limits& limits, const std::type_identity_t<Observer<Real>>& observer,
                   const Matrix<Real>* x0, const Checkpoints& checkpoints) {
    if (x0 == nullptr)
        return solve(objective, region, method, limits, observer, static_cast<const Iterate<Real>*>(nullptr),
                     checkpoints);
    const Iterate<Real> start(*x0);
    return solve(objective, region, method, limits, observer, &start, checkpoints);
}

template Result<float> solve(Objective<float>&, Region<float>&, Method<float>&, const Limits&,
                             const Observer<float>&, const Iterate<float>*, const Checkpoints&);
template Result<double> solve(Objective<double>&, Region<double>&, Method<double>&, const Limits&,
                              const Observer<double>&, const Iterate<double>*, const Checkpoints&);
template Result<float> solve(Objective<float>&, Region<float>&, Method<float>&, const Limits&,
                             const Observer<float>&, const Matrix<float>*, const Checkpoints&);
template Result<double> solve(Objective<double>&, Region<double>&, Method<double>&, const Limits&,
                              const Observer<double>&, const Matrix<double>*, const Checkpoints&);

}  // namespace alfcg
