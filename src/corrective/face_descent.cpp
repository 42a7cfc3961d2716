#include "corrective/face_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "corrective/lp_face.hpp"
#include "corrective/nuclear_face.hpp"

namespace alfcg::faces {

namespace {

// An accepted curvature is forgotten a little.
constexpr double curvature_decay = 0.8;
// Conjugate gradients end when what is left of the slope, or what the last steps have gained, is this share of the whole.
constexpr double newton_accuracy = 0.3;
// The norm is as large as it may be, to rounding.
constexpr double tightness = 1e-10;
// Share of what a Newton step promises that it must keep.
constexpr double newton_descent = 1e-4;
constexpr int most_newton_trials = 6;
constexpr int most_doublings = 60;
constexpr int most_projected = 60;
// Of values of g, relative.
template <class Real>
constexpr double rounding = 8 * static_cast<double>(std::numeric_limits<Real>::epsilon());

double product_of(const Dense& a, const Dense& b) {
    return (a.array() * b.array()).sum();
}

void add_to(double factor, const Point& from, Point& to) {
    to.w += factor * from.w;
    to.free += factor * from.free;
}

Point difference(const Point& a, const Point& b) {
    return {a.w - b.w, a.free - b.free};
}

}  // namespace

double dot(const Point& a, const Point& b) {
    return product_of(a.w, b.w) + product_of(a.free, b.free);
}

template <class Real>
Smooth<Real>::Smooth(Part<Real>& part, double weight, double square, bool short_first)
    : part_(part),
      weight_(weight),
      square_(square),
      turned_(short_first && part.shape().rows > part.shape().cols - part.free_columns()),
      free_(part.free_columns()) {}

template <class Real>
typename Smooth<Real>::Rows Smooth<Real>::rows_of(const Matrix<Real>& s) const {
    return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
               s.data(), s.rows(), s.cols())
        .template cast<double>();
}

template <class Real>
Point Smooth<Real>::split(const Rows& rows) const {
    const auto constrained = rows.leftCols(rows.cols() - free_);
    Point point;
    point.free = rows.rightCols(free_);
    if (turned_) {
        point.w = constrained.transpose();
    } else {
        point.w = constrained;
    }
    return point;
}

template <class Real>
Point Smooth<Real>::point(const Matrix<Real>& s) const {
    Rows rows = rows_of(s);
    if (mean_.size() > 0) rows.rightCols(1) += rows.leftCols(mean_.size()) * mean_.transpose();
    rows.rightCols(free_) /= unit_;
    return split(rows);
}

template <class Real>
Point Smooth<Real>::gradient(const Matrix<Real>& at_s) const {
    Rows rows = rows_of(at_s);
    if (mean_.size() > 0) rows.leftCols(mean_.size()) -= rows.rightCols(1) * mean_;
    rows.rightCols(free_) *= unit_;
    return split(rows);
}

template <class Real>
void Smooth<Real>::write(const Point& point, Matrix<Real>& s) const {
    Rows rows(part_.shape().rows, part_.shape().cols);
    const Eigen::Index constrained = rows.cols() - free_;
    if (turned_) {
        rows.leftCols(constrained) = point.w.transpose();
    } else {
        rows.leftCols(constrained) = point.w;
    }
    rows.rightCols(free_) = unit_ * point.free;
    if (mean_.size() > 0) rows.rightCols(1) -= rows.leftCols(constrained) * mean_.transpose();
    s.reshape(part_.shape());
    std::transform(rows.data(), rows.data() + rows.size(), s.data(),
                   [](double entry) { return static_cast<Real>(entry); });
}

template <class Real>
void Smooth<Real>::centre(double curvature) {
    if (free_ == 0) return;
    Matrix<Real> none;
    std::vector<double> mean;
    const double flat = part_.spread(Matrix<Real>(0, part_.shape().cols - free_), none, mean);
    ++calls_;
    if (!(flat > 0)) return;
    mean_ = Eigen::Map<const Eigen::RowVectorXd>(mean.data(), static_cast<Eigen::Index>(mean.size()));
    if (curvature > 0) unit_ = std::sqrt(curvature / (weight_ * flat));
}

template <class Real>
double Smooth<Real>::tilt(const Point& at, const Point& wanted, Point& gradient) {
    tilt_ = {};
    const double value = evaluate(at, gradient);
    tilt_ = difference(wanted, gradient);
    tilt_.w += square_ * at.w;
    add_to(1, tilt_, gradient);
    return value + dot(tilt_, at);
}

