#pragma once

#include <memory>
#include <string>

#include "alfcg/region/region.hpp"
#include "region/feature_values.hpp"

namespace alfcg::region {

/// See ellipsoid().
template <class Real>
std::unique_ptr<Region<Real>> make_ellipsoid(FeatureValues axes, double radius, const Composite& composite,
                                             int threads);
/// `source` is for messages: the file that the matrix came from.
template <class Real>
std::unique_ptr<Region<Real>> make_ellipsoid(const Matrix<double>& metric, double radius,
                                             const Composite& composite, const std::string& source);

/// A two-dimensional array of floats from a .npy file. Throws InputError.
Matrix<double> read_square_matrix(const std::string& path);

}  // namespace alfcg::region
