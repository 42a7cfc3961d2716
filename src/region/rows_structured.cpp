#include <fmt/format.h>

#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/structured.hpp"
#include "region/graph_file.hpp"
#include "region/linear_file.hpp"
#include "region/number_list.hpp"
#include "region/row.hpp"
#include "region/table_file.hpp"

namespace alfcg::region {

namespace {

constexpr ParameterInfo file_named(std::string_view name, std::string_view meaning) {
    return {.name = name, .meaning = meaning, .text = true, .only_words = true};
}

constexpr ParameterInfo graph_info =
    file_named("graph", "file of edges, 'from to [capacity]' a line: edge k is column k");
constexpr ParameterInfo source_info = file_named("source", "node where paths or flows begin");
constexpr ParameterInfo sink_info = file_named("sink", "node where paths or flows end");
constexpr ParameterInfo supply_info = file_named(
    "supply", "file of supplies: a number for each row (transport), or 'node number' a line (flow)");
constexpr ParameterInfo demand_info = file_named("demand", "file of demands, a number for each column");
constexpr ParameterInfo levels_info =
    file_named("levels", "file of numbers that the entries, in any order, have or stay below");
constexpr ParameterInfo vertices_info =
    file_named("vertices", "file of vertices, one a row, with all entries of a point");
constexpr ParameterInfo points_info =
    file_named("points", "data file: points, one a row, with the columns of x");
constexpr ParameterInfo at_most_info =
    file_named("at-most", "file of constraints a x <= b: in a row the entries of a, then b");
constexpr ParameterInfo equal_info = file_named("equal", "file of constraints a x = b, in the same form");

Parameter may_be(const ParameterInfo& info) {
    return {info, Default::none()};
}

std::string text_of(const Parameters& given, std::string_view name) {
    return given.word(name).value();
}

std::vector<double> numbers_in(const Parameters& given, std::string_view name) {
    const std::string file = text_of(given, name);
    return file.empty() ? std::vector<double>{} : read_numbers(file);
}

// One unit from the source to the sink, or what a file says.
std::vector<double> supplies_of(const Parameters& given, const Graph& network) {
    const std::string file = text_of(given, "supply");
    const std::string from = text_of(given, "source");
    const std::string to = text_of(given, "sink");
    if (file.empty() ? from.empty() || to.empty() : !from.empty() || !to.empty())
        throw QuantityError("supply", "is needed by the region flow, or `source` and `sink` instead of it");
    if (!file.empty()) return read_node_numbers(file, network);
    std::vector<double> amounts(network.nodes.size(), 0);
    amounts[static_cast<std::size_t>(network.node(from))] += 1;
    amounts[static_cast<std::size_t>(network.node(to))] -= 1;
    return amounts;
}

std::vector<RegionRow> matrix_rows() {
    return {
        row({"birkhoff",
             "square, not negative, rows and columns sum to radius: assignments",
             {unit_radius},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/, const RegionSetting& setting) {
                return birkhoff<Real>(size_of(given), setting.threads);
            }),
        row({"transport",
             "not negative, rows sum to supplies and columns to demands (equal ones, 1 together, where none "
             "are given)",
             {unit_radius, may_be(supply_info), may_be(demand_info)},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/, const RegionSetting& setting) {
                return transport<Real>(numbers_in(given, "supply"), numbers_in(given, "demand"),
                                       size_of(given), setting.threads);
            }),
        row({"row-stochastic", "not negative, every row sums to radius", {unit_radius}, {"l2", "entropy"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return row_stochastic<Real>(size_of(given), h, setting.threads);
            }),
        row({"permutahedron",
             "the hull of all orders of given levels, or of 1, 2, ..., n",
             {unit_radius, may_be(levels_info)},
             {"l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& /*setting*/) {
                return permutahedron<Real>(numbers_in(given, "levels"), size_of(given), h);
            }),
        row({"polymatroid",
             "not negative, any k entries sum to at most the first k levels, or to sqrt(k)",
             {unit_radius, may_be(levels_info)},
             {"l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& /*setting*/) {
                return polymatroid<Real>(numbers_in(given, "levels"), size_of(given), h);
            }),
        row({"total-variation",
             "differences of neighbours in a row, the first one from 0, have magnitudes that sum to at most "
             "radius",
             {usual_radius},
             {"l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& /*setting*/) {
                return total_variation<Real>(size_of(given), h);
            }),
    };
}

std::vector<RegionRow> graph_rows() {
    return {
        row({"spanning-tree",
             "the hull of the spanning trees of a graph, a column an edge",
             {unit_radius, {graph_info, {}}},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/,
                           const RegionSetting& /*setting*/) {
                return spanning_tree<Real>(read_graph(text_of(given, "graph"), false), size_of(given));
            }),
        row({"dag-paths",
             "the hull of the paths from a source to a sink through a graph without cycles",
             {unit_radius, {graph_info, {}}, may_be(source_info), may_be(sink_info)},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/,
                           const RegionSetting& /*setting*/) {
                return dag_paths<Real>(read_graph(text_of(given, "graph"), false), text_of(given, "source"),
                                       text_of(given, "sink"), size_of(given));
            }),
        row({"flow",
             "flows through a graph within its capacities, from source to sink or as supplies say",
             {unit_radius, {graph_info, {}}, may_be(source_info), may_be(sink_info), may_be(supply_info)},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/,
                           const RegionSetting& /*setting*/) {
                Graph network = read_graph(text_of(given, "graph"), true);
                const std::vector<double> amounts = supplies_of(given, network);
                return network_flow<Real>(std::move(network), amounts, size_of(given));
            }),
        row({"matching",
             "the hull of the matchings of a bipartite graph, a column an edge",
             {unit_radius, {graph_info, {}}},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/,
                           const RegionSetting& /*setting*/) {
                return bipartite_matching<Real>(read_graph(text_of(given, "graph"), false), size_of(given));
            }),
    };
}

std::vector<RegionRow> listed_rows() {
    return {
        row({"vertices", "the hull of the vertices in a file", {unit_radius, {vertices_info, {}}}, {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/, const RegionSetting& setting) {
                return vertex_hull<Real>(
                    read_table<Real>(text_of(given, "vertices"), setting.threads).features, size_of(given),
                    setting.threads);
            }),
        row({"hull",
             "every row in the hull of the points of a data file",
             {unit_radius, {points_info, {}}},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/, const RegionSetting& setting) {
                return data_hull<Real>(read_table<Real>(text_of(given, "points"), setting.threads).features,
                                       size_of(given), setting.threads);
            }),
        row({"linear",
             "every row fulfils the linear constraints in a file (needs the solver CLP)",
             {unit_radius, may_be(at_most_info), may_be(equal_info)},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/, const RegionSetting& setting) {
                return linear_constraints<Real>(
                    read_constraints(text_of(given, "at-most"), text_of(given, "equal"), setting.features),
                    size_of(given));
            }),
    };
}

}  // namespace

std::vector<RegionRow> structured_rows() {
    std::vector<RegionRow> all = matrix_rows();
    for (auto* more : {&graph_rows, &listed_rows})
        for (RegionRow& one : more()) all.push_back(std::move(one));
    return all;
}

}  // namespace alfcg::region
