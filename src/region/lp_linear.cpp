#include <cmath>
#include <cstddef>
#include <type_traits>

#include "kernels/lp_weights.hpp"
#include "kernels/magnitudes.hpp"
#include "region/lp_oracle.hpp"

namespace alfcg::region {
namespace {

/// (t / largest)^{1/degree}. Through the logarithm where a power of the quotient would lose digits, p near 1,
/// or where the quotient itself would underflow.
double root(double t, double largest, double degree) {
    const double ratio = t / largest;
    if (degree > 0.1 && ratio > 1e-290) return std::pow(ratio, 1 / degree);
    return std::exp(log_ratio(t, largest) / degree);
}

/// Whether a power through the logarithm of scale · t is as good as root(): no digits lost, nothing out of
/// range.
template <class Real>
bool by_logarithms(const Magnitudes<Real>& t, double p, double scale, int threads) {
    if (p - 1 <= 0.1 || std::abs(std::log2(scale)) >= 900) return false;
    if (std::is_same_v<Real, float> || scale >= 1) return true;  // nothing can underflow
    return scale * kernels::smallest_excess(t.x.data(), t.size(), t.threshold, threads) > 1e-290;
}

template <class Real>
void reshape(Shape shape, Vertex<Real>& vertex) {
    vertex.kind = Vertex<Real>::Kind::dense;
    vertex.dense.reshape(shape);
}

}  // namespace

template <class Real>
double relative_norm(const Magnitudes<Real>& t, double p, int threads) {
    if (std::isinf(p)) return 1;
    const double largest = t.largest();
    if (t.threshold == 0 && (p == 1 || p == 2)) {
        const double scale = kernels::safe_scale(largest);
        const kernels::Sums sums = kernels::sums(t.x.data(), t.size(), scale, threads);
        return (p == 1 ? sums.magnitudes : std::sqrt(sums.squares)) / (scale * largest);
    }
    double sum = 0;
    for (Index i = 0; i < t.size(); ++i) {
        const double size = t(i);
        if (size == 0) continue;
        if (p == 1) {
            sum += size / largest;
        } else if (p == 2) {
            sum += (size / largest) * (size / largest);
        } else if (p == 3) {
            sum += (size / largest) * (size / largest) * (size / largest);
        } else {
            sum += std::exp(p * log_ratio(size, largest));
        }
    }
    return std::pow(sum, 1 / p);
}

// v_i = -r sign(g_i) (|g_i| / ‖g‖_q)^{q-1} (spec 5). With a proportional to t and w = a^{1/(p-1)}, q - 1 =
// 1/(p-1), this is r w / ‖w‖_p, and w^p = a w. A largest a near 1 keeps every number below n or so.
template <class Real>
void lp_linear(const Magnitudes<Real>& t, double p, double radius, int threads,
               AlignedVector<double>& scratch, Vertex<Real>& vertex) {
    const double largest = t.largest();
    kernels::Weights weights = kernels::weights_of(p);
    weights.threshold = t.threshold;
    weights.scale = kernels::safe_scale(largest);
    if (weights.power != kernels::WeightPower::other || by_logarithms(t, p, weights.scale, threads)) {
        reshape(t.x.shape(), vertex);
        Real* v = vertex.dense.data();
        // A power is dear: it is taken once, and what it gave is scaled afterwards.
        const bool once = weights.power == kernels::WeightPower::other;
        const double sum = once ? kernels::write_weights(weights, t.x.data(), t.size(), 1, v, threads)
                                : kernels::weight_sum(weights, t.x.data(), t.size(), threads);
        const double factor = radius / std::pow(sum, 1 / p);
        if (once)
            kernels::write_weights(kernels::weights_of(2), v, t.size(), -factor, v, threads);
        else
            kernels::write_weights(weights, t.x.data(), t.size(), factor, v, threads);
        return;
    }
    scratch.resize(static_cast<std::size_t>(t.size()));
    double sum = 0;
    for (Index i = 0; i < t.size(); ++i) {
        const double size = t(i);
        const double w = size > 0 ? root(size, largest, p - 1) : 0;
        scratch[static_cast<std::size_t>(i)] = w;
        sum += size / largest * w;
    }
    const double factor = radius / std::pow(sum, 1 / p);
    write_dense(
        t, [&](Index i) { return factor * scratch[static_cast<std::size_t>(i)]; }, vertex);
}

template <class Real>
bool lp_unscaled(const Matrix<Real>& gradient, double p, double radius, int threads, Vertex<Real>& vertex) {
    const kernels::Weights weights = kernels::weights_of(p);
    if (weights.power == kernels::WeightPower::other) return false;
    const double sum = kernels::weight_sum(weights, gradient.data(), gradient.size(), threads);
    if (!(sum > 1e-200 && sum < 1e200)) return false;
    const double factor = radius / std::pow(sum, 1 / p);
    if (!(factor > 1e-200 && factor < 1e200)) return false;
    reshape(gradient.shape(), vertex);
    kernels::write_weights(weights, gradient.data(), gradient.size(), factor, vertex.dense.data(), threads);
    return true;
}

template <class Real>
double lp_signs(const Matrix<Real>& gradient, double threshold, double radius, int threads,
                Vertex<Real>& vertex) {
    reshape(gradient.shape(), vertex);
    return kernels::write_signs(gradient.data(), gradient.size(), threshold, radius, vertex.dense.data(),
                                threads);
}

template double relative_norm(const Magnitudes<float>&, double, int);
template double relative_norm(const Magnitudes<double>&, double, int);
template void lp_linear(const Magnitudes<float>&, double, double, int, AlignedVector<double>&,
                        Vertex<float>&);
template void lp_linear(const Magnitudes<double>&, double, double, int, AlignedVector<double>&,
                        Vertex<double>&);
template bool lp_unscaled(const Matrix<float>&, double, double, int, Vertex<float>&);
template bool lp_unscaled(const Matrix<double>&, double, double, int, Vertex<double>&);
template double lp_signs(const Matrix<float>&, double, double, int, Vertex<float>&);
template double lp_signs(const Matrix<double>&, double, double, int, Vertex<double>&);

}  // namespace alfcg::region
