#pragma once

#include "core/function_ref.hpp"
#include "kernels/dense.hpp"

/// Samples of few features that lie one after another, at equal distances, with very few outputs: the arithmetic is over before memory has
/// answered, and what counts is that rows are read in the order in which they lie there, each from its first entry to
/// its last. Nothing is fetched ahead: CPUs see what comes next by themselves then, and sooner.
namespace alfcg::kernels {

constexpr Index short_outputs = 4;
/// How many rows are taken at a time in a walk through them; none of those that are too long for it.
template <class Real>
constexpr Index walk_rows(Index cols) {
    const Index bytes = cols * static_cast<Index>(sizeof(Real));
    return bytes <= 512 ? 16 : bytes <= 1024 ? 8 : 0;
}
/// Longer ones are read in order where there is hardly any arithmetic.
template <class Real>
constexpr bool are_short(Index cols, Index outputs) {
    constexpr Index very_few = 2;
    constexpr Index most_bytes = 4096;
    return outputs <= short_outputs &&
           (walk_rows<Real>(cols) > 0 ||
            (outputs <= very_few && cols * static_cast<Index>(sizeof(Real)) <= most_bytes));
}

/// Row i begins at first + i * stride.
template <class Real>
struct ShortRows {
    const Real* first;
    Index stride;
    [[nodiscard]] const Real* row(Index i) const { return first + i * stride; }
};

/// scores[l * stride + i] = <row i, weights + l * padded(cols)>; the weights' padding is zero.
void forward_short(ShortRows<float> rows, Index count, const float* weights, Index outputs, Index cols,
                   Index stride, float* scores);
void forward_short(ShortRows<double> rows, Index count, const double* weights, Index outputs, Index cols,
                   Index stride, double* scores);

/// gradient[l * cols + j] += Σ_i residuals[l * stride + i] rows.row(i)[j]
void backward_short(ShortRows<float> rows, Index count, const float* residuals, Index stride, Index outputs,
                    Index cols, float* gradient, Start start);
void backward_short(ShortRows<double> rows, Index count, const double* residuals, Index stride, Index outputs,
                    Index cols, double* gradient, Start start);

/// Both of them, for walk_rows(cols) rows at a time, which are still next to the core the second time, while the CPU goes on
/// fetching what follows.
template <class Real>
struct ShortWalk {
    const Real* weights = nullptr;
    Index outputs = 0;
    Index stride = 0;
    Real* scores = nullptr;  // of so many rows
    /// Makes the scores of so many rows, from this one on, residuals.
    FunctionRef<void(Index first, Index count)> judge;
    Index summed = 0;          // outputs that have residuals
    Real* gradient = nullptr;  // null: none is wanted
    Start start = Start::zero;
};
void walk_short(ShortRows<float> rows, Index count, Index cols, const ShortWalk<float>& walk);
void walk_short(ShortRows<double> rows, Index count, Index cols, const ShortWalk<double>& walk);

}  // namespace alfcg::kernels
