#include "corrective/l1_part.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/range_advice.hpp"
#include "corrective/l1_homotopy.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// How exactly a model is minimised: to such shares of the part's gap.
constexpr double finest_model = 0.1;
constexpr double roughest_model = 0.5;
constexpr int most_products = 40;
// With the matrix at hand, what steps have not done by then the way from zero does, up to so many entries.
constexpr int few_products = 60;
constexpr Index most_followed = 384;
// Share of the promised decrease that a step must keep.
constexpr double least_descent = 1e-4;
constexpr int most_trials = 30;
// Of coordinate descent, through the entries that count.
constexpr int most_turns = 30;
// It steps as if curvatures were at least such a share of the usual ones: less after a step that was right, more after another.
constexpr double most_damping = 0.1;
constexpr double least_damping = 1e-9;
constexpr double less_damping = 3;
constexpr double first_stiffness = 0.03;
// A matrix is kept while it tells the change of the slope along a step this well, and the gap falls to such a share.
constexpr double matrix_error = 0.2;
constexpr double kept_gap = 0.5;
// By which the rows that a matrix is made of grow where they have been too few.
constexpr double more_rows = 4;
// Steps after which scores are made from the data again.
constexpr int followed_steps = 32;

}  // namespace

template <class Real>
void L1Part<Real>::start(const Matrix<Real>& s) {
    if (evaluated_ && steps_ < followed_steps &&
        std::equal(s.span().begin(), s.span().end(), s_.span().begin()))
        return;
    s_ = s;
    part_.stiffen(trust_.stiffness);
    value_ = part_.evaluate(s_, gradient_);
    evaluated_ = true;
    steps_ = 0;
    made_here_ = false;
    ++calls_;
    look();
}

template <class Real>
void L1Part<Real>::look() {
    objective_ = value_ + composite(s_);
    part_.curvatures(diagonal_);
    const double largest = *std::max_element(diagonal_.span().begin(), diagonal_.span().end());
    const double least = largest > 0 ? 1e-10 * largest : 1;
    slopes_.resize(minds_.size());
    std::vector<double> u(minds_.size());
    for (std::size_t i = 0; i < minds_.size(); ++i) {
        const bool minded = minds_[i] == 0;
        double& own = diagonal_.data()[i];
        own = std::max(own, least) + (minded ? ball_.composite.l2 : 0);
        u[i] = static_cast<double>(s_.data()[i]);
        slopes_[i] = static_cast<double>(gradient_.data()[i]) + (minded ? ball_.composite.l2 * u[i] : 0);
    }
    const auto nothing = [](const std::vector<double>&, std::vector<double>&) {};
    gap_ = model(nothing).gap(slopes_, u);
}

template <class Real>
L1Model L1Part<Real>::model(FunctionRef<void(const std::vector<double>&, std::vector<double>&)> curve) {
    return {.radius = ball_.radius,
            .l1 = ball_.composite.l1,
            .free = minds_,
            .gradient = slopes_,
            .diagonal = {diagonal_.span().begin(), diagonal_.span().end()},
            .curve = curve};
}

template <class Real>
bool L1Part<Real>::take_matrix() {
    if (has_matrix_) return true;
    const auto n = static_cast<Index>(minds_.size());
    const Index used = part_.curvature_matrix(
        static_cast<Index>(std::min(trust_.rows * static_cast<double>(n), 1e15)), trust_.slow, matrix_);
    if (used == 0) return false;
    exact_ = used == part_.samples();
    has_matrix_ = made_here_ = true;
    ++calls_;
    // Columns that the rows drawn know next to nothing of.
    if (!exact_)
        for (Index a = 0; a < n; ++a)
            if (matrix_(a, a) < diagonal_.data()[a] / 4) matrix_(a, a) = diagonal_.data()[a];
    return true;
}

template <class Real>
double L1Part<Real>::modelled(const Matrix<Real>& d) const {
    const Index n = d.size();
    double sum = 0;
    for (Index a = 0; a < n; ++a) {
        if (d.data()[a] == 0) continue;
        const double* line = matrix_.data() + a * n;
        double product = 0;
        for (Index b = 0; b < n; ++b) product += line[b] * static_cast<double>(d.data()[b]);
        sum += product * static_cast<double>(d.data()[a]);
    }
    return sum;
}

template <class Real>
void L1Part<Real>::judge_matrix(double curvature, const Matrix<Real>& gradient_before, double gap_before) {
    const bool was_made_here = std::exchange(made_here_, false);
    const double model = modelled(way_);
    double change = 0;
    for (Index i = 0; i < way_.size(); ++i)
        change += static_cast<double>(way_.data()[i]) *
                  (static_cast<double>(gradient_.data()[i]) - static_cast<double>(gradient_before.data()[i]));
    change /= step_;
    const bool fits = std::abs(change - model) <= matrix_error * model;
    has_matrix_ = step_ == 1 && fits && gap_ <= kept_gap * gap_before;
    if (has_matrix_ || exact_ || !was_made_here) return;
    if (fits || std::abs(curvature - model) > std::abs(change - curvature)) trust_.rows *= more_rows;
}

