#pragma once

#include <string>
#include <vector>

#include "alfcg/region/structured.hpp"

namespace alfcg::region {

/// Throws InputError where there are no edges, or one ends where it began or at no node, or has a capacity below 0.
void verify(const Graph& graph);
/// In quotes, for messages.
std::string name_of(const Graph& graph, Index node);

/// A number for each node, "name number" a line; nodes that are not there have 0.
std::vector<double> read_node_numbers(const std::string& path, const Graph& graph);

}  // namespace alfcg::region
