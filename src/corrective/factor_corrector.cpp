#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/decompositions.hpp"
#include "core/matrix_product.hpp"
#include "corrective/corrector.hpp"
#include "corrective/line_search.hpp"
#include "region/pattern_operator.hpp"

namespace alfcg {

namespace {

// Directions that a step may add, products that look for them, and sweeps over the factors.
constexpr Index new_directions = 16;
constexpr int power_steps = 2;
constexpr int sweeps_per_step = 4;
// What the penalty changes by at most from one sweep to the next, and its first guess of what that does to the norm.
constexpr double most_change = 4;
constexpr double first_response = -0.5;

/// Leading singular triplets of a gradient, about.
struct Steepest {
    Eigen::MatrixXd left;
    Eigen::VectorXd values;
    Eigen::MatrixXd right;
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
    void archive(Run<Real>& /*run*/, Archive& state) override { state(penalty_, basis_); }

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
        const Steepest added = steepest_of(run, seen);
        take_factors(*x.factors(), added, penalty_ / samples, samples);
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
        for (int k = 0; k < sweeps_per_step; ++k) {
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
            penalty_ *=
                std::clamp(std::pow(ball_.radius / reached, 1 / response), 1 / most_change, most_change);
        }
        run.account().counters.component_gradients +=
            static_cast<Index>(2 * sweeps_per_step + power_steps) * run.objective().samples();
        if (factors_.fit_biases) {
            auto& next = x.intercept().next;
            next = factors_.row_biases;
            next.insert(next.end(), factors_.column_biases.begin(), factors_.column_biases.end());
        }
    }

    Steepest steepest_of(Run<Real>& run, const Proposal<Real>& seen) {
        const Pattern& pattern = run.x().pattern();
        const region::PatternOperator<Real> gradient{pattern, seen.gradient, 1, run.x().threads()};
        const bool right = pattern.shape.cols <= pattern.shape.rows;
        const auto side = right ? kernels::Side::right : kernels::Side::left;
        const Index length = right ? pattern.shape.cols : pattern.shape.rows;
        const Index count = std::min({new_directions, length / 4 * 4, std::max<Index>(length / 8 * 4, 4)});
        if (basis_.rows() != length || basis_.cols() != count) {
            basis_.resize(length, count);
            std::uint64_t state = 88172645463325252U;
            for (double& entry : basis_.reshaped()) {
                state ^= state << 13U;
                state ^= state >> 7U;
                state ^= state << 17U;
                entry = static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
            }
        }
        // What the oracle has found is there for nothing.
        const Vertex<Real>& vertex = seen.move.atom();
        if (vertex.kind == Vertex<Real>::Kind::rank_one)
            for (Index i = 0; i < length; ++i)
                basis_(i, 0) =
                    static_cast<double>((right ? vertex.right : vertex.left)[static_cast<std::size_t>(i)]);
        Eigen::MatrixXd x(length, kernels::block_columns);
        Eigen::MatrixXd y(length, kernels::block_columns);
        Eigen::MatrixXd products(length, count);
        Eigen::MatrixXd along;
        for (int k = 0; k < power_steps; ++k) {
            basis_ = orthonormal_columns(basis_);
            for (Index c = 0; c < count; c += kernels::block_columns) {
                x = basis_.middleCols(c, kernels::block_columns);
                gradient.normal_product(side, x, y, scratch_);
                products.middleCols(c, kernels::block_columns) = y;
            }
            along = product<Eigen::MatrixXd>(basis_.transpose(), products);  // of the basis before this step
            if (k + 1 < power_steps) basis_ = products;
        }
        const SymmetricPairs solver((along + along.transpose()) / 2);
        basis_ = product<Eigen::MatrixXd>(basis_, solver.eigenvectors()).rowwise().reverse().eval();
        Steepest found;
        found.values = solver.eigenvalues().reverse().cwiseMax(0).cwiseSqrt();
        const Index other = pattern.shape.rows + pattern.shape.cols - length;
        Eigen::MatrixXd there(other, count);
        AlignedVector<double> one(static_cast<std::size_t>(length));
        AlignedVector<double> two(static_cast<std::size_t>(other));
        for (Index c = 0; c < count; ++c) {
            std::copy_n(basis_.col(c).data(), length, one.data());
            gradient.to_other_side(side, one, two);
            std::copy_n(two.data(), other, there.col(c).data());
            const double size = there.col(c).norm();
            if (size > 0) there.col(c) /= size;
        }
        found.left = right ? there : basis_;
        found.right = right ? basis_ : there;
        return found;
    }

