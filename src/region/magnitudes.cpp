// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "region/magnitudes.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "region/magnitudes.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::region::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using Narrow = hn::Rebind<float, D>;
using V = hn::Vec<D>;

HWY_INLINE V Load(const double* p) {
    return hn::LoadU(D(), p);
}
HWY_INLINE V Load(const float* p) {
    return hn::PromoteTo(D(), hn::LoadU(Narrow(), p));
}
HWY_INLINE void Store(V v, double* p) {
    hn::StoreU(v, D(), p);
}
HWY_INLINE void Store(V v, float* p) {
    hn::StoreU(hn::DemoteTo(Narrow(), v), Narrow(), p);
}
HWY_INLINE double Total(V v) {
    return hn::GetLane(hn::SumOfLanes(D(), v));
}

/// Hands the entries to body two vectors at a time, so that two chains of sums are going; the last ones are
/// padded with zeros.
template <class Real, class Body>
HWY_INLINE void ForEachPair(const Real* x, Index n, const Body& body) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    Index i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) body(Load(x + i), Load(x + i + lanes));
    if (i < n) {
        Real rest[16] = {};
        std::copy(x + i, x + n, rest);
        body(Load(rest), Load(rest + lanes));
    }
}

template <class Real>
HWY_INLINE double Largest(const Real* x, Index n) {
    V most0 = hn::Zero(D()), most1 = most0;
    V poison0 = most0, poison1 = most0;  // 0·x adds up to NaN as soon as one entry is not finite
    ForEachPair(x, n, [&](V x0, V x1) HWY_ATTR {
        most0 = hn::Max(most0, hn::Abs(x0));
        most1 = hn::Max(most1, hn::Abs(x1));
        poison0 = hn::MulAdd(hn::Zero(D()), x0, poison0);
        poison1 = hn::MulAdd(hn::Zero(D()), x1, poison1);
    });
    if (std::isnan(Total(hn::Add(poison0, poison1)))) return std::numeric_limits<double>::quiet_NaN();
    return hn::GetLane(hn::MaxOfLanes(D(), hn::Max(most0, most1)));
}

template <class Real>
HWY_INLINE region::Sums BothSums(const Real* x, Index n, double scale) {
    const V factor = hn::Set(D(), scale);
    V magnitudes0 = hn::Zero(D()), magnitudes1 = magnitudes0;
    V squares0 = magnitudes0, squares1 = magnitudes0;
    ForEachPair(x, n, [&](V x0, V x1) HWY_ATTR {
        const V a0 = hn::Mul(factor, hn::Abs(x0)), a1 = hn::Mul(factor, hn::Abs(x1));
        magnitudes0 = hn::Add(magnitudes0, a0);
        magnitudes1 = hn::Add(magnitudes1, a1);
        squares0 = hn::MulAdd(a0, a0, squares0);
        squares1 = hn::MulAdd(a1, a1, squares1);
    });
    return {Total(hn::Add(magnitudes0, magnitudes1)), Total(hn::Add(squares0, squares1))};
}

HWY_INLINE V Magnitude(V g, V threshold, V scale) {
    return hn::Mul(scale, hn::Max(hn::Sub(hn::Abs(g), threshold), hn::Zero(D())));
}

template <EasyPower Power>
HWY_INLINE V Weight(V a) {
    if constexpr (Power == EasyPower::three) return hn::Sqrt(a);
    if constexpr (Power == EasyPower::three_halves) return hn::Mul(a, a);
    if constexpr (Power == EasyPower::infinite)
        return hn::IfThenElseZero(hn::Gt(a, hn::Zero(D())), hn::Set(D(), 1.0));
    return a;
}

/// w^p = a · w, because p/(p-1) = 1 + 1/(p-1).
template <EasyPower Power, class Real>
HWY_INLINE double SumOf(const Real* g, Index n, Shrink shrink) {
    const V threshold = hn::Set(D(), shrink.threshold), scale = hn::Set(D(), shrink.scale);
    V sum0 = hn::Zero(D()), sum1 = sum0;
    ForEachPair(g, n, [&](V g0, V g1) HWY_ATTR {
        const V a0 = Magnitude(g0, threshold, scale), a1 = Magnitude(g1, threshold, scale);
        sum0 = hn::MulAdd(a0, Weight<Power>(a0), sum0);
        sum1 = hn::MulAdd(a1, Weight<Power>(a1), sum1);
    });
    return Total(hn::Add(sum0, sum1));
}

