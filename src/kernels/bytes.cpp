// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bytes.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "kernels/bytes.hpp"
#include "kernels/dense.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// The whole part of numbers from 0 on.
template <class D>
HWY_INLINE auto WholePart(D /*d*/, hn::Vec<D> v) {
    const hn::Rebind<std::int32_t, D> numbers;
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
        return hn::ConvertTo(numbers, v);
    } else {
        return hn::DemoteTo(numbers, v);
    }
}

template <class Real>
HWY_INLINE bool WholeMultiples(const Real* entries, Index n, double scale, std::uint8_t* bytes) {
    const hn::ScalableTag<Real> d;
    const hn::Rebind<std::uint8_t, decltype(d)> narrow;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const V unit = hn::Set(d, static_cast<Real>(scale));
    const V inverse = hn::Set(d, static_cast<Real>(1 / scale));
    const V half = hn::Set(d, static_cast<Real>(0.5));
    const V most = hn::Set(d, static_cast<Real>(255));
    const V tolerance = hn::Set(d, 4 * std::numeric_limits<Real>::epsilon());
    for (Index j = 0; j < n; j += lanes) {
        const V x = j + lanes <= n ? hn::LoadU(d, entries + j) : LoadTail(d, entries + j, n - j);
        const V multiple = hn::Max(hn::Zero(d), hn::Min(hn::Mul(x, inverse), most));
        const auto number = WholePart(d, hn::Add(multiple, half));
        const auto byte = hn::DemoteTo(narrow, number);
        hn::StoreU(byte, narrow, bytes + j);
        const V nearest = hn::Mul(LoadSamples(d, bytes + j), unit);
        if (!hn::AllTrue(d, hn::Le(hn::Abs(hn::Sub(x, nearest)), hn::Mul(tolerance, nearest)))) return false;
    }
    const Index written = (n + lanes - 1) / lanes * lanes;
    std::fill(bytes + written, bytes + padded_bytes(n), std::uint8_t{0});
    return true;
}

bool WholeFloat(const float* entries, Index n, double scale, std::uint8_t* bytes) {
    return WholeMultiples(entries, n, scale, bytes);
}
bool WholeDouble(const double* entries, Index n, double scale, std::uint8_t* bytes) {
    return WholeMultiples(entries, n, scale, bytes);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(WholeFloat);
HWY_EXPORT(WholeDouble);

bool whole_multiples(const float* entries, Index n, double scale, std::uint8_t* bytes) {
    return HWY_DYNAMIC_DISPATCH(WholeFloat)(entries, n, scale, bytes);
}
bool whole_multiples(const double* entries, Index n, double scale, std::uint8_t* bytes) {
    return HWY_DYNAMIC_DISPATCH(WholeDouble)(entries, n, scale, bytes);
}

}  // namespace alfcg::kernels
#endif
