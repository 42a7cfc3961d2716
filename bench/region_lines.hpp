#pragma once

#include <string>
#include <vector>

#include "alfcg/region/spec.hpp"

namespace alfcg::bench {

/// A region to be measured on 10⁶ entries.
struct RegionLine {
    std::string name;  // from regions()
    Parameters parameters;
    double most;                // reads of the gradient that its oracle may take; 0: no goal
    Shape shape{1, 1'000'000};  // of the gradient
};

/// What an oracle has to do decides its goal: 3 reads for one or two passes, 10 for what would otherwise sort. A region that has
/// no line here is not measured.
inline const std::vector<RegionLine>& region_lines() {
    constexpr double closed = 3;
    constexpr double sorts = 10;
    constexpr Shape wide{10, 100'000};
    constexpr Shape square{1000, 1000};
    static const std::vector<RegionLine> lines{
        {"l1", {}, closed},
        {"l2", {}, closed},
        {"linf", {}, closed},
        {"weighted-l1", {{"costs", 2}}, closed},
        {"k-support", {{"k", 1000}}, sorts},
        {"k-norm", {{"k", 1000}}, closed},
        {"owl", {}, sorts},
        {"ellipsoid", {{"axes", 2}}, closed},
        {"k-sparse", {{"k", 1000}}, sorts},
        {"box", {}, closed},
        {"bounded-l1", {{"lower", 0}, {"upper", 0.01}}, sorts},
        {"nonnegative-l1", {}, closed},
        {"nonnegative-l2", {}, closed},
        {"simplex", {}, closed},
        {"capped-simplex", {{"cap", 0.001}}, sorts},
        {"hypersimplex", {{"k", 1000}}, sorts},
        {"knapsack", {{"radius", 1000}, {"costs", 2}}, sorts},
        {"isotonic", {}, closed},
        {"group-l12", {}, closed, wide},
        {"group-l1inf", {}, closed, wide},
        {"group-linf2", {}, closed, wide},
        {"sparse-group", {}, sorts, wide},
        {"latent-groups", {}, closed, wide},
        {"rows-lp", {{"p", 1}}, closed, wide},
        {"nuclear", {}, 0, wide},
        {"spectral", {}, 0, wide},
        {"ky-fan", {{"k", 3}}, 0, wide},
        {"schatten", {{"p", 3}}, 0, wide},
        {"spectraplex", {}, 0, square},
        {"trace", {}, 0, square},
        {"fantope", {{"k", 3}}, 0, square},
        {"psd-box", {}, 0, square},
    };
    return lines;
}

}  // namespace alfcg::bench
