#include "corrective/quasi_newton.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "core/decompositions.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// A step has met some curvature where the angle between it and the change of the gradient has this cosine.
constexpr double least_cosine = 1e-10;
// Power iterations from nowhere, and from the last vector; and how much larger the largest eigenvalue may be than what they say.
constexpr int first_powers = 12;
constexpr int more_powers = 4;
constexpr double power_caution = 1.1;

template <class Real>
using Flat = Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>;

template <class Real>
Flat<Real> flat(const Matrix<Real>& m) {
    return {m.data(), m.size()};
}

}  // namespace

template <class Real>
QuasiNewton<Real>::QuasiNewton(const std::optional<SecondMoments<Real>>& moments, Index outputs,
                               Index most_pairs)
    : most_pairs_(most_pairs) {
    if (!moments) return;
    const Shape shape = moments->vectors.shape();
    std::vector<Index> all(static_cast<std::size_t>(shape.rows));
    std::iota(all.begin(), all.end(), Index{0});
    std::vector<double> weights = moments->values;
    for (double& weight : weights) weight -= moments->rest;
    Buffer<Real> vectors(static_cast<std::size_t>(shape.size()));
    std::copy(moments->vectors.span().begin(), moments->vectors.span().end(), vectors.data());
    // A product is too short for more than one thread to gain much.
    moments_ = Moments{RowMoments<Real>(DenseFeatures<Real>(std::move(vectors), shape.rows, shape.cols),
                                        std::move(all), std::move(weights), outputs, 1),
                       moments->rest};
}

template <class Real>
void QuasiNewton<Real>::times_moments(const Matrix<Real>& d, Matrix<Real>& product) {
    product.reshape(d.shape());
    if (!moments_) {
        product = d;
        return;
    }
    moments_->leading.times(d, product);
    kernels::axpby(d.size(), moments_->rest, d.data(), 1, product.data());
}

template <class Real>
void QuasiNewton<Real>::make_room() {
    const Eigen::Index kept = most_pairs_ - 1;
    if (count_ < most_pairs_) return;
    for (Eigen::Index i = 0; i < kept; ++i) {
        steps_.row(i) = steps_.row(i + 1);
        meetings_.row(i) = meetings_.row(i + 1);
        meetings_.row(most_pairs_ + i) = meetings_.row(most_pairs_ + i + 1);
    }
    steps_moments_.topLeftCorner(kept, kept) = steps_moments_.bottomRightCorner(kept, kept).eval();
    steps_changes_.topLeftCorner(kept, kept) = steps_changes_.bottomRightCorner(kept, kept).eval();
    count_ = kept;
}

template <class Real>
void QuasiNewton<Real>::add(const Matrix<Real>& s, const Matrix<Real>& y) {
    const Eigen::VectorXd step = flat(s).template cast<double>();
    const Eigen::VectorXd change = flat(y).template cast<double>();
    const double met = step.dot(change);
    if (!(met > least_cosine * step.norm() * change.norm())) return;
    times_moments(s, product_);
    const Eigen::VectorXd moments = flat(product_).template cast<double>();
    if (!(step.dot(moments) > 0)) return;
    scale_ = met / step.dot(moments);
    if (steps_.cols() != s.size()) {
        steps_.resize(most_pairs_, s.size());
        meetings_.setZero(2 * most_pairs_, s.size());
        steps_moments_.resize(most_pairs_, most_pairs_);
        steps_changes_.resize(most_pairs_, most_pairs_);
    }
    make_room();
    const Eigen::Index last = count_++;
    steps_.row(last) = flat(s).transpose();
    meetings_.row(last) = flat(product_).transpose();
    meetings_.row(most_pairs_ + last) = flat(y).transpose();
    for (Eigen::Index i = 0; i < count_; ++i) {
        const Eigen::VectorXd other = steps_.row(i).transpose().template cast<double>();
        steps_moments_(i, last) = steps_moments_(last, i) = other.dot(moments);
        steps_changes_(i, last) = other.dot(change);
        steps_changes_(last, i) =
            step.dot(meetings_.row(most_pairs_ + i).transpose().template cast<double>());
    }
    update_middle();
}

// With W = [κ C s, y]: B = κ C − Wᵀ M⁻¹ W, M = [κ <s, C s>, L; Lᵀ, −D], L and D the lower triangle and the diagonal of <s_i, y_j>.
template <class Real>
void QuasiNewton<Real>::update_middle() {
    const Eigen::Index n = count_;
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    m.topLeftCorner(n, n) = scale_ * steps_moments_.topLeftCorner(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        m(n + i, n + i) = -steps_changes_(i, i);
        for (Eigen::Index j = 0; j < i; ++j) m(i, n + j) = m(n + j, i) = steps_changes_(i, j);
    }
    // In units in which all steps have met the same.
    Eigen::VectorXd unit(2 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
        unit(i) = 1 / std::sqrt(m(i, i));
        unit(n + i) = 1 / std::sqrt(-m(n + i, n + i));
    }
    const Eigen::MatrixXd scaled = unit.asDiagonal() * m * unit.asDiagonal();
    unit.head(n) *= scale_;
    middle_ = unit.asDiagonal() * inverse(scaled) * unit.asDiagonal();
    if (!middle_.allFinite()) count_ = 0;
}

template <class Real>
void QuasiNewton<Real>::times(const Matrix<Real>& d, Matrix<Real>& product) {
    times_moments(d, product);
    Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, 1>> out(product.data(), product.size());
    out *= static_cast<Real>(scale_);
    if (count_ == 0) return;
    const auto way = flat(d);
    const Eigen::Index n = count_;
    Eigen::VectorXd along(2 * n);
    along.head(n) = (meetings_.topRows(n) * way).template cast<double>();
    along.tail(n) = (meetings_.middleRows(most_pairs_, n) * way).template cast<double>();
    const Eigen::Matrix<Real, Eigen::Dynamic, 1> shares = (middle_ * along).template cast<Real>();
    out.noalias() -= meetings_.topRows(n).transpose() * shares.head(n);
    out.noalias() -= meetings_.middleRows(most_pairs_, n).transpose() * shares.tail(n);
}

template <class Real>
double QuasiNewton<Real>::largest() {
    int powers = more_powers;
    if (steepest_.size() != steps_.cols()) {
        powers = first_powers;
        steepest_.reshape(product_.shape());
        std::minstd_rand random(1);
        for (Real& entry : steepest_.span())
            entry =
                static_cast<Real>(static_cast<double>(random()) / static_cast<double>(random.max()) - 0.5);
    }
    double value = 0;
    for (int power = 0; power < powers; ++power) {
        const double length = flat(steepest_).norm();
        for (Real& entry : steepest_.span()) entry = static_cast<Real>(static_cast<double>(entry) / length);
        times(steepest_, product_);
        std::swap(steepest_, product_);
        value = flat(steepest_).norm();
    }
    return power_caution * value;
}

template class QuasiNewton<float>;
template class QuasiNewton<double>;

}  // namespace alfcg
