#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "corrective/corrector.hpp"
#include "corrective/factor_path.hpp"
#include "corrective/line_search.hpp"
#include "corrective/nuclear_point.hpp"

namespace alfcg {

namespace {

// Where the gap has not fallen to such a share, directions are sought in another way.
constexpr double enough_fall = 0.7;
// Sweeps of a step, and more where the norm is on either side of the radius.
constexpr int sweeps_per_step = 4;
constexpr int most_sweeps = 8;
constexpr double about_there = 0.9;
// On the way out from the origin the penalty falls to such a share from one step to the next; there are so many at most.
constexpr double outward_share = 0.8;
constexpr int most_outwards = 20;
// Sweeps end where the norm is so near to the radius, as a share of it, or nearer: within such a share of the relative gap. A product that
// is less than the first inside is stretched to the radius.
constexpr double near_enough = 0.01;
constexpr double share_of_gap = 0.1;
// What the penalty changes by at most from one sweep to the next, and its first guess of what that does to the norm.
constexpr double most_change = 4;
constexpr double first_response = -0.5;

/// Sweeps over the two factors of x (alternating least squares), widened by the directions that f is steepest along. A penalty of λ/2 on
/// the squares of both is one of λ on the nuclear norm of their product, as long as they are wide enough: λ is what makes that the
/// radius. Where the norm is below it, λ goes to zero.
template <class Real>
class FactorCorrector final : public Corrector<Real> {
  public:
    explicit FactorCorrector(const Ball& ball) : ball_(ball) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        sweep(run, seen);
        Vertex<Real>& to = move.towards();
        into_ball(run.x().factors()->most(), to);
        const double slope = direction(move, seen.gradient, run.x()).slope;
        if (search_line(run, seen, move, slope, step)) return true;
        // Sweeps lead nowhere any more: a plain step may.
        move.towards() = seen.move.atom();
        if (!search_line(run, seen, move, -seen.gap, step)) return false;
        penalty_ = 0;
        return true;
    }
    void archive(Run<Real>& /*run*/, Archive& state) override {
        state(penalty_, response_, across_, last_gap_, sweeps_);
    }

  private:
    void sweep(Run<Real>& run, const Proposal<Real>& seen) {
        const Iterate<Real>& x = run.x();
        const double norm = nuclear_norm(*x.factors());
        // The gap is <g, x> + radius · σ₁.
        const double along = -direction_to(Vertex<Real>{}, seen.gradient, x).slope;  // <g, x>
        const double steepest = (seen.gap - along) / ball_.radius;
        if (norm == 0) {
            go_outwards(run, seen);
        } else {
            const auto samples = static_cast<double>(run.objective().samples());
            if (penalty_ == 0) penalty_ = std::min(std::max(-along / norm, 0.0), steepest) * samples;
            if (seen.gap > enough_fall * last_gap_) across_ = !across_;
            last_gap_ = seen.gap;
            sweeps_.look(*x.factors(), x.pattern(), seen.gradient, across_, seen.move.atom(), x.threads());
            sweeps_.begin(*x.factors(), x.intercept().at, penalty_);
        }
        double last_penalty = 0;
        double last_norm = 0;
        int sweeps = 0;
        int most = sweeps_per_step;
        bool near = false;
        const double nearness = std::min(near_enough, share_of_gap * seen.gap / (steepest * ball_.radius));
        while (sweeps < most && !near) {
            ++sweeps;
            sweeps_.sweep(run.objective(), penalty_);
            const double reached = sweeps_.norm();
            if (!(reached > 0)) {  // nothing is worth its penalty
                penalty_ /= most_change;
                continue;
            }
            if (last_norm > 0 && reached != last_norm && penalty_ != last_penalty) {
                const double measured = std::log(reached / last_norm) / std::log(penalty_ / last_penalty);
                take_response(measured);
            }
            last_penalty = penalty_;
            last_norm = reached;
            near = std::abs(reached / ball_.radius - 1) <= nearness;
            most = reached < about_there * ball_.radius ? sweeps_per_step : most_sweeps;
            penalty_ *=
                std::clamp(std::pow(ball_.radius / reached, 1 / response_), 1 / most_change, most_change);
        }
        run.account().counters.component_gradients +=
            static_cast<Index>(2 * (sweeps + FactorSweeps<Real>::rounds)) * run.objective().samples();
        if (!x.intercept().at.empty()) x.intercept().next = sweeps_.biases();
    }

    // Along the path of penalties to where it leaves the ball, and back to the penalty that leads to its boundary, as far as norms tell.
    void go_outwards(Run<Real>& run, const Proposal<Real>& seen) {
        FactorPath<Real> path(sweeps_, run.objective(), run.x(), seen.gradient);
        double before = 0;
        int steps = 0;
        while (steps < most_outwards && path.norm() < ball_.radius) {
            const double last = path.penalty();
            before = path.norm();
            path.step(outward_share);
            ++steps;
            if (before > 0 && path.norm() > before)
                take_response(std::log(path.norm() / before) / std::log(path.penalty() / last));
        }
        penalty_ = path.penalty();
        if (path.norm() > ball_.radius)
            penalty_ *= std::min(std::pow(ball_.radius / path.norm(), 1 / response_), 1 / outward_share);
        sweeps_.begin(path.x(), path.biases(), penalty_);
        run.account().counters.component_gradients +=
            steps * FactorPath<Real>::looks_per_step * run.objective().samples();
    }

    void take_response(double measured) {
        if (measured < 0) response_ = std::clamp(measured, -4.0, -0.05);
    }

    static double nuclear_norm(const Factors<Real>& x) {
        const std::vector<double> sizes = x.singular_values();
        return std::accumulate(sizes.begin(), sizes.end(), 0.0);
    }

    // The point of the ball that is nearest to the product, at most so many singular values of it. Uses the product up.
    void into_ball(Index most, Vertex<Real>& to) {
        const Factors<Real> product = sweeps_.release(most);
        product.to_vertex(to);
        to.composite = 0;
        Eigen::VectorXd values(product.width());
        for (Index k = 0; k < product.width(); ++k) values(k) = product.core(k, k);
        const double sum = values.sum();
        if (sum > ball_.radius)
            faces::lower(ball_.radius, values);
        else if (sum >= (1 - near_enough) * ball_.radius)
            values *= ball_.radius / sum;  // where the sweeps were to lead
        for (Index k = 0; k < product.width(); ++k)
            to.scales[static_cast<std::size_t>(k)] = values(k) / product.core(k, k);
    }

    Ball ball_;
    double penalty_ = 0;                // λ times the number of observations
    double response_ = first_response;  // of the logarithm of the norm to that of the penalty
    FactorSweeps<Real> sweeps_;
    bool across_ = true;  // x: only there directions were looked for
    double last_gap_ = std::numeric_limits<double>::infinity();
};

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> factor_corrector(const Ball& ball) {
    return std::make_unique<FactorCorrector<Real>>(ball);
}

template std::unique_ptr<Corrector<float>> factor_corrector(const Ball&);
template std::unique_ptr<Corrector<double>> factor_corrector(const Ball&);

}  // namespace alfcg
