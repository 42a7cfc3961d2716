#pragma once

#include "alfcg/core/matrix.hpp"

/// Passes over the entries of a gradient that every l_p oracle shares. All arithmetic is double.
namespace alfcg::region {

/// Largest |x_i|; 0 for no entries, NaN when an entry is not finite.
double largest_magnitude(const float* x, Index n);
double largest_magnitude(const double* x, Index n);

/// A power of two that brings numbers up to `largest` > 0 (any finite one, denormals included) near 1:
/// products and powers of a few of them stay in range, and the multiplication is exact.
double safe_scale(double largest);

struct Sums {
    double magnitudes = 0;  // Σ |x_i|
    double squares = 0;     // Σ x_i²
};
/// Both sums of scale · x.
Sums sums(const float* x, Index n, double scale = 1);
Sums sums(const double* x, Index n, double scale = 1);

/// The exponents whose oracle needs no power function: |v_i| is proportional to a_i^{1/(p-1)}.
enum class EasyPower {
    two,           // p = 2: a
    three,         // p = 3: √a
    three_halves,  // p = 3/2: a²
    infinite       // p = ∞: 1, or 0 where a is
};

/// The magnitudes an oracle looks at: a_i = scale · max(|g_i| - threshold, 0).
struct Shrink {
    double threshold = 0;
    double scale = 1;
};

/// Σ w_i^p with w_i = a_i^{1/(p-1)}; for p = ∞ the 1 that ‖w‖_∞ is.
double weight_sum(EasyPower power, const float* gradient, Index n, Shrink shrink);
double weight_sum(EasyPower power, const double* gradient, Index n, Shrink shrink);

/// v_i = -sign(g_i) · factor · w_i.
void write_weights(EasyPower power, const float* gradient, Index n, Shrink shrink, double factor,
                   float* vertex);
void write_weights(EasyPower power, const double* gradient, Index n, Shrink shrink, double factor,
                   double* vertex);

}  // namespace alfcg::region
