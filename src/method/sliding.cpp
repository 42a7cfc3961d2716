#include "method/sliding.hpp"

#include "kernels/vector.hpp"
#include "solve/iterate.hpp"

namespace alfcg {

template <class Real>
Estimate Sliding<Real>::estimate(Index iteration, const Matrix<Real>& y, std::optional<double> /*alpha*/,
                                 Matrix<Real>& gradient) {
    const auto k = static_cast<double>(iteration + 1);
    gamma_ = 3 / (k + 2);
    beta_ = 3 * lipschitz_ / (k + 1);
    if (iteration == 0) x_ = y;
    z_ = y;
    kernels::axpby(y.size(), gamma_, x_.data(), 1 - gamma_, z_.data());
    objective_.evaluate(z_, gradient);
    return {objective_.samples(), std::nullopt, std::nullopt};
}

template <class Real>
double Sliding<Real>::target(Region<Real>& region, const Matrix<Real>& gradient, const Matrix<Real>& /*y*/,
                             double tolerance, Vertex<Real>& vertex, Counters& counters) {
    vertex.kind = Vertex<Real>::Kind::dense;
    vertex.shape = x_.shape();
    Matrix<Real>& u = vertex.dense;
    u = x_;
    double slack = 0;
    for (Index i = 0; i < inner_steps_; ++i) {
        inner_gradient_ = gradient;
        kernels::axpby(u.size(), beta_, u.data(), 1, inner_gradient_.data());
        kernels::axpby(u.size(), -beta_, x_.data(), 1, inner_gradient_.data());
        slack = std::max(
            slack, DirectionRule<Real>::target(region, inner_gradient_, u, tolerance, corner_, counters));
        const auto direction = direction_to(corner_, inner_gradient_, u);
        const double gap = region.composite(u) - corner_.composite - direction.slope;
        if (!(gap > 0)) break;
        move_towards(corner_, short_step(gap, beta_, direction.length_squared), u);
    }
    x_ = u;
    vertex.composite = region.composite(u);
    return slack;
}

template <class Real>
double Sliding<Real>::step(const StepInput& /*input*/, LineFunction& /*line*/) {
    return gamma_;
}

template class Sliding<float>;
template class Sliding<double>;

}  // namespace alfcg
