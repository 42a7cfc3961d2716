// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/products.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "core/split.hpp"
#include "kernels/lanes-inl.hpp"
#include "kernels/products.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

/// sums[r] = scale · <row r, x>.
template <class Real>
HWY_INLINE void Dots(const FourRows<Real>& rows, Index cols, double scale, const double* HWY_RESTRICT x,
                     double* HWY_RESTRICT sums) {
    const V factor = hn::Set(D(), scale);
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    V s0 = hn::Zero(D()), s1 = s0, s2 = s0, s3 = s0;
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
        const V xj = hn::Mul(factor, Load(x + j));
        s0 = hn::MulAdd(Load(rows.row[0] + j), xj, s0);
        s1 = hn::MulAdd(Load(rows.row[1] + j), xj, s1);
        s2 = hn::MulAdd(Load(rows.row[2] + j), xj, s2);
        s3 = hn::MulAdd(Load(rows.row[3] + j), xj, s3);
    }
    sums[0] = Total(s0), sums[1] = Total(s1), sums[2] = Total(s2), sums[3] = Total(s3);
    for (Index r = 0; r < 4; ++r)
        for (Index k = j; k < cols; ++k) sums[r] += static_cast<double>(rows.row[r][k]) * (scale * x[k]);
}

/// y[j] += Σ factors[r] · row r [j] for first <= j < last.
template <class Real>
HWY_INLINE void AddRows(const FourRows<Real>& rows, Index first, Index last, const double* factors,
                        double* HWY_RESTRICT y) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    const V f0 = hn::Set(D(), factors[0]), f1 = hn::Set(D(), factors[1]);
    const V f2 = hn::Set(D(), factors[2]), f3 = hn::Set(D(), factors[3]);
    Index j = first;
    for (; j + lanes <= last; j += lanes) {
        V sum = hn::MulAdd(f0, Load(rows.row[0] + j), Load(y + j));
        sum = hn::MulAdd(f1, Load(rows.row[1] + j), sum);
        sum = hn::MulAdd(f2, Load(rows.row[2] + j), sum);
        sum = hn::MulAdd(f3, Load(rows.row[3] + j), sum);
        hn::StoreU(sum, D(), y + j);
    }
    for (; j < last; ++j)
        for (Index r = 0; r < rows.count; ++r) y[j] += factors[r] * static_cast<double>(rows.row[r][j]);
}

template <class Real>
HWY_INLINE void Times(const Real* entries, Shape shape, double scale, const double* HWY_RESTRICT x,
                      double* HWY_RESTRICT y) {
    for (Index i = 0; i < shape.rows; i += 4) {
        const FourRows<Real> rows(entries, shape, shape.cols, i);
        double sums[4];
        Dots(rows, shape.cols, scale, x, sums);
        std::copy(sums, sums + rows.count, y + i);
    }
}

/// Of a block of columns of a matrix whose rows are `stride` apart.
template <class Real>
HWY_INLINE void TransposedTimes(const Real* entries, Shape shape, Index stride, double scale,
                                const double* HWY_RESTRICT x, double* HWY_RESTRICT y) {
    constexpr Index block = 2048;  // the part of y that is being summed stays in the first-level cache
    std::fill(y, y + shape.cols, 0.0);
    for (Index first = 0; first < shape.cols; first += block) {
        const Index last = std::min(first + block, shape.cols);
        for (Index i = 0; i < shape.rows; i += 4) {
            const FourRows<Real> rows(entries, shape, stride, i);
            double factors[4] = {};
            for (Index r = 0; r < rows.count; ++r) factors[r] = scale * x[i + r];
            AddRows(rows, first, last, factors, y);
        }
    }
}

void TimesFloat(const float* g, Shape shape, double scale, const double* x, double* y) {
    Times(g, shape, scale, x, y);
}
void TimesDouble(const double* g, Shape shape, double scale, const double* x, double* y) {
    Times(g, shape, scale, x, y);
}
void TransposedFloat(const float* g, Shape shape, Index stride, double scale, const double* x, double* y) {
    TransposedTimes(g, shape, stride, scale, x, y);
}
void TransposedDouble(const double* g, Shape shape, Index stride, double scale, const double* x, double* y) {
    TransposedTimes(g, shape, stride, scale, x, y);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {
namespace {

HWY_EXPORT(TimesFloat);
HWY_EXPORT(TimesDouble);
HWY_EXPORT(TransposedFloat);
HWY_EXPORT(TransposedDouble);

void times_part(const float* g, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TimesFloat)(g, shape, scale, x, y);
}
void times_part(const double* g, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TimesDouble)(g, shape, scale, x, y);
}
void transposed_part(const float* g, Shape shape, Index stride, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TransposedFloat)(g, shape, stride, scale, x, y);
}
void transposed_part(const double* g, Shape shape, Index stride, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TransposedDouble)(g, shape, stride, scale, x, y);
}

}  // namespace

template <class Real>
void times(const Real* entries, Shape shape, double scale, const double* x, double* y, int threads) {
    const int parts = parts_of(shape.size(), threads);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(shape.rows, part, parts);
        times_part(entries + first * shape.cols, {last - first, shape.cols}, scale, x, y + first);
    });
}

template <class Real>
void transposed_times(const Real* entries, Shape shape, double scale, const double* x, double* y,
                      int threads) {
    const int parts = parts_of(shape.size(), threads);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(shape.cols, part, parts);
        transposed_part(entries + first, {shape.rows, last - first}, shape.cols, scale, x, y + first);
    });
}

template void times(const float*, Shape, double, const double*, double*, int);
template void times(const double*, Shape, double, const double*, double*, int);
template void transposed_times(const float*, Shape, double, const double*, double*, int);
template void transposed_times(const double*, Shape, double, const double*, double*, int);

}  // namespace alfcg::kernels
#endif  // HWY_ONCE
