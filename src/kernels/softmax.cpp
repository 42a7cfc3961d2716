// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "kernels/exp-inl.hpp"
#include "kernels/losses.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// log(Σ e) − (s_y − m), where e = exp(s − m), m the largest score and `others` the sum of e over l ≠ y. Where
// y itself is the largest this is log1p(others): no cancellation when the class is all but certain.
template <class D, class V>
HWY_INLINE V Loss(D d, V others, V target_e, V target_score) {
    const auto certain = hn::Eq(target_score, hn::Zero(d));
    const V rest = hn::IfThenElse(certain, others, hn::Add(others, hn::Sub(target_e, hn::Set(d, 1))));
    return hn::Sub(hn::Log1p(d, rest), target_score);
}

// Sum of the first `count` lanes.
template <class D, class V>
HWY_INLINE double SumOfFirst(D d, V v, Index count) {
    const V kept = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(count)), v);
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, kept)));
}

// Of the samples from `i` on; `filled` lanes of them are samples.
template <class D, class Real>
HWY_INLINE hn::Vec<D> WeightsAt(D d, const LossWeight<Real>& weight, Index i, Index filled) {
    const auto factor = hn::Set(d, static_cast<Real>(weight.factor));
    return weight.samples == nullptr ? factor : hn::Mul(factor, LoadTail(d, weight.samples + i, filled));
}
template <class D, class V, class Real>
HWY_INLINE double SumOfLosses(D d, V losses, const LossWeight<Real>& weight, Index i, Index filled) {
    if (weight.samples != nullptr) losses = hn::Mul(losses, LoadTail(d, weight.samples + i, filled));
    return SumOfFirst(d, losses, filled);
}

// Of two outputs, only how far the target's score is above the other's counts.
template <class Real>
double OverPairs(Real* scores, Index count, Index stride, const Real* targets, LossWeight<Real> weight) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const V one = hn::Set(d, 1);
    double loss = 0;
    for (Index i = 0; i < count; i += lanes) {
        Real* s = scores + i;
        const V lead = hn::Sub(hn::LoadU(d, s), hn::LoadU(d, s + stride));
        const auto first = hn::Eq(hn::LoadU(d, targets + i), hn::Zero(d));
        const V margin = hn::IfThenElse(first, lead, hn::Neg(lead));
        const V below = hn::Min(margin, hn::Zero(d));
        const V e = ExpOfNegative(d, hn::Neg(hn::Abs(margin)));
        const V numerator = hn::IfThenElse(hn::Ge(margin, hn::Zero(d)), e, one);
        const Index filled = std::min(lanes, count - i);
        const V other = hn::Div(hn::Mul(WeightsAt(d, weight, i, filled), numerator), hn::Add(one, e));
        hn::StoreU(hn::IfThenElse(first, hn::Neg(other), other), d, s);
        hn::StoreU(hn::IfThenElse(first, other, hn::Neg(other)), d, s + stride);
        loss += SumOfLosses(d, hn::Sub(hn::Log1p(d, e), below), weight, i, filled);
    }
    return loss;
}

