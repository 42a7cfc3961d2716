// Compiled once per instruction set; the plain loops are written so that the compiler vectorises them for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/entries.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/entries.hpp"
#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

template <class Real>
HWY_INLINE Index ChooseEach(const Real* HWY_RESTRICT x, Index n, Real threshold, Real low, Real high,
                            Real middle, Real* HWY_RESTRICT to) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto bound = hn::Set(d, threshold), lower = hn::Set(d, -threshold);
    const auto lows = hn::Set(d, low), highs = hn::Set(d, high), middles = hn::Set(d, middle);
    Index count = 0;
    Index i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto entries = hn::LoadU(d, x + i);
        const auto above = hn::Gt(entries, bound), below = hn::Lt(entries, lower);
        hn::StoreU(hn::IfThenElse(above, lows, hn::IfThenElse(below, highs, middles)), d, to + i);
        count += static_cast<Index>(hn::CountTrue(d, hn::Or(above, below)));
    }
    for (; i < n; ++i) {
        to[i] = x[i] > threshold ? low : x[i] < -threshold ? high : middle;
        count += x[i] > threshold || x[i] < -threshold ? 1 : 0;
    }
    return count;
}

/// Positions are written past the end of those that count; there is room for a block of them.
template <class Real>
HWY_INLINE Index FindEach(const Real* x, Index first, Index last, Real low, Real high, Index* to) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto lows = hn::Set(d, low), highs = hn::Set(d, high);
    Index count = 0;
    Index i = first;
    for (; i + lanes <= last; i += lanes) {
        const auto entries = hn::LoadU(d, x + i);
        if (hn::AllFalse(d, hn::Or(hn::Le(entries, lows), hn::Ge(entries, highs)))) continue;
        for (Index k = i; k < i + lanes; ++k) {
            to[count] = k;
            count += static_cast<Index>(x[k] <= low) | static_cast<Index>(x[k] >= high);
        }
    }
    for (; i < last; ++i) {
        to[count] = i;
        count += static_cast<Index>(x[i] <= low) | static_cast<Index>(x[i] >= high);
    }
    return count;
}

template <class Real>
HWY_INLINE Index BetweenEach(const Real* x, Index first, Index last, Real low, Real high, Index* to) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto lows = hn::Set(d, low), highs = hn::Set(d, high);
    Index count = 0;
    Index i = first;
    const auto look = [&](Index k) {
        const Real size = std::abs(x[k]);
        to[count] = k;
        count += static_cast<Index>(size >= low) & static_cast<Index>(size <= high);
    };
    for (; i + lanes <= last; i += lanes) {
        const auto sizes = hn::Abs(hn::LoadU(d, x + i));
        if (hn::AllFalse(d, hn::And(hn::Ge(sizes, lows), hn::Le(sizes, highs)))) continue;
        for (Index k = i; k < i + lanes; ++k) look(k);
    }
    for (; i < last; ++i) look(i);
    return count;
}

/// What is large enough is put together first: no branch that nobody could foresee.
template <class Real>
HWY_INLINE void FillBuckets(const Real* x, Index n, double threshold, double scale, double least,
                            double per_unit, double last, Bucket* buckets) {
    constexpr Index run = 256;
    double all[run];
    double size[run];
    std::int32_t place[run];
    for (Index first = 0; first < n; first += run) {
        const Index count = std::min(run, n - first);
        for (Index i = 0; i < count; ++i)
            all[i] = scale * (std::abs(static_cast<double>(x[first + i])) - threshold);
        Index kept = 0;
        for (Index i = 0; i < count; ++i) {
            size[kept] = all[i];
            kept += static_cast<Index>(all[i] >= least);
        }
        for (Index i = 0; i < kept; ++i) {
            const double at = (size[i] - least) * per_unit;
            place[i] = static_cast<std::int32_t>(at < last ? at : last);
        }
        for (Index i = 0; i < kept; ++i) {
            Bucket& bucket = buckets[place[i]];
            ++bucket.count;
            bucket.sum += size[i];
        }
    }
}

