#pragma once

#include <memory>
#include <vector>

#include "alfcg/data/features.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

/// Σ weight_i <d, φ_i> φ_i over rows φ_i of some features, for every row d of a matrix.
template <class Real>
class RowMoments {
  public:
    /// Of the rows listed, with a weight for each of them.
    RowMoments(const Features<Real>& features, std::vector<Index> rows, std::vector<double> weights,
               Index outputs, int threads);

    void times(const Matrix<Real>& in, Matrix<Real>& out);

  private:
    std::vector<Index> rows_;
    std::vector<double> weights_;
    Index outputs_;
    int threads_;
    std::unique_ptr<RowEngine<Real>> engine_;
    std::vector<AlignedVector<Real>> blocks_;  // scores of one block, one for each thread
};

}  // namespace alfcg
