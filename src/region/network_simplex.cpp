#include "region/network_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alfcg/core/error.hpp"

namespace alfcg::region {

NetworkSimplex::NetworkSimplex(std::vector<Arc> arcs, std::vector<Amount> capacities,
                               const std::vector<Amount>& supplies)
    : nodes_(static_cast<Node>(supplies.size())), arcs_(std::move(arcs)), capacity_(std::move(capacities)) {
    const Node root = nodes_;
    const std::size_t own = arcs_.size();
    const std::size_t all = own + supplies.size();
    cost_.assign(own, 0);
    flow_.assign(all, 0);
    state_.assign(all, State::lower);
    capacity_.resize(all, endless);
    arcs_.reserve(all);
    for (std::vector<Node>* links : {&parent_, &arc_, &depth_, &child_, &left_, &right_})
        links->assign(supplies.size() + 1, -1);
    price_.assign(supplies.size() + 1, 0);
    depth_[at(root)] = 0;
    // Everything goes by the root at first: an arc without a flow leads up, as it must in a strongly feasible tree.
    for (Node node = 0; node < nodes_; ++node) {
        const Amount supply = supplies[at(node)];
        arcs_.push_back(supply >= 0 ? Arc{node, root} : Arc{root, node});
        const auto arc = static_cast<Which>(own + at(node));
        flow_[at(arc)] = std::abs(supply);
        state_[at(arc)] = State::tree;
        hang(node, root, arc);
    }
    find_prices();
    pivot_to_optimum();
    for (std::size_t arc = own; arc < all; ++arc) unmet_ += flow_[arc];
    unmet_ /= 2;  // what is left over here is missing there
}

void NetworkSimplex::minimize() {
    double largest = 0;
    for (const double cost : cost_) largest = std::max(largest, std::abs(cost));
    if (largest == 0) return;
    root_cost_ = (static_cast<double>(nodes_) + 1) * largest;
    do {
        find_prices();  // anew: every pivot rounds them a little
        pivot_to_optimum();
        find_prices();
        next_ = 0;
    } while (entering() >= 0);
}

double NetworkSimplex::reduced_cost(Which arc) const {
    const double cost = at(arc) < cost_.size() ? cost_[at(arc)] : root_cost_;
    return cost + price_[at(arcs_[at(arc)].from)] - price_[at(arcs_[at(arc)].to)];
}

bool NetworkSimplex::upwards(Node node) const {
    return arcs_[at(arc_[at(node)])].from == node;
}

void NetworkSimplex::hang(Node node, Node parent, Which arc) {
    parent_[at(node)] = parent;
    arc_[at(node)] = arc;
    depth_[at(node)] = depth_[at(parent)] + 1;
    left_[at(node)] = -1;
    right_[at(node)] = child_[at(parent)];
    if (right_[at(node)] >= 0) left_[at(right_[at(node)])] = node;
    child_[at(parent)] = node;
}

void NetworkSimplex::take_off(Node node) {
    const Node left = left_[at(node)];
    const Node right = right_[at(node)];
    (left >= 0 ? right_[at(left)] : child_[at(parent_[at(node)])]) = right;
    if (right >= 0) left_[at(right)] = left;
}

// From the root down: no arc of the tree has a reduced cost.
void NetworkSimplex::find_prices() {
    double largest = root_cost_;
    price_[at(nodes_)] = 0;
    visit_.assign(1, nodes_);
    while (!visit_.empty()) {
        const Node node = visit_.back();
        visit_.pop_back();
        for (Node child = child_[at(node)]; child >= 0; child = right_[at(child)]) {
            price_[at(child)] = 0;
            price_[at(child)] =
                upwards(child) ? -reduced_cost(arc_[at(child)]) : reduced_cost(arc_[at(child)]);
            largest = std::max(largest, std::abs(price_[at(child)]));
            visit_.push_back(child);
        }
    }
    rounding_ = 8 * std::numeric_limits<double>::epsilon() * largest;
}

// The steepest of a block of arcs, blocks in turn; -1: none is worth while.
NetworkSimplex::Which NetworkSimplex::entering() {
    const auto all = static_cast<Which>(arcs_.size());
    const auto block = std::max(static_cast<Which>(std::sqrt(static_cast<double>(all))), Which{16});
    Which best = -1;
    double steepest = -rounding_;
    Which left = block;
    Which arc = next_;
    for (Which seen = 0; seen < all; ++seen) {
        const double slope = static_cast<double>(static_cast<int>(state_[at(arc)])) * reduced_cost(arc);
        if (slope < steepest) {
            steepest = slope;
            best = arc;
        }
        if (++arc == all) arc = 0;
        if (--left == 0) {
            if (best >= 0) break;
            left = block;
        }
    }
    next_ = arc;
    return best;
}

void NetworkSimplex::pivot_to_optimum() {
    for (Which arc = entering(); arc >= 0; arc = entering()) pivot(arc);
}

void NetworkSimplex::pivot(Which arc) {
    const bool forward = state_[at(arc)] == State::lower;
    const Node first = forward ? arcs_[at(arc)].from : arcs_[at(arc)].to;  // flow is sent from the first
    const Node second = forward ? arcs_[at(arc)].to : arcs_[at(arc)].from;
    Node join = first;
    for (Node other = second; join != other;) {
        if (depth_[at(join)] >= depth_[at(other)])
            join = parent_[at(join)];
        else
            other = parent_[at(other)];
    }
    // The last arc of the cycle, from where both sides join, that lets no more through has to leave: trees stay strongly
    // feasible.
    Amount most = capacity_[at(arc)];
    Node out = -1;
    bool out_first = false;
    const auto room = [&](Node node, bool adds) {
        const Which tree_arc = arc_[at(node)];
        if (!adds) return flow_[at(tree_arc)];
        return capacity_[at(tree_arc)] >= endless ? endless : capacity_[at(tree_arc)] - flow_[at(tree_arc)];
    };
    for (Node node = first; node != join; node = parent_[at(node)])
        if (const Amount left = room(node, !upwards(node)); left < most) {
            most = left;
            out = node;
            out_first = true;
        }
    for (Node node = second; node != join; node = parent_[at(node)])
        if (const Amount left = room(node, upwards(node)); left <= most) {
            most = left;
            out = node;
            out_first = false;
        }
    if (most >= endless) throw Error("a cycle of the network takes any amount: flows have no bound");
    if (most > 0) {
        flow_[at(arc)] += forward ? most : -most;
        for (Node node = first; node != join; node = parent_[at(node)])
            flow_[at(arc_[at(node)])] += upwards(node) ? -most : most;
        for (Node node = second; node != join; node = parent_[at(node)])
            flow_[at(arc_[at(node)])] += upwards(node) ? most : -most;
    }
    if (out < 0) {
        state_[at(arc)] = forward ? State::upper : State::lower;
        return;
    }
    const Which leaving = arc_[at(out)];
    state_[at(leaving)] = flow_[at(leaving)] == 0 ? State::lower : State::upper;
    state_[at(arc)] = State::tree;
    // What hung below the arc that leaves hangs on the other one now: parents become children up to there.
    Node node = out_first ? first : second;
    const Node top = node;
    Node parent = out_first ? second : first;
    Which by = arc;
    for (bool last = false; !last;) {
        last = node == out;
        const Node above = parent_[at(node)];
        const Which below = arc_[at(node)];
        take_off(node);
        hang(node, parent, by);
        parent = std::exchange(node, above);
        by = below;
    }
    const double change = arcs_[at(arc)].from == top ? -reduced_cost(arc) : reduced_cost(arc);
    visit_.assign(1, top);
    while (!visit_.empty()) {
        const Node moved = visit_.back();
        visit_.pop_back();
        price_[at(moved)] += change;
        depth_[at(moved)] = depth_[at(parent_[at(moved)])] + 1;
        for (Node child = child_[at(moved)]; child >= 0; child = right_[at(child)]) visit_.push_back(child);
    }
}

}  // namespace alfcg::region
