// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/short_rows.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/short_rows.hpp"
#include "kernels/sums-inl.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// Vectors of a row whose weights, or sums, stay in registers, for C outputs. A row needs room for its own sums, too.
constexpr Index kVectors = kManyRegisters ? 8 : 4;
template <Index C>
constexpr Index kWeightVectors = std::min(kVectors, 2 * kVectors / C);
template <Index C>
constexpr Index kSumVectors = std::min(kVectors, 3 * kVectors / C);
constexpr Index kTogether = 4;  // rows whose sums over the lanes are taken at once

// A vector of a row of K vectors.
template <Index K, class D, class Real>
HWY_INLINE hn::Vec<D> LoadAt(D d, const Real* row, Index k, Index cols) {
    const Index at = k * static_cast<Index>(hn::Lanes(d));
    return k + 1 == K ? LoadTail(d, row + at, cols - at) : hn::LoadU(d, row + at);
}

// Calls products(row, sums), which is to set C vectors, for one row after another.
template <Index C, class Real, class Products>
HWY_INLINE void ScoreRows(ShortRows<Real> rows, Index count, Index stride, Real* scores,
                          const Products& products) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    Index i = 0;
    for (; i + kTogether <= count; i += kTogether) {
        V sum[kTogether][C];
        ALFCG_UNROLL
        for (Index r = 0; r < kTogether; ++r) products(rows.row(i + r), sum[r]);
        ALFCG_UNROLL
        for (Index c = 0; c < C; ++c)
            StoreSums(d, sum[0][c], sum[1][c], sum[2][c], sum[3][c], scores + c * stride + i);
    }
    for (; i < count; ++i) {
        V sum[C];
        products(rows.row(i), sum);
        for (Index c = 0; c < C; ++c) scores[c * stride + i] = hn::GetLane(hn::SumOfLanes(d, sum[c]));
    }
}

// Rows of K vectors.
template <Index K, Index C, class Real>
HWY_NOINLINE void Score(ShortRows<Real> rows, Index count, const Real* weights, Index cols, Index stride,
                        Real* scores) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    V w[C][K];
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) {
        ALFCG_UNROLL
        for (Index k = 0; k < K; ++k) w[c][k] = hn::LoadU(d, weights + c * padded<Real>(cols) + k * lanes);
    }
    ScoreRows<C>(rows, count, stride, scores, [&](const Real* row, V* sum) HWY_ATTR {
        ALFCG_UNROLL
        for (Index k = 0; k < K; ++k) {
            V x = LoadAt<K>(d, row, k, cols);
            KeepInOrder(x);
            ALFCG_UNROLL
            for (Index c = 0; c < C; ++c)
                sum[c] = k == 0 ? hn::Mul(x, w[c][k]) : hn::MulAdd(x, w[c][k], sum[c]);
        }
    });
}

// Longer rows.
template <Index C, class Real>
HWY_NOINLINE void ScoreLonger(ShortRows<Real> rows, Index count, const Real* weights, Index cols,
                              Index stride, Real* scores) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    ScoreRows<C>(rows, count, stride, scores, [&](const Real* row, V* sum) HWY_ATTR {
        // Several sets of sums where there are few of them, so that an addition need not wait for the last.
        constexpr Index sets = C <= 3 ? 2 : 1;
        V part[sets][C];
        ALFCG_UNROLL
        for (Index s = 0; s < sets; ++s) {
            ALFCG_UNROLL
            for (Index c = 0; c < C; ++c) part[s][c] = hn::Zero(d);
        }
        const auto add = [&](Index s, Index j) HWY_ATTR {
            V x = hn::LoadU(d, row + j);
            KeepInOrder(x);
            ALFCG_UNROLL
            for (Index c = 0; c < C; ++c)
                part[s][c] = hn::MulAdd(x, hn::LoadU(d, weights + c * padded<Real>(cols) + j), part[s][c]);
        };
        Index j = 0;
        for (; j + sets * lanes <= cols; j += sets * lanes) {
            ALFCG_UNROLL
            for (Index s = 0; s < sets; ++s) add(s, j + s * lanes);
        }
        for (; j + lanes <= cols; j += lanes) add(0, j);
        if (j < cols) {
            V x = LoadTail(d, row + j, cols - j);
            KeepInOrder(x);
            ALFCG_UNROLL
            for (Index c = 0; c < C; ++c)
                part[0][c] = hn::MulAdd(x, hn::LoadU(d, weights + c * padded<Real>(cols) + j), part[0][c]);
        }
        ALFCG_UNROLL
        for (Index c = 0; c < C; ++c)
            sum[c] = sets == 1 ? part[0][c] : hn::Add(part[0][c], part[sets - 1][c]);
    });
}