template <class Real>
bool L1Part<Real>::improve(int effort) {
    for (;;) {
        const bool whole = take_matrix();
        const bool trusted = !whole || (exact_ && made_here_);
        const double slope = aim_at_minimum(whole, effort);
        if (slope < noise()) {
            const double curvature = part_.aim(way_);
            ++calls_;
            const Matrix<Real> gradient_before = gradient_;
            const double gap_before = gap_;
            const double objective_before = objective_;
            if (search_line(slope)) {
                adapt_damping(gap_before);
                judge_model(step_ * slope + step_ * step_ / 2 * curvature, objective_before);
                if (whole) judge_matrix(curvature, gradient_before, gap_before);
                return true;
            }
        }
        if (trusted) return false;
        // One of some rows, or of another point, has led astray.
        trust_.rows = static_cast<double>(part_.samples());
        has_matrix_ = false;
    }
}

template <class Real>
double L1Part<Real>::aim_at_minimum(bool whole, int effort) {
    const auto n = static_cast<Index>(minds_.size());
    way_.reshape(s_.shape());
    std::vector<kernels::LineFactor> lines;
    const auto curve = [&](const std::vector<double>& d, std::vector<double>& product) {
        if (whole) {
            // It is symmetric; steps move few entries.
            lines.clear();
            for (Index a = 0; a < n; ++a)
                if (const double own = d[static_cast<std::size_t>(a)]; own != 0) lines.push_back({a, own});
            kernels::add_lines(n, lines, matrix_.data(), product.data());
        } else {
            std::transform(d.begin(), d.end(), way_.data(),
                           [](double entry) { return static_cast<Real>(entry); });
            part_.curve(way_, product_);
            ++calls_;
            std::copy(product_.span().begin(), product_.span().end(), product.begin());
        }
        for (std::size_t i = 0; i < d.size(); ++i)
            if (minds_[i] == 0) product[i] += ball_.composite.l2 * d[i];
    };
    if (whole) {
        for (Index a = 0; a < n; ++a) {
            double& own = diagonal_.data()[a];
            own = std::max(matrix_(a, a), 1e-6 * own);
            if (minds_[static_cast<std::size_t>(a)] == 0) own += ball_.composite.l2;
        }
    }
    std::vector<double> u(s_.span().begin(), s_.span().end());
    const double goal = trust_.share * gap_;
    L1Model now = model(curve);
    const bool followed = whole && n <= most_followed;
    if (!followed && part_.walk({}, s_, u)) {
        std::vector<double> least(diagonal_.span().begin(), diagonal_.span().end());
        for (double& own : least) own *= trust_.damping;
        now.walk = [&, least](double multiplier, std::vector<double>& at) {
            if (trust_.multiplier >= 0) multiplier = trust_.multiplier;
            trust_.multiplier = *part_.walk({.slopes = slopes_,
                                             .least = least,
                                             .l1 = ball_.composite.l1,
                                             .l2 = ball_.composite.l2,
                                             .radius = ball_.radius,
                                             .multiplier = multiplier,
                                             .turns = most_turns,
                                             .share = trust_.share * trust_.share / 2},
                                            s_, at);
            return trust_.multiplier;
        };
    }
    const std::vector<double> point = u;
    const double reached = minimize(now, point, goal, effort * (whole ? few_products : most_products), u);
    if (!whole && reached > goal) trust_.slow = true;
    if (followed && reached > goal) {
        std::vector<double> end = u;
        follow(end);
        if (minimize(now, point, goal, effort * few_products, end) < reached) u = end;
    }
    double largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
        if (minds_[i] == 0) largest = std::max(largest, std::abs(u[i]));
    if (largest > 0 && largest < static_cast<double>(std::numeric_limits<Real>::min()))
        throw Error("the weights would be around " + format_number(largest) +
                    ", too small for the precision: " + range_advice<Real>());
    double slope = 0;
    double norms = 0;
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto old = static_cast<double>(s_.data()[i]);
        way_.data()[i] = static_cast<Real>(static_cast<Real>(u[at]) - s_.data()[i]);
        slope += slopes_[at] * (u[at] - old);
        if (minds_[at] == 0) norms += std::abs(u[at]) - std::abs(old);
    }
    return slope + ball_.composite.l1 * norms;
}

// A step that had to be shortened was too trusting.
template <class Real>
void L1Part<Real>::adapt(double step) {
    if (step < 1) {
        trust_.stiffness = std::min(1.0, std::max(2 * trust_.stiffness, first_stiffness));
    } else {
        trust_.stiffness = trust_.stiffness > first_stiffness / 16 ? trust_.stiffness / 4 : 0;
    }
    part_.stiffen(trust_.stiffness);
}

