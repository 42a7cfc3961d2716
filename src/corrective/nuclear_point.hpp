#pragma once

#include <Eigen/Core>

#include "core/matrix_product.hpp"

namespace alfcg::faces {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A matrix that is no taller than wide with its singular values, largest first, those that count: w = left · diag(values) · right to
/// rounding, `left` and `right` orthonormal. Found through the Gram matrix of the short side: values below the largest's 1e-7 do not
/// count.
struct Spectrum {
    Dense left;              // short side x rank
    Eigen::VectorXd values;  // rank
    [[nodiscard]] Eigen::Index rank() const { return values.size(); }
    [[nodiscard]] double sum() const { return values.sum(); }
};

/// The largest singular value of a matrix that is no taller than wide.
double largest_singular_value(const Dense& g);

/// Values that come largest first and sum up to more than the radius lose the same, down to zero, so that those left sum up to it. Far outside of the
/// ball that is nearly all of them: what is left of the largest is found, not what is lost.
void lower(double radius, Eigen::VectorXd& values);

/// The nearest point to w with ‖w‖_* ≤ radius after all singular values have lost `threshold`, at most `rank` of them left: w itself, and
/// what it has become of.
Spectrum shrink(double threshold, double radius, Eigen::Index rank, Dense& w);

}  // namespace alfcg::faces