template <EasyPower Power, class Real>
HWY_INLINE void WriteOf(const Real* g, Index n, Shrink shrink, double factor, Real* v) {
    const V threshold = hn::Set(D(), shrink.threshold), scale = hn::Set(D(), shrink.scale);
    const V times = hn::Set(D(), factor);
    const auto answer = [&](V gi) HWY_ATTR {
        const V size = hn::Mul(times, Weight<Power>(Magnitude(gi, threshold, scale)));
        return hn::Add(hn::CopySign(size, hn::Neg(gi)), hn::Zero(D()));  // + 0 turns -0 into 0
    };
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    Index i = 0;
    for (; i + lanes <= n; i += lanes) Store(answer(Load(g + i)), v + i);
    if (i < n) {
        Real rest[8] = {};
        std::copy(g + i, g + n, rest);
        Store(answer(Load(rest)), rest);
        std::copy(rest, rest + (n - i), v + i);
    }
}

template <class Real>
HWY_INLINE double WeightSum(EasyPower power, const Real* g, Index n, Shrink shrink) {
    switch (power) {
        case EasyPower::two:
            return SumOf<EasyPower::two>(g, n, shrink);
        case EasyPower::three:
            return SumOf<EasyPower::three>(g, n, shrink);
        case EasyPower::three_halves:
            return SumOf<EasyPower::three_halves>(g, n, shrink);
        case EasyPower::infinite:
            return 1;
    }
    return 0;
}

template <class Real>
HWY_INLINE void WriteWeights(EasyPower power, const Real* g, Index n, Shrink shrink, double factor, Real* v) {
    switch (power) {
        case EasyPower::two:
            return WriteOf<EasyPower::two>(g, n, shrink, factor, v);
        case EasyPower::three:
            return WriteOf<EasyPower::three>(g, n, shrink, factor, v);
        case EasyPower::three_halves:
            return WriteOf<EasyPower::three_halves>(g, n, shrink, factor, v);
        case EasyPower::infinite:
            return WriteOf<EasyPower::infinite>(g, n, shrink, factor, v);
    }
}

double LargestFloat(const float* x, Index n) {
    return Largest(x, n);
}
double LargestDouble(const double* x, Index n) {
    return Largest(x, n);
}
region::Sums SumsFloat(const float* x, Index n, double scale) {
    return BothSums(x, n, scale);
}
region::Sums SumsDouble(const double* x, Index n, double scale) {
    return BothSums(x, n, scale);
}
double WeightSumFloat(EasyPower power, const float* g, Index n, Shrink shrink) {
    return WeightSum(power, g, n, shrink);
}
double WeightSumDouble(EasyPower power, const double* g, Index n, Shrink shrink) {
    return WeightSum(power, g, n, shrink);
}
void WriteFloat(EasyPower power, const float* g, Index n, Shrink shrink, double factor, float* v) {
    WriteWeights(power, g, n, shrink, factor, v);
}
void WriteDouble(EasyPower power, const double* g, Index n, Shrink shrink, double factor, double* v) {
    WriteWeights(power, g, n, shrink, factor, v);
}

}  // namespace alfcg::region::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::region {

HWY_EXPORT(LargestFloat);
HWY_EXPORT(LargestDouble);
HWY_EXPORT(SumsFloat);
HWY_EXPORT(SumsDouble);
HWY_EXPORT(WeightSumFloat);
HWY_EXPORT(WeightSumDouble);
HWY_EXPORT(WriteFloat);
HWY_EXPORT(WriteDouble);

double safe_scale(double largest) {
    // The bounds keep the scale and its inverse far from overflow and from denormals; what is left over
    // beyond them (2^-174 .. 2^124) is harmless.
    return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -900, 900));
}

double largest_magnitude(const float* x, Index n) {
    return HWY_DYNAMIC_DISPATCH(LargestFloat)(x, n);
}
double largest_magnitude(const double* x, Index n) {
    return HWY_DYNAMIC_DISPATCH(LargestDouble)(x, n);
}
Sums sums(const float* x, Index n, double scale) {
    return HWY_DYNAMIC_DISPATCH(SumsFloat)(x, n, scale);
}
Sums sums(const double* x, Index n, double scale) {
    return HWY_DYNAMIC_DISPATCH(SumsDouble)(x, n, scale);
}
double weight_sum(EasyPower power, const float* gradient, Index n, Shrink shrink) {
    return HWY_DYNAMIC_DISPATCH(WeightSumFloat)(power, gradient, n, shrink);
}
double weight_sum(EasyPower power, const double* gradient, Index n, Shrink shrink) {
    return HWY_DYNAMIC_DISPATCH(WeightSumDouble)(power, gradient, n, shrink);
}
void write_weights(EasyPower power, const float* gradient, Index n, Shrink shrink, double factor,
                   float* vertex) {
    HWY_DYNAMIC_DISPATCH(WriteFloat)(power, gradient, n, shrink, factor, vertex);
}
void write_weights(EasyPower power, const double* gradient, Index n, Shrink shrink, double factor,
                   double* vertex) {
    HWY_DYNAMIC_DISPATCH(WriteDouble)(power, gradient, n, shrink, factor, vertex);
}

}  // namespace alfcg::region
#endif  // HWY_ONCE
