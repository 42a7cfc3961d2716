#include "alfcg/region/region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

// start + share (x − start)
template <class Real>
Matrix<Real> on_the_way(const Matrix<Real>& start, const Matrix<Real>& x, double share) {
    Matrix<Real> point = start;
    for (Index k = 0; k < x.size(); ++k) {
        const auto from = static_cast<double>(start.span()[static_cast<std::size_t>(k)]);
        const auto to = static_cast<double>(x.span()[static_cast<std::size_t>(k)]);
        point.span()[static_cast<std::size_t>(k)] = static_cast<Real>(from + share * (to - from));
    }
    return point;
}

[[noreturn]] void reject_factors(const std::string& region) {
    throw Error("the " + region + " needs all entries of a point: with factors, use the nuclear ball");
}

}  // namespace

template <class Real>
double Region<Real>::minimize_at(const Pattern& /*pattern*/, const Matrix<Real>& /*entries*/,
                                 double /*tolerance*/, bool /*certify*/, Vertex<Real>& /*vertex*/) {
    reject_factors(describe());
}

template <class Real>
double Region<Real>::composite_of(const Factors<Real>& /*x*/) {
    reject_factors(describe());
}

template <class Real>
double Region<Real>::violation_of(const Factors<Real>& /*x*/) {
    reject_factors(describe());
}

template <class Real>
Matrix<Real> Region<Real>::start(Shape shape) {
    Matrix<Real> x(shape);
    if (violation(x) <= 0) return x;
    Vertex<Real> vertex;
    minimize(x, 0, false, vertex);  // any point of a region without the origin
    return vertex.to_matrix();
}

template <class Real>
Matrix<Real> scaled_into(Region<Real>& region, Matrix<Real> x) {
    if (!std::all_of(x.span().begin(), x.span().end(), [](Real entry) { return std::isfinite(entry); }))
        throw Error("the starting point is not finite");
    const double outside = region.violation(x);
    if (outside <= 0) return x;
    const Matrix<Real> start = region.start(x.shape());
    const double rounding = 4 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    // Of a ball, twice as far away is twice as far: one division finds its boundary.
    const double twice = region.violation(on_the_way(start, x, 2));
    if (std::abs(twice - (1 + 2 * outside)) <= 1e-3 * (1 + outside))
        return on_the_way(start, x, (1 - rounding) / (1 + outside));
    // Of a set with equations, only the start would be inside to rounding.
    if (outside <= feasibility_slack) return x;
    double inside = 0;
    double beyond = 1;
    while (beyond - inside > rounding) {
        const double share = (inside + beyond) / 2;
        (region.violation(on_the_way(start, x, share)) <= 0 ? inside : beyond) = share;
    }
    return on_the_way(start, x, inside);
}

template Matrix<float> scaled_into(Region<float>&, Matrix<float>);
template Matrix<double> scaled_into(Region<double>&, Matrix<double>);
template class Region<float>;
template class Region<double>;

}  // namespace alfcg