template <class Real>
double Smooth<Real>::evaluate(const Point& at, Point& gradient) {
    ++calls_;
    write(at, s_);
    double value = weight_ * part_.evaluate(s_, result_);
    gradient = this->gradient(result_);
    gradient.w *= weight_;
    gradient.free *= weight_;
    if (tilt_.w.size() > 0) {
        value += dot(tilt_, at);
        add_to(1, tilt_, gradient);
    }
    if (square_ > 0) {
        value += square_ / 2 * at.w.squaredNorm();
        gradient.w += square_ * at.w;
    }
    return value;
}

template <class Real>
void Smooth<Real>::curve(const Point& d, Point& product) {
    ++calls_;
    write(d, s_);
    part_.curve(s_, result_);
    product = gradient(result_);
    product.w = weight_ * product.w + (square_ + stiffness_) * d.w;
    product.free *= weight_;
}

// That along signs that look like chance.
template <class Real>
double Smooth<Real>::mean_bend() {
    stiffness_ = 0;
    Matrix<Real> signs(part_.shape());
    signs.fill(0);
    for (Index l = 0; l < signs.rows(); ++l)
        for (Index k = 0; k < signs.cols() - free_; ++k)
            signs(l, k) =
                std::sin(static_cast<double>(l * signs.cols() + k + 1) * 12.9898) > 0 ? Real(1) : Real(-1);
    Point probe = point(signs);
    probe.free.setZero();
    Point product;
    curve(probe, product);
    return std::max(dot(probe, product) / static_cast<double>(probe.w.size()) - square_, 0.0);
}

template <class Real, class Norm>
void Descent<Real, Norm>::start(Point at, double value, Point gradient) {
    at_ = std::move(at);
    gradient_ = std::move(gradient);
    value_ = value;
    state_ = norm_.look(at_.w);
    length_ = state_.sum();
}

template <class Real, class Norm>
double Descent<Real, Norm>::gap(const Point& at, const Point& gradient, double length) const {
    const double steepest = std::max(norm_.dual(gradient.w) - cost_, 0.0);
    const double free = curvature_ > 0 ? gradient.free.squaredNorm() / curvature_ : 0;
    return product_of(gradient.w, at.w) + cost_ * length + radius_ * steepest + free;
}

template <class Real, class Norm>
void Descent<Real, Norm>::return_here() {
    if (!std::exchange(elsewhere_, false)) return;
    Point unused;
    smooth_.evaluate(at_, unused);
}

template <class Real, class Norm>
void Descent<Real, Norm>::take(Point& to, Point& gradient, State& state, double value) {
    at_ = std::move(to);
    gradient_ = std::move(gradient);
    state_ = std::move(state);
    length_ = state_.sum();
    value_ = value;
    elsewhere_ = false;
}

template <class Real, class Norm>
bool Descent<Real, Norm>::rises(double value) const {
    const double here = value_ + cost_ * length_;
    return value > here + rounding<Real> * std::abs(here);
}

template <class Real, class Norm>
void Descent<Real, Norm>::find_curvature() {
    return_here();
    const double square = dot(gradient_, gradient_);
    if (square == 0) return;
    Point product;
    smooth_.curve(gradient_, product);
    // Steps that are longer than the ball is wide lead nowhere.
    curvature_ = std::max(dot(gradient_, product) / square, std::sqrt(square) / (2 * radius_));
}

