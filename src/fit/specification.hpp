#pragma once

#include <string>

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// Parts that work is divided into, whatever the number of threads, where results are to be the same for all of them.
inline constexpr int reproducible_parts = 8;

/// The region with all its parameters, and with this name where it has none; throws Error when it cannot be.
RegionSpec complete(RegionSpec region, const std::string& name);

/// The rows, as they come.
template <class Real>
Dataset<Real> load(const Data& data, const Specification& specification);

/// What a quantity asks for makes `copies` copies of the data. Throws QuantityError when the data are pages of a file and so many do not
/// fit what may be kept of them.
template <class Real>
void check_copies(const Dataset<Real>& data, const Specification& specification, const std::string& quantity,
                  Index copies = 1);

/// A model with these weights; the data's scaling is left to the caller.
template <class Real>
Model<Real> model_of(const Problem<Real>& problem, const std::string& method, Matrix<Real> weights);

/// The score on rows of all ranks, where there are some.
template <class Real>
Score score_on(const Model<Real>& model, const Dataset<Real>& data, int threads, Ranks* ranks);

}  // namespace alfcg
