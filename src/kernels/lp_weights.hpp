#pragma once

#include "alfcg/core/matrix.hpp"

/// The two passes of a linear l_p oracle, 1 < p < ∞, and the one of the cube. All sums are double.
namespace alfcg::kernels {

/// |v_i| is proportional to w_i = a_i^{1/(p-1)}.
enum class WeightPower {
    two,           // p = 2: a
    three,         // p = 3: √a
    three_halves,  // p = 3/2: a²
    other          // through logarithms
};

/// The magnitudes a_i = scale · max(|g_i| - threshold, 0) that an oracle looks at, and their weights.
struct Weights {
    WeightPower power = WeightPower::two;
    double exponent = 1;  // 1/(p-1)
    double threshold = 0;
    double scale = 1;
};
Weights weights_of(double p);

/// Σ w_i^p = Σ a_i w_i. An entry that is not finite makes it so too when there is no threshold.
template <class Real>
double weight_sum(const Weights& weights, const Real* gradient, Index n, int threads);

/// v_i = -sign(g_i) · factor · w_i; the vertex may be the gradient itself. Returns weight_sum().
template <class Real>
double write_weights(const Weights& weights, const Real* gradient, Index n, double factor, Real* vertex,
                     int threads);

/// v_i = -sign(g_i) · size where |g_i| > threshold, else 0. Returns the largest |g_i|, NaN when an entry is
/// not finite.
template <class Real>
double write_signs(const Real* gradient, Index n, double threshold, double size, Real* vertex, int threads);

/// The smallest |g_i| - threshold that is positive; infinity when there is none.
template <class Real>
double smallest_excess(const Real* gradient, Index n, double threshold, int threads);

}  // namespace alfcg::kernels
