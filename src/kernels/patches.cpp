// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/patches.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/patches.hpp"
#include "kernels/sums-inl.hpp"
#include "kernels/tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

template <class Real>
using PatchTag = hn::CappedTag<Real, patch_width>;

// Rows that are scored while one is fetched.
constexpr Index kFetchAhead = 6;

HWY_INLINE void Fetch(const PatchedRow& row) {
    constexpr Index step = 64;
    const auto* at = reinterpret_cast<const std::uint8_t*>(row.groups);
    for (; at < row.bytes + row.patches * patch_width; at += step) __builtin_prefetch(at, 0, 2);
}

// Several sets of sums where there are few of them, so that an addition need not wait for the last.
template <Index C, class Real>
HWY_INLINE void ScoreRow(const PatchedRow& row, const Real* weights, Real* scores) {
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
    const auto add = [&](Index k, Index s) HWY_ATTR {
        const std::uint8_t* bytes = row.bytes + k * patch_width;
        const Real* w = weights + row.groups[k] * (C * patch_width);
        for (Index at = 0; at < patch_width; at += lanes) {
            const auto x = LoadSamples(d, bytes + at);
            ALFCG_UNROLL
            for (Index c = 0; c < C; ++c)
                sum[s][c] = hn::MulAdd(x, hn::LoadU(d, w + c * patch_width + at), sum[s][c]);
        }
    };
    Index k = 0;
    for (; k + sets <= row.patches; k += sets) {
        ALFCG_UNROLL
        for (Index s = 0; s < sets; ++s) add(k + s, s);
    }
    for (; k < row.patches; ++k) add(k, 0);
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
HWY_INLINE void Forward(const PatchedRow* rows, Index count, const Real* weights, Index outputs,
                        Real* scores) {
    ForCount<few_outputs>(outputs, [&]<Index C>() HWY_ATTR {
        for (Index i = 0; i < count; ++i) {
            if (i + kFetchAhead < count) Fetch(rows[i + kFetchAhead]);
            ScoreRow<C>(rows[i], weights, scores + i);
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

// One vector of the features of a group.
template <Index C, class Real>
HWY_INLINE void GroupSums(const PatchedRow* rows, const PatchPlace* place, const PatchPlace* end,
                          const Real* residuals, Index at, Real* sums, Start start) {
    const PatchTag<Real> d;
    hn::Vec<decltype(d)> sum[C];
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c)
        sum[c] = start == Start::zero ? hn::Zero(d) : hn::LoadU(d, sums + c * patch_width + at);
    for (; place != end; ++place) {
        const auto x = LoadSamples(d, rows[place->row].bytes + place->number * patch_width + at);
        const Real* residual = residuals + place->row;
        ALFCG_UNROLL
        for (Index c = 0; c < C; ++c) sum[c] = hn::MulAdd(x, hn::Set(d, residual[c * patch_rows]), sum[c]);
    }
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) hn::StoreU(sum[c], d, sums + c * patch_width + at);
}

template <class Real>
HWY_INLINE void Backward(const PatchedRow* rows, const PatchOrder& order, const Real* residuals,
                         Index outputs, Real* sums, Start start, const PatchesAhead& ahead) {
    const Index lanes = static_cast<Index>(hn::Lanes(PatchTag<Real>()));
    ForCount<few_outputs>(outputs, [&]<Index C>() HWY_ATTR {
        Index fetched = 0;
        for (Index g = 0; g < order.groups; ++g) {
            for (Index at = 0; at < patch_width; at += lanes)
                GroupSums<C>(rows, order.places + order.first[g], order.places + order.last[g], residuals, at,
                             sums + g * (C * patch_width), start);
            for (; fetched * order.groups < ahead.count * (g + 1); ++fetched) Fetch(ahead.rows[fetched]);
        }
    });
}

void ForwardFloat(const PatchedRow* rows, Index count, const float* weights, Index outputs, float* scores) {
    Forward(rows, count, weights, outputs, scores);
}
void ForwardDouble(const PatchedRow* rows, Index count, const double* weights, Index outputs,
                   double* scores) {
    Forward(rows, count, weights, outputs, scores);
}
void MoveFloat(Index groups, Index outputs, float keep, const float* gains, const float* right,
               float* weights) {
    MoveWeights(groups, outputs, keep, gains, right, weights);
}
void MoveDouble(Index groups, Index outputs, double keep, const double* gains, const double* right,
                double* weights) {
    MoveWeights(groups, outputs, keep, gains, right, weights);
}
void BackwardFloat(const PatchedRow* rows, const PatchOrder& order, const float* residuals, Index outputs,
                   float* sums, Start start, const PatchesAhead& ahead) {
    Backward(rows, order, residuals, outputs, sums, start, ahead);
}
void BackwardDouble(const PatchedRow* rows, const PatchOrder& order, const double* residuals, Index outputs,
                    double* sums, Start start, const PatchesAhead& ahead) {
    Backward(rows, order, residuals, outputs, sums, start, ahead);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(MoveFloat);
HWY_EXPORT(MoveDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

void forward_patches(const PatchedRow* rows, Index count, const float* weights, Index outputs,
                     float* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardFloat)(rows, count, weights, outputs, scores);
}
void forward_patches(const PatchedRow* rows, Index count, const double* weights, Index outputs,
                     double* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardDouble)(rows, count, weights, outputs, scores);
}
void move_patch_weights(Index groups, Index outputs, float keep, const float* gains, const float* right,
                        float* weights) {
    HWY_DYNAMIC_DISPATCH(MoveFloat)(groups, outputs, keep, gains, right, weights);
}
void move_patch_weights(Index groups, Index outputs, double keep, const double* gains, const double* right,
                        double* weights) {
    HWY_DYNAMIC_DISPATCH(MoveDouble)(groups, outputs, keep, gains, right, weights);
}
void backward_patches(const PatchedRow* rows, const PatchOrder& order, const float* residuals, Index outputs,
                      float* sums, Start start, PatchesAhead ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)(rows, order, residuals, outputs, sums, start, ahead);
}
void backward_patches(const PatchedRow* rows, const PatchOrder& order, const double* residuals, Index outputs,
                      double* sums, Start start, PatchesAhead ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)(rows, order, residuals, outputs, sums, start, ahead);
}

}  // namespace alfcg::kernels
#endif
