#include "method/sliding.hpp"

#include <algorithm>

#include "kernels/vector.hpp"

namespace alfcg {

template <class Real>
Estimate Sliding<Real>::estimate(Run<Real>& run, std::optional<double> /*alpha*/, Proposal<Real>& proposal) {
    const Matrix<Real>& y = run.x().matrix();
    const auto k = static_cast<double>(run.iteration() + 1);
    gamma_ = 3 / (k + 2);
    beta_ = 3 * lipschitz_ / (k + 1);
    if (run.iteration() == 0) x_ = y;
    z_.jump_to(y);
    kernels::axpby(y.size(), gamma_, x_.data(), 1 - gamma_, z_.rewrite().data());
    run.full_gradient(z_, proposal.gradient);
    return {};
}

template <class Real>
double Sliding<Real>::aim(Run<Real>& run, Proposal<Real>& proposal) {
    Vertex<Real>& vertex = proposal.move.towards();
    vertex.kind = Vertex<Real>::Kind::dense;
    vertex.shape = x_.shape();
    Matrix<Real>& u = vertex.dense;
    u = x_;
    double slack = 0;
    for (Index i = 0; i < inner_steps_; ++i) {
        inner_gradient_ = proposal.gradient;
        kernels::axpby(u.size(), beta_, u.data(), 1, inner_gradient_.data());
        kernels::axpby(u.size(), -beta_, x_.data(), 1, inner_gradient_.data());
        slack = std::max(slack, run.ask_oracle(inner_gradient_, corner_));
        const auto direction = direction_to(corner_, inner_gradient_, u);
        const double gap = run.region().composite(u) - corner_.composite - direction.slope;
        if (!(gap > 0)) break;
        move_towards(corner_, short_step(gap, beta_, direction.length_squared), u);
    }
    x_ = u;
    vertex.composite = run.region().composite(u);
    return slack;
}

template class Sliding<float>;
template class Sliding<double>;

}  // namespace alfcg
