#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "alfcg/core/buffer.hpp"
#include "alfcg/core/column_numbers.hpp"
#include "alfcg/core/matrix.hpp"
#include "alfcg/core/shared_array.hpp"

namespace alfcg {

/// Dense data, one row per sample: feature j of sample i is row(i)[j], and rows begin `stride` entries apart.
/// A view: it owns its memory together with its copies, or looks at the caller's, which is never changed. A copy copies
/// no entries.
template <class Real>
class DenseFeatures {
  public:
    DenseFeatures() = default;
    /// Takes over a buffer of rows * cols entries.
    DenseFeatures(Buffer<Real> entries, Index rows, Index cols)
        : DenseFeatures(SharedArray<Real>(std::move(entries)), rows, cols, cols) {}
    DenseFeatures(SharedArray<Real> entries, Index rows, Index cols, Index stride)
        : entries_(std::move(entries)), rows_(rows), cols_(cols), stride_(stride) {}
    /// Looks at rows * cols entries that live at least as long as this view and its copies.
    DenseFeatures(const Real* data, Index rows, Index cols) : DenseFeatures(data, rows, cols, cols) {}
    /// With rows that begin `stride` (at least cols) entries apart, kept alive by `owner`, unless it is null.
    DenseFeatures(const Real* data, Index rows, Index cols, Index stride,
                  std::shared_ptr<const void> owner = nullptr)
        : DenseFeatures(
              SharedArray<Real>(data, rows > 0 ? static_cast<std::size_t>((rows - 1) * stride + cols) : 0,
                                std::move(owner)),
              rows, cols, stride) {}

    [[nodiscard]] Index rows() const { return rows_; }
    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] Index stride() const { return stride_; }
    [[nodiscard]] const Real* data() const { return entries_.data(); }
    [[nodiscard]] const Real* row(Index i) const { return entries_.data() + i * stride_; }
    /// Whether they are pages of a file that was mapped.
    [[nodiscard]] bool on_disk() const { return entries_.on_disk(); }
    /// `count` (at least one) of its rows, from the `first` on.
    [[nodiscard]] DenseFeatures part(Index first, Index count) const {
        return {entries_.part(static_cast<std::size_t>(first * stride_),
                              static_cast<std::size_t>((count - 1) * stride_ + cols_)),
                count, cols_, stride_};
    }
    /// Keeps the first `rows` rows.
    void truncate(Index rows) { rows_ = rows; }

    /// The entries to write to, where the library owns them and no other view of them is left; else null.
    [[nodiscard]] Real* writable() const { return entries_.writable(); }
    /// The entries to write to in any case: where they are not writable(), this view looks at a packed copy from now on.
    Real* own();

  private:
    SharedArray<Real> entries_;
    Index rows_ = 0;
    Index cols_ = 0;
    Index stride_ = 0;
};

/// Sparse data in compressed rows: the entries of sample i are positions start[i] .. start[i+1]-1 of `column`
/// (0-based, increasing within a row) and `value`; start[0] is 0. A view, like the dense one.
template <class Real>
struct SparseFeatures {
    SharedArray<Index> start;  // rows + 1 entries
    ColumnNumbers column;
    SharedArray<Real> value;
    Index row_count = 0;
    Index col_count = 0;

    [[nodiscard]] Index rows() const { return row_count; }
    [[nodiscard]] Index cols() const { return col_count; }
    [[nodiscard]] Index nonzeros() const { return static_cast<Index>(value.size()); }
    [[nodiscard]] bool on_disk() const { return value.on_disk(); }
    /// `count` of its rows, from the `first` on.
    [[nodiscard]] SparseFeatures part(Index first, Index count) const {
        const Index begin = start[static_cast<std::size_t>(first)];
        Buffer<Index> own_start;
        for (Index i = first; i <= first + count; ++i)
            own_start.push_back(start[static_cast<std::size_t>(i)] - begin);
        const auto entries = static_cast<std::size_t>(own_start[static_cast<std::size_t>(count)]);
        const auto skipped = static_cast<std::size_t>(begin);
        return {std::move(own_start), column.part(skipped, entries), value.part(skipped, entries), count,
                col_count};
    }
    /// The values to write to: see DenseFeatures.
    Real* own();
};

template <class Real>
using Features = std::variant<DenseFeatures<Real>, SparseFeatures<Real>>;

template <class Real>
Index rows(const Features<Real>& features) {
    return std::visit([](const auto& f) { return f.rows(); }, features);
}
template <class Real>
Index cols(const Features<Real>& features) {
    return std::visit([](const auto& f) { return f.cols(); }, features);
}
/// Those that are kept: all of dense data, the non-zeros of sparse data.
template <class Real>
Index entries_of(const Features<Real>& features) {
    if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&features)) return sparse->nonzeros();
    return rows(features) * cols(features);
}

/// Bytes that these entries take, and the columns of sparse ones.
template <class Real>
Index bytes_of(const Features<Real>& features) {
    const auto* sparse = std::get_if<SparseFeatures<Real>>(&features);
    return entries_of(features) * static_cast<Index>(sizeof(Real)) +
           (sparse == nullptr ? 0 : static_cast<Index>(sparse->column.bytes()));
}

}  // namespace alfcg
