#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <span>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/ranks.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/products.hpp"

namespace alfcg::region {

/// scale · G, in products.
template <class Real>
struct ScaledGradient {
    static constexpr bool is_sparse = false;
    const Matrix<Real>& matrix;
    double scale;
    int threads;

    /// Y = M X with the Gram operator M of a side.
    void normal_product(kernels::Side side, Eigen::MatrixXd& x, Eigen::MatrixXd& y,
                        AlignedVector<double>& scratch) const {
        kernels::normal_product(matrix.data(), matrix.shape(), scale, side, x.data(), y.data(), threads,
                                scratch);
    }
    /// y = scale · G x when x is on the right side, scale · Gᵀ x when it is on the left.
    void to_other_side(kernels::Side side, const AlignedVector<double>& x, AlignedVector<double>& y) const {
        if (side == kernels::Side::right)
            kernels::times(matrix.data(), matrix.shape(), scale, x.data(), y.data(), threads);
        else
            kernels::transposed_times(matrix.data(), matrix.shape(), scale, x.data(), y.data(), threads);
    }
    void gram(Eigen::MatrixXd& result, AlignedVector<double>& scratch) const {
        kernels::gram(matrix.data(), matrix.shape(), scale, threads, scratch, result.data());
    }
    [[nodiscard]] Index gram_depth() const {
        return kernels::gram_depth(std::min(matrix.rows(), matrix.cols()),
                                   std::max(matrix.rows(), matrix.cols()), threads);
    }
    [[nodiscard]] double frobenius_squared() const {
        return kernels::sums(matrix.data(), matrix.size(), scale, threads).squares;
    }
};

/// A gradient that ranks have shares of: what products with it cost, beside all of it.
template <class Real>
class SharedGradient {
  public:
    /// What products with a block of vectors and back send, as Ranks::cost_of_sum() counts, and what all entries would.
    static double cost_of_product(Shape shape, const Ranks& ranks) {
        constexpr Index bytes = kernels::block_columns * static_cast<Index>(sizeof(double));
        return ranks.cost_of_sum(bytes * shape.rows) + ranks.cost_of_sum(bytes * shape.cols);
    }
    static double cost_of_entries(Shape shape, const Ranks& ranks) {
        return ranks.cost_of_sum(shape.size() * static_cast<Index>(sizeof(Real)));
    }

    /// The gradient is added up in `whole` as soon as products have cost as much as that does.
    SharedGradient(const Matrix<Real>& share, Matrix<Real>& whole)
        : ranks_(*share.shared_by()),
          share_(share),
          whole_(whole),
          left_(cost_of_entries(share.shape(), ranks_)) {}

    /// Of all ranks, with all entries at hand.
    const Matrix<Real>& whole() {
        if (left_ >= 0) {
            whole_ = share_;
            add_up(whole_);
            left_ = -1;
        }
        return whole_;
    }
    /// The share, if products are to be made of shares and added up; else null: of the whole.
    const Matrix<Real>* pays() {
        const double cost = cost_of_product(share_.shape(), ranks_);
        if (left_ < cost) {
            static_cast<void>(whole());
            return nullptr;
        }
        left_ -= cost;
        return &share_;
    }
    [[nodiscard]] Ranks& ranks() const { return ranks_; }

  private:
    Ranks& ranks_;
    const Matrix<Real>& share_;
    Matrix<Real>& whole_;
    double left_;  // negative: added up
};

/// The same as ScaledGradient: every product is the sum of those that the ranks make of their shares, in their order.
template <class Real>
struct SharedProducts {
    static constexpr bool is_sparse = false;
    SharedGradient<Real>& gradient;
    double scale;
    int threads;

    [[nodiscard]] ScaledGradient<Real> whole() const { return {gradient.whole(), scale, threads}; }

    void normal_product(kernels::Side side, Eigen::MatrixXd& x, Eigen::MatrixXd& y,
                        AlignedVector<double>& scratch) const {
        const Matrix<Real>* share = gradient.pays();
        if (share == nullptr) return whole().normal_product(side, x, y, scratch);
        const bool right = side == kernels::Side::right;
        const Shape shape = share->shape();
        const auto between =
            static_cast<std::size_t>(kernels::block_columns * (right ? shape.rows : shape.cols));
        const auto all = static_cast<std::size_t>(y.size());
        scratch.resize(std::max(between, scratch.size()));
        const auto multiply = [&](bool transposed, const double* from, double* to) {
            if (transposed)
                kernels::transposed_times_block(share->data(), shape, scale, from, to, threads);
            else
                kernels::times_block(share->data(), shape, scale, from, to, threads);
        };
        multiply(!right, x.data(), scratch.data());
        gradient.ranks().sum(std::span(scratch.data(), between));
        multiply(right, scratch.data(), y.data());
        gradient.ranks().sum(std::span(y.data(), all));
    }
    void to_other_side(kernels::Side side, const AlignedVector<double>& x, AlignedVector<double>& y) const {
        const Matrix<Real>* share = gradient.pays();
        if (share == nullptr) return whole().to_other_side(side, x, y);
        ScaledGradient<Real>{*share, scale, threads}.to_other_side(side, x, y);
        gradient.ranks().sum(std::span<double>(y));
    }
    void gram(Eigen::MatrixXd& result, AlignedVector<double>& scratch) const {
        whole().gram(result, scratch);
    }
    [[nodiscard]] Index gram_depth() const { return whole().gram_depth(); }
    [[nodiscard]] double frobenius_squared() const { return whole().frobenius_squared(); }
};

}  // namespace alfcg::region