    // U √s and V √s, and behind them what a proximal step would add.
    void take_factors(const Factors<Real>& given, const Steepest& added, double level, double samples) {
        Factors<Real> x = given;
        x.compress();
        Index fresh = 0;
        while (fresh < added.values.size() && added.values(fresh) > level) ++fresh;
        if (x.width() + fresh == 0) fresh = 1;
        const Shape shape = x.shape();
        factors_.width = x.width() + fresh;
        constexpr Index lanes = 64 / static_cast<Index>(sizeof(Real));
        const Index stride = (factors_.width + 1 + lanes - 1) / lanes * lanes;
        const auto fill = [&](Matrix<Real>& to, Index rows, auto&& row_of, const Eigen::MatrixXd& directions,
                              double sign) {
            to = Matrix<Real>(rows, stride);
            for (Index i = 0; i < rows; ++i) {
                for (Index k = 0; k < x.width(); ++k)
                    to(i, k) = static_cast<Real>(static_cast<double>(row_of(i)[k]) * std::sqrt(x.core(k, k)));
                for (Index k = 0; k < fresh; ++k)
                    to(i, x.width() + k) = static_cast<Real>(
                        sign * directions(i, k) *
                        std::sqrt(samples * std::max(added.values(k) - level, 1e-3 * level)));
            }
        };
        fill(
            factors_.left, shape.rows, [&](Index i) { return x.left(i); }, added.left, -1);
        fill(
            factors_.right, shape.cols, [&](Index j) { return x.right(j); }, added.right, 1);
    }

    [[nodiscard]] Eigen::MatrixXd gram_of(const Matrix<Real>& factor) const {
        const Index width = factors_.width;
        Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(width, width);
        Eigen::MatrixXd rows(256, width);
        for (Index first = 0; first < factor.rows(); first += rows.rows()) {
            const Index count = std::min<Index>(rows.rows(), factor.rows() - first);
            for (Index i = 0; i < count; ++i)
                for (Index k = 0; k < width; ++k) rows(i, k) = static_cast<double>(factor(first + i, k));
            add_product(1, rows.topRows(count).transpose(), rows.topRows(count), gram);
        }
        return gram;
    }

    // ‖left · rightᵀ‖_*.
    [[nodiscard]] double product_norm() const {
        const SymmetricPairs left(gram_of(factors_.left));
        const Eigen::VectorXd roots = left.eigenvalues().cwiseMax(0).cwiseSqrt();
        const Eigen::MatrixXd turned = left.eigenvectors() * roots.asDiagonal();
        const auto half = product<Eigen::MatrixXd>(gram_of(factors_.right), turned);
        const auto middle = product<Eigen::MatrixXd>(turned.transpose(), half);
        return symmetric_values(middle).cwiseMax(0).cwiseSqrt().sum();
    }

    // The point of the ball that is nearest to the product, at most so many singular values of it.
    void into_ball(Index most, Vertex<Real>& to) {
        Matrix<Real> left(factors_.left.rows(), factors_.width);
        Matrix<Real> right(factors_.right.rows(), factors_.width);
        const auto copy = [&](const Matrix<Real>& from, Matrix<Real>& into) {
            for (Index i = 0; i < from.rows(); ++i)
                std::copy_n(from.data() + i * from.cols(), factors_.width, into.data() + i * into.cols());
        };
        copy(factors_.left, left);
        copy(factors_.right, right);
        const std::vector<double> ones(static_cast<std::size_t>(factors_.width), 1.0);
        const Factors<Real> product(left, ones, right, most);
        product.to_vertex(to);
        to.composite = 0;
        std::vector<double> sizes;
        for (Index k = 0; k < product.width(); ++k) sizes.push_back(product.core(k, k));
        const double lost = level(sizes);
        for (std::size_t k = 0; k < sizes.size(); ++k) to.scales[k] = std::max(1 - lost / sizes[k], 0.0);
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
    Eigen::MatrixXd basis_;  // about the directions that f was steepest along when last looked at
    AlignedVector<double> scratch_;
};

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> factor_corrector(const Ball& ball) {
    return std::make_unique<FactorCorrector<Real>>(ball);
}

template std::unique_ptr<Corrector<float>> factor_corrector(const Ball&);
template std::unique_ptr<Corrector<double>> factor_corrector(const Ball&);

}  // namespace alfcg
