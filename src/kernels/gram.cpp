// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gram.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/split.hpp"
#include "kernels/lanes-inl.hpp"
#include "kernels/products.hpp"
#include "kernels/tiles-inl.hpp"

#ifndef ALFCG_KERNELS_GRAM_LAYOUT
#define ALFCG_KERNELS_GRAM_LAYOUT
namespace alfcg::kernels {
// A tile is tile x tile vector sums: nine independent chains hide the latency of multiply-add. Small sides take larger
// ones where there are registers for them and fewer sums are computed in vain.
constexpr Index tile = 3;
constexpr Index largest_tile = 5;
constexpr Index whole_vector = 8;  // doubles in the widest vector

/// Rows of the gradient, or columns of a tall one, are packed as doubles, a panel of columns at a time, and
/// multiplied tile by tile. Up to a side of `most_kept` every tile keeps its vector sums from panel to panel,
/// and parts are runs of columns; beyond, parts are rows of the result, and sums go there.
struct GramLayout {
    static constexpr Index most_kept = 96;
    static constexpr Index block = 48;  // rows of a long panel that are multiplied with each other in turn

    explicit constexpr GramLayout(Index side)
        : kept(side <= most_kept),
          padded(side + largest_tile - 1),
          // Short panels fit into the first-level cache, two blocks of long ones into the second-level.
          width(kept ? std::clamp<Index>(2560 / (side + 1) / whole_vector * whole_vector, 64, 256) : 512),
          // Not a power of two, or the rows would all fall into the same few cache sets.
          stride(width + whole_vector),
          sums(kept ? padded * (padded + largest_tile) / 2 * whole_vector : 0) {}
    [[nodiscard]] constexpr Index panel() const { return padded * stride; }
    [[nodiscard]] constexpr Index scratch() const { return panel() + sums; }

    bool kept;
    Index padded;  // rows of a panel, with those that complete the last tile
    Index width;
    Index stride;
    Index sums;  // of all tiles, at most
};
}  // namespace alfcg::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

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

/// Hands the inner products of T panel rows with T others, over `used` columns, to take(k, sum) as vectors to be added
/// up. On the diagonal the two are the same, and the upper triangle is left out.
template <Index T, bool Diagonal, class Take>
HWY_INLINE void MultiplyTile(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, Index stride,
                             Index used, const Take& take) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    V sum[T][T];
    ALFCG_UNROLL
    for (Index r = 0; r < T; ++r) {
        ALFCG_UNROLL
        for (Index c = 0; c < T; ++c) sum[r][c] = hn::Zero(D());
    }
    for (Index j = 0; j < used; j += lanes) {
        V left[T];
        ALFCG_UNROLL
        for (Index r = 0; r < T; ++r) left[r] = Load(a + r * stride + j);
        ALFCG_UNROLL
        for (Index c = 0; c < T; ++c) {
            const V right = Diagonal ? left[c] : Load(b + c * stride + j);
            ALFCG_UNROLL
            for (Index r = Diagonal ? c : 0; r < T; ++r) sum[r][c] = hn::MulAdd(left[r], right, sum[r][c]);
        }
    }
    ALFCG_UNROLL
    for (Index r = 0; r < T; ++r) {
        ALFCG_UNROLL
        for (Index c = 0; c < (Diagonal ? r + 1 : T); ++c) take(r * T + c, sum[r][c]);
    }
}

/// The tile at (row, col) of the product of the panel with itself.
template <Index T, class Take>
HWY_INLINE void PanelTile(const double* panel, Index row, Index col, Index stride, Index used,
                          const Take& take) {
    if (row == col)
        MultiplyTile<T, true>(panel + row * stride, panel + row * stride, stride, used, take);
    else
        MultiplyTile<T, false>(panel + row * stride, panel + col * stride, stride, used, take);
}

/// Calls visit<T>() for the tile with the fewest vector sums in all.
template <class Visit>
HWY_INLINE void ForBestTile(Index side, const Visit& visit) {
    const auto sums = [side](Index t) {
        const Index tiles = (side + t - 1) / t;
        return tiles * (tiles - 1) / 2 * t * t + tiles * t * (t + 1) / 2;
    };
    if constexpr (kManyRegisters) {
        static_assert(tile == 3 && largest_tile == 5);
        if (sums(5) < std::min(sums(3), sums(4))) return visit.template operator()<5>();
        if (sums(4) < sums(3)) return visit.template operator()<4>();
    }
    visit.template operator()<tile>();
}

