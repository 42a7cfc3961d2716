#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/decompositions.hpp"
#include "core/matrix_product.hpp"
#include "corrective/corrector.hpp"
#include "corrective/line_search.hpp"
#include "point/tall.hpp"
#include "region/pattern_operator.hpp"

namespace alfcg {

namespace {

// Directions that a step may add, at first and at most, products that look for them, and sweeps over the factors.
constexpr Index least_directions = 16;
constexpr Index new_directions = 32;
constexpr Index most_directions = 128;
// Where the gap has not fallen to such a share, directions are sought in another way.
constexpr double enough_fall = 0.7;
constexpr int power_steps = 6;
constexpr int sweeps_per_step = 4;
// Sweeps end where the norm is so near to the radius, as a share of it, or nearer: within such a share of the relative gap. A product that
// is less than the first inside is stretched to the radius.
constexpr double near_enough = 0.01;
constexpr double share_of_gap = 0.1;
// What the penalty changes by at most from one sweep to the next, and its first guess of what that does to the norm.
constexpr double most_change = 4;
constexpr double first_response = -0.5;

/// Leading singular triplets of a gradient, about: vectors are columns.
template <class Real>
struct Steepest {
    Matrix<Real> left;
    Eigen::VectorXd values;
    Matrix<Real> right;
};

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
        state(penalty_, wanted_, taken_, across_, last_gap_, state_, steepest_.right, steepest_.values);
    }

  private:
    void sweep(Run<Real>& run, const Proposal<Real>& seen) {
        const Iterate<Real>& x = run.x();
        const auto samples = static_cast<double>(run.objective().samples());
        const std::vector<double> sizes = x.factors()->singular_values();
        double norm = 0;
        for (const double size : sizes) norm += size;
        // The gap is <g, x> + radius · σ₁.
        const double along = -direction_to(Vertex<Real>{}, seen.gradient, x).slope;  // <g, x>
        const double steepest = (seen.gap - along) / ball_.radius;
        const double balanced = norm > 0 ? std::max(-along / norm, 0.0) : steepest / 2;
        if (penalty_ == 0) penalty_ = std::min(balanced, steepest) * samples;
        if (seen.gap > enough_fall * last_gap_) across_ = !across_;
        last_gap_ = seen.gap;
        find_steepest(run, seen);
        take_factors(*x.factors(), penalty_ / samples, samples);
        factors_.row_biases.clear();
        factors_.column_biases.clear();
        const std::vector<double>& biases = x.intercept().at;
        factors_.fit_biases = !biases.empty();
        if (factors_.fit_biases) {
            const auto rows = static_cast<std::ptrdiff_t>(x.shape().rows);
            factors_.row_biases.assign(biases.begin(), biases.begin() + rows);
            factors_.column_biases.assign(biases.begin() + rows, biases.end());
        }
        double last_penalty = 0;
        double last_norm = 0;
        double response = first_response;
        int sweeps = 0;
        bool near = false;
        const double nearness = std::min(near_enough, share_of_gap * seen.gap / (steepest * ball_.radius));
        while (sweeps < sweeps_per_step && !near) {
            ++sweeps;
            run.objective().sweep(factors_, penalty_);
            const double reached = product_norm();
            if (!(reached > 0)) {  // nothing is worth its penalty
                penalty_ /= most_change;
                continue;
            }
            if (last_norm > 0 && reached != last_norm && penalty_ != last_penalty) {
                const double measured = std::log(reached / last_norm) / std::log(penalty_ / last_penalty);
                if (measured < 0) response = std::clamp(measured, -2.0, -0.05);
            }
            last_penalty = penalty_;
            last_norm = reached;
            near = std::abs(reached / ball_.radius - 1) <= nearness;
            penalty_ *=
                std::clamp(std::pow(ball_.radius / reached, 1 / response), 1 / most_change, most_change);
        }
        run.account().counters.component_gradients +=
            static_cast<Index>(2 * sweeps + power_steps) * run.objective().samples();
        if (factors_.fit_biases) {
            auto& next = x.intercept().next;
            next = factors_.row_biases;
            next.insert(next.end(), factors_.column_biases.begin(), factors_.column_biases.end());
        }
    }

    void find_steepest(Run<Real>& run, const Proposal<Real>& seen) {
        const Pattern& pattern = run.x().pattern();
        const region::PatternOperator<Real> gradient{pattern, seen.gradient, 1, run.x().threads()};
        Matrix<Real>& right = steepest_.right;
        const Index count =
            std::min({across_ ? wanted_ : least_directions, pattern.shape.cols, pattern.shape.rows});
        // What was found last and not taken may be steep enough now; the rest begins anywhere.
        const Index left_over = std::min(count, static_cast<Index>(steepest_.values.size()) - taken_);
        Matrix<Real> start(pattern.shape.cols, line_length<Real>(count));
        for (Index j = 0; j < start.rows(); ++j) {
            for (Index k = 0; k < count - left_over; ++k) {
                state_ ^= state_ << 13U;
                state_ ^= state_ >> 7U;
                state_ ^= state_ << 17U;
                start(j, k) =
                    static_cast<Real>(static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-63);
            }
            for (Index k = 0; k < left_over; ++k) start(j, count - left_over + k) = right(j, taken_ + k);
        }
        right = std::move(start);
        // What the oracle has found is there for nothing.
        const Vertex<Real>& vertex = seen.move.atom();
        if (vertex.kind == Vertex<Real>::Kind::rank_one)
            for (Index j = 0; j < right.rows(); ++j) right(j, 0) = vertex.right[static_cast<std::size_t>(j)];
        // Along what x consists of already, f is as steep as it is to be: only what lies across is new. Where that leads nowhere, x has to be
        // turned instead.
        const Factors<Real>& x = *run.x().factors();
        Index width = 0;
        for (int k = 0;; ++k) {
            if (across_) take_away(x.right(0), x.stride(), x.width(), right);
            width = orthonormalize(right, count).rows();
            gradient.times(right, width, steepest_.left);
            if (k == power_steps) break;
            gradient.transposed_times(steepest_.left, width, right);
        }
        const Eigen::MatrixXd along = orthonormalize(steepest_.left, width);
        Eigen::MatrixXd square = Eigen::MatrixXd::Zero(width, width);
        square.topRows(along.rows()) = along;
        const SingularTriplets svd = singular_triplets(square, true);
        turn(steepest_.left, width, svd.left);
        turn(right, width, svd.right);
        steepest_.values = svd.values;
    }

