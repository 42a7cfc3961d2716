// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/patches.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "kernels/patches.hpp"
#include "kernels/sums-inl.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

template <class Real>
using PatchTag = hn::CappedTag<Real, patch_width>;

// Rows that are scored while one is fetched.
constexpr Index kFetchAhead = 6;

HWY_INLINE void Fetch(const PatchedRow& row) {
    constexpr Index step = 64;
    const auto* at = reinterpret_cast<const std::uint8_t*>(row.mask);
    for (; at < row.bytes + row.patches * patch_width; at += step) __builtin_prefetch(at, 0, 2);
}

// Several sets of sums where there are few of them, so that an addition need not wait for the last.
template <Index C, class Real>
HWY_INLINE void ScoreRow(const PatchedRow& row, Index words, const Real* weights, Real* scores) {
    constexpr Index sets = C == 1 ? 4 : C <= 3 ? 2 : 1;
    constexpr Index padded_outputs = (C + 3) / 4 * 4;
    const PatchTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[sets][padded_outputs];
    ALFCG_UNROLL
    for (Index s = 0; s < sets; ++s) {
        ALFCG_UNROLL
        for (Index c = 0; c < padded_outputs; ++c) sum[s][c] = hn::Zero(d);
    }
    const std::uint8_t* bytes = row.bytes;
    for (Index word = 0; word < words; ++word) {
        std::uint64_t left = row.mask[word];
        const Real* of_word = weights + word * (mask_groups * C * patch_width);
        const auto add_next = [&](Index s) HWY_ATTR {
            const Real* w = of_word + std::countr_zero(left) * (C * patch_width);
            left &= left - 1;
            for (Index at = 0; at < patch_width; at += lanes) {
                const auto x = LoadSamples(d, bytes + at);
                ALFCG_UNROLL
                for (Index c = 0; c < C; ++c)
                    sum[s][c] = hn::MulAdd(x, hn::LoadU(d, w + c * patch_width + at), sum[s][c]);
            }
            bytes += patch_width;
        };
        Index k = std::popcount(left);
        for (; k >= sets; k -= sets) {
            ALFCG_UNROLL
            for (Index s = 0; s < sets; ++s) add_next(s);
        }
        for (; k > 0; --k) add_next(0);
    }
    ALFCG_UNROLL
    for (Index s = 1; s < sets; ++s) {
        ALFCG_UNROLL
        for (Index c = 0; c < C; ++c) sum[0][c] = hn::Add(sum[0][c], sum[s][c]);
    }
    Real total[padded_outputs];
    ALFCG_UNROLL
    for (Index c = 0; c < padded_outputs; c += 4)
        StoreSums(d, sum[0][c], sum[0][c + 1], sum[0][c + 2], sum[0][c + 3], total + c);
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) scores[c * patch_rows] = total[c];
}

template <class Real>
HWY_INLINE void Forward(const PatchedRows& block, const Real* weights, Index outputs, Real* scores) {
    const Index words = mask_words(block.groups);
    ForCount<few_outputs>(outputs, [&]<Index C>() HWY_ATTR {
        for (Index i = 0; i < block.count; ++i) {
            if (i + kFetchAhead < block.count) Fetch(block.rows[i + kFetchAhead]);
            ScoreRow<C>(block.rows[i], words, weights, scores + i);
        }
    });
}

template <class Real>
HWY_INLINE void MoveWeights(Index groups, Index outputs, Real keep, const Real* gains, const Real* right,
                            Real* weights) {
    const PatchTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto stay = hn::Set(d, keep);
    for (Index g = 0; g < groups; ++g) {
        for (Index at = 0; at < patch_width; at += lanes) {
            const auto r = hn::LoadU(d, right + g * patch_width + at);
            for (Index l = 0; l < outputs; ++l) {
                Real* w = weights + (g * outputs + l) * patch_width + at;
                hn::StoreU(hn::MulAdd(stay, hn::LoadU(d, w), hn::Mul(hn::Set(d, gains[l]), r)), d, w);
            }
        }
    }
}

// Bit j of word i becomes bit i of word j: ever smaller squares change places with their mirror images.
HWY_INLINE void Transpose(std::uint64_t* HWY_RESTRICT square) {
    std::uint64_t low = ~std::uint64_t{0} >> 32;  // the left half of every square
    for (Index half = 32; half > 0; half /= 2, low ^= low << half) {
        for (Index first = 0; first < 64; first += 2 * half) {
            for (Index i = first; i < first + half; ++i) {
                const std::uint64_t change = ((square[i] >> half) ^ square[i + half]) & low;
                square[i] ^= change << half;
                square[i + half] ^= change;
            }
        }
    }
}

void FindGroups(const PatchedRows& block, std::uint64_t* group_rows) {
    for (Index word = 0; word < mask_words(block.groups); ++word) {
        for (Index k = 0; k < row_words; ++k) {
            std::uint64_t square[64] = {};
            for (Index i = 64 * k; i < std::min(64 * (k + 1), block.count); ++i)
                square[i - 64 * k] = block.rows[i].mask[word];
            Transpose(square);
            for (Index g = word * mask_groups; g < std::min((word + 1) * mask_groups, block.groups); ++g)
                group_rows[g * row_words + k] = square[g - word * mask_groups];
        }
    }
}

