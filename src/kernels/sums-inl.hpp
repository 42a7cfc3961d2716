// Included once per instruction set (note the guard that toggles).
#if defined(ALFCG_KERNELS_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ALFCG_KERNELS_SUMS_INL
#undef ALFCG_KERNELS_SUMS_INL
#else
#define ALFCG_KERNELS_SUMS_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <class D, class V, class Real>
HWY_INLINE void StoreSums(D /*d*/, V a, V b, V c, V e, Real* to) {
    to[0] = hn::GetLane(a);
    to[1] = hn::GetLane(b);
    to[2] = hn::GetLane(c);
    to[3] = hn::GetLane(e);
}

#else

// The sum of a vector's 128-bit blocks.
template <class D>
HWY_INLINE auto SumOfBlocks(D /*d*/, hn::Vec<D> v) {
    if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) <= 16) {
        return v;
    } else {
        const hn::Half<D> half;
        return SumOfBlocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    }
}

// to[0] .. to[3] = sums of the lanes of a, b, c and e.
template <class D, class V>
HWY_INLINE void StoreSums(D d, V a, V b, V c, V e, float* to) {
    const hn::RepartitionToWide<D> wide;
    const auto first = hn::BitCast(wide, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
    const auto second =
        hn::BitCast(wide, hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e)));
    const auto sums = hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, first, second)),
                              hn::BitCast(d, hn::InterleaveUpper(wide, first, second)));
    hn::StoreU(SumOfBlocks(d, sums), hn::FixedTag<float, 4>(), to);
}
template <class D, class V>
HWY_INLINE void StoreSums(D d, V a, V b, V c, V e, double* to) {
    const hn::FixedTag<double, 2> block;
    const auto first = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
    const auto second = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
    hn::StoreU(SumOfBlocks(d, first), block, to);
    hn::StoreU(SumOfBlocks(d, second), block, to + 2);
}

#endif

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
