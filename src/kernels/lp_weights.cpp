// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lp_weights.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "core/split.hpp"
#include "kernels/lanes-inl.hpp"
#include "kernels/lp_weights.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

/// a and w of a vector of entries. Shrunk: with a threshold, or with a scale.
template <WeightPower Power, bool Shrunk>
class Weigh {
  public:
    explicit Weigh(const Weights& weights) : weights_(weights) {}

    HWY_INLINE V magnitude(V g) const {
        if constexpr (!Shrunk) return hn::Abs(g);
        const V threshold = hn::Set(D(), weights_.threshold), scale = hn::Set(D(), weights_.scale);
        return hn::Mul(scale, hn::Max(hn::Sub(hn::Abs(g), threshold), hn::Zero(D())));
    }

    /// `p` is where the entries of magnitude a come from.
    template <class Real>
    HWY_INLINE V weight(const Real* p, V a) const {
        if constexpr (Power == WeightPower::three) {
            // The root of a float is right to the last digit of a float, and half the work.
            if constexpr (!Shrunk && std::is_same_v<Real, float>)
                return hn::PromoteTo(D(), hn::Sqrt(hn::Abs(hn::LoadU(Narrow(), p))));
            return hn::Sqrt(a);
        }
        if constexpr (Power == WeightPower::three_halves) return hn::Mul(a, a);
        if constexpr (Power == WeightPower::other)
            return hn::IfThenElseZero(
                hn::Gt(a, hn::Zero(D())),
                hn::Exp(D(), hn::Mul(hn::Set(D(), weights_.exponent), hn::Log(D(), a))));
        return a;
    }

  private:
    Weights weights_;
};

/// Σ a w.
struct Sum {
    double total = 0;

    template <class Weigh, class Real>
    HWY_INLINE void operator()(const Weigh& weigh, const Real* g, Index n) {
        const Index lanes = static_cast<Index>(hn::Lanes(D()));
        V sum0 = hn::Zero(D()), sum1 = sum0;
        ForEachRun<2 * kMostLanes>(g, n, 2 * lanes, [&](const Real* p) HWY_ATTR {
            const V a0 = weigh.magnitude(Load(p)), a1 = weigh.magnitude(Load(p + lanes));
            sum0 = hn::MulAdd(a0, weigh.weight(p, a0), sum0);
            sum1 = hn::MulAdd(a1, weigh.weight(p + lanes, a1), sum1);
        });
        total = Total(hn::Add(sum0, sum1));
    }
};

/// v = -sign(g) · factor · w, and Σ a w on the way.
template <class Real>
struct Write {
    double factor;
    Real* vertex;
    double total = 0;

    template <class Weigh>
    HWY_INLINE void operator()(const Weigh& weigh, const Real* g, Index n) {
        const V times = hn::Set(D(), factor);
        V sum = hn::Zero(D());
        const auto answer = [&](const Real* p) HWY_ATTR {
            const V gi = Load(p);
            const V a = weigh.magnitude(gi), w = weigh.weight(p, a);
            sum = hn::MulAdd(a, w, sum);
            return hn::MulAdd(times, hn::CopySign(w, hn::Neg(gi)), hn::Zero(D()));  // + 0 turns -0 into 0
        };
        const Index lanes = static_cast<Index>(hn::Lanes(D()));
        Index i = 0;
        for (; i + lanes <= n; i += lanes) Store(answer(g + i), vertex + i);
        if (i < n) {
            Real rest[kMostLanes] = {};
            std::copy(g + i, g + n, rest);
            Store(answer(rest), rest);
            std::copy(rest, rest + (n - i), vertex + i);
        }
        total = Total(sum);
    }
};

