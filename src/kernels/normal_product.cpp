// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normal_product.cpp"
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

/// products[4 r + k] = <row r, column k of X>, over `cols` entries; columns are `stride` apart.
template <class Real>
HWY_INLINE void RowsTimesColumns(const FourRows<Real>& rows, Index cols, const double* HWY_RESTRICT x,
                                 Index stride, double* HWY_RESTRICT products) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    const double* x0 = x;
    const double* x1 = x + stride;
    const double* x2 = x + 2 * stride;
    const double* x3 = x + 3 * stride;
    V s00 = hn::Zero(D()), s01 = s00, s02 = s00, s03 = s00;
    V s10 = s00, s11 = s00, s12 = s00, s13 = s00;
    V s20 = s00, s21 = s00, s22 = s00, s23 = s00;
    V s30 = s00, s31 = s00, s32 = s00, s33 = s00;
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
        const V g0 = Load(rows.row[0] + j), g1 = Load(rows.row[1] + j);
        const V g2 = Load(rows.row[2] + j), g3 = Load(rows.row[3] + j);
        V column = Load(x0 + j);
        s00 = hn::MulAdd(g0, column, s00);
        s10 = hn::MulAdd(g1, column, s10);
        s20 = hn::MulAdd(g2, column, s20);
        s30 = hn::MulAdd(g3, column, s30);
        column = Load(x1 + j);
        s01 = hn::MulAdd(g0, column, s01);
        s11 = hn::MulAdd(g1, column, s11);
        s21 = hn::MulAdd(g2, column, s21);
        s31 = hn::MulAdd(g3, column, s31);
        column = Load(x2 + j);
        s02 = hn::MulAdd(g0, column, s02);
        s12 = hn::MulAdd(g1, column, s12);
        s22 = hn::MulAdd(g2, column, s22);
        s32 = hn::MulAdd(g3, column, s32);
        column = Load(x3 + j);
        s03 = hn::MulAdd(g0, column, s03);
        s13 = hn::MulAdd(g1, column, s13);
        s23 = hn::MulAdd(g2, column, s23);
        s33 = hn::MulAdd(g3, column, s33);
    }
    const double sums[16] = {Total(s00), Total(s01), Total(s02), Total(s03), Total(s10), Total(s11),
                             Total(s12), Total(s13), Total(s20), Total(s21), Total(s22), Total(s23),
                             Total(s30), Total(s31), Total(s32), Total(s33)};
    for (Index r = 0; r < 4; ++r) {
        for (Index k = 0; k < 4; ++k) {
            double sum = sums[4 * r + k];
            for (Index tail = j; tail < cols; ++tail)
                sum += static_cast<double>(rows.row[r][tail]) * x[k * stride + tail];
            products[4 * r + k] = sum;
        }
    }
}

/// Column k of Y += Σ_r factors[4 r + k] · row r, over `cols` entries.
template <class Real>
HWY_INLINE void AddRowsToColumns(const FourRows<Real>& rows, Index cols, const double* factors,
                                 double* HWY_RESTRICT y, Index stride) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
        const V g0 = Load(rows.row[0] + j), g1 = Load(rows.row[1] + j);
        const V g2 = Load(rows.row[2] + j), g3 = Load(rows.row[3] + j);
        for (Index k = 0; k < 4; ++k) {
            double* out = y + k * stride + j;
            V sum = hn::MulAdd(hn::Set(D(), factors[k]), g0, Load(out));
            sum = hn::MulAdd(hn::Set(D(), factors[4 + k]), g1, sum);
            sum = hn::MulAdd(hn::Set(D(), factors[8 + k]), g2, sum);
            sum = hn::MulAdd(hn::Set(D(), factors[12 + k]), g3, sum);
            hn::StoreU(sum, D(), out);
        }
    }
    for (; j < cols; ++j)
        for (Index k = 0; k < 4; ++k)
            for (Index r = 0; r < rows.count; ++r)
                y[k * stride + j] += factors[4 * r + k] * static_cast<double>(rows.row[r][j]);
}

/// Y += s GᵀG X over some rows: rows that have been multiplied are still in the cache when their share is
/// added.
template <class Real>
HWY_INLINE void FromTheRight(const Real* entries, Shape shape, double scale, const double* x, double* y) {
    for (Index i = 0; i < shape.rows; i += 4) {
        const FourRows<Real> rows(entries, shape, shape.cols, i);
        double factors[16];
        RowsTimesColumns(rows, shape.cols, x, shape.cols, factors);
        for (Index k = 0; k < 16; ++k) factors[k] = k < 4 * rows.count ? scale * factors[k] : 0;
        AddRowsToColumns(rows, shape.cols, factors, y, shape.cols);
    }
}

