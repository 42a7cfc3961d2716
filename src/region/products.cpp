// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "region/products.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "region/lanes-inl.hpp"
#include "region/products.hpp"

#ifndef ALFCG_REGION_PRODUCTS_CONSTANTS
#define ALFCG_REGION_PRODUCTS_CONSTANTS
namespace alfcg::region {
// A Gram tile is tile x tile vector sums: nine independent chains hide the latency of multiply-add.
constexpr Index tile = 3;
constexpr Index whole_vector = 8;  // doubles in the widest vector

constexpr Index padded_side(Index side) {
    return (side + tile - 1) / tile * tile;
}
// Columns packed at a time: the panel stays in the second-level cache, and a tile's sums stay long.
constexpr Index panel_width(Index side) {
    return std::clamp<Index>(32768 / padded_side(side) / whole_vector * whole_vector, 128, 1024);
}
// Distance between packed rows: not a power of two, or they would all fall into the same few cache sets.
constexpr Index panel_stride(Index side) {
    return panel_width(side) + whole_vector;
}
}  // namespace alfcg::region
#endif

HWY_BEFORE_NAMESPACE();
namespace alfcg::region::HWY_NAMESPACE {
/// panel[i * stride + j] = scale · G(i, first + j) for j < count, zero in the padding.
template <class Real>
HWY_INLINE void PackRows(const Real* entries, Shape shape, double scale, Index first, Index count,
                         Index stride, double* HWY_RESTRICT panel) {
    const V factor = hn::Set(D(), scale);
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    for (Index i = 0; i < shape.rows; ++i) {
        const Real* row = entries + i * shape.cols + first;
        double* out = panel + i * stride;
        Index j = 0;
        for (; j + lanes <= count; j += lanes) hn::StoreU(hn::Mul(factor, Load(row + j)), D(), out + j);
        for (; j < count; ++j) out[j] = scale * static_cast<double>(row[j]);
        std::fill(out + count, out + count + whole_vector, 0.0);
    }
}

/// The same for the transpose: panel[j * stride + i] = scale · G(first + i, j).
template <class Real>
HWY_INLINE void PackColumns(const Real* entries, Shape shape, double scale, Index first, Index count,
                            Index stride, double* HWY_RESTRICT panel) {
    for (Index i = 0; i < count; ++i) {
        const Real* row = entries + (first + i) * shape.cols;
        for (Index j = 0; j < shape.cols; ++j) panel[j * stride + i] = scale * static_cast<double>(row[j]);
    }
    for (Index j = 0; j < shape.cols; ++j) std::fill_n(panel + j * stride + count, whole_vector, 0.0);
}

/// Inner products of three panel rows with three others, over `used` columns, added to the result.
HWY_INLINE void AddTile(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, Index stride, Index used,
                        Index row, Index col, Index side, double* HWY_RESTRICT result) {
    V s00 = hn::Zero(D()), s01 = s00, s02 = s00;
    V s10 = s00, s11 = s00, s12 = s00;
    V s20 = s00, s21 = s00, s22 = s00;
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    for (Index j = 0; j < used; j += lanes) {
        const V a0 = Load(a + j), a1 = Load(a + stride + j), a2 = Load(a + 2 * stride + j);
        const V b0 = Load(b + j), b1 = Load(b + stride + j), b2 = Load(b + 2 * stride + j);
        s00 = hn::MulAdd(a0, b0, s00);
        s01 = hn::MulAdd(a0, b1, s01);
        s02 = hn::MulAdd(a0, b2, s02);
        s10 = hn::MulAdd(a1, b0, s10);
        s11 = hn::MulAdd(a1, b1, s11);
        s12 = hn::MulAdd(a1, b2, s12);
        s20 = hn::MulAdd(a2, b0, s20);
        s21 = hn::MulAdd(a2, b1, s21);
        s22 = hn::MulAdd(a2, b2, s22);
    }
    const double sums[tile][tile] = {{Total(s00), Total(s01), Total(s02)},
                                     {Total(s10), Total(s11), Total(s12)},
                                     {Total(s20), Total(s21), Total(s22)}};
    for (Index i = 0; i < std::min(tile, side - row); ++i)
        for (Index j = 0; j < std::min(tile, side - col); ++j)
            result[(row + i) * side + col + j] += sums[i][j];
}

template <class Real>
HWY_INLINE void Gram(const Real* entries, Shape shape, double scale, double* HWY_RESTRICT panel,
                     double* HWY_RESTRICT result) {
    const bool wide = shape.rows <= shape.cols;
    const Index side = wide ? shape.rows : shape.cols;
    const Index length = wide ? shape.cols : shape.rows;
    const Index width = panel_width(side);
    std::fill(result, result + side * side, 0.0);
    const Index stride = panel_stride(side);
    std::fill(panel + side * stride, panel + padded_side(side) * stride, 0.0);
    for (Index first = 0; first < length; first += width) {
        const Index count = std::min(width, length - first);
        if (wide)
            PackRows(entries, shape, scale, first, count, stride, panel);
        else
            PackColumns(entries, shape, scale, first, count, stride, panel);
        // The lower triangle of tiles is enough.
        for (Index row = 0; row < side; row += tile)
            for (Index col = 0; col <= row; col += tile)
                AddTile(panel + row * stride, panel + col * stride, stride, count, row, col, side, result);
    }
    for (Index i = 0; i < side; ++i)
        for (Index j = 0; j < i; ++j) result[j * side + i] = result[i * side + j];
}

/// Four rows of the gradient from row i on; past the end the last row stands in, and its share is left out.
template <class Real>
struct FourRows {
    FourRows(const Real* entries, Shape shape, Index i) : count(std::min<Index>(4, shape.rows - i)) {
        for (Index r = 0; r < 4; ++r) row[r] = entries + std::min(i + r, shape.rows - 1) * shape.cols;
    }
    const Real* row[4];
    Index count;
};

template <class Real>
HWY_INLINE void Times(const Real* entries, Shape shape, double scale, const double* HWY_RESTRICT x,
                      double* HWY_RESTRICT y) {
    const V factor = hn::Set(D(), scale);
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    for (Index i = 0; i < shape.rows; i += 4) {
        const FourRows<Real> rows(entries, shape, i);
        V s0 = hn::Zero(D()), s1 = s0, s2 = s0, s3 = s0;
        Index j = 0;
        for (; j + lanes <= shape.cols; j += lanes) {
            const V xj = hn::Mul(factor, Load(x + j));
            s0 = hn::MulAdd(Load(rows.row[0] + j), xj, s0);
            s1 = hn::MulAdd(Load(rows.row[1] + j), xj, s1);
            s2 = hn::MulAdd(Load(rows.row[2] + j), xj, s2);
            s3 = hn::MulAdd(Load(rows.row[3] + j), xj, s3);
        }
        const double sums[4] = {Total(s0), Total(s1), Total(s2), Total(s3)};
        for (Index r = 0; r < rows.count; ++r) {
            double sum = sums[r];
            for (Index k = j; k < shape.cols; ++k)
                sum += static_cast<double>(rows.row[r][k]) * (scale * x[k]);
            y[i + r] = sum;
        }
    }
}

template <class Real>
HWY_INLINE void TransposedTimes(const Real* entries, Shape shape, double scale, const double* HWY_RESTRICT x,
                                double* HWY_RESTRICT y) {
    constexpr Index block = 2048;  // the part of y that is being summed stays in the first-level cache
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    std::fill(y, y + shape.cols, 0.0);
    for (Index first = 0; first < shape.cols; first += block) {
        const Index last = std::min(first + block, shape.cols);
        for (Index i = 0; i < shape.rows; i += 4) {
            const FourRows<Real> rows(entries, shape, i);
            double factors[4] = {};
            for (Index r = 0; r < rows.count; ++r) factors[r] = scale * x[i + r];
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
                for (Index r = 0; r < rows.count; ++r)
                    y[j] += factors[r] * static_cast<double>(rows.row[r][j]);
        }
    }
}

void GramFloat(const float* g, Shape shape, double scale, double* scratch, double* result) {
    Gram(g, shape, scale, scratch, result);
}
void GramDouble(const double* g, Shape shape, double scale, double* scratch, double* result) {
    Gram(g, shape, scale, scratch, result);
}
void TimesFloat(const float* g, Shape shape, double scale, const double* x, double* y) {
    Times(g, shape, scale, x, y);
}
void TimesDouble(const double* g, Shape shape, double scale, const double* x, double* y) {
    Times(g, shape, scale, x, y);
}
void TransposedFloat(const float* g, Shape shape, double scale, const double* x, double* y) {
    TransposedTimes(g, shape, scale, x, y);
}
void TransposedDouble(const double* g, Shape shape, double scale, const double* x, double* y) {
    TransposedTimes(g, shape, scale, x, y);
}

}  // namespace alfcg::region::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::region {

