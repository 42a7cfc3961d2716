#include "corrective/nuclear_sketch.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace alfcg::nuclear {

namespace {

constexpr Eigen::Index most_directions = 64;
// Of the largest eigenvalue: others are taken to be no smaller.
constexpr double least_value = 1e-8;

// Signs that look like chance.
double sign_of(Eigen::Index i) {
    auto bits = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U;
    bits ^= bits >> 29U;
    bits *= 0xBF58476D1CE4E5B9U;
    return (bits >> 40U) % 2 == 0 ? 1 : -1;
}

// Orthonormal rows with the same span.
Dense orthonormal(const Dense& rows) {
    const Eigen::MatrixXd columns = rows.transpose();
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
    const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
    return q.transpose();
}

}  // namespace

template <class Real>
double Sketch::refresh(Part<Real>& part) {
    const Eigen::Index cols = part.shape().cols - part.free_columns();
    const Eigen::Index count = std::min(most_directions, cols);
    double calls = 0;
    const auto spread = [&](const Dense& directions) {
        Matrix<Real> from(directions.rows(), cols);
        std::transform(directions.data(), directions.data() + directions.size(), from.data(),
                       [](double entry) { return static_cast<Real>(entry); });
        Matrix<Real> to;
        flat_ = part.spread(from, to);
        calls += static_cast<double>(directions.rows()) / static_cast<double>(part.shape().rows);
        Dense products = Dense::Zero(directions.rows(), cols);
        if (flat_ > 0) std::copy_n(to.data(), to.size(), products.data());
        return products;
    };
    if (directions_.cols() != cols) {
        directions_.resize(count, cols);
        for (Eigen::Index i = 0; i < directions_.size(); ++i) directions_.data()[i] = sign_of(i);
    }
    // A step of the power method, and the best that can be made of where it leads.
    if (count < cols) {
        directions_ = orthonormal(spread(directions_));
    } else {
        directions_ = Dense::Identity(cols, cols);
    }
    const Dense products = spread(directions_);
    const Dense inner = products * directions_.transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver((inner + inner.transpose()) / 2);
    const double largest = solver.eigenvalues().tail(1)(0);
    if (!(flat_ > 0) || !(largest > 0)) {
        directions_.resize(0, 0);
        return calls;
    }
    directions_ = Dense(solver.eigenvectors().rowwise().reverse().transpose() * directions_);
    values_ = solver.eigenvalues().reverse().cwiseMax(least_value * largest);
    return calls;
}

template double Sketch::refresh(Part<float>&);
template double Sketch::refresh(Part<double>&);

}  // namespace alfcg::nuclear
