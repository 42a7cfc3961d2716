#include "calibration/checkpoint.hpp"

namespace alfcg {

template <class Real>
void remember(const Matrix<Real>& x, double composite, Vertex<Real>& point) {
    point.kind = Vertex<Real>::Kind::dense;
    point.shape = x.shape();
    point.dense = x;
    point.composite = composite;
}

template <class Real>
void Checkpoint<Real>::set(const Matrix<Real>& x, const Matrix<Real>& gradient_there, double composite) {
    remember(x, composite, point);
    gradient = gradient_there;
}

template <class Real>
typename Checkpoint<Real>::Bounds Checkpoint<Real>::bounds(const Matrix<Real>& x,
                                                           const Matrix<Real>& gradient_at_x,
                                                           double composite) const {
    const auto before = direction_to(point, gradient, x);
    const auto now = direction_to(point, gradient_at_x, x);
    const double rise = composite - point.composite;
    return {rise - before.slope, rise - now.slope, now.length_squared};
}

template void remember(const Matrix<float>&, double, Vertex<float>&);
template void remember(const Matrix<double>&, double, Vertex<double>&);
template struct Checkpoint<float>;
template struct Checkpoint<double>;

}  // namespace alfcg
