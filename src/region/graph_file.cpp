#include "region/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <unordered_map>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "region/text_records.hpp"

namespace alfcg {

namespace {

bool is_title(std::span<const std::string_view> fields) {
    const auto is = [&](std::size_t k, std::string_view word) {
        return std::equal(fields[k].begin(), fields[k].end(), word.begin(), word.end(),
                          [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    };
    return (is(0, "from") && is(1, "to")) || (is(0, "source") && is(1, "target"));
}

}  // namespace

Index Graph::node(std::string_view wanted) const {
    const auto found = std::find(nodes.begin(), nodes.end(), wanted);
    if (found == nodes.end())
        throw InputError(name, 0, fmt::format("has no node {}{}", shown(wanted), suggestion(wanted, nodes)));
    return found - nodes.begin();
}

Graph read_graph(const std::string& path, bool capacities) {
    Graph graph;
    graph.name = path;
    std::unordered_map<std::string, Index> known;
    const auto number_of_node = [&](std::string_view name) {
        const auto [found, is_new] = known.try_emplace(std::string(name), graph.size());
        if (is_new) graph.nodes.emplace_back(name);
        return found->second;
    };
    bool first = true;
    ByteSource source(path);
    region::for_each_record(source, [&](Index line, const std::vector<std::string_view>& fields) {
        if (fields.size() < 2 || (capacities && fields.size() > 3))
            throw InputError(
                path, line,
                fmt::format("expected an edge, 'from to{}', not {} field{}", capacities ? " [capacity]" : "",
                            fields.size(), fields.size() == 1 ? "" : "s"));
        if (std::exchange(first, false) && is_title(fields)) return;
        Graph::Edge edge;
        edge.from = number_of_node(fields[0]);
        edge.to = number_of_node(fields[1]);
        edge.line = line;
        if (capacities && fields.size() == 3) edge.capacity = region::number_of(path, line, fields[2]);
        graph.edges.push_back(edge);
    });
    region::verify(graph);
    return graph;
}

namespace region {

void verify(const Graph& graph) {
    const auto refuse = [&](const Graph::Edge& edge, const std::string& what) {
        throw InputError(graph.name, edge.line, what);
    };
    if (graph.edges.empty()) throw InputError(graph.name, 0, "has no edges");
    for (const Graph::Edge& edge : graph.edges) {
        for (const Index end : {edge.from, edge.to})
            if (end < 0 || end >= graph.size()) refuse(edge, fmt::format("there is no node number {}", end));
        if (edge.from == edge.to)
            refuse(edge, fmt::format("an edge from {} to itself", name_of(graph, edge.from)));
        if (!(edge.capacity >= 0))
            refuse(edge, fmt::format("a capacity must be 0 or positive, not {}", edge.capacity));
    }
}

std::string name_of(const Graph& graph, Index node) {
    return shown(graph.nodes[static_cast<std::size_t>(node)]);
}

std::vector<double> read_node_numbers(const std::string& path, const Graph& graph) {
    std::vector<double> all(graph.nodes.size(), 0);
    std::vector<bool> seen(graph.nodes.size());
    ByteSource source(path);
    for_each_record(source, [&](Index line, const std::vector<std::string_view>& fields) {
        if (fields.size() != 2)
            throw InputError(path, line, fmt::format("expected 'node number', not {} fields", fields.size()));
        const auto found = std::find(graph.nodes.begin(), graph.nodes.end(), fields[0]);
        if (found == graph.nodes.end())
            throw InputError(path, line, fmt::format("{} is no node of {}", shown(fields[0]), graph.name));
        const auto node = static_cast<std::size_t>(found - graph.nodes.begin());
        if (seen[node]) throw InputError(path, line, fmt::format("node {} a second time", shown(fields[0])));
        seen[node] = true;
        all[node] = number_of(path, line, fields[1]);
    });
    return all;
}

}  // namespace region
}  // namespace alfcg
