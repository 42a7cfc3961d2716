#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "alfcg/region/structured.hpp"
#include "region/linear_program.hpp"
#include "region/row_polytope.hpp"

namespace alfcg {
namespace {

using region::LinearProgram;

constexpr double endless_bound = std::numeric_limits<double>::infinity();
// Relative to the terms of a sum: less is rounding.
constexpr double lp_rounding = 1e-13;

void verify_constraints(const LinearConstraints& all) {
    const auto rows = static_cast<std::size_t>(all.coefficients.rows());
    if (rows == 0 || all.coefficients.cols() == 0) throw InputError(all.name, 0, "there are no constraints");
    if (all.lower.size() != rows || all.upper.size() != rows)
        throw InputError(all.name, 0, fmt::format("{} constraints need as many bounds", rows));
    for (std::size_t i = 0; i < rows; ++i) {
        const auto line = static_cast<Index>(i);
        for (Index j = 0; j < all.coefficients.cols(); ++j)
            if (!std::isfinite(all.coefficients(line, j)))
                throw InputError(all.name, 0,
                                 fmt::format("constraint {} has a coefficient that is not finite", i + 1));
        if (!(all.lower[i] <= all.upper[i]) || all.lower[i] == endless_bound ||
            all.upper[i] == -endless_bound)
            throw InputError(all.name, 0,
                             fmt::format("constraint {} has bounds from {} to {}: nothing lies between",
                                         i + 1, all.lower[i], all.upper[i]));
    }
}

/// Whether a ray leads out of the set for ever: its directions d have A d ≥ 0 where there is a lower bound, and ≤ 0 where there
/// is an upper one. A cost in general position has a sign on every ray, so that two programs decide.
bool has_rays(LinearConstraints constraints) {
    for (double& bound : constraints.lower) bound = std::isfinite(bound) ? 0 : bound;
    for (double& bound : constraints.upper) bound = std::isfinite(bound) ? 0 : bound;
    LinearProgram program(constraints, 1);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0.5, 1);
    std::vector<double> costs(static_cast<std::size_t>(constraints.coefficients.cols()));
    for (double& cost : costs) cost = random() % 2 == 0 ? uniform(random) : -uniform(random);
    for (int side = 0; side < 2; ++side) {
        for (double& cost : costs) cost = -cost;
        program.minimize(costs);
        for (const double entry : program.point())
            if (std::abs(entry) > 1e-6) return true;
    }
    return false;
}

/// The oracle is a linear program for each row, which begins at its last solution.
template <class Real>
class LinearSet final : public region::RowPolytope<Real> {
  public:
    LinearSet(const LinearConstraints& constraints, double radius)
        : region::RowPolytope<Real>(radius, 1, constraints.coefficients.cols(), "columns", constraints.name),
          constraints_(constraints) {
        programs_.emplace_back(constraints_, endless_bound);
        costs_.assign(static_cast<std::size_t>(constraints.coefficients.cols()), 0);
        if (programs_.front().minimize(costs_) == LinearProgram::Status::empty)
            throw InputError(constraints_.name, 0,
                             "the constraints contradict each other: no point fulfils all of them");
        if (has_rays(constraints_))
            throw InputError(
                constraints_.name, 0,
                "the set that the constraints describe has no bound in some direction; add bounds");
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{} linear constraints ({}) times {}", constraints_.lower.size(),
                           constraints_.name, this->radius_);
    }
    void archive(Archive& state) override {
        std::size_t count = programs_.size();
        state(count);
        while (programs_.size() < count) programs_.emplace_back(constraints_, endless_bound);
        for (LinearProgram& program : programs_) state(program);
    }

  private:
    double best(Index row, std::span<const Real> gradient, double scale,
                std::vector<region::Entry>& entries) override {
        while (static_cast<Index>(programs_.size()) <= row)
            programs_.emplace_back(constraints_, endless_bound);
        LinearProgram& program = programs_[static_cast<std::size_t>(row)];
        // The solver's tolerances are for costs near 1.
        double largest = 0;
        for (const Real entry : gradient)
            largest = std::max(largest, scale * std::abs(static_cast<double>(entry)));
        if (largest == 0) largest = 1;
        std::transform(gradient.begin(), gradient.end(), costs_.begin(),
                       [&](Real entry) { return scale * static_cast<double>(entry) / largest; });
        if (program.minimize(costs_) != LinearProgram::Status::solved)
            throw Error("the linear programming solver found no vertex of " + constraints_.name);
        const auto point = program.point();
        for (std::size_t j = 0; j < point.size(); ++j)
            if (point[j] != 0) entries.push_back({static_cast<Index>(j), point[j]});
        return slack(program) * largest;
    }

