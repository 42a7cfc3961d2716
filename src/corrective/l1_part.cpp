#include "corrective/l1_part.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "corrective/l1_homotopy.hpp"

namespace alfcg {

namespace {

// Of the part's gap: how exactly a model is minimised.
constexpr double model_share = 0.1;
constexpr int most_products = 40;
// With the matrix at hand, what steps have not done by then the way from zero does, up to so many entries.
constexpr int few_products = 60;
constexpr Index most_followed = 384;
// Share of the promised decrease that a step must keep.
constexpr double least_descent = 1e-4;
constexpr int most_trials = 30;
// Of coordinate descent, through all entries that count.
constexpr int turns = 5;
constexpr double first_stiffness = 0.03;

}  // namespace

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
bool L1Part<Real>::improve(int effort) {
    const auto n = static_cast<Index>(minds_.size());
    const bool whole = part_.curvature_matrix(matrix_);
    way_.reshape(s_.shape());
    const auto curve = [&](const std::vector<double>& d, std::vector<double>& product) {
        if (whole) {
            for (Index a = 0; a < n; ++a) {
                const double* line = matrix_.data() + a * n;
                double sum = 0;
#pragma omp simd reduction(+ : sum)
                for (Index b = 0; b < n; ++b) sum += line[b] * d[static_cast<std::size_t>(b)];
                product[static_cast<std::size_t>(a)] = sum;
            }
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
        ++calls_;
        for (Index a = 0; a < n; ++a) {
            double& own = diagonal_.data()[a];
            own = std::max(matrix_(a, a), 1e-6 * own);
            if (minds_[static_cast<std::size_t>(a)] == 0) own += ball_.composite.l2;
        }
    }
    std::vector<double> u(s_.span().begin(), s_.span().end());
    const double goal = model_share * gap_;
    L1Model now = model(curve);
    const bool followed = whole && n <= most_followed;
    if (!followed && part_.walk({}, s_, u)) {
        now.walk = [&](std::span<const Index> entries, double l1, std::vector<double>& at) {
            part_.walk(
                {.entries = entries, .slopes = slopes_, .l1 = l1, .l2 = ball_.composite.l2, .turns = turns},
                s_, at);
        };
    }
    const std::vector<double> point = u;
    const double reached = minimize(now, point, goal, effort * (whole ? few_products : most_products), u);
    if (followed && reached > goal) {
        std::vector<double> end = u;
        follow(end);
        if (minimize(now, point, goal, effort * few_products, end) < reached) u = end;
    }
    double largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
        if (minds_[i] == 0) largest = std::max(largest, std::abs(u[i]));
    if (largest > 0 && largest < static_cast<double>(std::numeric_limits<Real>::min()))
        throw Error(
            "the weights would be around " + format_number(largest) +
            ", too small for the precision: normalise the data (`normalize`), or use double precision "
            "(`precision` f64)");
    double slope = 0;
    double norms = 0;
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto old = static_cast<double>(s_.data()[i]);
        way_.data()[i] = static_cast<Real>(static_cast<Real>(u[at]) - s_.data()[i]);
        slope += slopes_[at] * (u[at] - old);
        if (minds_[at] == 0) norms += std::abs(u[at]) - std::abs(old);
    }
    slope += ball_.composite.l1 * norms;
    if (!(slope < noise())) return false;
    part_.curve(way_, product_);
    ++calls_;
    return search_line(slope);
}

// A step that had to be shortened was too trusting.
template <class Real>
void L1Part<Real>::adapt(double step) {
    if (step < 1) {
        stiffness_ = std::min(1.0, std::max(2 * stiffness_, first_stiffness));
    } else {
        stiffness_ = stiffness_ > first_stiffness / 16 ? stiffness_ / 4 : 0;
    }
    part_.stiffen(stiffness_);
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
