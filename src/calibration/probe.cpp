#include "calibration/probe.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/vector.hpp"

namespace alfcg {

namespace {

constexpr int most_looks = 40;
// A slope that jumps up and then hardly changes looks gentle from afar: the curvature nearer by tells.
constexpr double finer_share = 0.125;
constexpr double much_more = 2;
constexpr double far_off = 0.5;  // the probe went further than the step it leads to

}  // namespace

template <class Real>
double norm(const Matrix<Real>& g) {
    if (g.shared_by() != nullptr) {
        Matrix<Real> whole = g;
        add_up(whole);
        return norm(whole);
    }
    return std::sqrt(-kernels::direction(g.size(), g.data(), g.data(), 0, nullptr).slope);
}

template <class Real>
void Probe<Real>::evaluate(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& gradient) {
    if (rows.empty()) {
        objective_.evaluate(x, gradient);
    } else {
        objective_.batch_gradient(rows, x, gradient);
    }
}

template <class Real>
double Probe<Real>::curvature(std::span<const Index> rows, const Iterate<Real>& x, const Matrix<Real>& g,
                              const Vertex<Real>& vertex, double tau) {
    point_.stand_at(x);
    point_.go_towards(vertex, tau);
    evaluate(rows, point_, at_point_);
    const auto before = direction_to(vertex, g, x);
    const double rise = direction_to(vertex, at_point_, x).slope - before.slope;
    const double way = tau * before.length_squared;
    return way > 0 ? std::max(least_curvature, rise / way) : least_curvature;
}

template <class Real>
double Probe<Real>::curvature(std::span<const Index> rows, const Iterate<Real>& x, const Vertex<Real>& vertex,
                              double tau) {
    evaluate(rows, x, at_x_);
    return curvature(rows, x, at_x_, vertex, tau);
}

template <class Real>
typename Probe<Real>::Found Probe<Real>::curvature_at_step(std::span<const Index> rows,
                                                           const Iterate<Real>& x, const Matrix<Real>& full,
                                                           const Vertex<Real>& vertex, double gap) {
    Found found;
    const Index cost = rows.empty() ? objective_.samples() : static_cast<Index>(rows.size());
    if (!rows.empty()) {
        evaluate(rows, x, at_x_);
        found.cost += cost;
    }
    const Matrix<Real>& g = rows.empty() ? full : at_x_;
    const double length_squared = direction_to(vertex, g, x).length_squared;
    if (!(gap > 0) || !(length_squared > 0)) return found;
    const auto curvature_along = [&](double tau) {
        found.cost += cost;
        return curvature(rows, x, g, vertex, tau);
    };
    const auto step = [&](double curvature) { return gap / (curvature * length_squared); };
    double tau = first_probe;
    found.curvature = curvature_along(tau);
    for (int looks = 1; looks < most_looks; ++looks) {
        if (step(found.curvature) < far_off * tau) {
            tau = step(found.curvature);
            found.curvature = curvature_along(tau);
            continue;
        }
        const double finer = curvature_along(finer_share * tau);
        const bool settled = finer <= much_more * found.curvature || step(finer) >= 1;
        found.curvature = std::max(found.curvature, finer);
        if (settled) break;
        tau *= finer_share;
    }
    return found;
}

template double norm(const Matrix<float>&);
template double norm(const Matrix<double>&);
template class Probe<float>;
template class Probe<double>;

}  // namespace alfcg
