// Compiled once per instruction set; the plain loops are written so that the compiler vectorises them for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "kernels/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<double>;
using WideVec = hn::Vec<Wide>;

HWY_INLINE WideVec LoadWide(const double* from) {
    return hn::LoadU(Wide(), from);
}
HWY_INLINE WideVec LoadWide(const float* from) {
    return hn::PromoteTo(Wide(), hn::LoadU(hn::Rebind<float, Wide>(), from));
}

// Sums of `Sums` quantities over n entries: add(i, load, sums) adds what the vector of entries from i on contributes,
// which load(array) reads. Four vectors take turns, so that no addition waits for the last one.
template <Index Sums, class Add>
HWY_INLINE void SumUp(Index n, double (&totals)[Sums], const Add& add) {
    constexpr Index turns = 4;
    const Wide d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    WideVec sums[turns][Sums];
    for (auto& turn : sums)
        for (WideVec& sum : turn) sum = hn::Zero(d);
    const auto whole = [](const auto* from) HWY_ATTR { return LoadWide(from); };
    Index i = 0;
    for (; i + turns * lanes <= n; i += turns * lanes)
        for (Index turn = 0; turn < turns; ++turn) add(i + turn * lanes, whole, sums[turn]);
    for (; i + lanes <= n; i += lanes) add(i, whole, sums[0]);
    if (i < n) {
        add(
            i,
            [rest = n - i](const auto* from) HWY_ATTR {
                std::remove_cvref_t<decltype(*from)> lanes_of[HWY_MAX_BYTES / sizeof(double)] = {};
                std::copy_n(from, rest, lanes_of);
                return LoadWide(lanes_of);
            },
            sums[1]);
    }
    for (Index k = 0; k < Sums; ++k)
        totals[k] = hn::GetLane(
            hn::SumOfLanes(d, hn::Add(hn::Add(sums[0][k], sums[1][k]), hn::Add(sums[2][k], sums[3][k]))));
}

template <class Real>
HWY_INLINE void Axpby(Index n, double a, const Real* HWY_RESTRICT x, double b, Real* HWY_RESTRICT y) {
    const Real ra = static_cast<Real>(a);
    const Real rb = static_cast<Real>(b);
    for (Index i = 0; i < n; ++i) y[i] = ra * x[i] + rb * y[i];
}

template <class Real>
HWY_INLINE void ScaleTo(Index n, double a, const Real* x, Real* y) {
    const Real ra = static_cast<Real>(a);
    for (Index i = 0; i < n; ++i) y[i] = ra * x[i];
}

template <class Real>
HWY_INLINE void Subtract(Index n, const Real* HWY_RESTRICT x, const Real* HWY_RESTRICT y,
                         Real* HWY_RESTRICT to) {
    for (Index i = 0; i < n; ++i) to[i] = x[i] - y[i];
}

template <class Real>
HWY_INLINE double DistanceSquared(Index n, const Real* x, const Real* y) {
    double totals[1];
    SumUp(n, totals, [&](Index i, const auto& load, WideVec* sums) HWY_ATTR {
        const WideVec difference = hn::Sub(load(x + i), load(y + i));
        sums[0] = hn::MulAdd(difference, difference, sums[0]);
    });
    return totals[0];
}

template <bool Origin, class Real>
HWY_INLINE kernels::Direction DirectionTo(Index n, const Real* g, const Real* x, double s, const Real* v) {
    const WideVec scale = hn::Set(Wide(), s);
    double totals[2];
    SumUp(n, totals, [&](Index i, const auto& load, WideVec* sums) HWY_ATTR {
        WideVec d = load(x + i);
        if constexpr (Origin) {
            d = hn::Neg(d);
        } else {
            d = hn::MulSub(scale, load(v + i), d);
        }
        sums[0] = hn::MulAdd(load(g + i), d, sums[0]);
        sums[1] = hn::MulAdd(d, d, sums[1]);
    });
    return {totals[0], totals[1]};
}

template <class Real>
HWY_INLINE void MoveTowards(Index n, double step, double s, const Real* HWY_RESTRICT v,
                            Real* HWY_RESTRICT x) {
    const Real keep = static_cast<Real>(1 - step);
    if (v == nullptr) {
        for (Index i = 0; i < n; ++i) x[i] *= keep;
        return;
    }
    const Real rs = static_cast<Real>(s);
    const Real eta = static_cast<Real>(step);
    if (step == 1) {
        for (Index i = 0; i < n; ++i) x[i] = rs * v[i];
    } else {
        for (Index i = 0; i < n; ++i) x[i] += eta * (rs * v[i] - x[i]);
    }
}

// `Vectors` vectors of sums stay in registers while all lines go by.
template <Index Vectors>
HWY_INLINE void AddTile(Index n, std::span<const kernels::LineFactor> lines, const double* matrix,
                        double* to) {
    const Wide d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    WideVec sums[Vectors];
    for (WideVec& sum : sums) sum = hn::Zero(d);
    for (const kernels::LineFactor& one : lines) {
        const WideVec factor = hn::Set(d, one.factor);
        const double* line = matrix + one.line * n;
        for (Index v = 0; v < Vectors; ++v)
            sums[v] = hn::MulAdd(factor, hn::LoadU(d, line + v * lanes), sums[v]);
    }
    for (Index v = 0; v < Vectors; ++v) hn::StoreU(sums[v], d, to + v * lanes);
}

