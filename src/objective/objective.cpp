#include "alfcg/objective/objective.hpp"

#include "kernels/vector.hpp"

namespace alfcg {

template <class Real>
void Objective<Real>::blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
                            Matrix<Real>& scratch) {
    const Index size = shape().size();
    double keep = blend.keep;
    const auto slope = [&](const Matrix<Real>& batch) {
        return kernels::direction(size, batch.data(), blend.y->data(), 1, blend.x->data()).slope;
    };
    const auto add = [&](const Matrix<Real>& point, double factor) {
        const bool first = keep == 0;
        batch_gradient(rows, point, first ? gradient : scratch);
        if (blend.slopes != nullptr)
            (&point == blend.x ? blend.slopes->at_x : blend.slopes->at_y) = slope(first ? gradient : scratch);
        if (first) {
            if (factor != 1) kernels::scale_to(size, factor, gradient.data(), gradient.data());
        } else {
            kernels::axpby(size, factor, scratch.data(), keep, gradient.data());
        }
        keep = 1;
    };
    // The second point first: where it is all but what the gradient already holds, the two cancel cleanly.
    if (blend.y != nullptr) add(*blend.y, blend.at_y);
    add(*blend.x, blend.at_x);
}

template void Objective<float>::blend(std::span<const Index>, const Blend<float>&, Matrix<float>&,
                                      Matrix<float>&);
template void Objective<double>::blend(std::span<const Index>, const Blend<double>&, Matrix<double>&,
                                       Matrix<double>&);

}  // namespace alfcg