/// With rows of zeros that complete the last tile.
template <Index T, class Real>
HWY_INLINE void Pack(const Real* entries, Shape shape, double scale, Index first, Index count, Index stride,
                     double* panel) {
    const Index side = std::min(shape.rows, shape.cols);
    if (shape.rows <= shape.cols)
        PackRows(entries, shape, scale, first, count, stride, panel);
    else
        PackColumns(entries, shape, scale, first, count, stride, panel);
    std::fill(panel + side * stride, panel + (side + T - 1) / T * T * stride, 0.0);
}

/// The tiles' vector sums over the columns (of a wide matrix) or rows (of a tall one) from `first` to `last`.
template <Index T, class Real>
HWY_INLINE void KeptSums(const Real* entries, Shape shape, double scale, Index first, Index last,
                         double* HWY_RESTRICT scratch) {
    const Index side = std::min(shape.rows, shape.cols);
    const GramLayout layout(side);
    double* panel = scratch;
    double* sums = scratch + layout.panel();
    const Index tiles = (side + T - 1) / T;
    std::fill_n(sums, tiles * (tiles + 1) / 2 * T * T * whole_vector, 0.0);
    for (; first < last; first += layout.width) {
        const Index count = std::min(layout.width, last - first);
        Pack<T>(entries, shape, scale, first, count, layout.stride, panel);
        double* next = sums;
        for (Index row = 0; row < side; row += T) {
            for (Index col = 0; col <= row; col += T, next += T * T * whole_vector) {
                PanelTile<T>(panel, row, col, layout.stride, count, [next](Index k, V sum) HWY_ATTR {
                    double* p = next + k * whole_vector;
                    hn::StoreU(hn::Add(Load(p), sum), D(), p);
                });
            }
        }
    }
}

/// Adds the lanes of one part's sums to the lower triangle of the result.
void AddLanes(Index side, const double* sums, double* HWY_RESTRICT result) {
    ForBestTile(side, [&]<Index T>() HWY_ATTR {
        for (Index row = 0; row < side; row += T) {
            for (Index col = 0; col <= row; col += T) {
                for (Index k = 0; k < T * T; ++k, sums += whole_vector) {
                    const Index i = row + k / T, j = col + k % T;
                    if (i < side && j <= i) result[i * side + j] += Total(Load(sums));
                }
            }
        }
    });
}

/// Adds the rows from `first` to `last` of the lower triangle to the result; both are multiples of a block,
/// or the end.
template <class Real>
HWY_INLINE void Rows(const Real* entries, Shape shape, double scale, Index first, Index last,
                     double* HWY_RESTRICT panel, double* HWY_RESTRICT result) {
    const Index side = std::min(shape.rows, shape.cols);
    const Index length = std::max(shape.rows, shape.cols);
    const GramLayout layout(side);
    for (Index start = 0; start < length; start += layout.width) {
        const Index count = std::min(layout.width, length - start);
        Pack<tile>(entries, shape, scale, start, count, layout.stride, panel);
        for (Index rows = first; rows < last; rows += layout.block) {
            for (Index cols = 0; cols <= rows; cols += layout.block) {
                for (Index row = rows; row < std::min(rows + layout.block, last); row += tile) {
                    for (Index col = cols; col <= std::min(cols + layout.block - 1, row); col += tile) {
                        PanelTile<tile>(panel, row, col, layout.stride, count, [=](Index k, V sum) HWY_ATTR {
                            const Index i = row + k / tile, j = col + k % tile;
                            if (i < side && j <= i) result[i * side + j] += Total(sum);
                        });
                    }
                }
            }
        }
    }
}

