#include "objective/sparse_columns.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "kernels/sparse.hpp"

namespace alfcg {

namespace {

// Columns that a thread takes at a time.
constexpr Index claimed_columns = 1024;

}  // namespace

template <class Real>
SparseColumns<Real>::SparseColumns(const SparseFeatures<Real>& features,
                                   const std::optional<CodedRows<Real>>& coded)
    : cols_(features.cols()) {
    const auto entries = static_cast<std::size_t>(features.nonzeros());
    const auto cols = static_cast<std::size_t>(cols_);
    std::vector<Index> length(cols, 0);
    for (std::size_t k = 0; k < entries; ++k) ++length[static_cast<std::size_t>(features.column[k])];
    place_.resize(cols);
    std::vector<Index> next(cols);  // place of a column's next entry
    start_.resize(cols + 1);
    for (std::size_t tile = 0; tile < cols; tile += tile_columns) {
        const std::size_t end = std::min(tile + tile_columns, cols);
        const auto first = place_.begin() + static_cast<std::ptrdiff_t>(tile);
        const auto last = place_.begin() + static_cast<std::ptrdiff_t>(end);
        std::iota(first, last, std::uint16_t{0});
        std::stable_sort(first, last, [&](auto a, auto b) { return length[tile + a] < length[tile + b]; });
        for (std::size_t at = tile; at < end; ++at) {
            const std::size_t column = tile + place_[at];
            next[column] = start_[at];
            start_[at + 1] = start_[at] + length[column];
        }
    }
    const auto for_each = [&](const auto& place) {
        for (Index i = 0; i < features.rows(); ++i) {
            for (Index k = features.start[static_cast<std::size_t>(i)];
                 k < features.start[static_cast<std::size_t>(i) + 1]; ++k) {
                const auto from = static_cast<std::size_t>(k);
                place(i, from,
                      static_cast<std::size_t>(next[static_cast<std::size_t>(features.column[from])]++));
            }
        }
    };
    if (coded) {
        using Lines = kernels::CodedLines<Real>;
        const Lines lines = coded->lines();
        values_ = lines.values;
        coded_.extend(entries);
        for_each([&](Index i, std::size_t from, std::size_t to) {
            const std::uint32_t code = lines.entry[from] % Lines::most_values;
            coded_[to] = static_cast<std::uint32_t>(i) << Lines::code_bits | code;
        });
    } else {
        row_.extend(entries);
        value_.extend(entries);
        for_each([&](Index i, std::size_t from, std::size_t to) {
            row_[to] = static_cast<std::int32_t>(i);
            value_[to] = features.value[from];
        });
    }
}

template <class Real>
void SparseColumns<Real>::gather(int threads, kernels::Table<const Real> residuals, Index outputs,
                                 Real* gradient) {
    const Index stride = kernels::table_stride<Real>(outputs);
    sums_.resize(static_cast<std::size_t>(threads));
    for (auto& sums : sums_) sums.resize(static_cast<std::size_t>(tile_columns * stride));
    // Whoever is free takes the next columns: how long they take depends on where their residuals are.
    const Index claims = (cols_ + claimed_columns - 1) / claimed_columns;
    const int parts = static_cast<int>(std::min<Index>(threads, claims));
    Team::mine().run(parts, static_cast<int>(claims), [&](int part, int item, int /*next*/) {
        Real* sums = sums_[static_cast<std::size_t>(part)].data();
        const Index first = item * claimed_columns;
        const Index last = std::min(first + claimed_columns, cols_);
        for (Index tile = first; tile < last; tile += tile_columns) {
            const Index count = std::min(tile_columns, last - tile);
            for (Index l = 0; l < outputs; ++l)
                for (Index j = tile; j < tile + count; j += kernels::padded<Real>(1))
                    __builtin_prefetch(gradient + l * cols_ + j, 1, 3);
            const kernels::LineChoice choice{nullptr, tile, count, place_.data() + tile};
            if (values_ != nullptr) {
                kernels::gather_sums(kernels::CodedLines<Real>{start_.data(), coded_.data(), values_}, choice,
                                     residuals, outputs, sums);
            } else {
                kernels::gather_sums(kernels::SparseLines<Real>{start_.data(), row_.data(), value_.data()},
                                     choice, residuals, outputs, sums);
            }
            kernels::rows_to_matrix(sums, tile, count, outputs, cols_, gradient);
        }
    });
}

template class SparseColumns<float>;
template class SparseColumns<double>;

}  // namespace alfcg
