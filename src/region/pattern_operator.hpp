#pragma once

#include <Eigen/Core>

#include "alfcg/core/pattern.hpp"
#include "kernels/products.hpp"

namespace alfcg::region {

/// scale · G of a matrix that is zero but at the places of a pattern, in products.
template <class Real>
struct PatternOperator {
    static constexpr bool is_sparse = true;
    const Pattern& pattern;
    const Matrix<Real>& entries;
    double scale;
    int threads;

    /// Y = M X with the Gram operator M of a side.
    void normal_product(kernels::Side side, Eigen::MatrixXd& x, Eigen::MatrixXd& y,
                        AlignedVector<double>& scratch) const;
    /// y = scale · G x when x is on the right side, scale · Gᵀ x when it is on the left.
    void to_other_side(kernels::Side side, const AlignedVector<double>& x, AlignedVector<double>& y) const;
    /// left = scale · G right, and right = scale · Gᵀ left, of tables with `width` columns whose lines are padded with zeros to whole vectors.
    void times(const Matrix<Real>& right, Index width, Matrix<Real>& left) const;
    void transposed_times(const Matrix<Real>& left, Index width, Matrix<Real>& right) const;
    /// Of the shorter side.
    void gram(Eigen::MatrixXd& result, AlignedVector<double>& scratch) const;
    [[nodiscard]] Index gram_depth() const { return std::max(pattern.shape.rows, pattern.shape.cols); }
    [[nodiscard]] double frobenius_squared() const;
};

}  // namespace alfcg::region
