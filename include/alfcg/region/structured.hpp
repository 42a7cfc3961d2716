#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/data/features.hpp"
#include "alfcg/region/region.hpp"

namespace alfcg {

/// A graph as a list of edges. Edge k is column k of a point.
struct Graph {
    struct Edge {
        Index from = 0;
        Index to = 0;
        double capacity = std::numeric_limits<double>::infinity();
        Index line = 0;  // of the file, for messages
    };

    std::string name = "the graph";  // where it comes from, for messages
    std::vector<std::string> nodes;
    std::vector<Edge> edges;

    /// Number of the node of this name; throws InputError where there is none.
    [[nodiscard]] Index node(std::string_view wanted) const;
    [[nodiscard]] Index size() const { return static_cast<Index>(nodes.size()); }
};

/// One edge a line, "from to" or "from to capacity", fields between blanks, tabs or commas; names of nodes are any text.
/// Empty lines, those that begin with # or %, and a first line of titles (from,to or source,target) are passed over. Without
/// `capacities`, what stands behind "from to" is passed over too. Throws InputError, with file and line.
Graph read_graph(const std::string& path, bool capacities);

/// Every set here is `radius` times a polytope that does not depend on it. Oracles are exact; among equals, the lowest
/// position wins.

/// n x n matrices, entries not negative, that sum to `radius` in every row and column.
template <class Real>
std::unique_ptr<Region<Real>> birkhoff(double radius = 1, int threads = 0);

/// Entries not negative, row i sums to radius · supply_i and column j to radius · demand_j; none: the same for all, 1
/// together.
template <class Real>
std::unique_ptr<Region<Real>> transport(std::vector<double> supply, std::vector<double> demand,
                                        double radius = 1, int threads = 0);

/// Entries not negative, every row sums to `radius`. Composite terms: l2 or entropy.
template <class Real>
std::unique_ptr<Region<Real>> row_stochastic(double radius = 1, const Composite& composite = {},
                                             int threads = 0);

/// The convex hull of all orders of the weights, as many as there are entries; none: 1, 2, …, n.
/// Composite term: l2.
template <class Real>
std::unique_ptr<Region<Real>> permutahedron(std::vector<double> weights = {}, double radius = 1,
                                            const Composite& composite = {});

/// Entries not negative, any k of them sum to radius · (w_1 + … + w_k) at most, weights not negative and not increasing (those
/// that are not given are 0); none: √k. Composite term: l2.
template <class Real>
std::unique_ptr<Region<Real>> polymatroid(std::vector<double> weights = {}, double radius = 1,
                                          const Composite& composite = {});

/// Σ_rows |x_1| + Σ_j |x_{j+1} − x_j| at most radius: rows that are constant but for a few steps. Composite terms: l2 or
/// norm.
template <class Real>
std::unique_ptr<Region<Real>> total_variation(double radius = 1, const Composite& composite = {});

/// Of the next four, a row of a point has an entry for each edge.

/// The convex hull of the spanning trees of a connected graph.
template <class Real>
std::unique_ptr<Region<Real>> spanning_tree(Graph graph, double radius = 1);

/// The convex hull of the paths from one node to another through a graph without cycles. A name that is empty is that of the
/// only node that no edge leads to, or from.
template <class Real>
std::unique_ptr<Region<Real>> dag_paths(Graph graph, const std::string& source = {},
                                        const std::string& sink = {}, double radius = 1);

/// Flows within the capacities of the edges that take up the supply of every node (negative: its demand), which add up to 0.
template <class Real>
std::unique_ptr<Region<Real>> network_flow(Graph graph, const std::vector<double>& supply, double radius = 1);

/// The convex hull of the matchings of a bipartite graph, perfect or not.
template <class Real>
std::unique_ptr<Region<Real>> bipartite_matching(Graph graph, double radius = 1);

/// The convex hull of points that are given: each is a row of `vertices`, with the entries of a whole point, row after row.
template <class Real>
std::unique_ptr<Region<Real>> vertex_hull(Features<Real> vertices, double radius = 1, int threads = 0);

/// Every row of x lies in the convex hull of the rows of `points`.
template <class Real>
std::unique_ptr<Region<Real>> data_hull(Features<Real> points, double radius = 1, int threads = 0);

/// lower ≤ A x ≤ upper for every row of x; infinite where there is no bound.
struct LinearConstraints {
    std::string name = "the constraints";  // where they come from, for messages
    Matrix<double> coefficients;           // a row each
    std::vector<double> lower;
    std::vector<double> upper;
};

/// Through a linear programming solver (CLP); throws Error where alfcg was built without one, where there is no such x, or
/// where the set has no bound.
template <class Real>
std::unique_ptr<Region<Real>> linear_constraints(const LinearConstraints& constraints, double radius = 1);

}  // namespace alfcg
