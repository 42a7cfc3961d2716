#include "core/matrix_product.hpp"

namespace alfcg {

namespace {

template <class Real, int order>
auto view_of(const Laid<const Real>& m) {
    using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, order>;
    return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(m.entries, m.rows, m.cols,
                                                             Eigen::OuterStride<>(m.stride));
}

template <class Real>
void add(Real factor, const Laid<const Real>& a, const Laid<const Real>& b, const Laid<Real>& to) {
    if (to.by_rows) return add(factor, b.transposed(), a.transposed(), to.transposed());
    using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
    Eigen::Map<Matrix, 0, Eigen::OuterStride<>> sum(to.entries, to.rows, to.cols,
                                                    Eigen::OuterStride<>(to.stride));
    if (a.by_rows && b.by_rows) {
        sum.noalias() += factor * view_of<Real, Eigen::RowMajor>(a) * view_of<Real, Eigen::RowMajor>(b);
    } else if (a.by_rows) {
        sum.noalias() += factor * view_of<Real, Eigen::RowMajor>(a) * view_of<Real, Eigen::ColMajor>(b);
    } else if (b.by_rows) {
        sum.noalias() += factor * view_of<Real, Eigen::ColMajor>(a) * view_of<Real, Eigen::RowMajor>(b);
    } else {
        sum.noalias() += factor * view_of<Real, Eigen::ColMajor>(a) * view_of<Real, Eigen::ColMajor>(b);
    }
}

}  // namespace

void add_product(double factor, const Laid<const double>& a, const Laid<const double>& b,
                 const Laid<double>& to) {
    add(factor, a, b, to);
}

void add_product(float factor, const Laid<const float>& a, const Laid<const float>& b,
                 const Laid<float>& to) {
    add(factor, a, b, to);
}

}  // namespace alfcg