void AddLines(Index n, std::span<const kernels::LineFactor> lines, const double* matrix, double* to) {
    constexpr Index tile = 8;
    const Index lanes = static_cast<Index>(hn::Lanes(Wide()));
    Index j = 0;
    for (; j + tile * lanes <= n; j += tile * lanes) AddTile<tile>(n, lines, matrix + j, to + j);
    for (; j + lanes <= n; j += lanes) AddTile<1>(n, lines, matrix + j, to + j);
    for (; j < n; ++j) {
        double sum = 0;
        for (const kernels::LineFactor& one : lines) sum += one.factor * matrix[one.line * n + j];
        to[j] = sum;
    }
}

void AxpbyFloat(Index n, double a, const float* x, double b, float* y) {
    Axpby(n, a, x, b, y);
}
void AxpbyDouble(Index n, double a, const double* x, double b, double* y) {
    Axpby(n, a, x, b, y);
}
void ScaleFloat(Index n, double a, const float* x, float* y) {
    ScaleTo(n, a, x, y);
}
void ScaleDouble(Index n, double a, const double* x, double* y) {
    ScaleTo(n, a, x, y);
}
void SubtractFloat(Index n, const float* x, const float* y, float* to) {
    Subtract(n, x, y, to);
}
void SubtractDouble(Index n, const double* x, const double* y, double* to) {
    Subtract(n, x, y, to);
}
double DistanceFloat(Index n, const float* x, const float* y) {
    return DistanceSquared(n, x, y);
}
double DistanceDouble(Index n, const double* x, const double* y) {
    return DistanceSquared(n, x, y);
}
kernels::Direction DirectionFloat(Index n, const float* g, const float* x, double s, const float* v) {
    return v == nullptr ? DirectionTo<true>(n, g, x, s, v) : DirectionTo<false>(n, g, x, s, v);
}
kernels::Direction DirectionDouble(Index n, const double* g, const double* x, double s, const double* v) {
    return v == nullptr ? DirectionTo<true>(n, g, x, s, v) : DirectionTo<false>(n, g, x, s, v);
}
void MoveFloat(Index n, double step, double s, const float* v, float* x) {
    MoveTowards(n, step, s, v, x);
}
void MoveDouble(Index n, double step, double s, const double* v, double* x) {
    MoveTowards(n, step, s, v, x);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(AxpbyFloat);
HWY_EXPORT(AxpbyDouble);
HWY_EXPORT(ScaleFloat);
HWY_EXPORT(ScaleDouble);
HWY_EXPORT(SubtractFloat);
HWY_EXPORT(SubtractDouble);
HWY_EXPORT(DistanceFloat);
HWY_EXPORT(DistanceDouble);
HWY_EXPORT(DirectionFloat);
HWY_EXPORT(DirectionDouble);
HWY_EXPORT(MoveFloat);
HWY_EXPORT(MoveDouble);
HWY_EXPORT(AddLines);

void axpby(Index n, double a, const float* x, double b, float* y) {
    HWY_DYNAMIC_DISPATCH(AxpbyFloat)(n, a, x, b, y);
}
void axpby(Index n, double a, const double* x, double b, double* y) {
    HWY_DYNAMIC_DISPATCH(AxpbyDouble)(n, a, x, b, y);
}
void scale_to(Index n, double a, const float* x, float* y) {
    HWY_DYNAMIC_DISPATCH(ScaleFloat)(n, a, x, y);
}
void scale_to(Index n, double a, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(ScaleDouble)(n, a, x, y);
}
void subtract(Index n, const float* x, const float* y, float* to) {
    HWY_DYNAMIC_DISPATCH(SubtractFloat)(n, x, y, to);
}
void subtract(Index n, const double* x, const double* y, double* to) {
    HWY_DYNAMIC_DISPATCH(SubtractDouble)(n, x, y, to);
}
double distance_squared(Index n, const float* x, const float* y) {
    return HWY_DYNAMIC_DISPATCH(DistanceFloat)(n, x, y);
}
double distance_squared(Index n, const double* x, const double* y) {
    return HWY_DYNAMIC_DISPATCH(DistanceDouble)(n, x, y);
}
Direction direction(Index n, const float* gradient, const float* x, double s, const float* v) {
    return HWY_DYNAMIC_DISPATCH(DirectionFloat)(n, gradient, x, s, v);
}
Direction direction(Index n, const double* gradient, const double* x, double s, const double* v) {
    return HWY_DYNAMIC_DISPATCH(DirectionDouble)(n, gradient, x, s, v);
}
void move_towards(Index n, double step, double s, const float* v, float* x) {
    HWY_DYNAMIC_DISPATCH(MoveFloat)(n, step, s, v, x);
}
void move_towards(Index n, double step, double s, const double* v, double* x) {
    HWY_DYNAMIC_DISPATCH(MoveDouble)(n, step, s, v, x);
}
void add_lines(Index n, std::span<const LineFactor> lines, const double* matrix, double* to) {
    HWY_DYNAMIC_DISPATCH(AddLines)(n, lines, matrix, to);
}

}  // namespace alfcg::kernels
#endif
