#include "calibration/checkpoint.hpp"

namespace alfcg {

template <class Real>
void Checkpoint<Real>::set(const Iterate<Real>& x, const Matrix<Real>& gradient_there, double composite) {
    remember(x, composite, point);
    gradient = gradient_there;
}

template <class Real>
typename Checkpoint<Real>::Bounds Checkpoint<Real>::bounds(const Iterate<Real>& x,
                                                           const Matrix<Real>& gradient_at_x,
                                                           double composite) const {
    const auto before = direction_to(point, gradient, x);
    const auto now = direction_to(point, gradient_at_x, x);
    const double rise = composite - point.composite;
    return {rise - before.slope, rise - now.slope, now.length_squared};
}

template struct Checkpoint<float>;
template struct Checkpoint<double>;

}  // namespace alfcg