// A vector holds one output's scores of several samples.
template <class Real>
double OverSamples(Real* scores, Index count, Index outputs, Index stride, const Real* targets,
                   LossWeight<Real> weight) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    double loss = 0;
    for (Index i = 0; i < count; i += lanes) {
        Real* s = scores + i;
        const V target = hn::LoadU(d, targets + i);
        V largest = hn::LoadU(d, s);
        for (Index l = 1; l < outputs; ++l) largest = hn::Max(largest, hn::LoadU(d, s + l * stride));
        V others = hn::Zero(d);
        V target_e = hn::Zero(d);
        V target_score = hn::Zero(d);
        for (Index l = 0; l < outputs; ++l) {
            const V score = hn::Sub(hn::LoadU(d, s + l * stride), largest);
            const V e = ExpOfNegative(d, score);
            const auto hit = hn::Eq(target, hn::Set(d, static_cast<Real>(l)));
            others = hn::Add(others, hn::IfThenZeroElse(hit, e));
            target_e = hn::IfThenElse(hit, e, target_e);
            target_score = hn::IfThenElse(hit, score, target_score);
            hn::StoreU(e, d, s + l * stride);
        }
        const Index filled = std::min(lanes, count - i);
        const V factor = hn::Div(WeightsAt(d, weight, i, filled), hn::Add(others, target_e));
        for (Index l = 0; l < outputs; ++l) {
            const auto hit = hn::Eq(target, hn::Set(d, static_cast<Real>(l)));
            const V numerator = hn::IfThenElse(hit, hn::Neg(others), hn::LoadU(d, s + l * stride));
            hn::StoreU(hn::Mul(factor, numerator), d, s + l * stride);
        }
        loss += SumOfLosses(d, Loss(d, others, target_e, target_score), weight, i, filled);
    }
    return loss;
}

// What the loss of a vector's worth of samples is made from.
template <class Real>
struct Parts {
    HWY_ALIGN Real others[HWY_MAX_BYTES / sizeof(Real)];
    HWY_ALIGN Real target_e[HWY_MAX_BYTES / sizeof(Real)];
    HWY_ALIGN Real target_score[HWY_MAX_BYTES / sizeof(Real)];
};

// R samples whose outputs lie side by side: their chains of operations are long, and run next to each other.
template <Index R, class Real>
HWY_INLINE void Samples(Real* scores, Index outputs, Index stride, const Real* targets, const Real* weights,
                        Parts<Real>& parts, Index at) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index whole = outputs / lanes * lanes;
    const Index tail = outputs - whole;
    const V lowest = hn::Set(d, std::numeric_limits<Real>::lowest());
    const auto in_tail = hn::FirstN(d, static_cast<std::size_t>(tail));
    V largest[R];
    V target[R];
    V sum[R];
    for (Index r = 0; r < R; ++r) {
        largest[r] = lowest;
        sum[r] = hn::Zero(d);
        target[r] = hn::Set(d, targets[r]);
    }
    for (Index l = 0; l < whole; l += lanes)
        for (Index r = 0; r < R; ++r) largest[r] = hn::Max(largest[r], hn::LoadU(d, scores + r * stride + l));
    if (tail > 0) {
        for (Index r = 0; r < R; ++r) {
            const V last = LoadTail(d, scores + r * stride + whole, tail);
            largest[r] = hn::Max(largest[r], hn::IfThenElse(in_tail, last, lowest));
        }
    }
    for (Index r = 0; r < R; ++r) {
        largest[r] = hn::MaxOfLanes(d, largest[r]);
        parts.target_score[at + r] =
            scores[r * stride + static_cast<Index>(targets[r])] - hn::GetLane(largest[r]);
    }
    for (Index l = 0; l < whole; l += lanes) {
        const V number = hn::Iota(d, static_cast<Real>(l));
        for (Index r = 0; r < R; ++r) {
            Real* s = scores + r * stride + l;
            const V e = ExpOfNegative(d, hn::Sub(hn::LoadU(d, s), largest[r]));
            sum[r] = hn::Add(sum[r], hn::IfThenZeroElse(hn::Eq(number, target[r]), e));
            hn::StoreU(e, d, s);
        }
    }
    if (tail > 0) {
        const V number = hn::Iota(d, static_cast<Real>(whole));
        for (Index r = 0; r < R; ++r) {
            Real* s = scores + r * stride + whole;
            const V score = hn::IfThenElseZero(in_tail, hn::Sub(LoadTail(d, s, tail), largest[r]));
            const V e = hn::IfThenElseZero(in_tail, ExpOfNegative(d, score));
            sum[r] = hn::Add(sum[r], hn::IfThenZeroElse(hn::Eq(number, target[r]), e));
            StoreTail(d, e, s, tail);
        }
    }
    V factor[R];
    for (Index r = 0; r < R; ++r) {
        const V others = hn::SumOfLanes(d, sum[r]);
        const V target_e = hn::Set(d, scores[r * stride + static_cast<Index>(targets[r])]);
        factor[r] = hn::Div(hn::Set(d, weights[r]), hn::Add(others, target_e));
        parts.others[at + r] = hn::GetLane(others);
        parts.target_e[at + r] = hn::GetLane(target_e);
    }
    for (Index l = 0; l < whole; l += lanes) {
        for (Index r = 0; r < R; ++r) {
            Real* s = scores + r * stride + l;
            hn::StoreU(hn::Mul(factor[r], hn::LoadU(d, s)), d, s);
        }
    }
    for (Index r = 0; r < R; ++r) {
        Real* s = scores + r * stride;
        if (tail > 0) StoreTail(d, hn::Mul(factor[r], LoadTail(d, s + whole, tail)), s + whole, tail);
        s[static_cast<Index>(targets[r])] = -hn::GetLane(factor[r]) * parts.others[at + r];
    }
}

