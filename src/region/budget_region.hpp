#pragma once

#include <memory>
#include <optional>
#include <string>

#include "alfcg/region/region.hpp"
#include "region/feature_values.hpp"

namespace alfcg::region {

/// {x : lower_j ≤ x_ij ≤ upper_j, Σ cost_j |x_ij| ≤ budget}, with lower_j ≤ 0 ≤ upper_j and cost_j > 0: many regions are of this
/// kind. `exactly`: the sum is equal to the budget, entries are not negative and cost 1 each.
struct BudgetSpec {
    std::string text;  // describe()
    FeatureValues lower = 0.0;
    FeatureValues upper = std::numeric_limits<double>::infinity();
    FeatureValues cost = 1.0;
    double budget = 1;
    bool exactly = false;
    std::string_view whose_lower = "lower";  // the quantities that messages name
    std::string_view whose_upper = "upper";
    std::string_view whose_budget = "radius";
    std::optional<double> norm_unit = {};  // where it is a ball: of radius budget / norm_unit
};

/// Composite terms: l1, l2, both, or, with `exactly` and without upper bounds, entropy.
template <class Real>
std::unique_ptr<Region<Real>> budget_region(BudgetSpec spec, const Composite& composite, int threads);

}  // namespace alfcg::region
