// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "kernels/losses.hpp"
#include "kernels/tail-inl.hpp"

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

// A vector holds one output's scores of several samples.
template <class Real>
double OverSamples(Real* scores, Index count, Index outputs, Index stride, const Real* targets, Real weight) {
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
            const V e = hn::Exp(d, score);
            const auto hit = hn::Eq(target, hn::Set(d, static_cast<Real>(l)));
            others = hn::Add(others, hn::IfThenZeroElse(hit, e));
            target_e = hn::IfThenElse(hit, e, target_e);
            target_score = hn::IfThenElse(hit, score, target_score);
            hn::StoreU(e, d, s + l * stride);
        }
        const V factor = hn::Div(hn::Set(d, weight), hn::Add(others, target_e));
        for (Index l = 0; l < outputs; ++l) {
            const auto hit = hn::Eq(target, hn::Set(d, static_cast<Real>(l)));
            const V numerator = hn::IfThenElse(hit, hn::Neg(others), hn::LoadU(d, s + l * stride));
            hn::StoreU(hn::Mul(factor, numerator), d, s + l * stride);
        }
        loss += SumOfFirst(d, Loss(d, others, target_e, target_score), std::min(lanes, count - i));
    }
    return loss;
}

// A vector holds several outputs' scores of one sample.
template <class Real>
double OverOutputs(Real* scores, Index count, Index outputs, Index stride, const Real* targets, Real weight) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index whole = outputs / lanes * lanes;
    const Index tail = outputs - whole;
    const V lowest = hn::Set(d, std::numeric_limits<Real>::lowest());
    const auto in_tail = hn::FirstN(d, static_cast<std::size_t>(tail));
    HWY_ALIGN Real others[HWY_MAX_BYTES / sizeof(Real)];
    HWY_ALIGN Real target_e[HWY_MAX_BYTES / sizeof(Real)];
    HWY_ALIGN Real target_score[HWY_MAX_BYTES / sizeof(Real)];
    double loss = 0;
    for (Index first = 0; first < count; first += lanes) {
        const Index here = std::min(lanes, count - first);
        for (Index k = 0; k < here; ++k) {
            Real* s = scores + (first + k) * stride;
            const auto y = static_cast<Index>(targets[first + k]);
            V largest = lowest;
            for (Index l = 0; l < whole; l += lanes) largest = hn::Max(largest, hn::LoadU(d, s + l));
            if (tail > 0)
                largest = hn::Max(largest, hn::IfThenElse(in_tail, LoadTail(d, s + whole, tail), lowest));
            largest = hn::MaxOfLanes(d, largest);
            target_score[k] = s[y] - hn::GetLane(largest);
            const V target = hn::Set(d, static_cast<Real>(y));
            V sum = hn::Zero(d);
            for (Index l = 0; l < whole; l += lanes) {
                const V e = hn::Exp(d, hn::Sub(hn::LoadU(d, s + l), largest));
                sum = hn::Add(sum, hn::IfThenZeroElse(hn::Eq(hn::Iota(d, static_cast<Real>(l)), target), e));
                hn::StoreU(e, d, s + l);
            }
            if (tail > 0) {
                const V score = hn::Sub(LoadTail(d, s + whole, tail), largest);
                const V e = hn::IfThenElseZero(in_tail, hn::Exp(d, hn::IfThenElseZero(in_tail, score)));
                sum = hn::Add(sum,
                              hn::IfThenZeroElse(hn::Eq(hn::Iota(d, static_cast<Real>(whole)), target), e));
                StoreTail(d, e, s + whole, tail);
            }
            others[k] = hn::GetLane(hn::SumOfLanes(d, sum));
            target_e[k] = s[y];
            const Real factor = weight / (others[k] + target_e[k]);
            const V scale = hn::Set(d, factor);
            for (Index l = 0; l < whole; l += lanes)
                hn::StoreU(hn::Mul(scale, hn::LoadU(d, s + l)), d, s + l);
            for (Index l = whole; l < outputs; ++l) s[l] *= factor;
            s[y] = -factor * others[k];
        }
        for (Index k = here; k < lanes; ++k) others[k] = target_e[k] = target_score[k] = 0;
        const V losses = Loss(d, hn::Load(d, others), hn::Load(d, target_e), hn::Load(d, target_score));
        loss += SumOfFirst(d, losses, here);
    }
    return loss;
}

template <class Real>
double Softmax(Real* scores, Index count, Index outputs, ScoreLayout layout, const Real* targets,
               double weight) {
    const auto w = static_cast<Real>(weight);
    if (layout.sample_stride == 1)
        return OverSamples(scores, count, outputs, layout.output_stride, targets, w);
    return OverOutputs(scores, count, outputs, layout.sample_stride, targets, w);
}

double SoftmaxFloat(float* scores, Index count, Index outputs, ScoreLayout layout, const float* targets,
                    double weight) {
    return Softmax(scores, count, outputs, layout, targets, weight);
}
double SoftmaxDouble(double* scores, Index count, Index outputs, ScoreLayout layout, const double* targets,
                     double weight) {
    return Softmax(scores, count, outputs, layout, targets, weight);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(SoftmaxFloat);
HWY_EXPORT(SoftmaxDouble);

double softmax_loss(float* scores, Index count, Index outputs, ScoreLayout layout, const float* targets,
                    double weight) {
    return HWY_DYNAMIC_DISPATCH(SoftmaxFloat)(scores, count, outputs, layout, targets, weight);
}
double softmax_loss(double* scores, Index count, Index outputs, ScoreLayout layout, const double* targets,
                    double weight) {
    return HWY_DYNAMIC_DISPATCH(SoftmaxDouble)(scores, count, outputs, layout, targets, weight);
}

}  // namespace alfcg::kernels
#endif
