#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "alfcg/region/structured.hpp"
#include "region/amounts.hpp"
#include "region/graph_file.hpp"
#include "region/graph_order.hpp"
#include "region/row_polytope.hpp"

namespace alfcg {
namespace {

using region::NetworkSimplex;

/// The oracle is a flow of least cost: a network simplex for each row, begun with its last tree. The network's first arcs are
/// the edges of the graph.
template <class Real>
class FlowRegion : public region::RowPolytope<Real> {
  protected:
    FlowRegion(Graph graph, double radius)
        : region::RowPolytope<Real>(radius, 1, static_cast<Index>(graph.edges.size()), "edges", graph.name),
          graph_(std::move(graph)) {
        region::verify(graph_);
    }

    double best(Index row, std::span<const Real> gradient, double scale,
                std::vector<region::Entry>& entries) final {
        while (static_cast<Index>(networks_.size()) <= row) networks_.push_back(networks_.front());
        NetworkSimplex& network = networks_[at(row)];
        std::transform(gradient.begin(), gradient.end(), network.costs().begin(),
                       [&](Real entry) { return scale * static_cast<double>(entry); });
        network.minimize();
        for (Index k = 0; k < static_cast<Index>(gradient.size()); ++k)
            if (network.flow(k) != 0) entries.push_back({k, unit_.amount(network.flow(k))});
        return 0;
    }
    void archive(Archive& state) final {
        std::size_t count = networks_.size();
        state(count);
        while (networks_.size() < count) networks_.push_back(networks_.front());
        for (NetworkSimplex& network : networks_) state(network);
    }

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

    Graph graph_;
    region::AmountUnit unit_{std::ldexp(1.0, 58)};  // 1
    std::vector<NetworkSimplex> networks_;          // one a row, made as rows come
};

template <class Real>
class NetworkFlow final : public FlowRegion<Real> {
  public:
    NetworkFlow(Graph graph, const std::vector<double>& supply, double radius)
        : FlowRegion<Real>(std::move(graph), radius), supply_(supply) {
        double sum = 0;
        for (const double amount : supply_) {
            if (!std::isfinite(amount))
                throw QuantityError("supply", fmt::format("must be finite, not {}", amount));
            sum += amount;
            sent_ += std::max(amount, 0.0);
        }
        if (supply_.size() != graph_.nodes.size())
            throw QuantityError("supply",
                                fmt::format("has {} numbers for {} nodes", supply_.size(), graph_.size()));
        if (std::abs(sum) > region::balance_rounding * sent_)
            throw QuantityError(
                "supply", fmt::format("must add up to 0, not to {}: what some nodes send, others take", sum));
        region::order_of(
            graph_, [](const Graph::Edge& edge) { return std::isinf(edge.capacity); },
            " without capacities: flows have no bound");
        for (const Graph::Edge& edge : graph_.edges)
            if (std::isfinite(edge.capacity)) {
                most_ += edge.capacity;
                scale_ = std::max(scale_, edge.capacity);
            }
        most_ += sent_;
        scale_ = std::max(scale_, sent_) > 0 ? std::max(scale_, sent_) : 1;
        build();
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("flows of {} through {} ({} nodes, {} edges) times {}", sent_, graph_.name,
                           graph_.size(), graph_.edges.size(), this->radius_);
    }

  private:
    using FlowRegion<Real>::graph_;
    using FlowRegion<Real>::at;

    void build() {
        this->unit_ = region::AmountUnit(most_);
        std::vector<NetworkSimplex::Arc> arcs;
        std::vector<NetworkSimplex::Amount> capacities;
        for (const Graph::Edge& edge : graph_.edges) {
            arcs.push_back({static_cast<std::int32_t>(edge.from), static_cast<std::int32_t>(edge.to)});
            capacities.push_back(this->unit_.whole(edge.capacity));
        }
        this->networks_.emplace_back(std::move(arcs), std::move(capacities), this->unit_.balanced(supply_));
        if (const auto unmet = this->networks_.front().unmet(); unmet > 0)
            throw InputError(graph_.name, 0,
                             fmt::format("{:.6g} of a supply of {:.6g} cannot get where it is needed",
                                         this->unit_.amount(unmet), sent_));
    }

    double excess(std::span<const double> row) override {
        std::vector<double> left = supply_;
        double outside = 0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            const Graph::Edge& edge = graph_.edges[k];
            if (!std::isfinite(row[k])) return row[k] - row[k];
            outside = std::max({outside, -row[k], row[k] - edge.capacity});
            left[at(edge.from)] -= row[k];
            left[at(edge.to)] += row[k];
        }
        for (const double amount : left) outside = std::max(outside, std::abs(amount));
        return outside / scale_;
    }

    [[nodiscard]] double width(Index /*columns*/) const override {
        double squares = 0;
        for (const Graph::Edge& edge : graph_.edges) squares += std::pow(std::min(edge.capacity, most_), 2);
        return std::sqrt(squares);
    }

