#pragma once

#include <fmt/format.h>

#include <vector>

#include "alfcg/core/error.hpp"
#include "region/graph_file.hpp"

namespace alfcg::region {

/// Nodes in an order in which all edges that count(edge) lead onwards. Throws InputError, naming an edge of a cycle and what
/// that means, where there is none.
template <class Count>
std::vector<Index> order_of(const Graph& graph, const Count& count, const char* meaning) {
    const auto at = [](Index i) { return static_cast<std::size_t>(i); };
    std::vector<std::vector<std::size_t>> out(graph.nodes.size());
    std::vector<Index> waits_for(graph.nodes.size(), 0);
    for (std::size_t k = 0; k < graph.edges.size(); ++k) {
        if (!count(graph.edges[k])) continue;
        out[at(graph.edges[k].from)].push_back(k);
        ++waits_for[at(graph.edges[k].to)];
    }
    std::vector<Index> order;
    for (Index node = 0; node < graph.size(); ++node)
        if (waits_for[at(node)] == 0) order.push_back(node);
    for (std::size_t done = 0; done < order.size(); ++done)
        for (const std::size_t k : out[at(order[done])])
            if (--waits_for[at(graph.edges[k].to)] == 0) order.push_back(graph.edges[k].to);
    if (order.size() == graph.nodes.size()) return order;
    // Every node that still waits does so for another that waits: going back from one to the next ends in a cycle.
    std::vector<std::size_t> by(graph.nodes.size(), graph.edges.size());
    for (std::size_t k = graph.edges.size(); k-- > 0;)
        if (count(graph.edges[k]) && waits_for[at(graph.edges[k].from)] > 0) by[at(graph.edges[k].to)] = k;
    std::vector<bool> seen(graph.nodes.size());
    Index node = 0;
    while (waits_for[at(node)] == 0) ++node;
    for (; !seen[at(node)]; node = graph.edges[by[at(node)]].from) seen[at(node)] = true;
    const Graph::Edge& edge = graph.edges[by[at(node)]];
    throw InputError(graph.name, edge.line,
                     fmt::format("the edge from {} to {} is part of a cycle{}", name_of(graph, edge.from),
                                 name_of(graph, edge.to), meaning));
}

}  // namespace alfcg::region