/// Runs a pass with the weights that are asked for.
template <WeightPower Power, class Pass, class Real>
HWY_INLINE void RunPower(const Weights& weights, Pass& pass, const Real* g, Index n) {
    if (weights.threshold == 0 && weights.scale == 1)
        pass(Weigh<Power, false>(weights), g, n);
    else
        pass(Weigh<Power, true>(weights), g, n);
}
template <class Pass, class Real>
HWY_INLINE double Run(const Weights& weights, Pass pass, const Real* g, Index n) {
    switch (weights.power) {
        case WeightPower::two:
            RunPower<WeightPower::two>(weights, pass, g, n);
            break;
        case WeightPower::three:
            RunPower<WeightPower::three>(weights, pass, g, n);
            break;
        case WeightPower::three_halves:
            RunPower<WeightPower::three_halves>(weights, pass, g, n);
            break;
        case WeightPower::other:
            RunPower<WeightPower::other>(weights, pass, g, n);
            break;
    }
    return pass.total;
}

/// No arithmetic that rounds: vectors of Real itself will do.
template <class Real>
HWY_INLINE double Signs(const Real* g, Index n, Real threshold, Real size, Real* v) {
    constexpr Index most_lanes = 64 / sizeof(Real);
    using Tag = hn::CappedTag<Real, most_lanes>;
    using Vector = hn::Vec<Tag>;
    const Vector level = hn::Set(Tag(), threshold), answer = hn::Set(Tag(), size);
    Vector most = hn::Zero(Tag()), poison = most;  // 0·g adds up to NaN as soon as one entry is not finite
    const auto write = [&](const Real* from, Real* to) HWY_ATTR {
        const Vector gi = hn::LoadU(Tag(), from);
        const Vector magnitude = hn::Abs(gi);
        most = hn::Max(most, magnitude);
        poison = hn::MulAdd(hn::Zero(Tag()), gi, poison);
        hn::StoreU(hn::IfThenElseZero(hn::Gt(magnitude, level), hn::CopySign(answer, hn::Neg(gi))), Tag(),
                   to);
    };
    const Index lanes = static_cast<Index>(hn::Lanes(Tag()));
    Index i = 0;
    for (; i + lanes <= n; i += lanes) write(g + i, v + i);
    if (i < n) {
        Real rest[most_lanes] = {};
        std::copy(g + i, g + n, rest);
        write(rest, rest);
        std::copy(rest, rest + (n - i), v + i);
    }
    if (!hn::AllTrue(Tag(), hn::Eq(poison, poison))) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(hn::GetLane(hn::MaxOfLanes(Tag(), most)));
}

template <class Real>
HWY_INLINE double SmallestExcess(const Real* g, Index n, double threshold) {
    const V level = hn::Set(D(), threshold), none = hn::Set(D(), std::numeric_limits<double>::infinity());
    V least = none;
    ForEachRun<kMostLanes>(g, n, static_cast<Index>(hn::Lanes(D())), [&](const Real* p) HWY_ATTR {
        const V excess = hn::Sub(hn::Abs(Load(p)), level);
        least = hn::Min(least, hn::IfThenElse(hn::Gt(excess, hn::Zero(D())), excess, none));
    });
    return hn::GetLane(hn::MinOfLanes(D(), least));
}

