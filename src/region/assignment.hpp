#pragma once

#include <vector>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// Each row of a square matrix of costs gets a column of its own so that the sum is least: Jonker and Volgenant's shortest
/// augmenting paths (1987). Prices of columns and the last answer stay, and the next call begins with them: any prices v are
/// feasible with u_i = min_j c_ij − v_j, so that costs that changed little leave few rows to be assigned anew.
class Assignment {
  public:
    /// Of scale · costs, which must be near 1; n x n, row-major.
    template <class Real>
    void solve(const Real* costs, Index n, double scale);

    [[nodiscard]] Index column_of(Index row) const { return column_of_[static_cast<std::size_t>(row)]; }

    void archive(Archive& state) { state(price_, scale_, column_of_); }

  private:
    static std::size_t place(Index i) { return static_cast<std::size_t>(i); }
    template <class Real>
    struct Costs;
    // The two least prices of a row, c_ij − v_j: where, and how much. The lowest column among equals.
    struct Least {
        Index first = -1;
        Index second = -1;
        double at_first = 0;
        double at_second = 0;
    };
    template <class Real>
    [[nodiscard]] Least least(const Costs<Real>& costs, Index row) const;

    template <class Real>
    void begin(const Costs<Real>& costs);
    template <class Real>
    void keep_tight_rows(const Costs<Real>& costs);
    template <class Real>
    void reduce_rows(const Costs<Real>& costs);
    template <class Real>
    void augment(const Costs<Real>& costs, Index row);
    void assign(Index row, Index column);

    std::vector<double> price_;  // of the columns, in units of scale_
    double scale_ = 0;           // of the last call; 0: there was none
    std::vector<Index> column_of_;
    std::vector<Index> row_of_;  // of a column; -1: nobody's
    std::vector<Index> free_;    // rows without a column
    // Of a shortest path.
    std::vector<double> distance_;
    std::vector<Index> before_;   // row that a column is reached from
    std::vector<Index> columns_;  // those scanned, then those of the least distance, then the others
};

}  // namespace alfcg::region
