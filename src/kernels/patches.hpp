#pragma once

#include <cstdint>

#include "kernels/dense.hpp"

/// Samples with many zeros, in patches. Features are grouped by those that tend to be zero together, patch_width in
/// a group; of a sample only the groups are stored in which something is not zero, a byte for each feature.
namespace alfcg::kernels {

constexpr Index patch_width = 16;
/// Rows of a block at most; the scores (residuals) of two outputs lie this far apart.
constexpr Index patch_rows = 256;

/// Groups that one word of a row's mask speaks of.
constexpr Index mask_groups = 64;
constexpr Index mask_words(Index groups) {
    return (groups + mask_groups - 1) / mask_groups;
}

struct PatchedRow {
    const std::uint64_t* mask;  // which groups it has, the first in the lowest bit; the bytes come after it
    const std::uint8_t* bytes;  // patch_width of them for each of these groups
    Index patches;
};

/// Words that say which of patch_rows rows have a group.
constexpr Index row_words = patch_rows / 64;

/// Rows of a block, at most patch_rows, of samples with so many groups.
struct PatchedRows {
    const PatchedRow* rows = nullptr;
    Index count = 0;
    Index groups = 0;
};

/// scores[l * patch_rows + i] = <row i, weights of output l>, for up to few_outputs outputs; the weight of feature k of
/// group g is weights[(g * outputs + l) * patch_width + k].
void forward_patches(const PatchedRows& rows, const float* weights, Index outputs, float* scores);
void forward_patches(const PatchedRows& rows, const double* weights, Index outputs, double* scores);

/// weights = keep · weights + gains ⊗ right, laid out in the same way: gains for the outputs, right for the features.
void move_patch_weights(Index groups, Index outputs, float keep, const float* gains, const float* right,
                        float* weights);
void move_patch_weights(Index groups, Index outputs, double keep, const double* gains, const double* right,
                        double* weights);

/// Which rows have a group: bit i % 64 of group_rows[g * row_words + i / 64], for all groups; rows that are missing have none.
void find_groups(const PatchedRows& rows, std::uint64_t* group_rows);

/// sums[(g * outputs + l) * patch_width + k] += Σ_i residuals[l * patch_rows + i] · feature k of group g in row i, with
/// find_groups' answer for these rows. Rows ahead will be needed next.
void backward_patches(const PatchedRows& rows, const std::uint64_t* group_rows, const float* residuals,
                      Index outputs, float* sums, Start start, const PatchedRows& ahead);
void backward_patches(const PatchedRows& rows, const std::uint64_t* group_rows, const double* residuals,
                      Index outputs, double* sums, Start start, const PatchedRows& ahead);

}  // namespace alfcg::kernels
