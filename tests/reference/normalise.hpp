// Normalisations of the data, spec 7.
#pragma once

#include <cmath>

#include "reference/problem.hpp"

namespace reference {

inline Matrix normalise(Matrix X, const std::string& kind) {
    if (kind == "none") return X;
    if (kind == "rows") {
        // Unit Euclidean norm; zero rows untouched.
        for (Index i = 0; i < X.rows(); ++i) {
            const double norm = X.row(i).norm();
            if (norm > 0.0) X.row(i) /= norm;
        }
        return X;
    }
    if (kind == "columns") {
        // Divided by the standard deviation (1/N), not centred; constant columns untouched.
        for (Index j = 0; j < X.cols(); ++j) {
            if (X.col(j).minCoeff() == X.col(j).maxCoeff()) continue;
            const double mean = X.col(j).mean();
            const double variance = (X.col(j).array() - mean).square().mean();
            X.col(j) /= std::sqrt(variance);
        }
        return X;
    }
    if (kind == "spectral") {
        const double top = Eigen::JacobiSVD<Matrix>(X).singularValues()(0);
        if (top > 0.0) X /= top;
        return X;
    }
    throw std::invalid_argument("reference: unknown normalisation " + kind);
}

}  // namespace reference
