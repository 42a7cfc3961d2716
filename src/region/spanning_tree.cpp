#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "alfcg/region/structured.hpp"
#include "region/graph_file.hpp"
#include "region/min_norm_point.hpp"
#include "region/row_polytope.hpp"

namespace alfcg {
namespace {

/// Sets of nodes that edges have joined.
class JoinedNodes {
  public:
    explicit JoinedNodes(Index nodes) { begin(nodes); }

    void begin(Index nodes) {
        above_.resize(static_cast<std::size_t>(nodes));
        std::iota(above_.begin(), above_.end(), Index{0});
    }
    /// False where they are together already.
    bool join(Index a, Index b) {
        a = top(a);
        b = top(b);
        above_[static_cast<std::size_t>(a)] = b;
        return a != b;
    }

  private:
    Index top(Index node) {
        while (above_[static_cast<std::size_t>(node)] != node) {
            Index& above = above_[static_cast<std::size_t>(node)];
            above = above_[static_cast<std::size_t>(above)];
            node = above;
        }
        return node;
    }

    std::vector<Index> above_;
};

/// The oracle is Kruskal's: edges by weight, the lowest first, unless they close a cycle.
template <class Real>
class SpanningTree final : public region::RowPolytope<Real> {
  public:
    SpanningTree(Graph graph, double radius)
        : region::RowPolytope<Real>(radius, 1, static_cast<Index>(graph.edges.size()), "edges", graph.name),
          graph_(std::move(graph)),
          joined_(graph_.size()) {
        region::verify(graph_);
        Index components = graph_.size();
        for (const Graph::Edge& edge : graph_.edges)
            if (joined_.join(edge.from, edge.to)) --components;
        if (components > 1)
            throw InputError(
                graph_.name, 0,
                fmt::format("has {} components; a spanning tree needs a connected graph", components));
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("spanning trees of {} ({} nodes, {} edges) times {}", graph_.name, graph_.size(),
                           graph_.edges.size(), this->radius_);
    }

  private:
    double best(Index /*row*/, std::span<const Real> gradient, double /*scale*/,
                std::vector<region::Entry>& entries) override {
        find_tree(gradient);
        for (const Index edge : tree_) entries.push_back({edge, 1});
        return 0;
    }

    template <class Number>
    void find_tree(std::span<const Number> weights) {
        order_.resize(weights.size());
        std::iota(order_.begin(), order_.end(), Index{0});
        std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
            const Number one = weights[static_cast<std::size_t>(a)];
            const Number other = weights[static_cast<std::size_t>(b)];
            return one < other || (one == other && a < b);
        });
        joined_.begin(graph_.size());
        tree_.clear();
        for (const Index edge : order_) {
            const Graph::Edge& ends = graph_.edges[static_cast<std::size_t>(edge)];
            if (joined_.join(ends.from, ends.to)) tree_.push_back(edge);
            if (static_cast<Index>(tree_.size()) + 1 == graph_.size()) break;
        }
        std::sort(tree_.begin(), tree_.end());
    }

    // Its inequalities are as many as sets of nodes: the distance is found by trees instead.
    double excess(std::span<const double> row) override {
        return region::relative_distance(
            row,
            [&](std::span<const double> direction, std::span<double> point) {
                find_tree(direction);
                std::fill(point.begin(), point.end(), 0.0);
                for (const Index edge : tree_) point[static_cast<std::size_t>(edge)] = 1;
            },
            region::distance_rounding<Real>);
    }

    [[nodiscard]] double width(Index columns) const override {
        return std::sqrt(static_cast<double>(std::min(2 * (graph_.size() - 1), columns)));
    }

    Graph graph_;
    JoinedNodes joined_;
    std::vector<Index> order_;
    std::vector<Index> tree_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> spanning_tree(Graph graph, double radius) {
    return std::make_unique<SpanningTree<Real>>(std::move(graph), radius);
}

template std::unique_ptr<Region<float>> spanning_tree(Graph, double);
template std::unique_ptr<Region<double>> spanning_tree(Graph, double);

}  // namespace alfcg
