#include "corrective/sketch.hpp"

#include <algorithm>
#include <cmath>

#include "core/decompositions.hpp"

namespace alfcg::faces {

namespace {

constexpr Index most_directions = 64;
constexpr Index directions_an_output = 8;
// Directions that are looked at together cost no more than a point with so many outputs.
constexpr Index least_outputs = 4;
// Features up to which nothing is left out.
constexpr Index all_directions = 160;
// Of the largest eigenvalue: others are taken to be no smaller.
constexpr double least_value = 1e-8;

Index directions_for(Index outputs, Index cols) {
    if (cols <= all_directions) return cols;
    return std::min({most_directions, directions_an_output * std::max(outputs, least_outputs), cols});
}

// Signs that look like chance.
double sign_of(Eigen::Index i) {
    auto bits = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U;
    bits ^= bits >> 29U;
    bits *= 0xBF58476D1CE4E5B9U;
    return (bits >> 40U) % 2 == 0 ? 1 : -1;
}

// Orthonormal rows with the same span.
Dense orthonormal_rows(const Dense& rows) {
    return orthonormal_columns(rows.transpose()).transpose();
}

}  // namespace

template <class Real>
double Sketch::cost(const Part<Real>& part) {
    const Index cols = part.shape().cols - part.free_columns();
    const Index count = directions_for(part.shape().rows, cols);
    return static_cast<double>(count < cols ? 2 * count : count) /
           static_cast<double>(std::max(part.shape().rows, least_outputs));
}

template <class Real>
void Sketch::refresh(Part<Real>& part) {
    const Eigen::Index cols = part.shape().cols - part.free_columns();
    const Eigen::Index count = directions_for(part.shape().rows, cols);
    const auto spread = [&](const Dense& directions) {
        Matrix<Real> from(directions.rows(), cols);
        std::transform(directions.data(), directions.data() + directions.size(), from.data(),
                       [](double entry) { return static_cast<Real>(entry); });
        Matrix<Real> to;
        std::vector<double> mean;
        flat_ = part.spread(from, to, mean);
        Dense products = Dense::Zero(directions.rows(), cols);
        if (!(flat_ > 0)) return products;
        std::copy_n(to.data(), to.size(), products.data());
        // Where an intercept moves along, what features have in common does not count.
        if (part.free_columns() > 0) {
            const Eigen::Map<const Eigen::RowVectorXd> centre(mean.data(), cols);
            products -= flat_ * (directions * centre.transpose()) * centre;
        }
        return products;
    };
    if (directions_.cols() != cols) {
        directions_.resize(count, cols);
        for (Eigen::Index i = 0; i < directions_.size(); ++i) directions_.data()[i] = sign_of(i);
    }
    // A step of the power method, and the best that can be made of where it leads.
    if (count < cols) {
        directions_ = orthonormal_rows(spread(directions_));
    } else {
        directions_ = Dense::Identity(cols, cols);
    }
    const Dense products = spread(directions_);
    const Dense inner = product<Dense>(products, directions_.transpose());
    const SymmetricPairs solver((inner + inner.transpose()) / 2);
    const double largest = solver.eigenvalues().tail(1)(0);
    if (!(flat_ > 0) || !(largest > 0)) {
        directions_.resize(0, 0);
        return;
    }
    directions_ =
        product<Dense>(Eigen::MatrixXd(solver.eigenvectors().rowwise().reverse()).transpose(), directions_);
    values_ = solver.eigenvalues().reverse().cwiseMax(least_value * largest);
}

template double Sketch::cost(const Part<float>&);
template double Sketch::cost(const Part<double>&);
template void Sketch::refresh(Part<float>&);
template void Sketch::refresh(Part<double>&);

}  // namespace alfcg::faces
