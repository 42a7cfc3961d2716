#include "corrective/nuclear_face.hpp"

#include <Eigen/Cholesky>

namespace alfcg::nuclear {

Face::Face(const Spectrum& spectrum, const Dense& w, double multiplier, bool bound)
    : multiplier_(multiplier), bound_(bound), left_(w.rows(), 0), right_(0, w.cols()) {
    if (multiplier_ <= 0) return;
    left_ = spectrum.left;
    values_ = spectrum.values;
    right_ = values_.cwiseInverse().asDiagonal() * (left_.transpose() * w);
    bend_ = multiplier_ * values_.cwiseInverse();
}

void Face::project(Dense& d) const {
    if (multiplier_ <= 0) return;
    if (values_.size() < d.rows()) {
        Dense beside = d - left_ * (left_.transpose() * d);
        beside -= (beside * right_.transpose()) * right_;
        d -= beside;
    }
    if (!bound_) return;
    const double along = (left_.transpose() * (d * right_.transpose())).trace();
    d -= left_ * (along / static_cast<double>(values_.size()) * right_);
}

// With d = L A R + L B + C R, B beside R and C beside L: L (A − Aᵀ)/(v_i + v_j) R + L diag(1/v) B + C diag(1/v) R.
void Face::add_curvature(const Dense& d, Dense& product) const {
    if (multiplier_ <= 0) return;
    const Dense across = d * right_.transpose();
    const Dense inner = left_.transpose() * across;
    Dense turn = -(bend_.asDiagonal() * inner);
    for (Eigen::Index i = 0; i < turn.rows(); ++i)
        for (Eigen::Index j = 0; j < turn.cols(); ++j)
            turn(i, j) += multiplier_ * (inner(i, j) - inner(j, i)) / (values_(i) + values_(j));
    const Dense outer = left_ * turn + (across - left_ * inner) * bend_.asDiagonal();
    product.noalias() += left_ * (bend_.asDiagonal() * (left_.transpose() * d));
    product.noalias() += outer * right_;
}

void Face::expect(double curvature) {
    const double beside = 1 / (curvature + (values_.size() > 0 ? bend_(0) : 0));
    const Eigen::VectorXd own = (curvature + bend_.array()).inverse() - beside;
    scaling_ = beside * Dense::Identity(left_.rows(), left_.rows()) +
               Dense(left_ * own.asDiagonal() * left_.transpose());
    sketch_ = nullptr;
}

void Face::expect(const Sketch& sketch, double weight, bool turned) {
    const Eigen::VectorXd bends = weight * sketch.values();
    const double tail = bends.tail(1)(0);
    expect(tail);
    const double least = values_.size() > 0 ? bend_(0) : 0;
    if (turned) {
        const Dense all = (tail + least) * Dense::Identity(left_.rows(), left_.rows()) +
                          Dense(sketch.directions().transpose() *
                                (bends.array() - tail).matrix().asDiagonal() * sketch.directions()) +
                          Dense(left_ * (bend_.array() - least).matrix().asDiagonal() * left_.transpose());
        scaling_ = all.llt().solve(Dense::Identity(all.rows(), all.rows()));
        return;
    }
    sketch_ = &sketch;
    beside_gains_ = ((bends.array() + least).inverse() - 1 / (tail + least)).transpose();
    gains_.resize(values_.size(), bends.size());
    for (Eigen::Index i = 0; i < gains_.rows(); ++i)
        gains_.row(i) = ((bends.array() + bend_(i)).inverse() - 1 / (tail + bend_(i))).transpose();
}

void Face::precondition(Dense& d) const {
    const Dense scaled = scaling_ * d;
    if (sketch_ == nullptr) {
        d = scaled;
    } else {
        const Dense along = d * sketch_->directions().transpose();
        const Dense own = left_.transpose() * along;
        const Dense gained = left_ * (gains_.array() * own.array()).matrix() +
                             Dense((along - left_ * own) * beside_gains_.asDiagonal());
        d = scaled;
        d.noalias() += gained * sketch_->directions();
    }
    project(d);
}

}  // namespace alfcg::nuclear
