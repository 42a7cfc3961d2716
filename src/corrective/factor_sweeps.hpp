#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "alfcg/core/archive.hpp"
#include "alfcg/objective/objective.hpp"

namespace alfcg {

/// Sweeps over the two factors of x (alternating least squares), widened by directions along which f is steep. A penalty of λ/2 on the
/// squares of both is one of λ on the nuclear norm of their product, as long as they are wide enough. Penalties are λ times the number of
/// observations.
template <class Real>
class FactorSweeps {
  public:
    /// Times that a search for directions multiplies with the gradient and with its transpose.
    static constexpr int rounds = 4;
    /// Looks for directions along which f is steepest at x, where it has this gradient: leading singular pairs, about. `across`: only across what x
    /// consists of already, along which f is as steep as it is to be. `known`: an oracle's answer, which may be one of them.
    void look(const Factors<Real>& x, const Pattern& pattern, const Matrix<Real>& gradient, bool across,
              const Vertex<Real>& known, int threads);
    /// How steep f is along them, times the number of observations, largest first.
    [[nodiscard]] const Eigen::VectorXd& slopes() const { return slopes_; }

    /// Goes to x, where it has looked, leaves out what is not worth this penalty, and adds the directions that are (one, if there were nothing else).
    /// Returns how many they are.
    Index begin(const Factors<Real>& x, const std::vector<double>& biases, double penalty);
    void sweep(Objective<Real>& objective, double penalty) { objective.sweep(factors_, penalty); }
    /// The gradient at the product.
    double evaluate(Objective<Real>& objective, Matrix<Real>& gradient) const {
        return objective.evaluate_product(factors_, gradient);
    }
    /// ‖left · rightᵀ‖_*.
    [[nodiscard]] double norm() const;
    /// The product, at most so many singular values of it, which is used up; and its biases, first rows', then columns'.
    Factors<Real> release(Index most);
    [[nodiscard]] std::vector<double> biases() const;

    void archive(Archive& state) { state(wanted_, taken_, state_, right_, slopes_); }

  private:
    void start_search(Shape shape, Index count, const Vertex<Real>& known);

    TwoFactors<Real> factors_;
    // Directions, when last looked for: vectors are columns.
    Matrix<Real> left_;
    Matrix<Real> right_;
    Eigen::VectorXd slopes_;
    Eigen::VectorXd bends_;       // of f along them
    Eigen::VectorXd own_slopes_;  // along the pairs that x consists of
    Eigen::VectorXd own_bends_;
    Index taken_ = 0;  // of them
    Index wanted_ = 8;
    std::uint64_t state_ = 88172645463325252U;  // of the numbers that a search begins with
};

}  // namespace alfcg