// K vectors of the rows, from feature j on.
template <Index K, Index C, class Real>
HWY_NOINLINE void Add(ShortRows<Real> rows, Index count, Index j, const Real* residuals, Index stride,
                      Index cols, Real* gradient, Start start) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index width = std::min(K * lanes, cols - j);
    V sum[C][K];
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) {
        ALFCG_UNROLL
        for (Index k = 0; k < K; ++k)
            sum[c][k] = start == Start::zero ? hn::Zero(d) : LoadAt<K>(d, gradient + c * cols + j, k, width);
    }
    for (Index i = 0; i < count; ++i) {
        V residual[C];
        for (Index c = 0; c < C; ++c) residual[c] = hn::Set(d, residuals[c * stride + i]);
        ALFCG_UNROLL
        for (Index k = 0; k < K; ++k) {
            V x = LoadAt<K>(d, rows.row(i) + j, k, width);
            KeepInRegister(x);
            ALFCG_UNROLL
            for (Index c = 0; c < C; ++c) sum[c][k] = hn::MulAdd(residual[c], x, sum[c][k]);
        }
    }
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) {
        Real* to = gradient + c * cols + j;
        ALFCG_UNROLL
        for (Index k = 0; k + 1 < K; ++k) hn::StoreU(sum[c][k], d, to + k * lanes);
        StoreTail(d, sum[c][K - 1], to + (K - 1) * lanes, width - (K - 1) * lanes);
    }
}

template <class Real>
void Forward(ShortRows<Real> rows, Index count, const Real* weights, Index outputs, Index cols, Index stride,
             Real* scores) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index vectors = (cols + lanes - 1) / lanes;
    ForCount<short_outputs>(outputs, [&]<Index C>() HWY_ATTR {
        if (vectors > kWeightVectors<C>) return ScoreLonger<C>(rows, count, weights, cols, stride, scores);
        ForCount<kWeightVectors<C>>(
            vectors, [&]<Index K>() HWY_ATTR { Score<K, C>(rows, count, weights, cols, stride, scores); });
    });
}
template <class Real>
void Backward(ShortRows<Real> rows, Index count, const Real* residuals, Index stride, Index outputs,
              Index cols, Real* gradient, Start start) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    ForCount<short_outputs>(outputs, [&]<Index C>() HWY_ATTR {
        constexpr Index most = kSumVectors<C>;
        for (Index j = 0; j < cols; j += most * lanes) {
            ForCount<most>((cols - j + lanes - 1) / lanes, [&]<Index K>() HWY_ATTR {
                Add<K, C>(rows, count, j, residuals, stride, cols, gradient, start);
            });
        }
    });
}

template <class Real>
void Walk(ShortRows<Real> rows, Index count, Index cols, const ShortWalk<Real>& walk) {
    const Index together = walk_rows<Real>(cols);
    Start start = walk.start;
    for (Index first = 0; first < count; first += together) {
        const ShortRows<Real> group{rows.row(first), rows.stride};
        const Index size = std::min(together, count - first);
        Forward(group, size, walk.weights, walk.outputs, cols, walk.stride, walk.scores);
        walk.judge(first, size);
        if (walk.gradient == nullptr) continue;
        Backward(group, size, walk.scores, walk.stride, walk.summed, cols, walk.gradient, start);
        start = Start::kept;
    }
}

void WalkFloat(ShortRows<float> rows, Index count, Index cols, const ShortWalk<float>& walk) {
    Walk(rows, count, cols, walk);
}
void WalkDouble(ShortRows<double> rows, Index count, Index cols, const ShortWalk<double>& walk) {
    Walk(rows, count, cols, walk);
}
void ForwardFloat(ShortRows<float> rows, Index count, const float* weights, Index outputs, Index cols,
                  Index stride, float* scores) {
    Forward(rows, count, weights, outputs, cols, stride, scores);
}
void ForwardDouble(ShortRows<double> rows, Index count, const double* weights, Index outputs, Index cols,
                   Index stride, double* scores) {
    Forward(rows, count, weights, outputs, cols, stride, scores);
}
void BackwardFloat(ShortRows<float> rows, Index count, const float* residuals, Index stride, Index outputs,
                   Index cols, float* gradient, Start start) {
    Backward(rows, count, residuals, stride, outputs, cols, gradient, start);
}
void BackwardDouble(ShortRows<double> rows, Index count, const double* residuals, Index stride, Index outputs,
                    Index cols, double* gradient, Start start) {
    Backward(rows, count, residuals, stride, outputs, cols, gradient, start);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(WalkFloat);
HWY_EXPORT(WalkDouble);
HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

void walk_short(ShortRows<float> rows, Index count, Index cols, const ShortWalk<float>& walk) {
    HWY_DYNAMIC_DISPATCH(WalkFloat)(rows, count, cols, walk);
}
void walk_short(ShortRows<double> rows, Index count, Index cols, const ShortWalk<double>& walk) {
    HWY_DYNAMIC_DISPATCH(WalkDouble)(rows, count, cols, walk);
}
void forward_short(ShortRows<float> rows, Index count, const float* weights, Index outputs, Index cols,
                   Index stride, float* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardFloat)(rows, count, weights, outputs, cols, stride, scores);
}
void forward_short(ShortRows<double> rows, Index count, const double* weights, Index outputs, Index cols,
                   Index stride, double* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardDouble)(rows, count, weights, outputs, cols, stride, scores);
}
void backward_short(ShortRows<float> rows, Index count, const float* residuals, Index stride, Index outputs,
                    Index cols, float* gradient, Start start) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)(rows, count, residuals, stride, outputs, cols, gradient, start);
}
void backward_short(ShortRows<double> rows, Index count, const double* residuals, Index stride, Index outputs,
                    Index cols, double* gradient, Start start) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)(rows, count, residuals, stride, outputs, cols, gradient, start);
}

}  // namespace alfcg::kernels
#endif