HWY_EXPORT(GramFloat);
HWY_EXPORT(GramDouble);
HWY_EXPORT(TimesFloat);
HWY_EXPORT(TimesDouble);
HWY_EXPORT(TransposedFloat);
HWY_EXPORT(TransposedDouble);

Index gram_scratch(Index side) {
    return padded_side(side) * panel_stride(side);
}

Index gram_depth(Index side, Index length) {
    // A lane sums columns of a panel (all of them on a machine without vectors), the lanes are added, then
    // the panels.
    return panel_width(side) + whole_vector + length / panel_width(side) + 1;
}

void gram(const float* entries, Shape shape, double scale, double* scratch, double* result) {
    HWY_DYNAMIC_DISPATCH(GramFloat)(entries, shape, scale, scratch, result);
}
void gram(const double* entries, Shape shape, double scale, double* scratch, double* result) {
    HWY_DYNAMIC_DISPATCH(GramDouble)(entries, shape, scale, scratch, result);
}
void times(const float* entries, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TimesFloat)(entries, shape, scale, x, y);
}
void times(const double* entries, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TimesDouble)(entries, shape, scale, x, y);
}
void transposed_times(const float* entries, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TransposedFloat)(entries, shape, scale, x, y);
}
void transposed_times(const double* entries, Shape shape, double scale, const double* x, double* y) {
    HWY_DYNAMIC_DISPATCH(TransposedDouble)(entries, shape, scale, x, y);
}

}  // namespace alfcg::region
#endif  // HWY_ONCE