/// Columns first to last of Y, `stride` apart, = s G X of these rows.
template <class Real>
HWY_INLINE void BlockTimes(const Real* entries, Shape shape, double scale, const double* x, double* y,
                           Index stride) {
    for (Index i = 0; i < shape.rows; i += 4) {
        const FourRows<Real> rows(entries, shape, shape.cols, i);
        double products[16];
        RowsTimesColumns(rows, shape.cols, x, shape.cols, products);
        for (Index r = 0; r < rows.count; ++r)
            for (Index k = 0; k < 4; ++k) y[k * stride + i + r] = scale * products[4 * r + k];
    }
}

/// Y += s GᵀX of a block of columns, `stride` apart from row to row; those of Y are `length` apart.
template <class Real>
HWY_INLINE void BlockTransposed(const Real* entries, Shape shape, Index stride, double scale, const double* x,
                                double* y, Index length) {
    for (Index i = 0; i < shape.rows; i += 4) {
        const FourRows<Real> rows(entries, shape, stride, i);
        double factors[16];
        for (Index r = 0; r < 4; ++r)
            for (Index k = 0; k < 4; ++k)
                factors[4 * r + k] = r < rows.count ? scale * x[k * shape.rows + i + r] : 0;
        AddRowsToColumns(rows, shape.cols, factors, y, length);
    }
}

/// Y += s GGᵀ X over a block of columns, `stride` apart from row to row, narrow enough to stay in the cache
/// between its two uses; `z` holds GᵀX.
template <class Real>
HWY_INLINE void FromTheLeft(const Real* entries, Shape shape, Index stride, double scale, const double* x,
                            double* y, double* z) {
    std::fill(z, z + 4 * shape.cols, 0.0);
    BlockTransposed(entries, shape, stride, 1, x, z, shape.cols);
    for (Index k = 0; k < 4 * shape.cols; ++k) z[k] *= scale;
    for (Index i = 0; i < shape.rows; i += 4) {
        const FourRows<Real> rows(entries, shape, stride, i);
        double products[16];
        RowsTimesColumns(rows, shape.cols, z, shape.cols, products);
        for (Index r = 0; r < rows.count; ++r)
            for (Index k = 0; k < 4; ++k) y[k * shape.rows + i + r] += products[4 * r + k];
    }
}

void TimesFloat(const float* g, Shape shape, double scale, const double* x, double* y, Index stride) {
    BlockTimes(g, shape, scale, x, y, stride);
}
void TimesDouble(const double* g, Shape shape, double scale, const double* x, double* y, Index stride) {
    BlockTimes(g, shape, scale, x, y, stride);
}
void TransposedFloat(const float* g, Shape shape, Index stride, double scale, const double* x, double* y,
                     Index length) {
    BlockTransposed(g, shape, stride, scale, x, y, length);
}
void TransposedDouble(const double* g, Shape shape, Index stride, double scale, const double* x, double* y,
                      Index length) {
    BlockTransposed(g, shape, stride, scale, x, y, length);
}
void RightFloat(const float* g, Shape shape, double scale, const double* x, double* y) {
    FromTheRight(g, shape, scale, x, y);
}
void RightDouble(const double* g, Shape shape, double scale, const double* x, double* y) {
    FromTheRight(g, shape, scale, x, y);
}
void LeftFloat(const float* g, Shape shape, Index stride, double scale, const double* x, double* y,
               double* z) {
    FromTheLeft(g, shape, stride, scale, x, y, z);
}
void LeftDouble(const double* g, Shape shape, Index stride, double scale, const double* x, double* y,
                double* z) {
    FromTheLeft(g, shape, stride, scale, x, y, z);
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
HWY_EXPORT(RightFloat);
HWY_EXPORT(RightDouble);
HWY_EXPORT(LeftFloat);
HWY_EXPORT(LeftDouble);

void block_times(const float* g, Shape shape, double scale, const double* x, double* y, Index stride) {
    HWY_DYNAMIC_DISPATCH(TimesFloat)(g, shape, scale, x, y, stride);
}
void block_times(const double* g, Shape shape, double scale, const double* x, double* y, Index stride) {
    HWY_DYNAMIC_DISPATCH(TimesDouble)(g, shape, scale, x, y, stride);
}
void block_transposed(const float* g, Shape shape, Index stride, double scale, const double* x, double* y,
                      Index length) {
    HWY_DYNAMIC_DISPATCH(TransposedFloat)(g, shape, stride, scale, x, y, length);
}
void block_transposed(const double* g, Shape shape, Index stride, double scale, const double* x, double* y,
                      Index length) {
    HWY_DYNAMIC_DISPATCH(TransposedDouble)(g, shape, stride, scale, x, y, length);
}
void from_the_right(const float* g, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(RightFloat)(g, shape, scale, x, y);
}
void from_the_right(const double* g, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(RightDouble)(g, shape, scale, x, y);
}
void from_the_left(const float* g, Shape shape, Index stride, double scale, const double* x, double* y,
                   double* z) {
    HWY_DYNAMIC_DISPATCH(LeftFloat)(g, shape, stride, scale, x, y, z);
}
void from_the_left(const double* g, Shape shape, Index stride, double scale, const double* x, double* y,
                   double* z) {
    HWY_DYNAMIC_DISPATCH(LeftDouble)(g, shape, stride, scale, x, y, z);
}

}  // namespace