// What the rows of a block have of 64 groups.
struct Stripe {
    std::uint64_t mask[patch_rows];         // which of them
    const std::uint8_t* bytes[patch_rows];  // the first patch

    HWY_INLINE void Take(const PatchedRows& block, Index word) {
        for (Index i = 0; i < block.count; ++i) {
            const PatchedRow& row = block.rows[i];
            bytes[i] = word == 0 ? row.bytes : bytes[i] + std::popcount(mask[i]) * patch_width;
            mask[i] = row.mask[word];
        }
    }
};

// One vector of the features of a group.
template <Index C, class Real>
HWY_INLINE void GroupSums(const Stripe& stripe, Index group, const std::uint64_t* group_rows,
                          const Real* residuals, Index at, Real* sums, Start start) {
    const PatchTag<Real> d;
    const std::uint64_t before = (std::uint64_t{1} << group) - 1;
    hn::Vec<decltype(d)> sum[C];
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c)
        sum[c] = start == Start::zero ? hn::Zero(d) : hn::LoadU(d, sums + c * patch_width + at);
    for (Index k = 0; k < row_words; ++k) {
        for (std::uint64_t left = group_rows[k]; left != 0; left &= left - 1) {
            const Index i = 64 * k + std::countr_zero(left);
            const Index patch = std::popcount(stripe.mask[i] & before);
            const auto x = LoadSamples(d, stripe.bytes[i] + patch * patch_width + at);
            ALFCG_UNROLL
            for (Index c = 0; c < C; ++c)
                sum[c] = hn::MulAdd(x, hn::Set(d, residuals[c * patch_rows + i]), sum[c]);
        }
    }
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) hn::StoreU(sum[c], d, sums + c * patch_width + at);
}

template <class Real>
HWY_INLINE void Backward(const PatchedRows& block, const std::uint64_t* group_rows, const Real* residuals,
                         Index outputs, Real* sums, Start start, const PatchedRows& ahead) {
    const Index lanes = static_cast<Index>(hn::Lanes(PatchTag<Real>()));
    Stripe stripe;
    ForCount<few_outputs>(outputs, [&]<Index C>() HWY_ATTR {
        Index fetched = 0;
        for (Index g = 0; g < block.groups; ++g) {
            if (g % mask_groups == 0) stripe.Take(block, g / mask_groups);
            for (Index at = 0; at < patch_width; at += lanes)
                GroupSums<C>(stripe, g % mask_groups, group_rows + g * row_words, residuals, at,
                             sums + g * (C * patch_width), start);
            for (; fetched * block.groups < ahead.count * (g + 1); ++fetched) Fetch(ahead.rows[fetched]);
        }
    });
}

void ForwardFloat(const PatchedRows& rows, const float* weights, Index outputs, float* scores) {
    Forward(rows, weights, outputs, scores);
}
void ForwardDouble(const PatchedRows& rows, const double* weights, Index outputs, double* scores) {
    Forward(rows, weights, outputs, scores);
}
void MoveFloat(Index groups, Index outputs, float keep, const float* gains, const float* right,
               float* weights) {
    MoveWeights(groups, outputs, keep, gains, right, weights);
}
void MoveDouble(Index groups, Index outputs, double keep, const double* gains, const double* right,
                double* weights) {
    MoveWeights(groups, outputs, keep, gains, right, weights);
}
void BackwardFloat(const PatchedRows& rows, const std::uint64_t* group_rows, const float* residuals,
                   Index outputs, float* sums, Start start, const PatchedRows& ahead) {
    Backward(rows, group_rows, residuals, outputs, sums, start, ahead);
}
void BackwardDouble(const PatchedRows& rows, const std::uint64_t* group_rows, const double* residuals,
                    Index outputs, double* sums, Start start, const PatchedRows& ahead) {
    Backward(rows, group_rows, residuals, outputs, sums, start, ahead);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(MoveFloat);
HWY_EXPORT(MoveDouble);
HWY_EXPORT(FindGroups);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

void forward_patches(const PatchedRows& rows, const float* weights, Index outputs, float* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardFloat)(rows, weights, outputs, scores);
}
void forward_patches(const PatchedRows& rows, const double* weights, Index outputs, double* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardDouble)(rows, weights, outputs, scores);
}
void move_patch_weights(Index groups, Index outputs, float keep, const float* gains, const float* right,
                        float* weights) {
    HWY_DYNAMIC_DISPATCH(MoveFloat)(groups, outputs, keep, gains, right, weights);
}
void move_patch_weights(Index groups, Index outputs, double keep, const double* gains, const double* right,
                        double* weights) {
    HWY_DYNAMIC_DISPATCH(MoveDouble)(groups, outputs, keep, gains, right, weights);
}
void find_groups(const PatchedRows& rows, std::uint64_t* group_rows) {
    HWY_DYNAMIC_DISPATCH(FindGroups)(rows, group_rows);
}
void backward_patches(const PatchedRows& rows, const std::uint64_t* group_rows, const float* residuals,
                      Index outputs, float* sums, Start start, const PatchedRows& ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)(rows, group_rows, residuals, outputs, sums, start, ahead);
}
void backward_patches(const PatchedRows& rows, const std::uint64_t* group_rows, const double* residuals,
                      Index outputs, double* sums, Start start, const PatchedRows& ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)(rows, group_rows, residuals, outputs, sums, start, ahead);
}

}  // namespace alfcg::kernels
#endif
