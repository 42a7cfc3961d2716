// Vectors of double, whatever the entries are. Included once per instruction set.
#if defined(ALFCG_KERNELS_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ALFCG_KERNELS_LANES_INL
#undef ALFCG_KERNELS_LANES_INL
#else
#define ALFCG_KERNELS_LANES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "alfcg/core/matrix.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr Index kMostLanes = 8;  // doubles in the widest vector

using D = hn::CappedTag<double, kMostLanes>;
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

/// Calls body(p) for runs of `step` entries, p the first of them; the last ones are padded with zeros.
template <Index MostStep, class Real, class Body>
HWY_INLINE void ForEachRun(const Real* x, Index n, Index step, const Body& body) {
    Index i = 0;
    for (; i + step <= n; i += step) body(x + i);
    if (i < n) {
        Real rest[MostStep] = {};
        std::copy(x + i, x + n, rest);
        body(static_cast<const Real*>(rest));
    }
}

/// Four rows of a matrix from row i on; past the end the last row stands in, and its share is left out.
template <class Real>
struct FourRows {
    FourRows(const Real* entries, Shape shape, Index stride, Index i)
        : count(std::min<Index>(4, shape.rows - i)) {
        for (Index r = 0; r < 4; ++r) row[r] = entries + std::min(i + r, shape.rows - 1) * stride;
    }
    const Real* row[4];
    Index count;
};

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