double SumFloat(const Weights& weights, const float* g, Index n) {
    return Run(weights, Sum{}, g, n);
}
double SumDouble(const Weights& weights, const double* g, Index n) {
    return Run(weights, Sum{}, g, n);
}
double WriteFloat(const Weights& weights, const float* g, Index n, double factor, float* v) {
    return Run(weights, Write<float>{factor, v, 0}, g, n);
}
double WriteDouble(const Weights& weights, const double* g, Index n, double factor, double* v) {
    return Run(weights, Write<double>{factor, v, 0}, g, n);
}
double SignsFloat(const float* g, Index n, float threshold, float size, float* v) {
    return Signs(g, n, threshold, size, v);
}
double SignsDouble(const double* g, Index n, double threshold, double size, double* v) {
    return Signs(g, n, threshold, size, v);
}
double ExcessFloat(const float* g, Index n, double threshold) {
    return SmallestExcess(g, n, threshold);
}
double ExcessDouble(const double* g, Index n, double threshold) {
    return SmallestExcess(g, n, threshold);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {
namespace {

HWY_EXPORT(SumFloat);
HWY_EXPORT(SumDouble);
HWY_EXPORT(WriteFloat);
HWY_EXPORT(WriteDouble);
HWY_EXPORT(SignsFloat);
HWY_EXPORT(SignsDouble);
HWY_EXPORT(ExcessFloat);
HWY_EXPORT(ExcessDouble);

double sum_of(const Weights& weights, const float* g, Index n) {
    return HWY_DYNAMIC_DISPATCH(SumFloat)(weights, g, n);
}
double sum_of(const Weights& weights, const double* g, Index n) {
    return HWY_DYNAMIC_DISPATCH(SumDouble)(weights, g, n);
}
double write_of(const Weights& weights, const float* g, Index n, double factor, float* v) {
    return HWY_DYNAMIC_DISPATCH(WriteFloat)(weights, g, n, factor, v);
}
double write_of(const Weights& weights, const double* g, Index n, double factor, double* v) {
    return HWY_DYNAMIC_DISPATCH(WriteDouble)(weights, g, n, factor, v);
}
double signs_of(const float* g, Index n, double threshold, double size, float* v) {
    // The largest float that is no larger: the same entries lie above it.
    auto level = static_cast<float>(std::min(threshold, double{std::numeric_limits<float>::max()}));
    if (static_cast<double>(level) > threshold) level = std::nextafter(level, 0.0F);
    return HWY_DYNAMIC_DISPATCH(SignsFloat)(g, n, level, static_cast<float>(size), v);
}
double signs_of(const double* g, Index n, double threshold, double size, double* v) {
    return HWY_DYNAMIC_DISPATCH(SignsDouble)(g, n, threshold, size, v);
}
double excess_of(const float* g, Index n, double threshold) {
    return HWY_DYNAMIC_DISPATCH(ExcessFloat)(g, n, threshold);
}
double excess_of(const double* g, Index n, double threshold) {
    return HWY_DYNAMIC_DISPATCH(ExcessDouble)(g, n, threshold);
}

}  // namespace

Weights weights_of(double p) {
    Weights weights;
    weights.exponent = 1 / (p - 1);
    if (p == 2) return weights;
    weights.power = p == 3 ? WeightPower::three : p == 1.5 ? WeightPower::three_halves : WeightPower::other;
    return weights;
}

template <class Real>
double weight_sum(const Weights& weights, const Real* gradient, Index n, int threads) {
    return combine(
        n, threads, [&](Index first, Index last) { return sum_of(weights, gradient + first, last - first); },
        std::plus<>());
}

template <class Real>
double write_weights(const Weights& weights, const Real* gradient, Index n, double factor, Real* vertex,
                     int threads) {
    return combine(
        n, threads,
        [&](Index first, Index last) {
            return write_of(weights, gradient + first, last - first, factor, vertex + first);
        },
        std::plus<>());
}

template <class Real>
double write_signs(const Real* gradient, Index n, double threshold, double size, Real* vertex, int threads) {
    return combine(
        n, threads,
        [&](Index first, Index last) {
            return signs_of(gradient + first, last - first, threshold, size, vertex + first);
        },
        larger_or_nan);
}

template <class Real>
double smallest_excess(const Real* gradient, Index n, double threshold, int threads) {
    return combine(
        n, threads,
        [&](Index first, Index last) { return excess_of(gradient + first, last - first, threshold); },
        [](double a, double b) { return std::min(a, b); });
}

template double weight_sum(const Weights&, const float*, Index, int);
template double weight_sum(const Weights&, const double*, Index, int);
template double write_weights(const Weights&, const float*, Index, double, float*, int);
template double write_weights(const Weights&, const double*, Index, double, double*, int);
template double write_signs(const float*, Index, double, double, float*, int);
template double write_signs(const double*, Index, double, double, double*, int);
template double smallest_excess(const float*, Index, double, int);
template double smallest_excess(const double*, Index, double, int);

}  // namespace alfcg::kernels
#endif  // HWY_ONCE
