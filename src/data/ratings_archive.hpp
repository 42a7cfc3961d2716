#pragma once

#include <string>

#include "alfcg/data/observations.hpp"

namespace alfcg {

/// Observations from an .npz archive, as SciPy's save_npz writes a sparse matrix (CSR, CSC or COO; an entry that is stored is known, a
/// zero too), or NumPy's savez arrays `row`, `col`, `data`, and perhaps `weights` and `shape`. Throws InputError.
template <class Real>
Triples<Real> read_ratings_archive(const std::string& path, const RatingOptions& options, Shape& shape);

}  // namespace alfcg
