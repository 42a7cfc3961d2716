#include "objective/sparse_columns.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "kernels/sparse.hpp"

namespace alfcg {

namespace {

// Columns whose sums are gathered before they are written to the rows of the gradient.
constexpr Index tile_columns = 64;

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
    const Index* start = start_.data();
    const auto bound = [&](int part) {
        if (part == threads) return cols_;
        // A column costs something even when it is empty.
        const Index goal = (start[cols_] + cols_) / threads * part;
        Index low = 0;
        Index high = cols_;
        while (low < high) {
            const Index middle = (low + high) / 2;
            (start[middle] + middle < goal ? low : high) =
                start[middle] + middle < goal ? middle + 1 : middle;
        }
        return low;
    };
    sums_.resize(static_cast<std::size_t>(threads));
    for (auto& sums : sums_) sums.resize(static_cast<std::size_t>(tile_columns * stride));
    parallel(threads, [&](int part) {
        const Index last = bound(part + 1);
        Real* sums = sums_[static_cast<std::size_t>(part)].data();
        for (Index first = bound(part); first < last; first += tile_columns) {
            const Index end = std::min(first + tile_columns, last);
            for (Index l = 0; l < outputs; ++l)
                for (Index j = first; j < end; j += kernels::padded<Real>(1))
                    __builtin_prefetch(gradient + l * cols_ + j, 1, 3);
            kernels::gather_sums({start, row_.data(), value_.data()}, {nullptr, first, end - first},
                                 residuals, outputs, sums);
            kernels::rows_to_matrix(sums, first, end - first, outputs, cols_, gradient);
        }
    });
}

template class SparseColumns<float>;
template class SparseColumns<double>;

}  // namespace alfcg
