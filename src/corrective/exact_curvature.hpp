#pragma once

#include <memory>

#include "alfcg/objective/objective.hpp"

namespace alfcg {

/// The matrix of f's own second derivatives at a point of one row and few columns, as about so many of the samples have it; where f has an
/// intercept, that of f with the best one.
template <class Real>
class ExactCurvature {
  public:
    /// Null where f has none, or where it costs too much or takes more memory than so many bytes.
    static std::unique_ptr<ExactCurvature> of(Objective<Real>& objective, Index memory);

    explicit ExactCurvature(std::unique_ptr<Part<Real>> part);

    /// Looks at x; false where the matrix is not to be had.
    bool look(const Iterate<Real>& x);
    /// So many passes over the data have been made.
    [[nodiscard]] double passes() const { return passes_; }
    /// Made of too few samples: the next one is of more. False where it was of all of them.
    bool take_more();

    /// product = B d.
    void times(const Matrix<Real>& d, Matrix<Real>& product) const;
    /// The largest eigenvalue of B, about.
    [[nodiscard]] double largest() const { return largest_; }

    void archive(Archive& state) { state(*part_, rows_, all_, passes_, largest_, steepest_); }

  private:
    void take_out_intercept();
    void find_largest();

    std::unique_ptr<Part<Real>> part_;
    Index columns_;  // of x
    double rows_;    // that the matrix is made of
    bool all_ = false;
    double passes_ = 0;
    double largest_ = 0;
    Matrix<Real> gradient_;
    Matrix<double> matrix_;
    std::vector<double> steepest_;  // nearly the eigenvector of the largest eigenvalue
};

}  // namespace alfcg
