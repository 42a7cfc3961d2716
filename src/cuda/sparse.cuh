// Sparse rows. Weights, residuals and gradients lie in tables in which the outputs of a feature (or of a sample) lie side by side.
#pragma once

#include "cuda/tiles.cuh"

namespace alfcg::cuda {

inline constexpr int sparse_threads = 256;
inline constexpr int segment_entries = 1024;  // of a column, at most: longer ones are shared among warps

/// Compressed lines: entries start[i] − base .. start[i + 1] − base of `place` and `value`.
template <class Real>
struct Lines {
    const Index* start;
    const std::int32_t* place;
    const Real* value;
    Index base;

    __device__ Index begin(Index line) const { return start[line] - base; }
    __device__ Index end(Index line) const { return start[line + 1] - base; }
};

/// sums[i · line + l] = Σ_k value[k] · table[place[k]][l] over the entries of a line. A warp for each line; `width` lanes (a power of two) for
/// the outputs of an entry, the other lanes for further entries.
template <class Real>
__global__ void __launch_bounds__(sparse_threads)
    sparse_sums(Lines<Real> lines, RowList list, const Real* table, int outputs, int width, Real* sums,
                Index line) {
    const Index i = block_number() * (sparse_threads / warp_size) + warp_number();
    if (i >= list.count) return;
    const Index first = lines.begin(list.row(i));
    const Index last = lines.end(list.row(i));
    const int together = warp_size / width;
    const int own = lane_number() / width;
    for (int base = 0; base < outputs; base += width) {
        const int l = base + lane_number() % width;
        Real sum = 0;
        if (l < outputs) {
#pragma unroll 4
            for (Index k = first + own; k < last; k += together)
                sum += lines.value[k] * table[static_cast<Index>(lines.place[k]) * outputs + l];
        }
        for (int offset = width; offset < warp_size; offset *= 2)
            sum += __shfl_xor_sync(every_lane, sum, offset);
        if (own == 0 && l < outputs) sums[i * line + l] = sum;
    }
}

/// table[j][l] = Σ_i residuals[i][l] · row i's entry in column j, for the columns from bounds[w] to bounds[w + 1], which belong to warp w alone: rows come in
/// their order, so that the sums do too. The table is zero before.
template <class Real>
__global__ void __launch_bounds__(sparse_threads)
    sparse_scatter(Lines<Real> lines, RowList list, const Real* residuals, int outputs,
                   const std::int32_t* bounds, Index ranges, Real* table) {
    const Index range = block_number() * (sparse_threads / warp_size) + warp_number();
    if (range >= ranges) return;
    const std::int32_t from = bounds[range];
    const std::int32_t to = bounds[range + 1];
    const auto first_not_below = [&](Index low, Index high, std::int32_t column) {
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (lines.place[middle] < column) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    };
    for (Index i = 0; i < list.count; ++i) {
        const Index end = lines.end(list.row(i));
        const Index first = first_not_below(lines.begin(list.row(i)), end, from);
        const Index last = first_not_below(first, end, to);
        // Entries of a row are of different columns: lanes do not meet.
        for (Index k = lane_number(); k < (last - first) * outputs; k += warp_size) {
            const Index at = first + k / outputs;
            const Index l = k % outputs;
            table[static_cast<Index>(lines.place[at]) * outputs + l] +=
                residuals[i * outputs + l] * lines.value[at];
        }
        __syncwarp();  // what is added next may lie where another lane has added
    }
}

/// to[j][l] = from[l · stride + j], j < cols.
template <class Real>
__global__ void __launch_bounds__(sparse_threads)
    to_table(const Real* from, Index stride, Index cols, int outputs, Real* to) {
    const Index at = block_number() * sparse_threads + thread_number();
    if (at < cols * outputs) to[at] = from[at % outputs * stride + at / outputs];
}

/// to[l · stride + j] = Σ of the segments of column j, or of table[j][l] where there are none to be added up, unless `fresh` with what is there; what
/// pads it is 0.
template <class Real>
__global__ void __launch_bounds__(sparse_threads)
    from_table(const Real* table, const Index* segments, Index cols, int outputs, Real* to, Index stride,
               bool fresh) {
    const Index at = block_number() * sparse_threads + thread_number();
    if (at >= stride * outputs) return;
    const Index j = at % stride;
    const Index l = at / stride;
    Real sum = 0;
    if (j < cols) {
        const Index first = segments == nullptr ? j : segments[j];
        const Index last = segments == nullptr ? j + 1 : segments[j + 1];
        for (Index s = first; s < last; ++s) sum += table[s * outputs + l];
    }
    to[at] = fresh ? sum : to[at] + sum;
}

}  // namespace alfcg::cuda
