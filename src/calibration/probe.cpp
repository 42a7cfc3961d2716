#include "calibration/probe.hpp"

#include <algorithm>
#include <cmath>

#include "solve/iterate.hpp"

namespace alfcg {

template <class Real>
double norm(const Matrix<Real>& g) {
    return std::sqrt(-kernels::direction(g.size(), g.data(), g.data(), 0, nullptr).slope);
}

template <class Real>
void Probe<Real>::evaluate(std::span<const Index> rows, const Matrix<Real>& x, Matrix<Real>& gradient) {
    if (rows.empty()) {
        objective_.evaluate(x, gradient);
    } else {
        objective_.batch_gradient(rows, x, gradient);
    }
}

template <class Real>
double Probe<Real>::curvature(std::span<const Index> rows, const Matrix<Real>& x, const Matrix<Real>& g,
                              const Vertex<Real>& vertex, double tau) {
    point_ = x;
    move_towards(vertex, tau, point_);
    evaluate(rows, point_, at_point_);
    const auto before = direction_to(vertex, g, x);
    const double rise = direction_to(vertex, at_point_, x).slope - before.slope;
    const double way = tau * before.length_squared;
    return way > 0 ? std::max(least_curvature, rise / way) : least_curvature;
}

template <class Real>
double Probe<Real>::curvature(std::span<const Index> rows, const Matrix<Real>& x, const Vertex<Real>& vertex,
                              double tau) {
    evaluate(rows, x, at_x_);
    return curvature(rows, x, at_x_, vertex, tau);
}

template <class Real>
double ProbedDirection<Real>::target(Region<Real>& region, const Matrix<Real>& gradient,
                                     const Matrix<Real>& x, double tolerance, Vertex<Real>& vertex,
                                     Counters& counters) {
    const double slack = DirectionRule<Real>::target(region, gradient, x, tolerance, vertex, counters);
    if (done_) return slack;
    done_ = true;
    const Index samples = objective_.samples();
    if (look_ == Look::estimate) {
        step_.set_scale(probe_.curvature({}, x, gradient, vertex, first_probe), norm(gradient));
        counters.component_gradients += samples;
    } else {
        const bool all = look_ == Look::all_rows || batch_ >= samples;
        const auto rows = all ? std::span<const Index>() : batches_.draw(batch_);
        const double curvature = probe_.curvature(rows, x, vertex, first_probe);
        step_.set_scale(curvature, norm(probe_.gradient()));
        counters.component_gradients += 2 * (all ? samples : static_cast<Index>(rows.size()));
    }
    return slack;
}

template double norm(const Matrix<float>&);
template double norm(const Matrix<double>&);
template class Probe<float>;
template class Probe<double>;
template class ProbedDirection<float>;
template class ProbedDirection<double>;

}  // namespace alfcg
