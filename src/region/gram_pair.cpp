#include "region/gram_pair.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "alfcg/core/error.hpp"
#include "region/magnitudes.hpp"
#include "region/products.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

double trace(const AlignedVector<double>& gram, Index side) {
    double sum = 0;
    for (Index i = 0; i < side; ++i) sum += gram[static_cast<std::size_t>(i * side + i)];
    return sum;
}

template <class Solver>
void last_eigenvector(Solver& solver, const AlignedVector<double>& gram, Index side,
                      AlignedVector<double>& vector) {
    const Eigen::Map<const Eigen::MatrixXd> matrix(gram.data(), side, side);
    solver.compute(matrix);
    if (solver.info() != Eigen::Success)
        throw Error("nuclear ball: the eigen-decomposition did not converge");
    Eigen::Map<Eigen::VectorXd>(vector.data(), side) = solver.eigenvectors().col(side - 1);
}

}  // namespace

void GramPair::leading_vector(Index side) {
    if (side <= inline_side)
        last_eigenvector(small_solver_, gram_, side, shorter_);
    else
        last_eigenvector(solver_, gram_, side, shorter_);
}

template <class Real>
bool GramPair::solve(const Matrix<Real>& gradient) {
    const Shape shape = gradient.shape();
    const bool wide = shape.rows <= shape.cols;
    const Index side = std::min(shape.rows, shape.cols);
    const Index length = std::max(shape.rows, shape.cols);
    if (side == 0) return false;
    shorter_.resize(static_cast<std::size_t>(side));
    longer_.resize(static_cast<std::size_t>(length));
    gram_.resize(static_cast<std::size_t>(side * side));
    panel_.resize(static_cast<std::size_t>(gram_scratch(side)));

    // Ordinary gradients need no scaling, which saves a pass over them: the trace tells.
    scale_ = 1;
    gram(gradient.data(), shape, scale_, panel_.data(), gram_.data());
    if (const double sum = trace(gram_, side); !(sum > 1e-200 && sum < 1e200)) {
        const double largest = largest_magnitude(gradient.data(), gradient.size());
        if (std::isnan(largest)) reject_gradient();
        if (largest == 0) return false;
        scale_ = safe_scale(largest);
        gram(gradient.data(), shape, scale_, panel_.data(), gram_.data());
    }
    leading_vector(side);
    if (wide)
        transposed_times(gradient.data(), shape, scale_, shorter_.data(), longer_.data());
    else
        times(gradient.data(), shape, scale_, shorter_.data(), longer_.data());
    value_ = std::sqrt(sums(longer_.data(), length).squares);
    for (double& entry : longer_) entry /= value_;
    return true;
}

template bool GramPair::solve(const Matrix<float>&);
template bool GramPair::solve(const Matrix<double>&);

}  // namespace alfcg::region
