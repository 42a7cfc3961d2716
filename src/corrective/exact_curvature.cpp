#include "corrective/exact_curvature.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "corrective/on_samples.hpp"

namespace alfcg {

namespace {

// Columns beyond which models cost too much.
constexpr Index most_exact_columns = 512;
// Rows that the first matrix is made of, for each of its columns, and by how much they grow.
constexpr double first_rows = 16;
constexpr double grown_rows = 4;
// A part has its columns twice.
constexpr Index part_copies = 2;
constexpr int eigen_powers = 20;
constexpr double eigen_caution = 1.1;

using SquareView = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

}  // namespace

template <class Real>
std::unique_ptr<ExactCurvature<Real>> ExactCurvature<Real>::of(Objective<Real>& objective, Index memory) {
    const Shape shape = objective.shape();
    if (shape.rows != 1 || shape.cols > most_exact_columns || objective.samples() < shape.cols)
        return nullptr;
    std::vector<Index> columns(static_cast<std::size_t>(shape.cols));
    std::iota(columns.begin(), columns.end(), Index{0});
    Index bytes = 0;
    for (const Index column : columns) bytes += part_copies * objective.column_bytes(column);
    if (bytes > memory) return nullptr;
    return std::make_unique<ExactCurvature>(objective.part(columns));
}

template <class Real>
ExactCurvature<Real>::ExactCurvature(std::unique_ptr<Part<Real>> part)
    : part_(std::move(part)),
      columns_(part_->shape().cols - part_->free_columns()),
      rows_(first_rows * static_cast<double>(columns_)),
      steepest_(static_cast<std::size_t>(columns_), 1.0) {}

template <class Real>
bool ExactCurvature<Real>::look(const Iterate<Real>& x) {
    Matrix<Real> s = widened(x.matrix(), part_->shape().cols);
    part_->take_intercept(x, s);
    part_->evaluate(s, gradient_);
    const auto rows = static_cast<Index>(std::min(rows_, static_cast<double>(part_->samples())));
    const Index used = part_->curvature_matrix(rows, true, matrix_);
    if (used == 0) return false;
    all_ = used == part_->samples();
    passes_ += 1 + static_cast<double>(used) / static_cast<double>(part_->samples());
    take_out_intercept();
    find_largest();
    return std::isfinite(largest_) && largest_ > 0;
}

template <class Real>
bool ExactCurvature<Real>::take_more() {
    rows_ *= grown_rows;
    return !all_;
}

// The last row and column are the intercept's, which follows the others.
template <class Real>
void ExactCurvature<Real>::take_out_intercept() {
    if (part_->free_columns() == 0) return;
    const Index last = columns_;
    const double own = matrix_(last, last);
    Matrix<double> rest(columns_, columns_);
    for (Index a = 0; a < columns_; ++a) {
        const double share = own > 0 ? matrix_(a, last) / own : 0;
        for (Index b = 0; b < columns_; ++b) rest(a, b) = matrix_(a, b) - share * matrix_(last, b);
    }
    matrix_ = std::move(rest);
}

template <class Real>
void ExactCurvature<Real>::find_largest() {
    const SquareView matrix(matrix_.data(), columns_, columns_);
    Eigen::Map<Eigen::VectorXd> vector(steepest_.data(), columns_);
    for (int power = 0; power < eigen_powers; ++power) {
        vector = (matrix * vector).eval();
        largest_ = vector.norm();
        if (!(largest_ > 0)) return;
        vector /= largest_;
    }
    largest_ *= eigen_caution;
}

template <class Real>
void ExactCurvature<Real>::times(const Matrix<Real>& d, Matrix<Real>& product) const {
    product.reshape(d.shape());
    const Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>> way(d.data(), columns_);
    Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, 1>> out(product.data(), columns_);
    out =
        (SquareView(matrix_.data(), columns_, columns_) * way.template cast<double>()).template cast<Real>();
}

template class ExactCurvature<float>;
template class ExactCurvature<double>;

}  // namespace alfcg
