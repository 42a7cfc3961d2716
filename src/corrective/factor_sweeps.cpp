#include "corrective/factor_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/decompositions.hpp"
#include "core/matrix_product.hpp"
#include "core/parallel.hpp"
#include "kernels/pattern.hpp"
#include "point/tall.hpp"
#include "region/pattern_operator.hpp"

namespace alfcg {

namespace {

// Directions that are looked for at least and at most.
constexpr Index least_directions = 8;
constexpr Index most_directions = 128;
// What a direction is taken for at least: so much steeper than the penalty, as a share of it, and bent so much.
constexpr double least_size = 1e-3;
// What x consists of is left out where it is worth less than this share of the penalty.
constexpr double worth = 0.9;
constexpr double least_curve = 1e-12;

/// Tables with a column for each pair of vectors.
template <class Real>
struct Pairs {
    const Real* left;
    Index left_stride;
    const Real* right;
    Index right_stride;
    Index width;
};

// Σ over the places of entry · left · right, column by column; `entries` null: all 1.
template <class Real>
Eigen::VectorXd sums_along(const Pattern& pattern, const Real* entries, const Pairs<Real>& pairs,
                           int threads) {
    const int parts = parts_of(pattern.size() * pairs.width, Index{1} << 18, threads);
    const auto rows = balanced_rows(pattern, parts);
    Index longest = 0;
    for (Index i = 0; i < pattern.shape.rows && entries == nullptr; ++i)
        longest = std::max(longest, pattern.end(i) - pattern.begin(i));
    const AlignedVector<Real> ones(static_cast<std::size_t>(longest), Real(1));
    std::vector<Eigen::VectorXd> shares(static_cast<std::size_t>(parts));
    parallel(parts, [&](int part) {
        Eigen::VectorXd& share = shares[static_cast<std::size_t>(part)];
        share.setZero(pairs.width);
        AlignedVector<Real> sums(static_cast<std::size_t>(pairs.right_stride));
        for (Index i = rows[static_cast<std::size_t>(part)]; i < rows[static_cast<std::size_t>(part) + 1];
             ++i) {
            const Index at = pattern.begin(i);
            kernels::sum_lines(pattern.columns.data() + at, pattern.end(i) - at,
                               entries == nullptr ? ones.data() : entries + at, pairs.right,
                               pairs.right_stride, pairs.width, sums.data());
            const Real* line = pairs.left + i * pairs.left_stride;
            for (Index k = 0; k < pairs.width; ++k)
                share(k) +=
                    static_cast<double>(line[k]) * static_cast<double>(sums[static_cast<std::size_t>(k)]);
        }
    });
    for (int part = 1; part < parts; ++part) shares.front() += shares[static_cast<std::size_t>(part)];
    return shares.front();
}

template <class Real>
Matrix<Real> squares_of(const Real* table, Index rows, Index stride) {
    Matrix<Real> squares(rows, stride);
    for (Index k = 0; k < squares.size(); ++k) squares.data()[k] = table[k] * table[k];
    return squares;
}

// Σ over the places of (left · right)²: how f bends along the pairs, at most.
template <class Real>
Eigen::VectorXd bends_along(const Pattern& pattern, const Pairs<Real>& pairs, int threads) {
    const Matrix<Real> left = squares_of(pairs.left, pattern.shape.rows, pairs.left_stride);
    const Matrix<Real> right = squares_of(pairs.right, pattern.shape.cols, pairs.right_stride);
    return sums_along<Real>(pattern, nullptr,
                            {left.data(), left.cols(), right.data(), right.cols(), pairs.width}, threads);
}

}  // namespace

template <class Real>
void FactorSweeps<Real>::start_search(Shape shape, Index count, const Vertex<Real>& known) {
    // What was found last and not taken may be steep enough now; the rest begins anywhere.
    const Index left_over = std::min(count, static_cast<Index>(slopes_.size()) - taken_);
    Matrix<Real> start(shape.cols, line_length<Real>(count));
    for (Index j = 0; j < start.rows(); ++j) {
        for (Index k = 0; k < count - left_over; ++k) {
            state_ ^= state_ << 13U;
            state_ ^= state_ >> 7U;
            state_ ^= state_ << 17U;
            start(j, k) = static_cast<Real>(static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-63);
        }
        for (Index k = 0; k < left_over; ++k) start(j, count - left_over + k) = right_(j, taken_ + k);
    }
    right_ = std::move(start);
    if (known.kind == Vertex<Real>::Kind::rank_one)
        for (Index j = 0; j < right_.rows(); ++j) right_(j, 0) = known.right[static_cast<std::size_t>(j)];
}

template <class Real>
void FactorSweeps<Real>::look(const Factors<Real>& x, const Pattern& pattern, const Matrix<Real>& gradient,
                              bool across, const Vertex<Real>& known, int threads) {
    const auto samples = static_cast<double>(pattern.size());
    const Pairs<Real> own{x.left(0), x.stride(), x.right(0), x.stride(), x.width()};
    own_slopes_.resize(0);
    if (x.width() > 0 && x.diagonal()) {
        own_slopes_ = -samples * sums_along(pattern, gradient.data(), own, threads);
        own_bends_ = bends_along(pattern, own, threads);
    }
    // Products of unit vectors with a matrix of norm 1 stay numbers for a few rounds.
    const double norm =
        std::sqrt(region::PatternOperator<Real>{pattern, gradient, 1, threads}.frobenius_squared());
    const region::PatternOperator<Real> g{pattern, gradient, norm > 0 ? 1 / norm : 1, threads};
    const Index count = std::min({wanted_, pattern.shape.cols, pattern.shape.rows});
    start_search(pattern.shape, count, known);
    Index width = count;
    for (int k = 0;; ++k) {
        if (k % 2 == 0) {
            if (across) take_away(x.right(0), x.stride(), x.width(), right_);
            width = orthonormalize(right_, width, k == rounds ? 2 : 1).rows();
        }
        g.times(right_, width, left_);
        if (k == rounds) break;
        g.transposed_times(left_, width, right_);
    }
    slopes_.resize(width);
    if (width == 0) return;
    const Eigen::MatrixXd along = orthonormalize(left_, width);
    Eigen::MatrixXd square = Eigen::MatrixXd::Zero(width, width);
    square.topRows(along.rows()) = along;
    const SingularTriplets svd = singular_triplets(square, true);
    turn(left_, width, svd.left);
    turn(right_, width, svd.right);
    slopes_ = svd.values * (norm * samples);
    bends_ = bends_along<Real>(pattern, {left_.data(), left_.cols(), right_.data(), right_.cols(), width},
                               threads);
}

template <class Real>
Index FactorSweeps<Real>::begin(const Factors<Real>& at, const std::vector<double>& biases, double penalty) {
    std::optional<Factors<Real>> turned;
    if (!at.diagonal()) turned.emplace(at).compress();
    const Factors<Real>& x = turned ? *turned : at;
    // What a step along it alone would take to nothing is dropped.
    std::vector<Index> kept;
    for (Index k = 0; k < x.width(); ++k)
        if (turned || own_slopes_.size() != x.width() ||
            x.core(k, k) * own_bends_(k) + own_slopes_(k) > worth * penalty)
            kept.push_back(k);
    if (kept.empty() && slopes_.size() == 0 && x.width() > 0) kept.push_back(0);
    const auto old = static_cast<Index>(kept.size());
    Index fresh = 0;
    while (fresh < slopes_.size() && slopes_(fresh) > penalty) ++fresh;
    taken_ = fresh;
    wanted_ = std::clamp(2 * fresh, least_directions, most_directions);
    if (old + fresh == 0 && slopes_.size() > 0) fresh = 1;
    std::vector<double> sizes;
    for (const Index k : kept) sizes.push_back(std::sqrt(x.core(k, k)));
    for (Index k = 0; k < fresh; ++k)
        sizes.push_back(std::sqrt(std::max(slopes_(k) - penalty, least_size * penalty) /
                                  std::max(bends_(k), least_curve)));
    factors_.width = old + fresh;
    const Index stride = line_length<Real>(factors_.width + 1);
    const auto fill = [&](Matrix<Real>& to, Index rows, const Real* lines, const Matrix<Real>& directions,
                          double sign) {
        to = Matrix<Real>(rows, stride);
        for (Index i = 0; i < rows; ++i) {
            const Real* line = lines + i * x.stride();
            for (Index k = 0; k < old; ++k)
                to(i, k) = static_cast<Real>(static_cast<double>(line[kept[static_cast<std::size_t>(k)]]) *
                                             sizes[static_cast<std::size_t>(k)]);
            for (Index k = 0; k < fresh; ++k)
                to(i, old + k) = static_cast<Real>(sign * static_cast<double>(directions(i, k)) *
                                                   sizes[static_cast<std::size_t>(old + k)]);
        }
    };
    fill(factors_.left, x.shape().rows, x.left(0), left_, -1);
    left_ = {};
    fill(factors_.right, x.shape().cols, x.right(0), right_, 1);
    factors_.row_biases.clear();
    factors_.column_biases.clear();
    factors_.fit_biases = !biases.empty();
    if (factors_.fit_biases) {
        const auto rows = static_cast<std::ptrdiff_t>(x.shape().rows);
        factors_.row_biases.assign(biases.begin(), biases.begin() + rows);
        factors_.column_biases.assign(biases.begin() + rows, biases.end());
    }
    return fresh;
}

template <class Real>
double FactorSweeps<Real>::norm() const {
    if (factors_.width == 0) return 0;
    const SymmetricPairs left(gram_of(factors_.left, factors_.width));
    const Eigen::VectorXd roots = left.eigenvalues().cwiseMax(0).cwiseSqrt();
    const Eigen::MatrixXd turned = left.eigenvectors() * roots.asDiagonal();
    const auto half = product<Eigen::MatrixXd>(gram_of(factors_.right, factors_.width), turned);
    const auto middle = product<Eigen::MatrixXd>(turned.transpose(), half);
    return symmetric_values(middle).cwiseMax(0).cwiseSqrt().sum();
}

template <class Real>
Factors<Real> FactorSweeps<Real>::release(Index most) {
    return Factors<Real>(std::move(factors_.left), std::move(factors_.right), factors_.width, most);
}

template <class Real>
std::vector<double> FactorSweeps<Real>::biases() const {
    std::vector<double> all = factors_.row_biases;
    all.insert(all.end(), factors_.column_biases.begin(), factors_.column_biases.end());
    return all;
}

template class FactorSweeps<float>;
template class FactorSweeps<double>;

}  // namespace alfcg