template <class Real>
void normal_product(const Real* entries, Shape shape, double scale, Side side, const double* x, double* y,
                    int threads, AlignedVector<double>& scratch) {
    static_assert(block_columns == 4);
    const bool right = side == Side::right;
    const Index size = 4 * (right ? shape.cols : shape.rows);
    const int parts = parts_of(4 * shape.size(), threads);
    // A block of columns of this width stays in half of the second-level cache.
    const Index width = std::clamp<Index>(
        (Index{1} << 19) / shape.rows / static_cast<Index>(sizeof(Real)) / 16 * 16, 64, 512);
    scratch.resize(static_cast<std::size_t>(parts * (size + 4 * width) + size));
    double* scaled = scratch.data();
    for (Index k = 0; k < size; ++k) scaled[k] = scale * x[k];
    parallel(parts, [&](int part) {
        double* z = scratch.data() + size + part * (size + 4 * width);
        double* sum = part == 0 ? y : z + 4 * width;
        std::fill(sum, sum + size, 0.0);
        if (right) {
            const auto [first, last] = range_of_part(shape.rows, part, parts);
            from_the_right(entries + first * shape.cols, {last - first, shape.cols}, scale, scaled, sum);
            return;
        }
        const auto [begin, end] = range_of_part(shape.cols, part, parts);
        for (Index first = begin; first < end; first += width)
            from_the_left(entries + first, {shape.rows, std::min(width, end - first)}, shape.cols, scale,
                          scaled, sum, z);
    });
    for (int part = 1; part < parts; ++part) {
        const double* sum = scratch.data() + size + part * (size + 4 * width) + 4 * width;
        for (Index k = 0; k < size; ++k) y[k] += sum[k];
    }
}

template <class Real>
void times_block(const Real* entries, Shape shape, double scale, const double* x, double* y, int threads) {
    const int parts = parts_of(2 * shape.size(), threads);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(shape.rows, part, parts);
        block_times(entries + first * shape.cols, {last - first, shape.cols}, scale, x, y + first,
                    shape.rows);
    });
}

template <class Real>
void transposed_times_block(const Real* entries, Shape shape, double scale, const double* x, double* y,
                            int threads) {
    const int parts = parts_of(2 * shape.size(), threads);
    std::fill(y, y + 4 * shape.cols, 0.0);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(shape.cols, part, parts);
        block_transposed(entries + first, {shape.rows, last - first}, shape.cols, scale, x, y + first,
                         shape.cols);
    });
}

template void times_block(const float*, Shape, double, const double*, double*, int);
template void times_block(const double*, Shape, double, const double*, double*, int);
template void transposed_times_block(const float*, Shape, double, const double*, double*, int);
template void transposed_times_block(const double*, Shape, double, const double*, double*, int);
template void normal_product(const float*, Shape, double, Side, const double*, double*, int,
                             AlignedVector<double>&);
template void normal_product(const double*, Shape, double, Side, const double*, double*, int,
                             AlignedVector<double>&);

}  // namespace alfcg::kernels
#endif  // HWY_ONCE
