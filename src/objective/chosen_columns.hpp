#pragma once

#include <span>
#include <vector>

#include "alfcg/data/features.hpp"
#include "objective/row_engine.hpp"
#include "objective/sparse_columns.hpp"

namespace alfcg {

/// Some of the columns of data that are at hand by columns, which stay where they are, and after them one of ones where asked for.
template <class Real>
class ChosenColumns {
  public:
    ChosenColumns(const SparseColumns<Real>& all, std::span<const Index> columns, bool ones, Index samples);

    [[nodiscard]] Index samples() const { return samples_; }
    [[nodiscard]] Index cols() const { return std::ssize(lines_) + (ones_ ? 1 : 0); }
    [[nodiscard]] bool ones() const { return ones_; }
    [[nodiscard]] Index entries() const { return entries_ + (ones_ ? samples_ : 0); }
    /// Of the columns, without that of ones, among the lines that with_lines() visits.
    [[nodiscard]] std::span<const Index> lines() const { return lines_; }
    [[nodiscard]] const SparseColumns<Real>& all() const { return all_; }

    /// Sums of squares.
    [[nodiscard]] std::vector<double> squares(int threads) const;
    /// A copy in which one column lies right after the other: fetching them then is no work for whoever goes through them many times.
    void copy(int threads, std::vector<Index>& start, AlignedVector<std::int32_t>& row,
              AlignedVector<Real>& value) const;
    /// A copy by rows.
    [[nodiscard]] SparseFeatures<Real> by_rows() const;

  private:
    const SparseColumns<Real>& all_;
    std::vector<Index> lines_;
    bool ones_;
    Index samples_;
    Index entries_ = 0;
};

/// Scores and gradients of one output, column by column.
template <class Real>
std::unique_ptr<RowEngine<Real>> column_engine(const ChosenColumns<Real>& columns);

}  // namespace alfcg
