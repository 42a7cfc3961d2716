// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/magnitudes.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/split.hpp"
#include "kernels/lanes-inl.hpp"
#include "kernels/magnitudes.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

/// No arithmetic that rounds: vectors of Real itself will do.
template <class Real>
HWY_INLINE double Largest(const Real* x, Index n) {
    constexpr Index most_lanes = 64 / sizeof(Real);
    using Tag = hn::CappedTag<Real, most_lanes>;
    using Vector = hn::Vec<Tag>;
    const Index lanes = static_cast<Index>(hn::Lanes(Tag()));
    Vector most0 = hn::Zero(Tag()), most1 = most0;
    Vector poison0 = most0, poison1 = most0;  // 0·x adds up to NaN as soon as one entry is not finite
    ForEachRun<2 * most_lanes>(x, n, 2 * lanes, [&](const Real* p) HWY_ATTR {
        const Vector x0 = hn::LoadU(Tag(), p), x1 = hn::LoadU(Tag(), p + lanes);
        most0 = hn::Max(most0, hn::Abs(x0));
        most1 = hn::Max(most1, hn::Abs(x1));
        poison0 = hn::MulAdd(hn::Zero(Tag()), x0, poison0);
        poison1 = hn::MulAdd(hn::Zero(Tag()), x1, poison1);
    });
    const Vector poison = hn::Add(poison0, poison1);
    if (!hn::AllTrue(Tag(), hn::Eq(poison, poison))) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(hn::GetLane(hn::MaxOfLanes(Tag(), hn::Max(most0, most1))));
}

template <class Real>
HWY_INLINE double Smallest(const Real* x, Index n) {
    using Tag = hn::CappedTag<Real, 64 / sizeof(Real)>;
    using Vector = hn::Vec<Tag>;
    const Index lanes = static_cast<Index>(hn::Lanes(Tag()));
    Real least = std::numeric_limits<Real>::infinity();
    Real poison = 0;
    Vector least0 = hn::Set(Tag(), least), least1 = least0;
    Vector poison0 = hn::Zero(Tag()), poison1 = poison0;
    Index i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        const Vector x0 = hn::LoadU(Tag(), x + i), x1 = hn::LoadU(Tag(), x + i + lanes);
        least0 = hn::Min(least0, x0);
        least1 = hn::Min(least1, x1);
        poison0 = hn::MulAdd(hn::Zero(Tag()), x0, poison0);
        poison1 = hn::MulAdd(hn::Zero(Tag()), x1, poison1);
    }
    for (; i < n; ++i) {
        least = std::min(least, x[i]);
        poison += 0 * x[i];
    }
    poison += hn::GetLane(hn::SumOfLanes(Tag(), hn::Add(poison0, poison1)));
    if (!(poison == 0)) return std::numeric_limits<double>::quiet_NaN();
    const Real rest = hn::GetLane(hn::MinOfLanes(Tag(), hn::Min(least0, least1)));
    return static_cast<double>(std::min(least, rest));
}

template <class Real>
HWY_INLINE Sums BothSums(const Real* x, Index n, double scale) {
    const V factor = hn::Set(D(), scale);
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    V magnitudes0 = hn::Zero(D()), magnitudes1 = magnitudes0;
    V squares0 = magnitudes0, squares1 = magnitudes0;
    ForEachRun<2 * kMostLanes>(x, n, 2 * lanes, [&](const Real* p) HWY_ATTR {
        const V a0 = hn::Mul(factor, hn::Abs(Load(p))), a1 = hn::Mul(factor, hn::Abs(Load(p + lanes)));
        magnitudes0 = hn::Add(magnitudes0, a0);
        magnitudes1 = hn::Add(magnitudes1, a1);
        squares0 = hn::MulAdd(a0, a0, squares0);
        squares1 = hn::MulAdd(a1, a1, squares1);
    });
    return {Total(hn::Add(magnitudes0, magnitudes1)), Total(hn::Add(squares0, squares1))};
}

