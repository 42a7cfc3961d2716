#include "corrective/lp_face.hpp"

#include <algorithm>
#include <cmath>

#include "core/decompositions.hpp"

namespace alfcg::faces {

namespace {

// Outputs beyond which what the sketch adds is the same for all.
constexpr Eigen::Index most_gains = 64;

}  // namespace

LpFace::LpFace(const Dense& w, double p, double size, double multiplier, bool bound)
    : bound_(bound && size > 0), bends_(Dense::Zero(w.rows(), w.cols())) {
    if (!bound_) return;
    const Dense shares = w.cwiseAbs() / size;
    const Dense powers = p == 2   ? Dense::Ones(w.rows(), w.cols())
                         : p == 3 ? shares
                                  : Dense(shares.array().pow(p - 2));
    slope_ = powers.cwiseProduct(w) / size;
    bends_ = multiplier * (p - 1) / size * powers;
}

void LpFace::project(Dense& d) const {
    if (!bound_) return;
    d -= slope_.cwiseProduct(d).sum() / slope_.squaredNorm() * slope_;
}

void LpFace::add_curvature(const Dense& d, Dense& sum) const {
    if (bound_) sum += bends_.cwiseProduct(d);
}

void LpFace::expect(double curvature) {
    scales_ = bends_.array() + curvature;
    sketch_ = nullptr;
    remember_slope();
}

// (D + Vᵀ B V)⁻¹ = D⁻¹ − D⁻¹ Vᵀ (B⁻¹ + V D⁻¹ Vᵀ)⁻¹ V D⁻¹.
void LpFace::expect(const Sketch& sketch, double weight, bool /*turned*/) {
    const Eigen::VectorXd bends = weight * sketch.values();
    const double tail = bends.tail(1)(0);
    scales_ = bends_.array() + tail;
    sketch_ = &sketch;
    gains_.clear();
    const Eigen::VectorXd own = (bends.array() - tail).max(1e-12 * bends(0)).inverse();
    const Dense& v = sketch.directions();
    const bool alike = scales_.rows() > most_gains;
    for (Eigen::Index l = 0; l < (alike ? 1 : scales_.rows()); ++l) {
        const Eigen::RowVectorXd scale = alike ? scales_.colwise().mean().eval() : scales_.row(l).eval();
        const Dense scaled = v * scale.cwiseInverse().asDiagonal();
        Eigen::MatrixXd inner = product<Eigen::MatrixXd>(scaled, v.transpose());
        inner.diagonal() += own;
        gains_.push_back(positive_inverse(inner));
    }
    if (alike) scales_ = scales_.colwise().mean().replicate(scales_.rows(), 1).eval();
    remember_slope();
}

void LpFace::remember_slope() {
    if (!bound_) return;
    divided_slope_ = slope_;
    divide(divided_slope_);
    slope_length_ = slope_.cwiseProduct(divided_slope_).sum();
}

void LpFace::divide(Dense& d) const {
    d = d.cwiseQuotient(scales_);
    if (sketch_ == nullptr) return;
    const Dense& v = sketch_->directions();
    Dense along = product<Dense>(d, v.transpose());
    for (Eigen::Index l = 0; l < along.rows(); ++l)
        along.row(l) =
            (gains_[gains_.size() == 1 ? 0 : static_cast<std::size_t>(l)] * along.row(l).transpose())
                .transpose();
    d -= product<Dense>(along, v).cwiseQuotient(scales_);
}

void LpFace::precondition(Dense& d) const {
    divide(d);
    if (bound_) d -= slope_.cwiseProduct(d).sum() / slope_length_ * divided_slope_;
}

LpNorm::LpNorm(double p, double radius)
    : p_(p), ball_(lp_ball<double>(p, radius, {}, 1)), dual_(lp_ball<double>(p / (p - 1), 1, {}, 1)) {}

double LpNorm::size(Region<double>& ball, const Dense& w) {
    copy_.reshape({w.rows(), w.cols()});
    std::copy_n(w.data(), w.size(), copy_.data());
    return *ball.norm(copy_);
}

LpNorm::State LpNorm::nearest(double /*threshold*/, double radius, Shape /*any*/, Dense& w) {
    const double before = size(*ball_, w);
    if (!(before > radius)) return {before};
    ball_->proximal(copy_, 1, nearest_);
    const Matrix<double> point = nearest_.to_matrix();
    std::copy_n(point.data(), point.size(), w.data());
    return {radius};
}

}  // namespace alfcg::faces
