#include "alfcg/region/region.hpp"

namespace alfcg {

template <class Real>
Matrix<Real> Region<Real>::start(Shape shape) {
    Matrix<Real> x(shape);
    if (violation(x) <= 0) return x;
    Vertex<Real> vertex;
    minimize(x, 0, false, vertex);  // any point of a region without the origin
    return vertex.to_matrix();
}

template class Region<float>;
template class Region<double>;

}  // namespace alfcg
