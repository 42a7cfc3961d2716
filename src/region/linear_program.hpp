#pragma once

#include <memory>
#include <span>

#include "alfcg/core/archive.hpp"
#include "alfcg/region/structured.hpp"

namespace alfcg::region {

/// Whether alfcg was built with CLP.
bool has_linear_solver();

/// min <c, x> over lower ≤ A x ≤ upper and `bound` ≥ |x_j|, solved by CLP's simplex; each call begins where the last one ended.
/// Only linear_program.cpp knows of CLP. Throws Error where alfcg was built without it.
class LinearProgram {
  public:
    LinearProgram(const LinearConstraints& constraints, double bound);
    ~LinearProgram();
    LinearProgram(LinearProgram&&) noexcept;
    LinearProgram& operator=(LinearProgram&&) = delete;
    LinearProgram(const LinearProgram&) = delete;
    LinearProgram& operator=(const LinearProgram&) = delete;

    enum class Status { solved, empty, endless };
    Status minimize(std::span<const double> costs);
    /// The last solution, and the prices of the constraints there: c − Aᵀ prices is 0, but for rounding, where nothing bounds
    /// entries.
    [[nodiscard]] std::span<const double> point() const;
    [[nodiscard]] std::span<const double> prices() const;
    /// Where the next call begins.
    void archive(Archive& state);

  private:
    struct Solver;
    std::unique_ptr<Solver> solver_;
};

}  // namespace alfcg::region
