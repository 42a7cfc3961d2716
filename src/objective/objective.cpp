#include "alfcg/objective/objective.hpp"

#include "alfcg/core/error.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

template <class Real>
double Objective<Real>::value(const Iterate<Real>& x) {
    return evaluate(x, unused_);
}

template <class Real>
double Objective<Real>::value_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    after_.stand_at(x);
    after_.make(move, step);
    return value(after_);
}

template <class Real>
double Objective<Real>::slope_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    after_.stand_at(x);
    after_.make(move, step);
    evaluate(after_, unused_);
    return direction(move, unused_, x).slope;
}

template <class Real>
void Objective<Real>::batch_gradient(std::span<const Index> /*rows*/, const Iterate<Real>& x,
                                     Matrix<Real>& gradient) {
    if (samples() != 1) throw Error("this objective is a sum of which no parts are to be had");
    evaluate(x, gradient);
}

template <class Real>
void Objective<Real>::blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
                            Matrix<Real>& scratch) {
    const Index size = pattern() == nullptr ? shape().size() : pattern()->size();
    double keep = blend.keep;
    const auto slope = [&](const Matrix<Real>& batch) {
        return kernels::direction(size, batch.data(), blend.y->seen().data(), 1, blend.x->seen().data())
            .slope;
    };
    const auto add = [&](const Iterate<Real>& point, double factor) {
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

template <class Real>
void Objective<Real>::sweep(TwoFactors<Real>& /*factors*/, double /*penalty*/) {
    throw Error("this objective has no factors to sweep over");
}

template <class Real>
double Objective<Real>::evaluate_product(const TwoFactors<Real>& /*factors*/, Matrix<Real>& /*gradient*/) {
    throw Error("this objective has no factors to look at");
}

template class Objective<float>;
template class Objective<double>;

}  // namespace alfcg