    std::vector<double> supply_;
    double sent_ = 0;
    double most_ = 0;   // that can be on an edge
    double scale_ = 0;  // of amounts
};

/// A matching is a flow of one unit from each node of one side to each of the other, which may go by a node between them
/// instead of an edge.
template <class Real>
class BipartiteMatching final : public FlowRegion<Real> {
  public:
    BipartiteMatching(Graph graph, double radius) : FlowRegion<Real>(std::move(graph), radius) {
        const std::vector<bool> right = sides();
        const auto between = static_cast<std::int32_t>(graph_.size());
        std::vector<NetworkSimplex::Arc> arcs;
        for (const Graph::Edge& edge : graph_.edges) {
            auto ends = std::pair(static_cast<std::int32_t>(edge.from), static_cast<std::int32_t>(edge.to));
            if (right[at(edge.from)]) std::swap(ends.first, ends.second);
            arcs.push_back({ends.first, ends.second});
        }
        std::vector<NetworkSimplex::Amount> supplies;
        NetworkSimplex::Amount sum = 0;
        for (std::int32_t node = 0; node < between; ++node) {
            arcs.push_back(right[at(node)] ? NetworkSimplex::Arc{between, node}
                                           : NetworkSimplex::Arc{node, between});
            supplies.push_back(right[at(node)] ? -1 : 1);
            sum += supplies.back();
        }
        supplies.push_back(-sum);
        fewer_ = std::min(std::count(right.begin(), right.end(), true),
                          std::count(right.begin(), right.end(), false));
        std::vector<NetworkSimplex::Amount> capacities(arcs.size(), NetworkSimplex::endless);
        this->networks_.emplace_back(std::move(arcs), std::move(capacities), supplies);
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("matchings of {} ({} nodes, {} edges) times {}", graph_.name, graph_.size(),
                           graph_.edges.size(), this->radius_);
    }

  private:
    using FlowRegion<Real>::graph_;
    using FlowRegion<Real>::at;

    // Which nodes are on the right; throws InputError where an edge has both ends on one side.
    [[nodiscard]] std::vector<bool> sides() const {
        std::vector<std::vector<Index>> beside(graph_.nodes.size());
        for (const Graph::Edge& edge : graph_.edges) {
            beside[at(edge.from)].push_back(edge.to);
            beside[at(edge.to)].push_back(edge.from);
        }
        std::vector<bool> right(graph_.nodes.size());
        std::vector<bool> seen(graph_.nodes.size());
        std::vector<Index> visit;
        for (Index first = 0; first < graph_.size(); ++first) {
            if (seen[at(first)]) continue;
            seen[at(first)] = true;
            visit.assign(1, first);
            while (!visit.empty()) {
                const Index node = visit.back();
                visit.pop_back();
                for (const Index other : beside[at(node)]) {
                    if (seen[at(other)]) continue;
                    seen[at(other)] = true;
                    right[at(other)] = !right[at(node)];
                    visit.push_back(other);
                }
            }
        }
        for (const Graph::Edge& edge : graph_.edges)
            if (right[at(edge.from)] == right[at(edge.to)])
                throw InputError(
                    graph_.name, edge.line,
                    fmt::format(
                        "the edge from {} to {} is part of a cycle of odd length: the graph is not bipartite",
                        region::name_of(graph_, edge.from), region::name_of(graph_, edge.to)));
        return right;
    }

    double excess(std::span<const double> row) override {
        std::vector<double> sums(graph_.nodes.size(), 0);
        double outside = 0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (!std::isfinite(row[k])) return row[k] - row[k];
            outside = std::max(outside, -row[k]);
            sums[at(graph_.edges[k].from)] += row[k];
            sums[at(graph_.edges[k].to)] += row[k];
        }
        for (const double sum : sums) outside = std::max(outside, sum - 1);
        return outside;
    }

    [[nodiscard]] double width(Index columns) const override {
        return std::sqrt(static_cast<double>(std::min<Index>(2 * fewer_, columns)));
    }

    Index fewer_ = 0;  // nodes on the smaller side
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> network_flow(Graph graph, const std::vector<double>& supply, double radius) {
    return std::make_unique<NetworkFlow<Real>>(std::move(graph), supply, radius);
}

template <class Real>
std::unique_ptr<Region<Real>> bipartite_matching(Graph graph, double radius) {
    return std::make_unique<BipartiteMatching<Real>>(std::move(graph), radius);
}

template std::unique_ptr<Region<float>> network_flow(Graph, const std::vector<double>&, double);
template std::unique_ptr<Region<double>> network_flow(Graph, const std::vector<double>&, double);
template std::unique_ptr<Region<float>> bipartite_matching(Graph, double);
template std::unique_ptr<Region<double>> bipartite_matching(Graph, double);

}  // namespace alfcg
