// Products of dense rows with weights and with residuals, tile by tile: any number of outputs, all rows or those of a list. A thread has four by
// four entries of its block's tile; what is multiplied comes to shared memory sixteen steps at a time.
#pragma once

#include "cuda/lanes.cuh"

namespace alfcg::cuda {

inline constexpr int tile_depth = 16;

/// Rows of the data: those of a list, or a range.
struct RowList {
    const Index* list;
    Index first;
    Index count;
    __device__ Index row(Index i) const { return list == nullptr ? first + i : list[i]; }
};

template <int m, int n>
inline constexpr int tile_threads = m* n / 16;

/// sums[a][b] += Σ_k left[k][4 at_m + a] · right[k][4 at_n + b]; both have room for one pack more a line, so that columns lie apart.
template <class Real, int m, int n>
__device__ void multiply_tiles(const Real (&left)[tile_depth][m + 4], const Real (&right)[tile_depth][n + 4],
                               int at_m, int at_n, Real (&sums)[4][4]) {
#pragma unroll
    for (int k = 0; k < tile_depth; ++k) {
        Pack<Real> a[4 / Pack<Real>::size];
        Pack<Real> b[4 / Pack<Real>::size];
        const Pack<Real>* const from_left = reinterpret_cast<const Pack<Real>*>(&left[k][4 * at_m]);
        const Pack<Real>* const from_right = reinterpret_cast<const Pack<Real>*>(&right[k][4 * at_n]);
#pragma unroll
        for (int i = 0; i < 4 / Pack<Real>::size; ++i) a[i] = from_left[i];
#pragma unroll
        for (int i = 0; i < 4 / Pack<Real>::size; ++i) b[i] = from_right[i];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                sums[i][j] += a[i / Pack<Real>::size].v[i % Pack<Real>::size] *
                              b[j / Pack<Real>::size].v[j % Pack<Real>::size];
    }
}

/// Lines of `source` (each `stride` entries from the last, null for none), a tile of their columns, turned.
template <class Real, int m, class LineOf>
__device__ void load_turned(Real (&tile)[tile_depth][m + 4], int threads, Index col, Index cols,
                            LineOf line_of) {
    constexpr int n = Pack<Real>::size;
    constexpr int packs = tile_depth / n;
    for (int k = thread_number(); k < m * packs; k += threads) {
        const int line = k / packs;
        const int pack = k % packs;
        const Real* const from = line_of(line);
        Pack<Real> own{};
        if (from != nullptr && col + pack * n < cols)
            own = *reinterpret_cast<const Pack<Real>*>(from + col + pack * n);
#pragma unroll
        for (int j = 0; j < n; ++j) tile[pack * n + j][line] = own.v[j];
    }
}

/// scores[i · line + l] = <row i, weights l>, for m rows and n outputs a block.
template <class Real, int m, int n>
__global__ void __launch_bounds__((tile_threads<m, n>))
    score_tiles(const Real* data, Index stride, RowList rows, const Real* weights, int outputs, Real* scores,
                Index line) {
    __shared__ __align__(16) Real left[tile_depth][m + 4];
    __shared__ __align__(16) Real right[tile_depth][n + 4];
    constexpr int threads = tile_threads<m, n>;
    const Index first = block_number() * m;
    const int output = static_cast<int>(blockIdx.y) * n;
    const int at_m = thread_number() % (m / 4);
    const int at_n = thread_number() / (m / 4);
    Real sums[4][4] = {};
    for (Index col = 0; col < stride; col += tile_depth) {
        load_turned<Real, m>(left, threads, col, stride, [&](int k) {
            return first + k < rows.count ? data + rows.row(first + k) * stride : nullptr;
        });
        load_turned<Real, n>(right, threads, col, stride, [&](int k) {
            return output + k < outputs ? weights + (output + k) * stride : nullptr;
        });
        __syncthreads();
        multiply_tiles<Real, m, n>(left, right, at_m, at_n, sums);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const Index row = first + 4 * at_m + i;
            const int l = output + 4 * at_n + j;
            if (row < rows.count && l < outputs) scores[row * line + l] = sums[i][j];
        }
}

/// shares[z][l · stride + j] (+)= Σ_i residuals[i · outputs + l] · row i's entry j, over the z-th part of the rows, for m columns and n outputs a
/// block.
template <class Real, int m, int n>
__global__ void __launch_bounds__((tile_threads<m, n>))
    add_tiles(const Real* data, Index stride, RowList rows, const Real* residuals, int outputs, Real* shares,
              bool fresh) {
    __shared__ __align__(16) Real left[tile_depth][m + 4];
    __shared__ __align__(16) Real right[tile_depth][n + 4];
    constexpr int threads = tile_threads<m, n>;
    const Index col = block_number() * m;
    const int output = static_cast<int>(blockIdx.y) * n;
    const Index part = blockIdx.z;
    const Index parts = gridDim.z;
    const Index first = rows.count * part / parts;
    const Index last = rows.count * (part + 1) / parts;
    const int at_m = thread_number() % (m / 4);
    const int at_n = thread_number() / (m / 4);
    Real sums[4][4] = {};
    for (Index i = first; i < last; i += tile_depth) {
        for (int k = thread_number(); k < tile_depth * m; k += threads) {
            const Index row = i + k / m;
            const Index j = col + k % m;
            left[k / m][k % m] = row < last && j < stride ? data[rows.row(row) * stride + j] : Real(0);
        }
        for (int k = thread_number(); k < tile_depth * n; k += threads) {
            const Index row = i + k / n;
            const int l = output + k % n;
            right[k / n][k % n] = row < last && l < outputs ? residuals[row * outputs + l] : Real(0);
        }
        __syncthreads();
        multiply_tiles<Real, m, n>(left, right, at_m, at_n, sums);
        __syncthreads();
    }
    Real* const share = shares + part * outputs * stride;
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const Index at = col + 4 * at_m + i;
            const int l = output + 4 * at_n + j;
            if (at >= stride || l >= outputs) continue;
            Real& entry = share[l * stride + at];
            entry = fresh ? sums[i][j] : entry + sums[i][j];
        }
}

inline constexpr int score_threads = 128;

/// The same scores for few rows: a warp for each row and eight outputs, so that a batch is spread over the whole device.
template <class Real>
__global__ void __launch_bounds__(score_threads)
    score_rows(const Real* data, Index stride, RowList rows, const Real* weights, int outputs, Real* scores,
               Index line) {
    constexpr int n = Pack<Real>::size;
    constexpr int capacity = 8;
    const Index i = block_number() * (score_threads / warp_size) + warp_number();
    const int output = static_cast<int>(blockIdx.y) * capacity;
    if (i >= rows.count) return;
    const Index packs = stride / n;
    const Pack<Real>* const own = reinterpret_cast<const Pack<Real>*>(data + rows.row(i) * stride);
    const Pack<Real>* const given = reinterpret_cast<const Pack<Real>*>(weights) + output * packs;
    Real sums[capacity] = {};
    for (Index p = lane_number(); p < packs; p += warp_size) {
        const Pack<Real> x = own[p];
#pragma unroll
        for (int l = 0; l < capacity; ++l) {
            if (output + l >= outputs) continue;
            const Pack<Real> w = given[l * packs + p];
#pragma unroll
            for (int k = 0; k < n; ++k) sums[l] += x.v[k] * w.v[k];
        }
    }
    const Held held = scatter_sums(sums);
    if (held.count > 0 && output + held.first < outputs) scores[i * line + output + held.first] = sums[0];
}

}  // namespace alfcg::cuda
