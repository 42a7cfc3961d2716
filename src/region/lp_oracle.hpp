#pragma once

#include <algorithm>
#include <cmath>

#include "alfcg/core/matrix.hpp"
#include "alfcg/point/vertex.hpp"

namespace alfcg::region {

/// A matrix as the l_p code sees it: magnitudes t_i = max(|x_i| - threshold, 0), the soft threshold being
/// what an l1 term does to the gradient (spec 5).
template <class Real>
struct Magnitudes {
    const Matrix<Real>& x;
    double threshold = 0;
    double peak = 0;  // max |x_i|, above the threshold

    [[nodiscard]] Index size() const { return x.size(); }
    [[nodiscard]] double largest() const { return peak - threshold; }
    [[nodiscard]] double entry(Index i) const { return static_cast<double>(x.data()[i]); }
    [[nodiscard]] double operator()(Index i) const { return std::max(std::abs(entry(i)) - threshold, 0.0); }
};

/// log(t / largest) for 0 < t <= largest: right to the last digits near 1, and when the quotient itself would
/// underflow.
inline double log_ratio(double t, double largest) {
    if (2 * t >= largest) return std::log1p(-(largest - t) / largest);
    const double ratio = t / largest;
    return ratio > 1e-290 ? std::log(ratio) : std::log(t) - std::log(largest);
}

/// ‖t‖_p / largest, between 1 and n^{1/p}.
template <class Real>
double relative_norm(const Magnitudes<Real>& t, double p, int threads);

/// The vertex of the l_p ball, 1 < p < ∞, that minimises <g, v> + threshold ‖v‖₁; vertex.composite is left to
/// the caller, here and below.
template <class Real>
void lp_linear(const Magnitudes<Real>& t, double p, double radius, int threads,
               AlignedVector<double>& scratch, Vertex<Real>& vertex);

/// The same for a plain gradient of ordinary size and an exponent without a power function, with a pass less:
/// its peak need not be known. False when it is not of that kind, or zero, or not finite.
template <class Real>
bool lp_unscaled(const Matrix<Real>& gradient, double p, double radius, int threads, Vertex<Real>& vertex);

/// The same for p = ∞, in one pass. Returns the peak of the gradient, NaN when it is not finite: at or below
/// the threshold the vertex is the origin, written out.
template <class Real>
double lp_signs(const Matrix<Real>& gradient, double threshold, double radius, int threads,
                Vertex<Real>& vertex);

/// The point of the l_p ball that minimises <g, v> + threshold ‖v‖₁ + (weight/2) ‖v‖₂², weight > 0: the
/// projection of the shrunken -g / weight.
template <class Real>
void lp_square(const Magnitudes<Real>& t, double p, double radius, double weight, int threads,
               AlignedVector<double>& scratch, Vertex<Real>& vertex);

/// Writes v_i = -sign(g_i) · size(i) as a dense vertex.
template <class Real, class Size>
void write_dense(const Magnitudes<Real>& t, const Size& size, Vertex<Real>& vertex) {
    vertex.kind = Vertex<Real>::Kind::dense;
    vertex.dense.reshape(t.x.shape());
    Real* out = vertex.dense.data();
    for (Index i = 0; i < t.size(); ++i)  // + 0 turns -0 into 0
        out[i] = static_cast<Real>(std::copysign(size(i), -t.entry(i)) + 0.0);
}

}  // namespace alfcg::region
