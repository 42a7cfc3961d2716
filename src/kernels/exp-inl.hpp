// Included once per instruction set (note the guard that toggles).
#if defined(ALFCG_KERNELS_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ALFCG_KERNELS_EXP_INL
#undef ALFCG_KERNELS_EXP_INL
#else
#define ALFCG_KERNELS_EXP_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// e^x for x ≤ 0, zero where it would be below the normal numbers; a NaN stays one. In half the operations that the
// general one takes, within 0.7 units in the last place: x = n log 2 + r with |r| ≤ log(2)/2, and e^r = 1 + r + r² q(r),
// where q, of degree 4, has the smallest relative error (3e-9).
template <class D>
HWY_INLINE hn::Vec<D> ExpOfNegative(D d, hn::Vec<D> x) {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(double)) {
        return hn::IfThenElse(hn::Eq(x, x), hn::Exp(d, x), x);  // it would make a NaN zero
    } else {
        using V = hn::Vec<D>;
        const auto number = [&](float value) HWY_ATTR { return hn::Set(d, value); };
        // Adding this rounds to a whole number n and leaves n + 127, the exponent of 2^n, in the lowest bits.
        const V shift = number(12582912.0F + 127.0F);
        const V shifted = hn::MulAdd(x, number(1.44269504F), shift);
        const V n = hn::Sub(shifted, shift);
        V r = hn::NegMulAdd(n, number(0.693359375F), x);
        r = hn::NegMulAdd(n, number(-2.12194440e-4F), r);
        V e = hn::MulAdd(r, number(0x1.6a23dp-10F), number(0x1.123a2p-7F));
        e = hn::MulAdd(r, e, number(0x1.5558f2p-5F));
        e = hn::MulAdd(r, e, number(0x1.555492p-3F));
        e = hn::MulAdd(r, e, number(0x1.fffffcp-2F));
        e = hn::MulAdd(r, e, number(1));
        e = hn::MulAdd(r, e, number(1));
        const auto exponent = hn::ShiftLeft<23>(hn::BitCast(hn::Rebind<std::int32_t, D>(), shifted));
        const auto below = hn::Lt(x, number(-87.33F));
        return hn::IfThenZeroElse(below, hn::Mul(e, hn::BitCast(d, exponent)));
    }
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
