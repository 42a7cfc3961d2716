#include "corrective/nuclear_face.hpp"

#include <limits>
#include <utility>

#include "core/decompositions.hpp"

namespace alfcg::faces {

Face::Face(const Spectrum& spectrum, const Dense& w, double multiplier, bool bound)
    : multiplier_(multiplier), bound_(bound), left_(w.rows(), 0), right_(0, w.cols()) {
    if (multiplier_ <= 0) return;
    left_ = spectrum.left;
    values_ = spectrum.values;
    right_ = values_.cwiseInverse().asDiagonal() * product<Dense>(left_.transpose(), w);
    bend_ = multiplier_ * values_.cwiseInverse();
}

void Face::project(Dense& d) const {
    if (multiplier_ <= 0) return;
    if (values_.size() < d.rows()) {
        Dense beside = d;
        add_product(-1, left_, product<Dense>(left_.transpose(), d), beside);
        add_product(-1, product<Dense>(beside, right_.transpose()), right_, beside);
        d -= beside;
    }
    if (!bound_) return;
    const double along = left_.cwiseProduct(product<Dense>(d, right_.transpose())).sum();
    add_product(-along / static_cast<double>(values_.size()), left_, right_, d);
}

// With d = L A R + L B + C R, B beside R and C beside L: L (A − Aᵀ)/(v_i + v_j) R + L diag(1/v) B + C diag(1/v) R.
void Face::add_curvature(const Dense& d, Dense& sum) const {
    if (multiplier_ <= 0) return;
    Dense across = product<Dense>(d, right_.transpose());
    const Dense inner = product<Dense>(left_.transpose(), across);
    Dense turn = -(bend_.asDiagonal() * inner);
    for (Eigen::Index i = 0; i < turn.rows(); ++i)
        for (Eigen::Index j = 0; j < turn.cols(); ++j)
            turn(i, j) += multiplier_ * (inner(i, j) - inner(j, i)) / (values_(i) + values_(j));
    add_product(-1, left_, inner, across);
    Dense outer = across * bend_.asDiagonal();
    add_product(1, left_, turn, outer);
    const Dense along = bend_.asDiagonal() * product<Dense>(left_.transpose(), d);
    add_product(1, left_, along, sum);
    add_product(1, outer, right_, sum);
}

void Face::expect(double curvature) {
    const double beside = 1 / (curvature + (values_.size() > 0 ? bend_(0) : 0));
    const Eigen::VectorXd own = (curvature + bend_.array()).inverse() - beside;
    scaling_ = beside * Dense::Identity(left_.rows(), left_.rows());
    add_product(1, Dense(left_ * own.asDiagonal()), left_.transpose(), scaling_);
    sketch_ = nullptr;
}

void Face::expect(const Sketch& sketch, double weight, bool turned) {
    const Eigen::VectorXd bends = weight * sketch.values();
    const double tail = bends.tail(1)(0);
    expect(tail);
    const double least = values_.size() > 0 ? bend_(0) : 0;
    if (turned) {
        Eigen::MatrixXd all = (tail + least) * Eigen::MatrixXd::Identity(left_.rows(), left_.rows());
        const Dense bent = (bends.array() - tail).matrix().asDiagonal() * sketch.directions();
        add_product(1, sketch.directions().transpose(), bent, all);
        const Dense own = left_ * (bend_.array() - least).matrix().asDiagonal();
        add_product(1, own, left_.transpose(), all);
        scaling_ = positive_inverse(all);
        return;
    }
    sketch_ = &sketch;
    beside_gains_ = ((bends.array() + least).inverse() - 1 / (tail + least)).transpose();
    gains_.resize(values_.size(), bends.size());
    for (Eigen::Index i = 0; i < gains_.rows(); ++i)
        gains_.row(i) = ((bends.array() + bend_(i)).inverse() - 1 / (tail + bend_(i))).transpose();
}

void Face::precondition(Dense& d) const {
    Dense scaled = product<Dense>(scaling_, d);
    if (sketch_ != nullptr) {
        Dense along = product<Dense>(d, sketch_->directions().transpose());
        const Dense own = product<Dense>(left_.transpose(), along);
        add_product(-1, left_, own, along);
        Dense gained = along * beside_gains_.asDiagonal();
        add_product(1, left_, Dense(gains_.cwiseProduct(own)), gained);
        add_product(1, gained, sketch_->directions(), scaled);
    }
    d = std::move(scaled);
    project(d);
}

Spectrum NuclearNorm::look(Dense& w) {
    return shrink(0, std::numeric_limits<double>::infinity(), w.rows(), w);
}

double NuclearNorm::multiplier(const Spectrum& spectrum, const Dense& w, const Dense& g) {
    if (spectrum.rank() == 0) return 0;
    const auto steep = product<Dense>(spectrum.left.transpose(), g);
    const auto held = product<Dense>(spectrum.left.transpose(), w);
    const Eigen::VectorXd along = steep.cwiseProduct(held).rowwise().sum();
    return -along.cwiseQuotient(spectrum.values).sum() / static_cast<double>(spectrum.rank());
}

}  // namespace alfcg::faces
