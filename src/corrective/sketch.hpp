#pragma once

#include "alfcg/objective/part.hpp"
#include "corrective/nuclear_point.hpp"

namespace alfcg::faces {

/// How f bends along the features, roughly: the leading eigenvectors of the mean of its second derivatives over the outputs.
class Sketch {
  public:
    [[nodiscard]] bool empty() const { return directions_.rows() == 0; }
    [[nodiscard]] const Dense& directions() const { return directions_; }    // orthonormal rows
    [[nodiscard]] const Eigen::VectorXd& values() const { return values_; }  // largest first, positive
    [[nodiscard]] double flat() const { return flat_; }  // of a feature that is 1 everywhere

    /// How many calls of the part it is worth to refresh it.
    template <class Real>
    [[nodiscard]] static double cost(const Part<Real>& part);
    /// Looks at f where the part was evaluated last, from what was known before on.
    template <class Real>
    void refresh(Part<Real>& part);

    void archive(Archive& state) { state(directions_, values_, flat_); }

  private:
    Dense directions_;
    Eigen::VectorXd values_;
    double flat_ = 0;
};

}  // namespace alfcg::faces
