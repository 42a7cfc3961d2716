#pragma once

#include <cstdint>

#include "alfcg/core/matrix.hpp"

/// The hot loops. They know arrays and nothing else; the instruction set is chosen at run time by CPU.
/// `rows` is a list of pointers to the samples of a block, each of `cols` entries; samples of bytes are followed by
/// zeros up to padded_bytes(cols).
namespace alfcg::kernels {

/// Vectors are never longer than this many bytes; arrays that are padded are padded to it.
constexpr Index vector_bytes = 64;
template <class Real>
constexpr Index padded(Index count) {
    constexpr Index lanes = vector_bytes / static_cast<Index>(sizeof(Real));
    return (count + lanes - 1) / lanes * lanes;
}

constexpr Index padded_bytes(Index cols) {
    return padded<std::uint8_t>(cols);
}

/// Where the score (or residual) of sample i and output l lies: i * sample_stride + l * output_stride.
struct ScoreLayout {
    Index sample_stride;
    Index output_stride;
};

/// Up to this many outputs, vectors run along the features and the scores of an output lie side by side;
/// beyond, vectors run over packed outputs and the scores of a sample lie side by side.
constexpr Index few_outputs = 12;

/// Rows that will be needed next: they are brought near while a block computes.
template <class Sample>
struct Ahead {
    const Sample* const* rows = nullptr;
    Index count = 0;
};

/// scores[l * stride + i] = <rows[i], weights + l * cols>, for up to few_outputs outputs.
void forward_few(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
                 Index stride, float* scores, Ahead<float> ahead = {});
void forward_few(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
                 Index stride, double* scores, Ahead<double> ahead = {});
void forward_few(const std::uint8_t* const* rows, Index count, const float* weights, Index outputs,
                 Index cols, Index stride, float* scores);
void forward_few(const std::uint8_t* const* rows, Index count, const double* weights, Index outputs,
                 Index cols, Index stride, double* scores);

/// Lays features first .. last-1 of the weights out for forward_packed; `packed` has padded(outputs) * cols
/// entries.
void pack_weights(const float* weights, Index outputs, Index cols, Index first, Index last, float* packed);
void pack_weights(const double* weights, Index outputs, Index cols, Index first, Index last, double* packed);

/// scores[i * stride + l] = <rows[i], weights + l * cols>, with stride ≥ padded(outputs); the padding is
/// written too.
void forward_packed(const float* const* rows, Index count, const float* packed, Index outputs, Index cols,
                    Index stride, float* scores);
void forward_packed(const double* const* rows, Index count, const double* packed, Index outputs, Index cols,
                    Index stride, double* scores);

/// Whether sums start from what is there, or from zero, whatever is there.
enum class Start { kept, zero };

/// gradient[l * cols + j] += Σ_i residual(i, l) rows[i][j]; samples of bytes for up to few_outputs outputs.
void backward(const float* const* rows, Index count, const float* residuals, ScoreLayout layout,
              Index outputs, Index cols, float* gradient, Start start, Ahead<float> ahead = {});
void backward(const double* const* rows, Index count, const double* residuals, ScoreLayout layout,
              Index outputs, Index cols, double* gradient, Start start, Ahead<double> ahead = {});
void backward(const std::uint8_t* const* rows, Index count, const float* residuals, ScoreLayout layout,
              Index outputs, Index cols, float* gradient, Start start, Ahead<std::uint8_t> ahead = {});
void backward(const std::uint8_t* const* rows, Index count, const double* residuals, ScoreLayout layout,
              Index outputs, Index cols, double* gradient, Start start, Ahead<std::uint8_t> ahead = {});

}  // namespace alfcg::kernels
