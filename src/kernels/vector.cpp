// Compiled once per instruction set; the lane-wise loops are written so that the compiler vectorises them for
// each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "kernels/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// Independent partial sums: wide enough for two vectors of any instruction set, added up in a fixed order.
constexpr Index kLanes = 16;

HWY_INLINE double Total(const double* sums) {
    double total = 0;
    for (Index k = 0; k < kLanes; ++k) total += sums[k];
    return total;
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
HWY_INLINE double DistanceSquared(Index n, const Real* HWY_RESTRICT x, const Real* HWY_RESTRICT y) {
    double sums[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) {
            const double difference = static_cast<double>(x[i + k]) - static_cast<double>(y[i + k]);
            sums[k] += difference * difference;
        }
    }
    for (; i < n; ++i) {
        const double difference = static_cast<double>(x[i]) - static_cast<double>(y[i]);
        sums[0] += difference * difference;
    }
    return Total(sums);
}

template <bool Origin, class Real>
HWY_INLINE kernels::Direction DirectionTo(Index n, const Real* HWY_RESTRICT g, const Real* HWY_RESTRICT x,
                                          double s, const Real* HWY_RESTRICT v) {
    double slopes[kLanes] = {};
    double squares[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) {
            const double target = Origin ? 0.0 : s * static_cast<double>(v[i + k]);
            const double d = target - static_cast<double>(x[i + k]);
            slopes[k] += static_cast<double>(g[i + k]) * d;
            squares[k] += d * d;
        }
    }
    for (; i < n; ++i) {
        const double target = Origin ? 0.0 : s * static_cast<double>(v[i]);
        const double d = target - static_cast<double>(x[i]);
        slopes[0] += static_cast<double>(g[i]) * d;
        squares[0] += d * d;
    }
    return {Total(slopes), Total(squares)};
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
HWY_EXPORT(DistanceFloat);
HWY_EXPORT(DistanceDouble);
HWY_EXPORT(DirectionFloat);
HWY_EXPORT(DirectionDouble);
HWY_EXPORT(MoveFloat);
HWY_EXPORT(MoveDouble);

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

}  // namespace alfcg::kernels
#endif