    // Where all that was found was steep enough, there is more.
    void expect(Index taken) {
        taken_ = taken;
        if (across_ && taken == steepest_.values.size()) wanted_ = std::min(2 * wanted_, most_directions);
    }

    // U √s and V √s, and behind them what a proximal step would add.
    void take_factors(const Factors<Real>& given, double level, double samples) {
        std::optional<Factors<Real>> turned;
        if (!given.diagonal()) turned.emplace(given).compress();
        const Factors<Real>& x = turned ? *turned : given;
        Steepest<Real>& added = steepest_;
        Index fresh = 0;
        while (fresh < added.values.size() && added.values(fresh) > level) ++fresh;
        expect(fresh);
        if (x.width() + fresh == 0) fresh = 1;
        const Shape shape = x.shape();
        factors_.width = x.width() + fresh;
        const Index stride = line_length<Real>(factors_.width + 1);
        const auto fill = [&](Matrix<Real>& to, Index rows, auto&& row_of, const Matrix<Real>& directions,
                              double sign) {
            to = Matrix<Real>(rows, stride);
            for (Index i = 0; i < rows; ++i) {
                for (Index k = 0; k < x.width(); ++k)
                    to(i, k) = static_cast<Real>(static_cast<double>(row_of(i)[k]) * std::sqrt(x.core(k, k)));
                for (Index k = 0; k < fresh; ++k)
                    to(i, x.width() + k) = static_cast<Real>(
                        sign * static_cast<double>(directions(i, k)) *
                        std::sqrt(samples * std::max(added.values(k) - level, 1e-3 * level)));
            }
        };
        fill(
            factors_.left, shape.rows, [&](Index i) { return x.left(i); }, added.left, -1);
        added.left = {};
        fill(
            factors_.right, shape.cols, [&](Index j) { return x.right(j); }, added.right, 1);
    }

    // ‖left · rightᵀ‖_*.
    [[nodiscard]] double product_norm() const {
        const SymmetricPairs left(gram_of(factors_.left, factors_.width));
        const Eigen::VectorXd roots = left.eigenvalues().cwiseMax(0).cwiseSqrt();
        const Eigen::MatrixXd turned = left.eigenvectors() * roots.asDiagonal();
        const auto half = product<Eigen::MatrixXd>(gram_of(factors_.right, factors_.width), turned);
        const auto middle = product<Eigen::MatrixXd>(turned.transpose(), half);
        return symmetric_values(middle).cwiseMax(0).cwiseSqrt().sum();
    }

    // The point of the ball that is nearest to the product, at most so many singular values of it. Uses the product up.
    void into_ball(Index most, Vertex<Real>& to) {
        const Factors<Real> product(std::move(factors_.left), std::move(factors_.right), factors_.width,
                                    most);
        product.to_vertex(to);
        to.composite = 0;
        std::vector<double> sizes;
        for (Index k = 0; k < product.width(); ++k) sizes.push_back(product.core(k, k));
        const double lost = level(sizes);
        const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
        // The radius is where the sweeps were to lead.
        const double stretch =
            sum < ball_.radius && sum >= (1 - near_enough) * ball_.radius ? ball_.radius / sum : 1;
        for (std::size_t k = 0; k < sizes.size(); ++k)
            to.scales[k] = std::max(1 - lost / sizes[k], 0.0) * stretch;
    }

    // What all sizes, largest first, must lose so that they sum up to no more than the radius.
    [[nodiscard]] double level(const std::vector<double>& sizes) const {
        double sum = 0;
        double lost = 0;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            sum += sizes[k];
            const double wanted = (sum - ball_.radius) / static_cast<double>(k + 1);
            if (wanted >= sizes[k]) break;
            lost = wanted;
        }
        return std::max(lost, 0.0);
    }

    Ball ball_;
    double penalty_ = 0;  // λ times the number of observations
    TwoFactors<Real> factors_;
    Steepest<Real> steepest_;  // when last looked at
    Index taken_ = 0;          // of it
    bool across_ = true;       // x: only there it was looked for
    double last_gap_ = std::numeric_limits<double>::infinity();
    Index wanted_ = new_directions;
    std::uint64_t state_ = 88172645463325252U;  // of the numbers that a search begins with
};

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> factor_corrector(const Ball& ball) {
    return std::make_unique<FactorCorrector<Real>>(ball);
}

template std::unique_ptr<Corrector<float>> factor_corrector(const Ball&);
template std::unique_ptr<Corrector<double>> factor_corrector(const Ball&);

}  // namespace alfcg