double LargestFloat(const float* x, Index n) {
    return Largest(x, n);
}
double LargestDouble(const double* x, Index n) {
    return Largest(x, n);
}
double SmallestFloat(const float* x, Index n) {
    return Smallest(x, n);
}
double SmallestDouble(const double* x, Index n) {
    return Smallest(x, n);
}
Sums SumsFloat(const float* x, Index n, double scale) {
    return BothSums(x, n, scale);
}
Sums SumsDouble(const double* x, Index n, double scale) {
    return BothSums(x, n, scale);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {
namespace {

HWY_EXPORT(LargestFloat);
HWY_EXPORT(LargestDouble);
HWY_EXPORT(SmallestFloat);
HWY_EXPORT(SmallestDouble);
HWY_EXPORT(SumsFloat);
HWY_EXPORT(SumsDouble);

double largest_of(const float* x, Index n) {
    return HWY_DYNAMIC_DISPATCH(LargestFloat)(x, n);
}
double largest_of(const double* x, Index n) {
    return HWY_DYNAMIC_DISPATCH(LargestDouble)(x, n);
}
double smallest_of(const float* x, Index n) {
    return HWY_DYNAMIC_DISPATCH(SmallestFloat)(x, n);
}
double smallest_of(const double* x, Index n) {
    return HWY_DYNAMIC_DISPATCH(SmallestDouble)(x, n);
}
Sums sums_of(const float* x, Index n, double scale) {
    return HWY_DYNAMIC_DISPATCH(SumsFloat)(x, n, scale);
}
Sums sums_of(const double* x, Index n, double scale) {
    return HWY_DYNAMIC_DISPATCH(SumsDouble)(x, n, scale);
}

/// The largest of a run, block by block, so that it can be found again without another pass.
template <class Real>
Peak peak_of(const Real* x, Index first, Index last) {
    constexpr Index block = 4096;
    Peak peak{0, first};
    for (Index start = first; start < last && !std::isnan(peak.magnitude); start += block) {
        const double largest = largest_of(x + start, std::min(block, last - start));
        if (!(largest <= peak.magnitude)) peak = {largest, start};
    }
    return peak;
}

template <class Real>
Least least_of(const Real* x, Index first, Index last) {
    constexpr Index block = 4096;
    Least least{std::numeric_limits<double>::infinity(), first};
    for (Index start = first; start < last && !std::isnan(least.value); start += block) {
        const double smallest = smallest_of(x + start, std::min(block, last - start));
        if (!(smallest >= least.value)) least = {smallest, start};
    }
    return least;
}

}  // namespace

double safe_scale(double largest) {
    // The bounds keep the scale and its inverse far from overflow and from denormals; what is left over
    // beyond them (2^-174 .. 2^124) is harmless.
    return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -900, 900));
}

template <class Real>
double largest_magnitude(const Real* x, Index n, int threads) {
    return combine(
        n, threads, [x](Index first, Index last) { return largest_of(x + first, last - first); },
        larger_or_nan);
}

template <class Real>
Peak first_peak(const Real* x, Index n, int threads) {
    Peak peak = combine(
        n, threads, [x](Index first, Index last) { return peak_of(x, first, last); },
        [](const Peak& a, const Peak& b) {
            return std::isnan(a.magnitude) || b.magnitude <= a.magnitude ? a : b;
        });
    if (std::isnan(peak.magnitude) || n == 0) return peak;
    while (std::abs(static_cast<double>(x[peak.index])) != peak.magnitude) ++peak.index;
    return peak;
}

template <class Real>
Least first_least(const Real* x, Index n, int threads) {
    Least least = combine(
        n, threads, [x](Index first, Index last) { return least_of(x, first, last); },
        [](const Least& a, const Least& b) { return std::isnan(a.value) || b.value >= a.value ? a : b; });
    if (std::isnan(least.value) || n == 0) return least;
    while (static_cast<double>(x[least.index]) != least.value) ++least.index;
    return least;
}

template <class Real>
Sums sums(const Real* x, Index n, double scale, int threads) {
    return combine(
        n, threads, [=](Index first, Index last) { return sums_of(x + first, last - first, scale); },
        [](const Sums& a, const Sums& b) {
            return Sums{a.magnitudes + b.magnitudes, a.squares + b.squares};
        });
}

template double largest_magnitude(const float*, Index, int);
template double largest_magnitude(const double*, Index, int);
template Peak first_peak(const float*, Index, int);
template Peak first_peak(const double*, Index, int);
template Least first_least(const float*, Index, int);
template Least first_least(const double*, Index, int);
template Sums sums(const float*, Index, double, int);
template Sums sums(const double*, Index, double, int);

}  // namespace alfcg::kernels
#endif  // HWY_ONCE
