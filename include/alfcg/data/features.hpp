#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "alfcg/core/buffer.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// Dense data, one row per sample, row-major: feature j of sample i is row(i)[j].
/// Owns its memory, shares a mapped file, or looks at the caller's array; moving it never copies the entries.
template <class Real>
class DenseFeatures {
  public:
    DenseFeatures() = default;
    /// Takes over a buffer of rows * cols entries.
    DenseFeatures(Buffer<Real> entries, Index rows, Index cols) : rows_(rows), cols_(cols) {
        auto owner = std::make_shared<Buffer<Real>>(std::move(entries));
        data_ = owner->data();
        owner_ = std::move(owner);
    }
    /// Looks at rows * cols entries that live at least as long as `owner` (or as the caller promises, when it
    /// is null). They are changed only by an in-place normalisation, and moved together by hold_out.
    DenseFeatures(Real* data, Index rows, Index cols, std::shared_ptr<void> owner = nullptr)
        : data_(data), rows_(rows), cols_(cols), owner_(std::move(owner)) {}

    [[nodiscard]] Index rows() const { return rows_; }
    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] Real* data() { return data_; }
    [[nodiscard]] const Real* data() const { return data_; }
    [[nodiscard]] Real* row(Index i) { return data_ + i * cols_; }
    [[nodiscard]] const Real* row(Index i) const { return data_ + i * cols_; }
    /// Keeps the first `rows` rows.
    void truncate(Index rows) { rows_ = rows; }

  private:
    Real* data_ = nullptr;
    Index rows_ = 0;
    Index cols_ = 0;
    std::shared_ptr<void> owner_;
};

/// Sparse data in compressed rows: the entries of sample i are positions start[i] .. start[i+1]-1 of `column`
/// (0-based, increasing within a row) and `value`.
template <class Real>
struct SparseFeatures {
    Buffer<Index> start;  // rows + 1 entries
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    Index row_count = 0;
    Index col_count = 0;

    [[nodiscard]] Index rows() const { return row_count; }
    [[nodiscard]] Index cols() const { return col_count; }
    [[nodiscard]] Index nonzeros() const { return static_cast<Index>(value.size()); }
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

}  // namespace alfcg
