#pragma once

#include <cstdint>

#include "kernels/dense.hpp"

/// Samples with many zeros, in patches. Features are grouped by those that tend to be zero together, patch_width in
/// a group; of a sample only the groups are stored in which something is not zero, a byte for each feature.
namespace alfcg::kernels {

constexpr Index patch_width = 16;
/// Rows of a block at most; the scores (residuals) of two outputs lie this far apart.
constexpr Index patch_rows = 256;

struct PatchedRow {
    const std::uint8_t* bytes;    // patch_width of them for each patch
    const std::uint16_t* groups;  // one for each patch, increasing; the bytes come after them
    Index patches;
};

/// A patch of a block: which row, which of its patches.
struct PatchPlace {
    std::uint16_t row;
    std::uint16_t number;
};

/// The patches of a block by groups: those of group g are places[first[g]] .. places[last[g] - 1].
struct PatchOrder {
    const PatchPlace* places;
    const std::uint32_t* first;
    const std::uint32_t* last;
    Index groups;
};

/// Rows that will be needed next.
struct PatchesAhead {
    const PatchedRow* rows = nullptr;
    Index count = 0;
};

/// scores[l * patch_rows + i] = <row i, weights of output l>, for up to few_outputs outputs; the weight of feature k of
/// group g is weights[(g * outputs + l) * patch_width + k].
void forward_patches(const PatchedRow* rows, Index count, const float* weights, Index outputs, float* scores);
void forward_patches(const PatchedRow* rows, Index count, const double* weights, Index outputs,
                     double* scores);

/// weights = keep · weights + gains ⊗ right, laid out in the same way: gains for the outputs, right for the features.
void move_patch_weights(Index groups, Index outputs, float keep, const float* gains, const float* right,
                        float* weights);
void move_patch_weights(Index groups, Index outputs, double keep, const double* gains, const double* right,
                        double* weights);

/// sums[(g * outputs + l) * patch_width + k] += Σ_i residuals[l * patch_rows + i] · feature k of group g in row i.
void backward_patches(const PatchedRow* rows, const PatchOrder& order, const float* residuals, Index outputs,
                      float* sums, Start start, PatchesAhead ahead = {});
void backward_patches(const PatchedRow* rows, const PatchOrder& order, const double* residuals, Index outputs,
                      double* sums, Start start, PatchesAhead ahead = {});

}  // namespace alfcg::kernels
