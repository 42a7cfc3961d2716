#include "objective/sparse_columns.hpp"

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"
#include "kernels/sparse.hpp"

namespace alfcg {

namespace {

// Columns whose sums are gathered before they are written to the rows of the gradient.
constexpr Index tile_columns = 64;
// Columns that a thread takes at a time.
constexpr Index claimed_columns = 1024;

}  // namespace

template <class Real>
SparseColumns<Real>::SparseColumns(const SparseFeatures<Real>& features) : cols_(features.cols()) {
    const auto entries = static_cast<std::size_t>(features.nonzeros());
    start_.resize(static_cast<std::size_t>(cols_) + 1);
    row_.resize(entries);
    value_.resize(entries);
    std::fill(start_.data(), start_.data() + cols_ + 1, Index{0});
    for (std::size_t k = 0; k < entries; ++k) ++start_[static_cast<std::size_t>(features.column[k]) + 1];
    for (std::size_t j = 0; j < static_cast<std::size_t>(cols_); ++j) start_[j + 1] += start_[j];
    // Filling moves each start to the next one's place; they are moved back afterwards.
    for (Index i = 0; i < features.rows(); ++i) {
        for (Index k = features.start[static_cast<std::size_t>(i)];
             k < features.start[static_cast<std::size_t>(i) + 1]; ++k) {
            const auto from = static_cast<std::size_t>(k);
            const auto to =
                static_cast<std::size_t>(start_[static_cast<std::size_t>(features.column[from])]++);
            row_[to] = static_cast<std::int32_t>(i);
            value_[to] = features.value[from];
        }
    }
    std::copy_backward(start_.data(), start_.data() + cols_, start_.data() + cols_ + 1);
    start_[0] = 0;
}

template <class Real>
void SparseColumns<Real>::gather(int threads, kernels::Table<const Real> residuals, Index outputs,
                                 Real* gradient) {
    const Index stride = kernels::table_stride<Real>(outputs);
    sums_.resize(static_cast<std::size_t>(threads));
    for (auto& sums : sums_) sums.resize(static_cast<std::size_t>(tile_columns * stride));
    // Whoever is free takes the next columns: how long they take depends on where their residuals are.
    std::atomic<Index> next = 0;
    parallel(threads, [&](int part) {
        Real* sums = sums_[static_cast<std::size_t>(part)].data();
        for (Index first = next.fetch_add(claimed_columns); first < cols_;
             first = next.fetch_add(claimed_columns)) {
            const Index last = std::min(first + claimed_columns, cols_);
            for (Index tile = first; tile < last; tile += tile_columns) {
                const Index count = std::min(tile_columns, last - tile);
                for (Index l = 0; l < outputs; ++l)
                    for (Index j = tile; j < tile + count; j += kernels::padded<Real>(1))
                        __builtin_prefetch(gradient + l * cols_ + j, 1, 3);
                kernels::gather_sums({start_.data(), row_.data(), value_.data()}, {nullptr, tile, count},
                                     residuals, outputs, sums);
                kernels::rows_to_matrix(sums, tile, count, outputs, cols_, gradient);
            }
        }
    });
}

template class SparseColumns<float>;
template class SparseColumns<double>;

}  // namespace alfcg
