#include "region/gram_pair.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/magnitudes.hpp"
#include "kernels/products.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

double trace(const AlignedVector<double>& gram, Index side) {
    double sum = 0;
    for (Index i = 0; i < side; ++i) sum += gram[static_cast<std::size_t>(i * side + i)];
    return sum;
}

}  // namespace

template <class Real>
bool GramPair::solve(const Matrix<Real>& gradient, int threads) {
    const Shape shape = gradient.shape();
    wide_ = shape.rows <= shape.cols;
    const Index side = std::min(shape.rows, shape.cols);
    const Index length = std::max(shape.rows, shape.cols);
    if (side == 0) return false;
    shorter_.resize(static_cast<std::size_t>(side));
    longer_.resize(static_cast<std::size_t>(length));
    gram_.resize(static_cast<std::size_t>(side * side));

    // Ordinary gradients need no scaling, which saves a pass over them: the trace tells.
    scale_ = 1;
    kernels::gram(gradient.data(), shape, scale_, threads, scratch_, gram_.data());
    if (const double sum = trace(gram_, side); !(sum > 1e-200 && sum < 1e200)) {
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads);
        if (std::isnan(largest)) reject_gradient<Real>();
        if (largest == 0) return false;
        scale_ = kernels::safe_scale(largest);
        kernels::gram(gradient.data(), shape, scale_, threads, scratch_, gram_.data());
    }
    eigenvector_.solve(gram_.data(), side, shorter_.data());
    if (wide_)
        kernels::transposed_times(gradient.data(), shape, scale_, shorter_.data(), longer_.data(), threads);
    else
        kernels::times(gradient.data(), shape, scale_, shorter_.data(), longer_.data(), threads);
    value_ = std::sqrt(kernels::sums(longer_.data(), length).squares);
    const double inverse = 1 / value_;
    for (double& entry : longer_) entry *= inverse;
    return true;
}

template bool GramPair::solve(const Matrix<float>&, int);
template bool GramPair::solve(const Matrix<double>&, int);

}  // namespace alfcg::region
