#pragma once

#include <Eigen/Core>

#include <optional>

#include "alfcg/objective/objective.hpp"
#include "objective/row_moments.hpp"

namespace alfcg {

/// A symmetric matrix B that acts on x as f curves: κ C on every row of x, C being the second moments of the features, or the
/// identity where there are none, and on top of that what the last steps have met (limited-memory BFGS in its compact form).
template <class Real>
class QuasiNewton {
  public:
    /// Of so many steps at most.
    QuasiNewton(const std::optional<SecondMoments<Real>>& moments, Index outputs, Index most_pairs = 10);

    /// Takes note of a step s along which the gradient changed by y. One that met no curvature says nothing.
    void add(const Matrix<Real>& s, const Matrix<Real>& y);
    /// Keeps nothing but κ.
    void forget() { count_ = 0; }
    /// Whether there is a B at all.
    [[nodiscard]] bool ready() const { return scale_ > 0; }

    /// product = B d.
    void times(const Matrix<Real>& d, Matrix<Real>& product);
    /// The largest eigenvalue of B, about.
    double largest();

    void archive(Archive& state) {
        state(scale_, count_, steps_, meetings_, steps_moments_, steps_changes_, middle_, product_,
              steepest_);
    }

  private:
    template <class Entry>
    using Rows = Eigen::Matrix<Entry, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    // product = C d.
    void times_moments(const Matrix<Real>& d, Matrix<Real>& product);
    void make_room();
    void update_middle();

    struct Moments {
        RowMoments<Real> leading;  // less the rest
        double rest;
    };

    Eigen::Index most_pairs_;
    std::optional<Moments> moments_;
    double scale_ = 0;  // κ
    Eigen::Index count_ = 0;
    Rows<Real> steps_;               // s of the last steps, one a row, the oldest first
    Rows<Real> meetings_;            // C s of all of them, then their y
    Eigen::MatrixXd steps_moments_;  // <s_i, C s_j>
    Eigen::MatrixXd steps_changes_;  // <s_i, y_j>
    Eigen::MatrixXd middle_;         // B = κ C − [C s, y]ᵀ middle [C s, y]
    Matrix<Real> product_;
    Matrix<Real> steepest_;  // nearly the eigenvector of the largest eigenvalue
};

}  // namespace alfcg