template <class Real>
void L1Part<Real>::adapt_damping(double gap_before) {
    trust_.damping = step_ < 1 || gap_ > gap_before
                         ? std::min(trust_.damping * less_damping * less_damping, most_damping)
                         : std::max(trust_.damping / less_damping, least_damping);
}

template <class Real>
void L1Part<Real>::judge_model(double promised, double objective_before) {
    const double error = std::abs(objective_ - objective_before - promised) / std::max(-promised, noise());
    trust_.share = std::clamp(error, finest_model, roughest_model);
}

template <class Real>
void L1Part<Real>::follow(std::vector<double>& u) {
    const auto n = static_cast<Index>(minds_.size());
    const Index minded = n - free_;
    Matrix<double> h(minded, minded);
    std::vector<double> b(static_cast<std::size_t>(minded));
    // A free entry is the best for the others.
    const double own = free_ > 0 ? matrix_(n - 1, n - 1) : 1;
    if (!(own > 0)) return;
    std::vector<double> ends(static_cast<std::size_t>(n));
    for (Index a = 0; a < n; ++a) {
        const auto at = static_cast<std::size_t>(a);
        ends[at] = -slopes_[at];
        for (Index c = 0; c < n; ++c) ends[at] += matrix_(a, c) * static_cast<double>(s_.data()[c]);
        if (minds_[at] == 0) ends[at] += ball_.composite.l2 * static_cast<double>(s_.data()[a]);
    }
    for (Index a = 0; a < minded; ++a) {
        const double share = free_ > 0 ? matrix_(a, n - 1) / own : 0;
        b[static_cast<std::size_t>(a)] = ends[static_cast<std::size_t>(a)] - share * ends.back();
        for (Index c = 0; c < minded; ++c)
            h(a, c) = matrix_(a, c) - (free_ > 0 ? share * matrix_(n - 1, c) : 0);
        h(a, a) += ball_.composite.l2;
    }
    const std::vector<double> found = l1_minimum(h, b, ball_.composite.l1, ball_.radius);
    std::copy(found.begin(), found.end(), u.begin());
    if (free_ == 0) return;
    u.back() = ends.back();
    for (Index c = 0; c < minded; ++c) u.back() -= matrix_(n - 1, c) * u[static_cast<std::size_t>(c)];
    u.back() /= own;
}

template <class Real>
Matrix<Real> L1Part<Real>::lightest() const {
    Matrix<Real> s = s_;
    // What all outputs have in common may be any number: their median is the best, or zero where it lies between two.
    if (!part_.relative() || ball_.composite.l2 > 0) return s;
    const Index outputs = s.rows();
    std::vector<Real> column(static_cast<std::size_t>(outputs));
    for (Index j = 0; j < s.cols() - free_; ++j) {
        for (Index l = 0; l < outputs; ++l) column[static_cast<std::size_t>(l)] = s(l, j);
        std::sort(column.begin(), column.end());
        const Real median = std::clamp(Real(0), column[static_cast<std::size_t>((outputs - 1) / 2)],
                                       column[static_cast<std::size_t>(outputs / 2)]);
        if (median == 0) continue;
        for (Index l = 0; l < outputs; ++l) s(l, j) -= median;
    }
    return s;
}

template <class Real>
Matrix<Real> L1Part<Real>::after(double step) const {
    Matrix<Real> end = s_;
    for (Index i = 0; i < end.size(); ++i)
        end.data()[i] = static_cast<Real>(end.data()[i] + static_cast<Real>(step) * way_.data()[i]);
    return end;
}

template <class Real>
bool L1Part<Real>::refine() {
    const Matrix<Real> before = s_;
    const double objective_before = objective_;
    const double gap_before = gap_;
    s_ = after(1);
    step_ = 1;
    ++steps_;
    calls_ += 2;
    value_ = part_.advance(1, gradient_);
    look();
    if (gap_ < gap_before / 2 && objective_ <= objective_before + noise()) return true;
    start(before);
    return false;
}

template <class Real>
bool L1Part<Real>::search_line(double slope) {
    if (-slope <= noise()) return refine();
    double step = 1;
    for (int trial = 0; trial < most_trials; ++trial) {
        ++trials_;
        const Matrix<Real> end = after(step);
        const double reached = part_.value_after(step) + composite(end);
        if (reached <= objective_ + least_descent * step * slope) {
            s_ = end;
            step_ = step;
            ++steps_;
            ++calls_;
            adapt(step);
            value_ = part_.advance(step, gradient_);
            look();
            return true;
        }
        if (step == 1 && std::abs(reached - objective_) <= noise()) return refine();
        // Where the parabola through both ends has its lowest point.
        const double bend = reached - objective_ - step * slope;
        step *= std::clamp(bend > 0 ? -step * slope / (2 * bend) : 0.5, 0.1, 0.5);
    }
    return false;
}

template class L1Part<float>;
template class L1Part<double>;

}  // namespace alfcg
