#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/ranks.hpp"
#include "alfcg/data/features.hpp"

namespace alfcg {

/// none; rows to unit Euclidean norm (zero rows untouched); columns divided by their standard deviation (1/N,
/// not centred, constant columns untouched); spectral: everything divided by the largest singular value.
enum class Normalization { none, rows, columns, spectral };

std::string_view to_text(Normalization kind);
Normalization parse_normalization(std::string_view text);  // throws Error naming the four

/// What was done to the training data, and must be done to any data that meets the model.
struct Scaling {
    Normalization kind = Normalization::none;
    std::vector<double> divisors;  // columns: one per feature; spectral: one; else empty
};

/// Measures the scaling of `features` (nothing is changed). With weights, one for each row and none of them 0, a row of
/// weight 2 counts as two. With ranks: of the rows of all of them.
template <class Real>
Scaling measure_scaling(const Features<Real>& features, Normalization kind, int threads,
                        std::span<const double> weights = {}, Ranks* ranks = nullptr);

/// The features divided by it. Memory that nobody else looks at, of features that are moved in, is scaled in place; anything
/// else is copied first, and stays as it is.
template <class Real>
Features<Real> scaled(Features<Real> features, const Scaling& scaling, int threads);

/// Throws Error when the scaling is not one of data with so many features.
void check_scaling(const Scaling& scaling, Index features, bool sparse);

/// Largest singular value of the data, to about 1e-10 relative in double precision; weights are as above.
template <class Real>
double largest_singular_value(const Features<Real>& features, int threads,
                              std::span<const double> weights = {}, Ranks* ranks = nullptr);

}  // namespace alfcg
