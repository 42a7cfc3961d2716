#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alfcg/region/structured.hpp"
#include "region/graph_file.hpp"
#include "region/graph_order.hpp"
#include "region/row_polytope.hpp"

namespace alfcg {
namespace {

/// The oracle is a shortest path, node by node in an order in which edges lead onwards: weights may be negative.
template <class Real>
class DagPaths final : public region::RowPolytope<Real> {
  public:
    DagPaths(Graph graph, const std::string& source, const std::string& sink, double radius)
        : region::RowPolytope<Real>(radius, 1, static_cast<Index>(graph.edges.size()), "edges", graph.name),
          graph_(std::move(graph)) {
        region::verify(graph_);
        const std::vector<Index> order = region::order_of(
            graph_, [](const Graph::Edge& /*edge*/) { return true; }, "; paths need a graph without any");
        source_ = end(source, "source", "leads to", &Graph::Edge::to);
        sink_ = end(sink, "sink", "leads from", &Graph::Edge::from);
        std::vector<Index> rank(graph_.nodes.size());
        for (std::size_t k = 0; k < order.size(); ++k) rank[at(order[k])] = static_cast<Index>(k);
        for (Index edge = 0; edge < static_cast<Index>(graph_.edges.size()); ++edge) edges_.push_back(edge);
        std::stable_sort(edges_.begin(), edges_.end(),
                         [&](Index a, Index b) { return rank[at(edge(a).from)] < rank[at(edge(b).from)]; });
        // The longest way, by edges: also tells whether there is one.
        std::vector<Real> steps(graph_.edges.size(), Real(-1));
        if (source_ == sink_ || !find_path(std::span<const Real>(steps), 1))
            throw InputError(graph_.name, 0,
                             fmt::format("no path leads from {} to {}", region::name_of(graph_, source_),
                                         region::name_of(graph_, sink_)));
        longest_ = static_cast<Index>(path_.size());
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("paths from {} to {} through {} ({} edges) times {}",
                           region::name_of(graph_, source_), region::name_of(graph_, sink_), graph_.name,
                           graph_.edges.size(), this->radius_);
    }

  private:
    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] const Graph::Edge& edge(Index k) const { return graph_.edges[at(k)]; }

    // The node of this name; without one, the only node that has no edge on this side.
    Index end(const std::string& name, const char* what, const char* leads, Index Graph::Edge::*side) const {
        if (!name.empty()) return graph_.node(name);
        std::vector<bool> touched(graph_.nodes.size());
        for (const Graph::Edge& one : graph_.edges) touched[at(one.*side)] = true;
        if (std::count(touched.begin(), touched.end(), false) != 1)
            throw QuantityError(what, fmt::format("is needed: {} has {} nodes that no edge {}", graph_.name,
                                                  std::count(touched.begin(), touched.end(), false), leads));
        return std::find(touched.begin(), touched.end(), false) - touched.begin();
    }

    double best(Index /*row*/, std::span<const Real> gradient, double scale,
                std::vector<region::Entry>& entries) override {
        find_path(gradient, scale);
        for (const Index k : path_) entries.push_back({k, 1});
        return 0;
    }

    // False where there is none.
    bool find_path(std::span<const Real> weights, double scale) {
        constexpr double unreached = std::numeric_limits<double>::infinity();
        distance_.assign(graph_.nodes.size(), unreached);
        by_.assign(graph_.nodes.size(), -1);
        distance_[at(source_)] = 0;
        for (const Index k : edges_) {
            const double from = distance_[at(edge(k).from)];
            if (from == unreached) continue;
            const double through = from + scale * static_cast<double>(weights[at(k)]);
            double& to = distance_[at(edge(k).to)];
            Index& by = by_[at(edge(k).to)];
            if (through < to || (through == to && k < by)) {
                to = through;
                by = k;
            }
        }
        path_.clear();
        if (by_[at(sink_)] < 0) return false;
        for (Index node = sink_; node != source_; node = edge(path_.back()).from)
            path_.push_back(by_[at(node)]);
        std::sort(path_.begin(), path_.end());
        return true;
    }

    // One unit leaves the source, arrives at the sink, and is kept nowhere else.
    double excess(std::span<const double> row) override {
        std::vector<double> left(graph_.nodes.size(), 0);
        left[at(source_)] = 1;
        left[at(sink_)] = -1;
        double outside = 0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (!std::isfinite(row[k])) return row[k] - row[k];
            outside = std::max(outside, -row[k]);
            left[at(graph_.edges[k].from)] -= row[k];
            left[at(graph_.edges[k].to)] += row[k];
        }
        for (const double amount : left) outside = std::max(outside, std::abs(amount));
        return outside;
    }

    // Paths have at most so many edges, none in common at the most.
    [[nodiscard]] double width(Index /*columns*/) const override {
        return std::sqrt(2 * static_cast<double>(longest_));
    }

    Graph graph_;
    Index source_ = 0;
    Index sink_ = 0;
    std::vector<Index> edges_;  // by the order of the nodes that they leave
    Index longest_ = 0;
    std::vector<double> distance_;
    std::vector<Index> by_;
    std::vector<Index> path_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> dag_paths(Graph graph, const std::string& source, const std::string& sink,
                                        double radius) {
    return std::make_unique<DagPaths<Real>>(std::move(graph), source, sink, radius);
}

template std::unique_ptr<Region<float>> dag_paths(Graph, const std::string&, const std::string&, double);
template std::unique_ptr<Region<double>> dag_paths(Graph, const std::string&, const std::string&, double);

}  // namespace alfcg