// Accelerated, from a standstill. What the slope is at points ahead is told from those before, as if g were quadratic.
template <class Real, class Norm>
bool Descent<Real, Norm>::projected_steps(int count, double fast, double enough) {
    if (curvature_ <= 0) find_curvature();
    if (curvature_ <= 0) return false;
    Point from = at_;  // where a step starts
    Point slope = gradient_;
    double momentum = 1;
    double gap_before = gap();
    bool moved = false;
    for (int step = 1;; ++step) {
        Point to;
        State state;
        Point gradient;
        double reached = 0;
        for (int trial = 0;; ++trial) {
            to = from;
            add_to(-1 / curvature_, slope, to);
            state = norm_.nearest(cost_ / curvature_, radius_, norm_.any(to.w), to.w);
            reached = smooth_.evaluate(to, gradient);
            elsewhere_ = true;
            const Point way = difference(to, from);
            // By slopes: where values differ by rounding only, they tell nothing.
            const double found = (dot(gradient, way) - dot(slope, way)) / dot(way, way);
            if (!(found > curvature_)) break;
            if (trial == most_doublings) return moved;
            curvature_ = std::max(2 * curvature_, found);
        }
        if (rises(reached + cost_ * state.sum())) {  // the last point stays
            curvature_ *= 2;
            return moved;
        }
        curvature_ *= curvature_decay;
        const Point way = difference(to, at_);
        const Point bend = difference(gradient, gradient_);
        take(to, gradient, state, reached);
        moved = true;
        const double gap_now = gap();
        if (gap_now <= enough || step >= most_projected) return moved;
        if (step >= count && !(gap_now < fast * gap_before)) return moved;
        gap_before = gap_now;
        const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
        const double ahead = (momentum - 1) / next;
        momentum = next;
        from = at_;
        slope = gradient_;
        add_to(ahead, way, from);
        add_to(ahead, bend, slope);
    }
}

template <class Real, class Norm>
typename Descent<Real, Norm>::Way Descent<Real, Norm>::newton_way(int most) {
    return_here();
    double multiplier = cost_;
    bool bound = false;
    if (length_ >= radius_ * (1 - tightness)) {
        const double balanced = norm_.multiplier(state_, at_.w, gradient_.w);
        bound = balanced > cost_;
        if (bound) multiplier = balanced;
    }
    Way way{{Dense::Zero(at_.w.rows(), at_.w.cols()), Dense::Zero(at_.free.rows(), at_.free.cols())},
            0,
            multiplier > 0 ? norm_.shape(state_) : norm_.any(at_.w)};
    auto face = norm_.face(state_, at_.w, multiplier, bound);
    double along_free = curvature_;
    if (sketch_.empty()) {
        face.expect(curvature_);
    } else {
        face.expect(sketch_, smooth_.weight(), smooth_.turned());
        along_free = smooth_.weight() * sketch_.flat() * smooth_.free_unit() * smooth_.free_unit();
    }
    const auto precondition = [&](Point point) {
        face.precondition(point.w);
        point.free /= along_free;
        return point;
    };
    Point residual{-gradient_.w, -gradient_.free};
    if (multiplier > 0 && !bound) residual.w -= multiplier * face.slope();
    face.project(residual.w);
    Point ray = precondition(residual);
    double size = dot(residual, ray);
    constexpr double enough = newton_accuracy * newton_accuracy;
    const double first = size;
    // No more than this is to be had: a model that promises it has left the range where it holds.
    const double most_gain = gap();
    Point product;
    looks_ = 0;
    for (int turn = 0; turn < most && size > enough * first; ++turn) {
        smooth_.curve(ray, product);
        ++looks_;
        face.project(product.w);
        face.add_curvature(ray.w, product.w);
        const double bend = dot(ray, product);
        if (!(bend > 0)) break;
        const double step = size / bend;
        add_to(step, ray, way.d);
        add_to(-step, product, residual);
        const double gain = step * size / 2;
        way.promise += gain;
        if (gain * (turn + 1) < enough * way.promise || way.promise > most_gain) break;
        const Point scaled = precondition(residual);
        const double next = dot(residual, scaled);
        const double keep = next / size;
        size = next;
        ray.w = scaled.w + keep * ray.w;
        ray.free = scaled.free + keep * ray.free;
    }
    return way;
}

template <class Real, class Norm>
bool Descent<Real, Norm>::newton_step(int most) {
    const Way way = newton_way(most);
    if (!(way.promise > 0)) return false;
    double step = 1;
    for (int trial = 0; trial < most_newton_trials; ++trial, step /= 2) {
        Point to = at_;
        add_to(step, way.d, to);
        State state = norm_.nearest(0, radius_, way.shape, to.w);
        Point gradient;
        const double reached = smooth_.evaluate(to, gradient);
        elsewhere_ = true;
        if (rises(reached + cost_ * state.sum() + newton_descent * step * way.promise)) continue;
        take(to, gradient, state, reached);
        return true;
    }
    return false;
}

template class Smooth<float>;
template class Smooth<double>;
template class Descent<float, NuclearNorm>;
template class Descent<double, NuclearNorm>;
template class Descent<float, LpNorm>;
template class Descent<double, LpNorm>;

}  // namespace alfcg::faces