void KeptFloat(const float* g, Shape shape, double scale, Index first, Index last, double* scratch) {
    ForBestTile(std::min(shape.rows, shape.cols),
                [&]<Index T>() HWY_ATTR { KeptSums<T>(g, shape, scale, first, last, scratch); });
}
void KeptDouble(const double* g, Shape shape, double scale, Index first, Index last, double* scratch) {
    ForBestTile(std::min(shape.rows, shape.cols),
                [&]<Index T>() HWY_ATTR { KeptSums<T>(g, shape, scale, first, last, scratch); });
}
void RowsFloat(const float* g, Shape shape, double scale, Index first, Index last, double* scratch,
               double* result) {
    Rows(g, shape, scale, first, last, scratch, result);
}
void RowsDouble(const double* g, Shape shape, double scale, Index first, Index last, double* scratch,
                double* result) {
    Rows(g, shape, scale, first, last, scratch, result);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {
namespace {

HWY_EXPORT(KeptFloat);
HWY_EXPORT(KeptDouble);
HWY_EXPORT(RowsFloat);
HWY_EXPORT(RowsDouble);
HWY_EXPORT(AddLanes);

void kept_sums(const float* g, Shape shape, double scale, Index first, Index last, double* scratch) {
    HWY_DYNAMIC_DISPATCH(KeptFloat)(g, shape, scale, first, last, scratch);
}
void kept_sums(const double* g, Shape shape, double scale, Index first, Index last, double* scratch) {
    HWY_DYNAMIC_DISPATCH(KeptDouble)(g, shape, scale, first, last, scratch);
}
void add_rows(const float* g, Shape shape, double scale, Index first, Index last, double* scratch,
              double* result) {
    HWY_DYNAMIC_DISPATCH(RowsFloat)(g, shape, scale, first, last, scratch, result);
}
void add_rows(const double* g, Shape shape, double scale, Index first, Index last, double* scratch,
              double* result) {
    HWY_DYNAMIC_DISPATCH(RowsDouble)(g, shape, scale, first, last, scratch, result);
}

void add_lanes(Index side, const double* sums, double* result) {
    HWY_DYNAMIC_DISPATCH(AddLanes)(side, sums, result);
}

/// Every entry is multiplied with side/2 others, some of them at once.
int gram_parts(Index side, Index length, int threads) {
    return parts_of(side * length * side / 16, threads);
}

/// The first row of a part: parts of a triangle of equal area.
Index triangle_share(Index side, int part, int parts) {
    const double row = static_cast<double>(side) * std::sqrt(static_cast<double>(part) / parts);
    const Index blocks = std::lround(row / static_cast<double>(GramLayout::block));
    return part == parts ? side : std::min(side, blocks * GramLayout::block);
}

}  // namespace

Index gram_depth(Index side, Index length, int threads) {
    // A lane sums columns of a panel (all of them on a machine without vectors), then the panels; the lanes
    // are added, then the parts.
    const Index width = GramLayout(side).width;
    return width + length / width + 1 + whole_vector + gram_parts(side, length, threads);
}

template <class Real>
void gram(const Real* entries, Shape shape, double scale, int threads, AlignedVector<double>& scratch,
          double* result) {
    const Index side = std::min(shape.rows, shape.cols);
    const Index length = std::max(shape.rows, shape.cols);
    const GramLayout layout(side);
    const int parts = gram_parts(side, length, threads);
    scratch.resize(static_cast<std::size_t>(parts * layout.scratch()));
    std::fill(result, result + side * side, 0.0);
    parallel(parts, [&](int part) {
        double* own = scratch.data() + part * layout.scratch();
        if (layout.kept) {
            const auto [first, last] = range_of_part(length, part, parts);
            kept_sums(entries, shape, scale, first, last, own);
        } else {
            add_rows(entries, shape, scale, triangle_share(side, part, parts),
                     triangle_share(side, part + 1, parts), own, result);
        }
    });
    if (layout.kept) {
        for (int part = 0; part < parts; ++part)
            add_lanes(side, scratch.data() + part * layout.scratch() + layout.panel(), result);
    }
    for (Index i = 0; i < side; ++i)
        for (Index j = 0; j < i; ++j) result[j * side + i] = result[i * side + j];
}

template void gram(const float*, Shape, double, int, AlignedVector<double>&, double*);
template void gram(const double*, Shape, double, int, AlignedVector<double>&, double*);

}  // namespace alfcg::kernels
#endif  // HWY_ONCE
