#pragma once

#include <vector>

#include "alfcg/data/observations.hpp"

namespace alfcg {

/// The best numbers for rows and columns of a parabola over the places of a pattern: conjugate gradients on the columns' share of the
/// normal equations, rows being eliminated, at one pass over the places an iteration.
template <class Real>
class BiasSearch {
  public:
    BiasSearch(const Pattern& pattern, double penalty, int threads);

    /// Which bends the places have, times their weights; null: all 1. The pointer is kept.
    void take_bends(const Real* bends);
    /// Slopes for every row and column from those of the places (times their weights), and of the penalty at these biases.
    void take_slopes(const Real* slopes, const std::vector<double>& biases);
    /// The move by biases that is best for the parabola with these slopes and bends, to `accuracy`; returns what it gains, twice.
    double solve(double accuracy, std::vector<double>& move);
    /// About what it would gain, at no cost.
    [[nodiscard]] double promise() const;

  private:
    void eliminate(const std::vector<double>& columns, std::vector<double>& result);
    [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(pattern_.shape.rows); }
    [[nodiscard]] std::size_t columns() const { return static_cast<std::size_t>(pattern_.shape.cols); }
    template <class Row>
    void pass(const Row& row, std::vector<double>& result);

    const Pattern& pattern_;
    double penalty_;
    int threads_;
    const Real* bends_ = nullptr;
    std::vector<double> row_bends_;
    std::vector<double> column_bends_;
    std::vector<double> row_slopes_;
    std::vector<double> column_slopes_;
    std::vector<double> row_values_;
    std::vector<double> shares_;
};

}  // namespace alfcg
