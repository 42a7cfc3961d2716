#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// Flows of least cost through a network, by the primal network simplex with strongly feasible trees (Cunningham 1976), which
/// cannot cycle: amounts are whole numbers and never round. The tree of one answer is feasible for other costs: the next call
/// begins with it.
class NetworkSimplex {
  public:
    using Amount = std::int64_t;
    static constexpr Amount endless = std::numeric_limits<Amount>::max() / 4;

    struct Arc {
        std::int32_t from;
        std::int32_t to;
    };

    /// Supplies, one a node, add up to zero; capacities, one an arc, may be endless. What all supplies together, and all finite
    /// capacities, make up must stay below `endless`.
    NetworkSimplex(std::vector<Arc> arcs, std::vector<Amount> capacities,
                   const std::vector<Amount>& supplies);

    /// What cannot get where it should: 0 where there is a flow at all.
    [[nodiscard]] Amount unmet() const { return unmet_; }

    /// To be filled in before minimize(), one an arc, near 1.
    std::vector<double>& costs() { return cost_; }
    void minimize();
    [[nodiscard]] Amount flow(Index arc) const { return flow_[static_cast<std::size_t>(arc)]; }

    /// The tree, for a network that was made from the same.
    void archive(Archive& state) {
        state(root_cost_, flow_, state_, next_, parent_, arc_, depth_, price_, child_, left_, right_);
    }

  private:
    enum class State : std::int8_t { upper = -1, tree = 0, lower = 1 };
    using Node = std::int32_t;
    using Which = std::int32_t;  // an arc; behind the network's own, one from or to the root for each node

    template <class Number>
    static std::size_t at(Number i) {
        return static_cast<std::size_t>(i);
    }
    void find_prices();
    void pivot_to_optimum();
    Which entering();
    void pivot(Which arc);
    void hang(Node node, Node parent, Which arc);
    void take_off(Node node);
    [[nodiscard]] double reduced_cost(Which arc) const;
    [[nodiscard]] bool upwards(Node node) const;  // whether the arc to its parent leaves it

    Node nodes_;  // without the root, which comes behind them
    std::vector<Arc> arcs_;
    std::vector<Amount> capacity_;
    std::vector<double> cost_;
    double root_cost_ = 1;  // of arcs from and to the root: more than any way around them could save
    std::vector<Amount> flow_;
    std::vector<State> state_;
    Which next_ = 0;  // where the search for an arc goes on
    double rounding_ = 0;
    Amount unmet_ = 0;

    // The tree.
    std::vector<Node> parent_;
    std::vector<Which> arc_;  // to the parent
    std::vector<std::int32_t> depth_;
    std::vector<double> price_;
    std::vector<Node> child_;  // the first one; -1: none
    std::vector<Node> left_;   // siblings
    std::vector<Node> right_;
    std::vector<Node> visit_;
};

}  // namespace alfcg::region
