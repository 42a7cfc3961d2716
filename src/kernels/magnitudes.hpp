#pragma once

#include <limits>

#include "alfcg/core/matrix.hpp"

/// Passes over the entries of a gradient that every oracle shares. All arithmetic is double.
namespace alfcg::kernels {

/// Largest |x_i|; 0 for no entries, NaN when an entry is not finite.
template <class Real>
double largest_magnitude(const Real* x, Index n, int threads = 1);

struct Peak {
    double magnitude = 0;  // as largest_magnitude() has it
    Index index = 0;       // the first entry of that magnitude
};
template <class Real>
Peak first_peak(const Real* x, Index n, int threads);

struct Least {
    double value =
        std::numeric_limits<double>::infinity();  // of the smallest entry; NaN when an entry is not finite
    Index index = 0;                              // the first entry of that value
};
template <class Real>
Least first_least(const Real* x, Index n, int threads);

/// A power of two that brings numbers up to `largest` > 0 (any finite one, denormals included) near 1:
/// products and powers of a few of them stay in range, and the multiplication is exact.
double safe_scale(double largest);

struct Sums {
    double magnitudes = 0;  // Σ |x_i|
    double squares = 0;     // Σ x_i²
};
/// Both sums of scale · x.
template <class Real>
Sums sums(const Real* x, Index n, double scale = 1, int threads = 1);

}  // namespace alfcg::kernels
