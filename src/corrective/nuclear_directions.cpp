#include "corrective/nuclear_directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/decompositions.hpp"
#include "core/matrix_product.hpp"
#include "kernels/products.hpp"

namespace alfcg::faces {

namespace {

// Singular values whose directions count: of the largest, or of directions of unit length those that are left of them. Gram matrices know
// no smaller ones.
template <class Real>
constexpr double least_singular_share = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-6;
// Directions that are found at once in a matrix of two long sides, at first, and steps of the power method that find them.
constexpr Index first_count = 16;
constexpr Index most_leading = 128;
constexpr int power_steps = 4;
// Of the way of a step: directions that are worth keeping.
constexpr double least_led = 1e-3;

template <class Real>
using RowsOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Real>
Eigen::Map<const RowsOf<Real>> view_of(const Matrix<Real>& m) {
    return {m.data(), m.rows(), m.cols()};
}

// Rows with the same span, orthonormal, by the eigenvectors of their Gram matrix, largest first; those below `least`, or a share of the
// largest, or beyond the `most` first ones, are left out.
template <class Real>
RowsOf<Real> principal(const RowsOf<Real>& rows, double least, Index most) {
    if (rows.rows() == 0) return rows;
    Eigen::MatrixXd gram(rows.rows(), rows.rows());
    AlignedVector<double> scratch;
    if (rows.rows() <= rows.cols()) {
        kernels::gram(rows.data(), {rows.rows(), rows.cols()}, 1.0, 1, scratch, gram.data());
    } else {
        const RowsOf<double> exact = rows.template cast<double>();
        gram = product<Eigen::MatrixXd>(exact, exact.transpose());
    }
    const SymmetricPairs solver(gram);
    const Eigen::VectorXd values = solver.eigenvalues().reverse().cwiseMax(0).cwiseSqrt();
    Index count = 0;
    least = std::max(least, least_singular_share<Real> * values(0));
    while (count < std::min<Index>(most, values.size()) && values(count) > least) ++count;
    const RowsOf<Real> mix = (values.head(count).cwiseInverse().asDiagonal() *
                              solver.eigenvectors().rowwise().reverse().leftCols(count).transpose())
                                 .template cast<Real>();
    return product<RowsOf<Real>>(mix, rows);
}

// What of rows lies along orthonormal ones is taken away.
template <class Basis, class Real>
void take_away(const Basis& basis, RowsOf<Real>& rows) {
    add_product(-1, product<RowsOf<Real>>(rows, basis.transpose()), basis, rows);
}

// Twice, since the first time leaves rounding errors behind where rows were nearly dependent.
template <class Real>
RowsOf<Real> orthonormal(const RowsOf<Real>& rows, Index most) {
    return principal<Real>(principal<Real>(rows, 0, most), 0, most);
}

// Leading right singular vectors of a matrix of two long sides, roughly.
template <class Real>
RowsOf<Real> power_method(const Matrix<Real>& g, Index count) {
    const Index block = kernels::block_columns;
    count = (count + block - 1) / block * block;
    RowsOf<double> rows(count, g.cols());
    for (Index i = 0; i < rows.size(); ++i)
        rows.data()[i] = std::sin(static_cast<double>(i + 1) * 12.9898) > 0 ? 1 : -1;
    AlignedVector<double> scratch;
    for (int step = 0; step < power_steps; ++step) {
        RowsOf<double> products(count, g.cols());
        for (Index at = 0; at < count; at += block)
            kernels::normal_product(g.data(), g.shape(), 1.0, kernels::Side::right, rows.row(at).data(),
                                    products.row(at).data(), 1, scratch);
        rows = orthonormal<double>(products, count);
        if (rows.rows() == count) continue;
        count = rows.rows() / block * block;  // its rank is lower
        if (count == 0) break;
        rows = RowsOf<double>(rows.topRows(count));
    }
    return rows.template cast<Real>();
}

template <class Real>
RowsOf<Real> leading(const Matrix<Real>& g, Index most) {
    if (view_of(g).squaredNorm() == 0) return RowsOf<Real>(0, g.cols());
    if (g.rows() <= short_side) return orthonormal<Real>(view_of(g), most);
    return power_method(g, most);
}

}  // namespace

template <class Real>
Matrix<Real> Directions<Real>::coefficients(const Matrix<Real>& x) const {
    Matrix<Real> s(x.rows(), count());
    s.fill(0);
    Eigen::Map<Rows> sum(s.data(), s.rows(), s.cols());
    add_product(1, view_of(x), view().transpose(), sum);
    return s;
}

template <class Real>
void Directions<Real>::combine(const Matrix<Real>& s, Matrix<Real>& x) const {
    x.reshape({s.rows(), basis_.cols()});
    x.fill(0);
    Eigen::Map<Rows> sum(x.data(), x.rows(), x.cols());
    add_product(1, view_of(s).leftCols(count()), view(), sum);
}

template <class Real>
void Directions<Real>::append(Rows more) {
    for (int turn = 0; turn < 2; ++turn) {
        take_away(view(), more);
        more = principal<Real>(more, least_singular_share<Real>, more.rows());
    }
    Matrix<Real> wider(count() + more.rows(), more.cols());
    std::copy_n(basis_.data(), basis_.size(), wider.data());
    std::copy_n(more.data(), more.size(), wider.data() + basis_.size());
    basis_ = std::move(wider);
}

template <class Real>
void Directions<Real>::begin(const Matrix<Real>& x) {
    basis_ = Matrix<Real>(0, x.cols());
    const double whole = std::sqrt(static_cast<double>(view_of(x).squaredNorm()));
    if (whole == 0) return;
    const double rounding = 64 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    for (Index most = first_count;; most *= 2) {
        append(leading(x, std::min(most, std::min(x.rows(), x.cols()))));
        const Matrix<Real> s = coefficients(x);
        Rows rest = view_of(x);
        add_product(-1, view_of(s), view(), rest);
        const double left = static_cast<double>(rest.norm());
        if (left <= rounding * whole || most >= std::min(x.rows(), x.cols())) return;
    }
}

template <class Real>
void Directions<Real>::add_steepest(const Matrix<Real>& g, Index most) {
    // Those that x is made of lead, more or less: what is new are the turns that they want to take, as steep as they are, and the next.
    Rows found = leading(g, std::min(most + count(), most_leading));
    const auto along = product<Rows>(view_of(g), found.transpose());
    for (Index i = 0; i < found.rows(); ++i) found.row(i) *= along.col(i).norm();
    take_away(view(), found);
    append(principal<Real>(found, 0, most));
}

template <class Real>
void Directions<Real>::keep(const Matrix<Real>& now, const Matrix<Real>& before, Index most) {
    const Index side = count();
    const Rows made = orthonormal<Real>(view_of(now).leftCols(side), side);
    Rows led = view_of(now).leftCols(side) - view_of(before).leftCols(side);
    for (int turn = 0; turn < 2; ++turn) take_away(made, led);
    const double length = static_cast<double>(led.norm());
    led = principal<Real>(led, least_led * length, std::max<Index>(most - made.rows(), 0));
    take_away(made, led);
    led = principal<Real>(led, 0, led.rows());
    Rows mix(made.rows() + led.rows(), side);
    mix << made, led;
    Matrix<Real> fewer(mix.rows(), basis_.cols());
    fewer.fill(0);
    Eigen::Map<Rows> sum(fewer.data(), fewer.rows(), fewer.cols());
    add_product(1, mix, view(), sum);
    basis_ = std::move(fewer);
}

template class Directions<float>;
template class Directions<double>;

}  // namespace alfcg::faces
