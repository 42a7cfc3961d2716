// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/short_rows.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/short_rows.hpp"
#include "kernels/sums-inl.hpp"
#include "kernels/tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// Vectors of a row whose weights, or sums, stay in registers; with two outputs there are twice as many.
constexpr Index kVectors = kManyRegisters ? 8 : 4;
constexpr Index kTogether = 4;  // rows whose sums over the lanes are taken at once

// A vector of a row of K vectors.
template <Index K, class D, class Real>
HWY_INLINE hn::Vec<D> LoadAt(D d, const Real* row, Index k, Index cols) {
    const Index at = k * static_cast<Index>(hn::Lanes(d));
    return k + 1 == K ? LoadTail(d, row + at, cols - at) : hn::LoadU(d, row + at);
}

// Calls products(row, sums), which is to set C vectors, for one row after another.
template <Index C, class Real, class Products>
HWY_INLINE void ScoreRows(const Real* const* rows, Index count, Index stride, Real* scores,
                          const Products& products) {
    const hn::ScalableTag<Real> d;
    HWY_ALIGN Real sums[C][kTogether][HWY_MAX_BYTES / sizeof(Real)] = {};
    for (Index i = 0; i < count; ++i) {
        const Index r = i % kTogether;
        hn::Vec<decltype(d)> sum[C];
        products(rows[i], sum);
        for (Index c = 0; c < C; ++c) hn::Store(sum[c], d, sums[c][r]);
        if (r + 1 < kTogether && i + 1 < count) continue;
        for (Index c = 0; c < C; ++c) {
            StoreSums(d, hn::Load(d, sums[c][0]), hn::Load(d, sums[c][1]), hn::Load(d, sums[c][2]),
                      hn::Load(d, sums[c][3]), scores + c * stride + i - r);
        }
    }
}

// Rows of K vectors.
template <Index K, Index C, class Real>
HWY_NOINLINE void Score(const Real* const* rows, Index count, const Real* weights, Index cols, Index stride,
                        Real* scores) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    V w[C][K];
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) {
        ALFCG_UNROLL
        for (Index k = 0; k < K; ++k) w[c][k] = LoadAt<K>(d, weights + c * cols, k, cols);
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
HWY_NOINLINE void ScoreLonger(const Real* const* rows, Index count, const Real* weights, Index cols,
                              Index stride, Real* scores) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    ScoreRows<C>(rows, count, stride, scores, [&](const Real* row, V* sum) HWY_ATTR {
        V other[C];  // so that an addition need not wait for the last
        for (Index c = 0; c < C; ++c) sum[c] = other[c] = hn::Zero(d);
        const auto add = [&](Index j, V* to) HWY_ATTR {
            V x = hn::LoadU(d, row + j);
            KeepInOrder(x);
            for (Index c = 0; c < C; ++c) to[c] = hn::MulAdd(x, hn::LoadU(d, weights + c * cols + j), to[c]);
        };
        Index j = 0;
        for (; j + 2 * lanes <= cols; j += 2 * lanes) {
            add(j, sum);
            add(j + lanes, other);
        }
        if (j + lanes <= cols) {
            add(j, sum);
            j += lanes;
        }
        if (j < cols) {
            V x = LoadTail(d, row + j, cols - j);
            KeepInOrder(x);
            for (Index c = 0; c < C; ++c)
                other[c] = hn::MulAdd(x, LoadTail(d, weights + c * cols + j, cols - j), other[c]);
        }
        for (Index c = 0; c < C; ++c) sum[c] = hn::Add(sum[c], other[c]);
    });
}

// K vectors of the rows, from feature j on.
template <Index K, Index C, class Real>
HWY_NOINLINE void Add(const Real* const* rows, Index count, Index j, const Real* residuals, Index stride,
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
            const V x = LoadAt<K>(d, rows[i] + j, k, width);
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

// Calls visit<K, C>() for the number of vectors that so many features fill, and of outputs.
template <class Real, class Visit>
HWY_INLINE void ForShape(Index cols, Index outputs, const Visit& visit) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    ForCount<kVectors>((cols + lanes - 1) / lanes, [&]<Index K>() HWY_ATTR {
        ForCount<short_outputs>(outputs, [&]<Index C>() HWY_ATTR { visit.template operator()<K, C>(); });
    });
}

template <class Real>
void Forward(const Real* const* rows, Index count, const Real* weights, Index outputs, Index cols,
             Index stride, Real* scores) {
    if (cols > kVectors * static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()))) {
        return ForCount<short_outputs>(
            outputs, [&]<Index C>() HWY_ATTR { ScoreLonger<C>(rows, count, weights, cols, stride, scores); });
    }
    ForShape<Real>(cols, outputs, [&]<Index K, Index C>() HWY_ATTR {
        Score<K, C>(rows, count, weights, cols, stride, scores);
    });
}
template <class Real>
void Backward(const Real* const* rows, Index count, const Real* residuals, Index stride, Index outputs,
              Index cols, Real* gradient, Start start) {
    const Index most = kVectors * static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    for (Index j = 0; j < cols; j += most) {
        ForShape<Real>(cols - j, outputs, [&]<Index K, Index C>() HWY_ATTR {
            Add<K, C>(rows, count, j, residuals, stride, cols, gradient, start);
        });
    }
}

void ForwardFloat(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
                  Index stride, float* scores) {
    Forward(rows, count, weights, outputs, cols, stride, scores);
}
void ForwardDouble(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
                   Index stride, double* scores) {
    Forward(rows, count, weights, outputs, cols, stride, scores);
}
void BackwardFloat(const float* const* rows, Index count, const float* residuals, Index stride, Index outputs,
                   Index cols, float* gradient, Start start) {
    Backward(rows, count, residuals, stride, outputs, cols, gradient, start);
}
void BackwardDouble(const double* const* rows, Index count, const double* residuals, Index stride,
                    Index outputs, Index cols, double* gradient, Start start) {
    Backward(rows, count, residuals, stride, outputs, cols, gradient, start);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

void forward_short(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
                   Index stride, float* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardFloat)(rows, count, weights, outputs, cols, stride, scores);
}
void forward_short(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
                   Index stride, double* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardDouble)(rows, count, weights, outputs, cols, stride, scores);
}
void backward_short(const float* const* rows, Index count, const float* residuals, Index stride,
                    Index outputs, Index cols, float* gradient, Start start) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)(rows, count, residuals, stride, outputs, cols, gradient, start);
}
void backward_short(const double* const* rows, Index count, const double* residuals, Index stride,
                    Index outputs, Index cols, double* gradient, Start start) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)(rows, count, residuals, stride, outputs, cols, gradient, start);
}

}  // namespace alfcg::kernels
#endif