    // Weak duality: prices y whose signs suit the bounds give min <c, x> ≥ Σ y · bound + min <c − Aᵀy, x>. What is left of
    // c is rounding, or within the solver's tolerance; then the entries of x must be bounded.
    [[nodiscard]] double slack(const LinearProgram& program) {
        const auto prices = program.prices();
        const auto point = program.point();
        std::vector<double> left = costs_;
        std::vector<double> size(left.size());
        double bound = 0;
        double terms = 0;
        for (std::size_t j = 0; j < left.size(); ++j) {
            bound -= left[j] * point[j];
            terms += std::abs(left[j] * point[j]);
            size[j] = std::abs(left[j]);
        }
        for (std::size_t i = 0; i < prices.size(); ++i) {
            const double limit = prices[i] > 0 ? constraints_.lower[i] : constraints_.upper[i];
            if (prices[i] == 0 || std::isinf(limit)) continue;
            bound += prices[i] * limit;
            terms += std::abs(prices[i] * limit);
            for (std::size_t j = 0; j < left.size(); ++j) {
                const double part =
                    prices[i] * constraints_.coefficients(static_cast<Index>(i), static_cast<Index>(j));
                left[j] -= part;
                size[j] += std::abs(part);
            }
        }
        double over = std::max(-bound, 0.0);
        if (over <= lp_rounding * terms) over = 0;
        for (std::size_t j = 0; j < left.size(); ++j) {
            if (std::abs(left[j]) <= lp_rounding * size[j]) continue;
            const auto [least, most] = box()[j];
            over += std::abs(left[j]) * (most - least);
        }
        return over;
    }

    double excess(std::span<const double> row) override {
        double outside = 0;
        for (std::size_t i = 0; i < constraints_.lower.size(); ++i) {
            double sum = 0;
            double scale = 0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                const double term =
                    constraints_.coefficients(static_cast<Index>(i), static_cast<Index>(j)) * row[j];
                sum += term;
                scale += std::abs(term);
            }
            if (!std::isfinite(sum)) return sum - sum;
            for (const double bound : {constraints_.lower[i], constraints_.upper[i]})
                if (std::isfinite(bound)) scale = std::max(scale, std::abs(bound));
            if (scale == 0) continue;
            outside = std::max(
                {outside, (sum - constraints_.upper[i]) / scale, (constraints_.lower[i] - sum) / scale});
        }
        return outside;
    }

    // Least and largest value of each entry.
    const std::vector<std::pair<double, double>>& box() const {
        if (!box_.empty()) return box_;
        LinearProgram program(constraints_, endless_bound);
        std::vector<double> costs(costs_.size(), 0);
        for (std::size_t j = 0; j < costs.size(); ++j) {
            std::pair<double, double> ends;
            costs[j] = 1;
            program.minimize(costs);
            ends.first = program.point()[j];
            costs[j] = -1;
            program.minimize(costs);
            ends.second = program.point()[j];
            costs[j] = 0;
            box_.push_back(ends);
        }
        return box_;
    }

    [[nodiscard]] double width(Index /*columns*/) const override {
        double squares = 0;
        for (const auto& [least, most] : box()) squares += (most - least) * (most - least);
        return std::sqrt(squares);
    }

    LinearConstraints constraints_;
    std::vector<LinearProgram> programs_;  // one a row, made as rows come
    std::vector<double> costs_;
    mutable std::vector<std::pair<double, double>> box_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> linear_constraints(const LinearConstraints& constraints, double radius) {
    verify_constraints(constraints);
    return std::make_unique<LinearSet<Real>>(constraints, radius);
}

template std::unique_ptr<Region<float>> linear_constraints(const LinearConstraints&, double);
template std::unique_ptr<Region<double>> linear_constraints(const LinearConstraints&, double);

}  // namespace alfcg