template <class Real>
double OverOutputs(Real* scores, Index count, Index outputs, Index stride, const Real* targets,
                   LossWeight<Real> weight) {
    constexpr Index together = std::min<Index>(4, HWY_MAX_BYTES / sizeof(Real));
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    Parts<Real> parts = {};
    HWY_ALIGN Real weights[HWY_MAX_BYTES / sizeof(Real)];
    double loss = 0;
    for (Index first = 0; first < count; first += lanes) {
        const Index here = std::min(lanes, count - first);
        hn::Store(WeightsAt(d, weight, first, here), d, weights);
        Index k = 0;
        for (; k + together <= here; k += together)
            Samples<together>(scores + (first + k) * stride, outputs, stride, targets + first + k,
                              weights + k, parts, k);
        for (; k < here; ++k)
            Samples<1>(scores + (first + k) * stride, outputs, stride, targets + first + k, weights + k,
                       parts, k);
        const auto losses =
            Loss(d, hn::Load(d, parts.others), hn::Load(d, parts.target_e), hn::Load(d, parts.target_score));
        loss += SumOfLosses(d, losses, weight, first, here);
    }
    return loss;
}

template <class Real>
double Softmax(Real* scores, Index count, Index outputs, ScoreLayout layout, const Real* targets,
               LossWeight<Real> weight) {
    if (layout.sample_stride == 1 && outputs == 2)
        return OverPairs(scores, count, layout.output_stride, targets, weight);
    if (layout.sample_stride == 1)
        return OverSamples(scores, count, outputs, layout.output_stride, targets, weight);
    return OverOutputs(scores, count, outputs, layout.sample_stride, targets, weight);
}

double SoftmaxFloat(float* scores, Index count, Index outputs, ScoreLayout layout, const float* targets,
                    LossWeight<float> weight) {
    return Softmax(scores, count, outputs, layout, targets, weight);
}
double SoftmaxDouble(double* scores, Index count, Index outputs, ScoreLayout layout, const double* targets,
                     LossWeight<double> weight) {
    return Softmax(scores, count, outputs, layout, targets, weight);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(SoftmaxFloat);
HWY_EXPORT(SoftmaxDouble);

double softmax_loss(float* scores, Index count, Index outputs, ScoreLayout layout, const float* targets,
                    LossWeight<float> weight) {
    return HWY_DYNAMIC_DISPATCH(SoftmaxFloat)(scores, count, outputs, layout, targets, weight);
}
double softmax_loss(double* scores, Index count, Index outputs, ScoreLayout layout, const double* targets,
                    LossWeight<double> weight) {
    return HWY_DYNAMIC_DISPATCH(SoftmaxDouble)(scores, count, outputs, layout, targets, weight);
}

}  // namespace alfcg::kernels
#endif
