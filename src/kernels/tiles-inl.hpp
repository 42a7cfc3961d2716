// Included once per instruction set (note the guard that toggles).
#if defined(ALFCG_KERNELS_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ALFCG_KERNELS_TILES_INL
#undef ALFCG_KERNELS_TILES_INL
#else
#define ALFCG_KERNELS_TILES_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "alfcg/core/matrix.hpp"

// Before a loop over the vectors of a register tile: one that the compiler leaves a loop keeps them in memory. Checked
// builds do without: they would take too long to compile.
#ifndef ALFCG_UNROLL
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALFCG_UNROLL
#elif HWY_COMPILER_GCC_ACTUAL
#define ALFCG_UNROLL _Pragma("GCC unroll 16")
#else
#define ALFCG_UNROLL _Pragma("unroll")
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twice as many vector registers allow register tiles of twice the size.
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 != 0;

// Called on a vector that was loaded for several uses: the compiler would rather read it again for each of them,
// and reads are scarcer than registers.
template <class V>
HWY_INLINE void KeepInRegister([[maybe_unused]] V& v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    asm("" : "+v"(v.raw));  // NOLINT(hicpp-no-assembler)
#endif
}

// The same, for vectors that are to be loaded one after another: a CPU guesses what to fetch from the order in which
// it is asked for memory.
template <class V>
HWY_INLINE void KeepInOrder([[maybe_unused]] V& v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    asm volatile("" : "+v"(v.raw));  // NOLINT(hicpp-no-assembler)
#endif
}

// The last, incomplete vector of an array: `count` entries, then zeros. Nothing past the end is touched.
template <class D, class Real = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadTail(D d, const Real* from, Index count) {
#if HWY_MEM_OPS_MIGHT_FAULT
    HWY_ALIGN Real lanes[HWY_MAX_BYTES / sizeof(Real)] = {};
    std::memcpy(lanes, from, static_cast<std::size_t>(count) * sizeof(Real));
    return hn::Load(d, lanes);
#else
    return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d, from);
#endif
}

template <class D, class Real = hn::TFromD<D>>
HWY_INLINE void StoreTail(D d, hn::Vec<D> v, Real* to, Index count) {
#if HWY_MEM_OPS_MIGHT_FAULT
    HWY_ALIGN Real lanes[HWY_MAX_BYTES / sizeof(Real)];
    hn::Store(v, d, lanes);
    std::memcpy(to, lanes, static_cast<std::size_t>(count) * sizeof(Real));
#else
    hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(count)), d, to);
#endif
}

// A vector of samples; bytes become numbers.
template <class D, class Real = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadSamples(D d, const Real* from) {
    return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadSamples(D d, const std::uint8_t* from) {
    const auto numbers =
        hn::PromoteTo(hn::Rebind<std::int32_t, D>(), hn::LoadU(hn::Rebind<std::uint8_t, D>(), from));
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
        return hn::ConvertTo(d, numbers);
    } else {
        return hn::PromoteTo(d, numbers);
    }
}
// The last, incomplete one; bytes are followed by zeros.
template <class D, class Real = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadLastSamples(D d, const Real* from, Index count) {
    return LoadTail(d, from, count);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadLastSamples(D d, const std::uint8_t* from, Index /*count*/) {
    return LoadSamples(d, from);
}

// Calls visit<n>() for n = count, 1 .. most.
template <Index most, class Visit>
HWY_INLINE void ForCount(Index count, const Visit& visit) {
    if constexpr (most > 1) {
        if (count < most) return ForCount<most - 1>(count, visit);
    }
    visit.template operator()<most>();
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
