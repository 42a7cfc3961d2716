#include "corrective/simplex_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/decompositions.hpp"

namespace alfcg {

namespace {

// What directions bend at least, as a share of the most, and of how far slopes are apart: weights that nothing tells apart stay what they
// are, and where nothing bends the way is to the end.
constexpr double least_bend = 1e-10;
constexpr double least_bend_of_slopes = 1e-8;

// The same matrix on directions that add up to 0, and positive there.
Eigen::MatrixXd made_positive(const Matrix<double>& matrix, double slopes_apart) {
    const Index n = matrix.rows();
    Eigen::MatrixXd centred =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            matrix.data(), n, n);
    centred.rowwise() -= centred.colwise().mean().eval();
    centred.colwise() -= centred.rowwise().mean().eval();
    const double least = least_bend * centred.diagonal().cwiseAbs().maxCoeff() +
                         least_bend_of_slopes * slopes_apart + std::numeric_limits<double>::min();
    Eigen::MatrixXd lifted = centred;
    lifted.diagonal().array() += least;
    Eigen::MatrixXd factored = lifted;
    if (has_cholesky_factor(factored)) return lifted;
    const SymmetricPairs pairs(centred);
    return pairs.eigenvectors() * pairs.eigenvalues().cwiseMax(least).asDiagonal() *
           pairs.eigenvectors().transpose();
}

}  // namespace

// Weights that are not zero are free; of the others one joins at a time, the one that promises most, and one that gets to zero leaves.
std::vector<double> least_on_simplex(const Matrix<double>& matrix, const std::vector<double>& slopes,
                                     const std::vector<double>& w) {
    const auto n = static_cast<Index>(w.size());
    const auto [lowest, highest] = std::minmax_element(slopes.begin(), slopes.end());
    const Eigen::MatrixXd h = made_positive(matrix, *highest - *lowest);
    const Eigen::VectorXd from = Eigen::Map<const Eigen::VectorXd>(w.data(), n);
    const Eigen::VectorXd linear = Eigen::Map<const Eigen::VectorXd>(slopes.data(), n) - h * from;
    Eigen::VectorXd u = from;
    std::vector<Index> free;
    for (Index k = 0; k < n; ++k)
        if (u(k) > 0) free.push_back(k);
    const double scale = linear.cwiseAbs().maxCoeff() + h.cwiseAbs().maxCoeff();
    for (Index turn = 0; turn < 10 * n; ++turn) {
        // The least value over those that are free: h u + linear = level there.
        const auto m = std::ssize(free);
        Eigen::MatrixXd own(m + 1, m + 1);
        Eigen::VectorXd right(m + 1);
        for (Index a = 0; a < m; ++a) {
            for (Index b = 0; b < m; ++b)
                own(a, b) = h(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]);
            own(a, m) = own(m, a) = -scale;
            right(a) = -linear(free[static_cast<std::size_t>(a)]);
        }
        own(m, m) = 0;
        right(m) = -scale;
        const Eigen::VectorXd to = own.partialPivLu().solve(right);
        if (!to.allFinite()) break;
        double share = 1;
        Index leaves = -1;
        for (Index a = 0; a < m; ++a) {
            const double now = u(free[static_cast<std::size_t>(a)]);
            if (to(a) >= 0 || now - to(a) <= 0) continue;
            if (const double reach = now / (now - to(a)); reach < share) {
                share = reach;
                leaves = a;
            }
        }
        for (Index a = 0; a < m; ++a) {
            double& entry = u(free[static_cast<std::size_t>(a)]);
            entry = std::max(entry + share * (to(a) - entry), 0.0);
        }
        if (leaves >= 0) {
            u(free[static_cast<std::size_t>(leaves)]) = 0;
            free.erase(free.begin() + leaves);
            continue;
        }
        const Eigen::VectorXd gradient = h * u + linear;
        const double level = to(m) * scale;
        Index joins = -1;
        double least = -1e-13 * scale;
        for (Index k = 0; k < n; ++k) {
            if (u(k) > 0 || std::find(free.begin(), free.end(), k) != free.end()) continue;
            if (gradient(k) - level < least) {
                least = gradient(k) - level;
                joins = k;
            }
        }
        if (joins < 0) break;
        free.push_back(joins);
    }
    u /= u.sum();
    return {u.begin(), u.end()};
}

}  // namespace alfcg
