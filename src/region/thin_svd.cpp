#include "region/thin_svd.hpp"

#include <algorithm>
#include <limits>

#include "alfcg/core/error.hpp"
#include "alfcg/region/spectrum.hpp"
#include "core/matrix_product.hpp"
#include "kernels/magnitudes.hpp"

namespace alfcg {
namespace region {
namespace {

template <class Real>
using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The taller of scale · x and its transpose.
template <class Real>
Eigen::MatrixXd tall(const Matrix<Real>& x, double scale) {
    const Eigen::Map<const RowMajor<Real>> view(x.data(), x.rows(), x.cols());
    if (x.rows() <= x.cols()) return view.transpose().template cast<double>() * scale;
    return view.template cast<double>() * scale;
}

}  // namespace

template <class Real>
ThinSvd<Real>::ThinSvd(const Matrix<Real>& x, double scale, bool vectors) : tall_(tall(x, scale)) {
    triplets_ = singular_triplets(tall_.triangle(), vectors);
}

template <class Real>
void ThinSvd<Real>::write_negative(const Eigen::VectorXd& sizes, Matrix<Real>& result) const {
    Eigen::MatrixXd product = Eigen::MatrixXd::Zero(tall_.rows(), tall_.cols());
    auto square = product.topRows(tall_.cols());
    add_product(-1, Eigen::MatrixXd(triplets_.left * sizes.asDiagonal()), triplets_.right.transpose(),
                square);
    tall_.turn(product);
    Eigen::Map<RowMajor<Real>> view(result.data(), result.rows(), result.cols());
    if (result.rows() <= result.cols())
        view = product.transpose().template cast<Real>();
    else
        view = product.template cast<Real>();
}

template class ThinSvd<float>;
template class ThinSvd<double>;

}  // namespace region

template <class Real>
std::vector<double> singular_values(const Matrix<Real>& x) {
    const double largest = kernels::largest_magnitude(x.data(), x.size());
    if (!(largest >= 0)) throw Error("singular values: the matrix has an entry that is not a finite number");
    if (largest == 0) return std::vector<double>(static_cast<std::size_t>(std::min(x.rows(), x.cols())), 0.0);
    const double scale = kernels::safe_scale(largest);
    const Eigen::VectorXd values = region::ThinSvd<Real>(x, scale, false).values() / scale;
    return {values.begin(), values.end()};
}

template <class Real>
Index numerical_rank(const std::vector<double>& values, Shape shape) {
    if (values.empty()) return 0;
    const double resolution = static_cast<double>(std::max(shape.rows, shape.cols)) *
                              static_cast<double>(std::numeric_limits<Real>::epsilon());
    const double cut = values.front() * resolution;
    return std::count_if(values.begin(), values.end(), [cut](double value) { return value > cut; });
}

template <class Real>
Index numerical_rank(const Matrix<Real>& x) {
    return numerical_rank<Real>(singular_values(x), x.shape());
}

template std::vector<double> singular_values(const Matrix<float>&);
template std::vector<double> singular_values(const Matrix<double>&);
template Index numerical_rank<float>(const std::vector<double>&, Shape);
template Index numerical_rank<double>(const std::vector<double>&, Shape);
template Index numerical_rank(const Matrix<float>&);
template Index numerical_rank(const Matrix<double>&);

}  // namespace alfcg
