#pragma once

#include <span>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/data/features.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

/// The columns listed (increasing), and after them one of ones where asked for.
template <class Real>
Features<Real> some_columns(const Features<Real>& features, std::span<const Index> columns, bool ones,
                            int threads);

/// Of each column, the sum of squares over these rows.
template <class Real>
std::vector<double> column_squares(const Features<Real>& features, const Selection& rows, int threads);

/// Products with the rows of `directions`, and after them a column of ones where asked for.
template <class Real>
Features<Real> products_with(const Features<Real>& features, const Matrix<Real>& directions, bool ones,
                             int threads);

}  // namespace alfcg
