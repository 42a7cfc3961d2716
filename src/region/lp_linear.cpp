#include <cmath>
#include <cstddef>
#include <optional>

#include "region/lp_oracle.hpp"
#include "region/magnitudes.hpp"

namespace alfcg::region {
namespace {

std::optional<EasyPower> easy_power(double p) {
    if (p == 2) return EasyPower::two;
    if (p == 3) return EasyPower::three;
    if (p == 1.5) return EasyPower::three_halves;
    if (std::isinf(p)) return EasyPower::infinite;
    return std::nullopt;
}

/// (t / largest)^{1/degree}. Through the logarithm where a power of the quotient would lose digits, p near 1,
/// or where the quotient itself would underflow.
double root(double t, double largest, double degree) {
    const double ratio = t / largest;
    if (degree > 0.1 && ratio > 1e-290) return std::pow(ratio, 1 / degree);
    return std::exp(log_ratio(t, largest) / degree);
}

/// p = 1: all of the radius on the largest coordinate, the lowest index among equals.
template <class Real>
void one_hot(const Magnitudes<Real>& t, double radius, Vertex<Real>& vertex) {
    Index i = 0;
    while (std::abs(t.entry(i)) != t.peak) ++i;
    vertex.kind = Vertex<Real>::Kind::one_hot;
    vertex.index = i;
    vertex.scale = t.entry(i) > 0 ? -radius : radius;
}

}  // namespace

template <class Real>
double relative_norm(const Magnitudes<Real>& t, double p) {
    if (std::isinf(p)) return 1;
    const double largest = t.largest();
    double sum = 0;
    for (Index i = 0; i < t.size(); ++i) {
        const double size = t(i);
        if (size == 0) continue;
        if (p == 1) {
            sum += size / largest;
        } else if (p == 2) {
            sum += (size / largest) * (size / largest);
        } else {
            sum += std::exp(p * log_ratio(size, largest));
        }
    }
    return std::pow(sum, 1 / p);
}

// v_i = -r sign(g_i) (|g_i| / ‖g‖_q)^{q-1} (spec 5). With a = t / largest and w = a^{1/(p-1)}, q - 1 =
// 1/(p-1), this is r w / ‖w‖_p, and w^p = a w: no number here exceeds n.
template <class Real>
void lp_linear(const Magnitudes<Real>& t, double p, double radius, AlignedVector<double>& scratch,
               Vertex<Real>& vertex) {
    if (p == 1) return one_hot(t, radius, vertex);
    if (std::isinf(p))
        return write_dense(
            t, [&](Index i) { return t(i) > 0 ? radius : 0.0; }, vertex);
    const double largest = t.largest();
    if (const auto power = easy_power(p)) {
        // Signs need no scale, and could only be lost by one.
        const Shrink shrink{t.threshold, std::isinf(p) ? 1 : safe_scale(largest)};
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(t.x.shape());
        const double norm = std::pow(weight_sum(*power, t.x.data(), t.size(), shrink), 1 / p);
        write_weights(*power, t.x.data(), t.size(), shrink, radius / norm, vertex.dense.data());
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

template double relative_norm(const Magnitudes<float>&, double);
template double relative_norm(const Magnitudes<double>&, double);
template void lp_linear(const Magnitudes<float>&, double, double, AlignedVector<double>&, Vertex<float>&);
template void lp_linear(const Magnitudes<double>&, double, double, AlignedVector<double>&, Vertex<double>&);

}  // namespace alfcg::region
