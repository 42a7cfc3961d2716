#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "alfcg/region/spec.hpp"

namespace alfcg::bench {

/// A region to be measured on 10⁶ entries.
struct RegionLine {
    std::string name;  // from regions()
    Parameters parameters;
    double most;                     // reads of the gradient that its oracle may take; 0: no goal
    Shape shape{1, 1'000'000};       // of the gradient
    Parameters (*made)() = nullptr;  // parameters whose files are written first
};

/// The name of a file with a graph of a million edges: a chain of nodes, and edges onwards by up to 100 nodes.
inline Parameters million_edges() {
    constexpr int nodes = 100'000;
    constexpr int edges = 1'000'000;
    const std::string path = (std::filesystem::temp_directory_path() / "alfcg-bench-graph.txt").string();
    std::ofstream file(path);
    std::mt19937_64 random(1);
    for (int k = 0; k < edges; ++k) {
        const auto from = k < nodes ? k : static_cast<int>(random() % nodes);
        const auto to = k < nodes ? from + 1 : std::min(from + 1 + static_cast<int>(random() % 100), nodes);
        file << from << ' ' << to << '\n';
    }
    file.close();
    Parameters parameters;
    parameters.set("graph", path);
    return parameters;
}

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
        {"birkhoff", {}, 0, {1000, 1000}},
        {"transport", {}, 0, {1000, 1000}},
        {"row-stochastic", {}, closed, {1000, 1000}},
        {"permutahedron", {}, sorts},
        {"polymatroid", {}, sorts},
        {"total-variation", {}, closed},
        {"spanning-tree", {}, 0, {1, 1'000'000}, million_edges},
        {"dag-paths", {}, 0, {1, 1'000'000}, million_edges},
    };
    return lines;
}

}  // namespace alfcg::bench