template <class Real>
HWY_INLINE double RampSquares(const Real* x, Index n, double sign, double threshold, double scale) {
    const V signs = hn::Set(D(), sign), less = hn::Set(D(), threshold), factor = hn::Set(D(), scale);
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    V sum0 = hn::Zero(D()), sum1 = sum0;
    // What a run is padded with counts for nothing: max(0 − threshold, 0) = 0.
    ForEachRun<2 * kMostLanes>(x, n, 2 * lanes, [&](const Real* p) HWY_ATTR {
        const V a = hn::Mul(factor, hn::Max(hn::MulSub(signs, Load(p), less), hn::Zero(D())));
        const V b = hn::Mul(factor, hn::Max(hn::MulSub(signs, Load(p + lanes), less), hn::Zero(D())));
        sum0 = hn::MulAdd(a, a, sum0);
        sum1 = hn::MulAdd(b, b, sum1);
    });
    return Total(hn::Add(sum0, sum1));
}

template <class Real>
HWY_INLINE void WriteRamp(const Real* HWY_RESTRICT x, Index n, double sign, double threshold, double factor,
                          Real* HWY_RESTRICT to) {
    const V signs = hn::Set(D(), sign), less = hn::Set(D(), threshold), factors = hn::Set(D(), factor);
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    Index i = 0;
    for (; i + lanes <= n; i += lanes)
        Store(hn::Mul(factors, hn::Max(hn::MulSub(signs, Load(x + i), less), hn::Zero(D()))), to + i);
    for (; i < n; ++i)
        to[i] = static_cast<Real>(factor * std::max(sign * static_cast<double>(x[i]) - threshold, 0.0));
}

template <class Real>
HWY_INLINE void BlockSums(const Real* x, Index n, double scale, double* sums, double* magnitudes) {
    const V factor = hn::Set(D(), scale);
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    for (Index first = 0, k = 0; first < n; first += block_entries, ++k) {
        V sum0 = hn::Zero(D()), sum1 = sum0, size0 = sum0, size1 = sum0;
        ForEachRun<2 * kMostLanes>(
            x + first, std::min(block_entries, n - first), 2 * lanes, [&](const Real* p) HWY_ATTR {
                const V a = hn::Mul(factor, Load(p)), b = hn::Mul(factor, Load(p + lanes));
                sum0 = hn::Add(sum0, a);
                sum1 = hn::Add(sum1, b);
                size0 = hn::Add(size0, hn::Abs(a));
                size1 = hn::Add(size1, hn::Abs(b));
            });
        sums[k] = Total(hn::Add(sum0, sum1));
        magnitudes[k] = Total(hn::Add(size0, size1));
    }
}

#define ALFCG_ENTRIES(Name, Real)                                                                            \
    Index Choose##Name(const Real* x, Index n, Real threshold, Real low, Real high, Real middle, Real* to) { \
        return ChooseEach(x, n, threshold, low, high, middle, to);                                           \
    }                                                                                                        \
    Index Find##Name(const Real* x, Index first, Index last, Real low, Real high, Index* to) {               \
        return FindEach(x, first, last, low, high, to);                                                      \
    }                                                                                                        \
    Index Between##Name(const Real* x, Index first, Index last, Real low, Real high, Index* to) {            \
        return BetweenEach(x, first, last, low, high, to);                                                   \
    }                                                                                                        \
    void Fill##Name(const Real* x, Index n, double threshold, double scale, double least, double per_unit,   \
                    double last, Bucket* buckets) {                                                          \
        FillBuckets(x, n, threshold, scale, least, per_unit, last, buckets);                                 \
    }                                                                                                        \
    double Squares##Name(const Real* x, Index n, double sign, double threshold, double scale) {              \
        return RampSquares(x, n, sign, threshold, scale);                                                    \
    }                                                                                                        \
    void Ramp##Name(const Real* x, Index n, double sign, double threshold, double factor, Real* to) {        \
        WriteRamp(x, n, sign, threshold, factor, to);                                                        \
    }                                                                                                        \
    void Blocks##Name(const Real* x, Index n, double scale, double* sums, double* magnitudes) {              \
        BlockSums(x, n, scale, sums, magnitudes);                                                            \
    }
