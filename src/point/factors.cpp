#include "alfcg/point/factors.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/decompositions.hpp"
#include "core/matrix_product.hpp"
#include "point/pairs.hpp"
#include "point/tall.hpp"

namespace alfcg {

namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A width below which nothing is gained by compressing.
constexpr Index modest_width = 8;

// What rounding leaves of a vector of length 1 that a basis holds.
template <class Real>
double nothing_left() {
    return 16 * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

// along = basisᵀ vector, for the first `width` columns of rows that lie `stride` apart.
template <class Real>
void products(const Matrix<Real>& basis, Index width, const double* vector, double* along) {
    std::fill(along, along + width, 0.0);
    for (Index i = 0; i < basis.rows(); ++i) {
        const Real* row = basis.data() + i * basis.cols();
        const double entry = vector[i];
        for (Index k = 0; k < width; ++k) along[k] += entry * static_cast<double>(row[k]);
    }
}

// vector -= basis along.
template <class Real>
void take_away(const Matrix<Real>& basis, Index width, const double* along, double* vector) {
    for (Index i = 0; i < basis.rows(); ++i) {
        const Real* row = basis.data() + i * basis.cols();
        double sum = 0;
        for (Index k = 0; k < width; ++k) sum += static_cast<double>(row[k]) * along[k];
        vector[i] -= sum;
    }
}

// So many pairs and more are taken in together.
constexpr Index many_pairs = 4;

/// The pairs of some atoms.
template <class Real>
struct PairList {
    std::vector<double> scales;
    std::vector<const Real*> lefts;
    std::vector<const Real*> rights;

    [[nodiscard]] Index count() const { return static_cast<Index>(scales.size()); }
    void add(const Vertex<Real>& atom, double coefficient) {
        for_each_pair(atom, coefficient, [&](double scale, const Real* left, const Real* right) {
            if (scale == 0) return;
            scales.push_back(scale);
            lefts.push_back(left);
            rights.push_back(right);
        });
    }
};

// Lines first .. last − 1 of the vectors go to the columns of a table behind `width` others.
template <class Real>
void put_columns(const std::vector<const Real*>& vectors, Index first, Index last, Index width, Real* lines,
                 Index stride) {
    for (Index begin = first; begin < last; begin += 16)
        for (std::size_t k = 0; k < vectors.size(); ++k)
            for (Index i = begin; i < std::min(begin + 16, last); ++i)
                lines[(i - first) * stride + width + static_cast<Index>(k)] = vectors[k][i];
}

}  // namespace

template <class Real>
Factors<Real>::Factors(Shape shape, Index most) : shape_(shape), most_(most) {
    widen(1);
    width_ = 0;
}

template <class Real>
Factors<Real>::Factors(Matrix<Real> left, Matrix<Real> right, Index width, Index most)
    : shape_{left.rows(), right.rows()},
      most_(most),
      width_(width),
      stride_(left.cols()),
      left_(std::move(left)),
      right_(std::move(right)),
      core_(static_cast<std::size_t>(stride_ * stride_)) {
    for (Index k = 0; k < width; ++k) core_[place(k, k)] = 1;
    if (width > 0) straighten();
    compress();
}

template <class Real>
void Factors<Real>::lay_out(Index stride) {
    const auto copy = [&](Matrix<Real>& basis, Index rows) {
        Matrix<Real> other(rows, stride);
        for (Index i = 0; i < rows && width_ > 0; ++i)
            std::copy_n(basis.data() + i * stride_, width_, other.data() + i * stride);
        basis = std::move(other);
    };
    copy(left_, shape_.rows);
    copy(right_, shape_.cols);
    std::vector<double> core(static_cast<std::size_t>(stride * stride));
    for (Index i = 0; i < width_; ++i)
        std::copy_n(core_.data() + i * stride_, width_, core.data() + i * stride);
    core_ = std::move(core);
    stride_ = stride;
}

// Where columns come one by one, there is room for twice as many.
template <class Real>
void Factors<Real>::widen(Index width) {
    if (width > stride_) lay_out(line_length<Real>(std::max(width, 2 * stride_)));
    width_ = width;
}

template <class Real>
Index Factors<Real>::take_in(Matrix<Real>& basis, const Real* vector, Index length,
                             std::vector<double>& along) {
    std::vector<double> left(vector, vector + length);
    std::vector<double> again(static_cast<std::size_t>(width_));
    along.assign(static_cast<std::size_t>(width_) + 1, 0.0);
    const auto norm = [&] {
        double sum = 0;
        for (const double entry : left) sum += entry * entry;
        return std::sqrt(sum);
    };
    const double size = norm();
    // Twice: what is left after the first time may be mostly rounding.
    for (int pass = 0; pass < 2; ++pass) {
        products(basis, width_, left.data(), again.data());
        take_away(basis, width_, again.data(), left.data());
        for (std::size_t k = 0; k < again.size(); ++k) along[k] += again[k];
    }
    const double rest = norm();
    if (!(rest > nothing_left<Real>() * size)) return 0;
    along.back() = rest;
    for (Index i = 0; i < length; ++i)
        basis.data()[i * stride_ + width_] = static_cast<Real>(left[static_cast<std::size_t>(i)] / rest);
    return 1;
}

template <class Real>
bool Factors<Real>::combine(double keep, std::span<const double> coefficients,
                            std::span<const Vertex<Real>* const> atoms) {
    if (keep == 0) {
        left_.fill(0);
        right_.fill(0);
        std::fill(core_.begin(), core_.end(), 0.0);
        width_ = settled_ = 0;
    } else if (keep != 1) {
        for (double& entry : core_) entry *= keep;
    }
    Index pairs = 0;
    for (const Vertex<Real>* atom : atoms) pairs += std::max<Index>(atom->rank(), 0);
    if (pairs >= many_pairs) {
        take_in_all(coefficients, atoms);
        return compress();
    }
    std::vector<double> left_along;
    std::vector<double> right_along;
    for (std::size_t a = 0; a < atoms.size(); ++a) {
        for_each_pair(*atoms[a], coefficients[a], [&](double scale, const Real* left, const Real* right) {
            if (scale == 0) return;
            const Index before = width_;
            widen(before + 1);
            width_ = before;
            const Index new_left = take_in(left_, left, shape_.rows, left_along);
            const Index new_right = take_in(right_, right, shape_.cols, right_along);
            width_ = before + std::max(new_left, new_right);
            for (Index i = 0; i < width_; ++i)
                for (Index j = 0; j < width_; ++j)
                    core_[place(i, j)] += scale * left_along[static_cast<std::size_t>(i)] *
                                          right_along[static_cast<std::size_t>(j)];
        });
    }
    const bool wide = width_ > modest_width && width_ >= 2 * settled_;
    return (wide || (most_ > 0 && width_ > most_)) && compress();
}

// [left, what comes] · core · [right, what comes]ᵀ, with new bases for both sides.
template <class Real>
void Factors<Real>::take_in_all(std::span<const double> coefficients,
                                std::span<const Vertex<Real>* const> atoms) {
    PairList<Real> pairs;
    for (std::size_t a = 0; a < atoms.size(); ++a) pairs.add(*atoms[a], coefficients[a]);
    const Index before = width_;
    const Index total = before + pairs.count();
    if (total > stride_) lay_out(line_length<Real>(total));
    width_ = total;
    put_columns(pairs.lefts, 0, shape_.rows, before, left_.data(), stride_);
    put_columns(pairs.rights, 0, shape_.cols, before, right_.data(), stride_);
    for (Index k = 0; k < pairs.count(); ++k)
        core_[place(before + k, before + k)] = pairs.scales[static_cast<std::size_t>(k)];
    straighten();
}

template <class Real>
void Factors<Real>::straighten() {
    const Index total = width_;
    const Eigen::MatrixXd left = orthonormalize(left_, total);
    const Eigen::MatrixXd right = orthonormalize(right_, total);
    const Eigen::MatrixXd core = Eigen::Map<const Dense, 0, Eigen::OuterStride<>>(
        core_.data(), total, total, Eigen::OuterStride<>(stride_));
    const auto half = product<Eigen::MatrixXd>(left, core);
    const Eigen::MatrixXd turned = right.transpose();
    const auto between = product<Eigen::MatrixXd>(half, turned);
    std::fill(core_.begin(), core_.end(), 0.0);
    for (Index i = 0; i < between.rows(); ++i)
        for (Index j = 0; j < between.cols(); ++j) core_[place(i, j)] = between(i, j);
    width_ = std::max(between.rows(), between.cols());
}

template <class Real>
bool Factors<Real>::compress() {
    if (width_ == 0) return false;
    const Eigen::Map<const Dense, 0, Eigen::OuterStride<>> core(core_.data(), width_, width_,
                                                                Eigen::OuterStride<>(stride_));
    const SingularTriplets svd = singular_triplets(core, true);
    const Eigen::VectorXd& sizes = svd.values;
    Index rank = 0;
    while (rank < width_ && sizes(rank) > nothing_left<Real>() / 16 * sizes(0)) ++rank;
    const bool lost = most_ > 0 && rank > most_;
    if (lost) rank = most_;
    turn(left_, width_, svd.left.leftCols(rank));
    turn(right_, width_, svd.right.leftCols(rank));
    std::fill(core_.begin(), core_.end(), 0.0);
    for (Index k = 0; k < rank; ++k) core_[place(k, k)] = sizes(k);
    width_ = settled_ = rank;
    // Room that many pairs needed for a while is given back.
    if (stride_ > 2 * line_length<Real>(std::max(rank, modest_width)))
        lay_out(line_length<Real>(std::max(rank, modest_width)));
    return lost;
}

template <class Real>
bool Factors<Real>::diagonal() const {
    for (Index i = 0; i < width_; ++i) {
        for (Index j = 0; j < width_; ++j)
            if (i != j && core(i, j) != 0) return false;
        if (!(core(i, i) > 0) || (i > 0 && core(i, i) > core(i - 1, i - 1))) return false;
    }
    return true;
}

template <class Real>
std::vector<double> Factors<Real>::singular_values() const {
    if (width_ == 0) return {};
    const Eigen::Map<const Dense, 0, Eigen::OuterStride<>> core(core_.data(), width_, width_,
                                                                Eigen::OuterStride<>(stride_));
    const Eigen::VectorXd values = singular_triplets(core, false).values;
    return {values.begin(), values.end()};
}

template <class Real>
double Factors<Real>::norm() const {
    double sum = 0;
    for (const double entry : core_) sum += entry * entry;
    return std::sqrt(sum);
}

template <class Real>
double Factors<Real>::at(Index i, Index j) const {
    double sum = 0;
    for (Index k = 0; k < width_; ++k) {
        double along = 0;
        for (Index l = 0; l < width_; ++l) along += core(k, l) * static_cast<double>(right(j)[l]);
        sum += static_cast<double>(left(i)[k]) * along;
    }
    return sum;
}

template <class Real>
double Factors<Real>::length_squared(const Move<Real>& move) const {
    PairList<Real> pairs;
    std::array<Vertex<Real>, 2> expanded;
    for (std::size_t a = 0; a < move.atoms(); ++a) {
        const Vertex<Real>* atom = &move.atom(a);
        if (atom->kind == Vertex<Real>::Kind::one_hot) {
            Vertex<Real>& pair = expanded[a];
            for_each_pair(*atom, 1, [&](double scale, const Real* left, const Real* right) {
                pair.kind = Vertex<Real>::Kind::rank_one;
                pair.shape = shape_;
                pair.scale = scale;
                pair.left.assign(left, left + shape_.rows);
                pair.right.assign(right, right + shape_.cols);
            });
            atom = &pair;
        }
        pairs.add(*atom, move.coefficient(a));
    }
    const Index count = pairs.count();
    const auto& [scales, lefts, rights] = pairs;
    Eigen::MatrixXd core = Eigen::MatrixXd::Zero(width_ + count, width_ + count);
    for (Index i = 0; i < width_; ++i)
        for (Index j = 0; j < width_; ++j) core(i, j) = move.along_x() * this->core(i, j);
    for (Index k = 0; k < count; ++k) core(width_ + k, width_ + k) = scales[static_cast<std::size_t>(k)];
    if (count >= many_pairs) {
        // Of many pairs, which lead far away, the products of both sides say enough.
        const auto gram_with = [&](const Matrix<Real>& basis, const std::vector<const Real*>& vectors) {
            constexpr Index lines_at_once = 256;
            Matrix<Real> lines(lines_at_once, line_length<Real>(width_ + count));
            Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(width_ + count, width_ + count);
            for (Index first = 0; first < basis.rows(); first += lines_at_once) {
                const Index last = std::min(first + lines_at_once, basis.rows());
                lines.fill(0);
                for (Index i = first; i < last; ++i)
                    std::copy_n(basis.data() + i * stride_, width_,
                                lines.data() + (i - first) * lines.cols());
                put_columns(vectors, first, last, width_, lines.data(), lines.cols());
                gram += gram_of(lines, width_ + count);
            }
            return gram;
        };
        const auto half = product<Eigen::MatrixXd>(gram_with(left_, lefts), core);
        const auto other = product<Eigen::MatrixXd>(core, gram_with(right_, rights));
        return std::max(half.cwiseProduct(other).sum(), 0.0);
    }
    // The move in bases that hold its atoms too: [U, what is left of the atoms' left vectors], and the same on the right.
    const auto coordinates = [&](const Matrix<Real>& basis, const std::vector<const Real*>& vectors) {
        Eigen::MatrixXd rest(basis.rows(), count);
        Eigen::MatrixXd along = Eigen::MatrixXd::Zero(width_ + count, count);
        std::vector<double> again(static_cast<std::size_t>(width_));
        for (Index k = 0; k < count; ++k) {
            std::copy_n(vectors[static_cast<std::size_t>(k)], basis.rows(), rest.col(k).data());
            for (int pass = 0; pass < 2; ++pass) {
                products(basis, width_, rest.col(k).data(), again.data());
                take_away(basis, width_, again.data(), rest.col(k).data());
                for (Index i = 0; i < width_; ++i) along(i, k) += again[static_cast<std::size_t>(i)];
            }
        }
        if (count == 1) {
            along(width_, 0) = rest.norm();
        } else if (count > 1) {
            const Eigen::MatrixXd factor = triangular_factor(rest);
            along.block(width_, 0, factor.rows(), count) = factor;
        }
        return along;
    };
    const Eigen::MatrixXd left_along = coordinates(left_, lefts);
    const Eigen::MatrixXd right_along = coordinates(right_, rights);
    Eigen::MatrixXd d = left_along * Eigen::Map<const Eigen::VectorXd>(scales.data(), count).asDiagonal() *
                        right_along.transpose();
    d.topLeftCorner(width_, width_) += core.topLeftCorner(width_, width_);
    return d.squaredNorm();
}

template <class Real>
Matrix<Real> Factors<Real>::to_matrix() const {
    Matrix<Real> x(shape_);
    std::vector<double> along(static_cast<std::size_t>(width_));
    for (Index i = 0; i < shape_.rows; ++i) {
        for (Index l = 0; l < width_; ++l) {
            double sum = 0;
            for (Index k = 0; k < width_; ++k) sum += static_cast<double>(left(i)[k]) * core(k, l);
            along[static_cast<std::size_t>(l)] = sum;
        }
        for (Index j = 0; j < shape_.cols; ++j) {
            double sum = 0;
            for (Index l = 0; l < width_; ++l)
                sum += along[static_cast<std::size_t>(l)] * static_cast<double>(right(j)[l]);
            x(i, j) = static_cast<Real>(sum);
        }
    }
    return x;
}

template <class Real>
void Factors<Real>::to_vertex(Vertex<Real>& vertex) const {
    vertex.kind = Vertex<Real>::Kind::low_rank;
    vertex.shape = shape_;
    vertex.scales.assign(static_cast<std::size_t>(width_), 1.0);
    vertex.left.resize(static_cast<std::size_t>(width_ * shape_.rows));
    vertex.right.resize(static_cast<std::size_t>(width_ * shape_.cols));
    for (Index i = 0; i < shape_.rows; ++i)
        for (Index k = 0; k < width_; ++k)
            vertex.left[static_cast<std::size_t>(k * shape_.rows + i)] = left(i)[k];
    for (Index j = 0; j < shape_.cols; ++j)
        for (Index k = 0; k < width_; ++k) {
            double sum = 0;
            for (Index l = 0; l < width_; ++l) sum += core(k, l) * static_cast<double>(right(j)[l]);
            vertex.right[static_cast<std::size_t>(k * shape_.cols + j)] = static_cast<Real>(sum);
        }
}

template class Factors<float>;
template class Factors<double>;

}  // namespace alfcg