ALFCG_ENTRIES(Float, float)
ALFCG_ENTRIES(Double, double)
#undef ALFCG_ENTRIES

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {
namespace {

/// The largest Real that is at most the bound: what exceeds the one exceeds the other.
template <class Real>
Real rounded_down(double bound) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const Real near = static_cast<Real>(bound);
    return static_cast<double>(near) > bound ? std::nextafter(near, -infinity) : near;
}
template <class Real>
Real rounded_up(double bound) {
    return -rounded_down<Real>(-bound);
}

/// find(first, last, to) for runs of n entries: writes positions, and says how many.
template <class Find>
void find_runs(Index n, std::vector<Index>& positions, const Find& find) {
    constexpr Index run = Index{1} << 14;
    std::vector<Index> found(static_cast<std::size_t>(std::min(run, n) + 1));
    for (Index first = 0; first < n; first += run) {
        const Index count = find(first, std::min(first + run, n), found.data());
        positions.insert(positions.end(), found.begin(), found.begin() + count);
    }
}

}  // namespace

#define ALFCG_ENTRIES(Name, Real)                                                                            \
    HWY_EXPORT(Choose##Name);                                                                                \
    HWY_EXPORT(Find##Name);                                                                                  \
    HWY_EXPORT(Between##Name);                                                                               \
    HWY_EXPORT(Fill##Name);                                                                                  \
    HWY_EXPORT(Squares##Name);                                                                               \
    HWY_EXPORT(Ramp##Name);                                                                                  \
    HWY_EXPORT(Blocks##Name);                                                                                \
    template <>                                                                                              \
    Index choose(const Real* x, Index n, double threshold, Real low, Real high, Real middle, Real* to) {     \
        return HWY_DYNAMIC_DISPATCH(Choose##Name)(x, n, rounded_down<Real>(threshold), low, high, middle,    \
                                                  to);                                                       \
    }                                                                                                        \
    template <>                                                                                              \
    void find_outside(const Real* x, Index n, double low, double high, std::vector<Index>& positions) {      \
        const Real lower = rounded_down<Real>(low);                                                          \
        const Real upper = rounded_up<Real>(high);                                                           \
        find_runs(n, positions, [&](Index first, Index last, Index* to) {                                    \
            return HWY_DYNAMIC_DISPATCH(Find##Name)(x, first, last, lower, upper, to);                       \
        });                                                                                                  \
    }                                                                                                        \
    template <>                                                                                              \
    void find_between(const Real* x, Index n, double low, double high, std::vector<Index>& positions) {      \
        const Real lower = rounded_up<Real>(low);                                                            \
        const Real upper = rounded_down<Real>(high);                                                         \
        find_runs(n, positions, [&](Index first, Index last, Index* to) {                                    \
            return HWY_DYNAMIC_DISPATCH(Between##Name)(x, first, last, lower, upper, to);                    \
        });                                                                                                  \
    }                                                                                                        \
    template <>                                                                                              \
    void fill_buckets(const Real* x, Index n, double threshold, double scale, double least, double per_unit, \
                      std::vector<Bucket>& buckets) {                                                        \
        HWY_DYNAMIC_DISPATCH(Fill##Name)                                                                     \
        (x, n, threshold, scale, least, per_unit, static_cast<double>(buckets.size() - 1), buckets.data());  \
    }                                                                                                        \
    template <>                                                                                              \
    double ramp_squares(const Real* x, Index n, double sign, double threshold, double scale) {               \
        return HWY_DYNAMIC_DISPATCH(Squares##Name)(x, n, sign, threshold, scale);                            \
    }                                                                                                        \
    template <>                                                                                              \
    void write_ramp(const Real* x, Index n, double sign, double threshold, double factor, Real* to) {        \
        HWY_DYNAMIC_DISPATCH(Ramp##Name)(x, n, sign, threshold, factor, to);                                 \
    }                                                                                                        \
    template <>                                                                                              \
    void block_sums(const Real* x, Index n, double scale, double* sums, double* magnitudes) {                \
        HWY_DYNAMIC_DISPATCH(Blocks##Name)(x, n, scale, sums, magnitudes);                                   \
    }
ALFCG_ENTRIES(Float, float)
ALFCG_ENTRIES(Double, double)
#undef ALFCG_ENTRIES

}  // namespace alfcg::kernels
#endif  // HWY_ONCE
