#pragma once

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/spec.hpp"
#include "region/linear_program.hpp"
#include "temporary_folder.hpp"

namespace alfcg::testing {

// What to try a region with: parameters, and shapes where it does not take any.
struct Example {
    std::vector<Parameters> parameters;
    std::vector<Shape> shapes{{1, 7}, {4, 5}, {1, 1}};
};

// The name of a file with this content, of those below; a text that is none of them stays what it is.
inline std::string example_file(const std::string& name) {
    static const std::map<std::string, std::string> contents{
        {"supply", "1 2\n0.5"},
        {"demand", "0.7 0.7 0.7 0.7 0.7"},
        {"levels", "5 3 3 1 0.5 0 0"},
        {"graph", "a b\na c\nb c\nb d\nc d\nc e\nd e\na e\n"},
        {"dag", "from,to\na,b\na,c\nb,c\nb,d\nc,d\nc,e\nd,e\nd,f\ne,f\n"},
        {"network", "a b 2\na c 1\nb c 1.5\nb d 1\nc d 2\nd a 0.5\nc e 1\nd e 2\ne a 1\n"},
        {"nodes", "a 2\nd -0.5\ne -1.5\n"},
        {"pairs", "1 x\n1 y\n2 x\n2 z\n3 y\n3 z\nx 4\n5 z\n"},
        {"points", "1,0,0,2,0,1\n0,1,0,-1,3,0\n0,0,1,1,1,1\n-2,1,0,0,1,-1\n1,1,1,0,-1,0.5\n"},
        {"at-most", "1,1,1,1,2\n-1,0,0,0,1\n0,-1,0,0,1\n0,0,-1,0,1\n0,0,0,-1,0.5\n1,-2,0.5,0,1\n"},
        {"equal", "1,0,-1,1,0.25\n"},
    };
    if (!contents.contains(name)) return name;
    static const TemporaryFolder folder;
    std::ofstream(folder.file(name)) << contents.at(name);
    return folder.file(name);
}

inline Parameters with(Parameters parameters, const std::map<std::string, std::string>& texts) {
    for (const auto& [name, text] : texts) parameters.set(name, example_file(text));
    return parameters;
}

inline const std::map<std::string_view, Example>& region_examples() {
    static const std::vector<Parameters> groups{
        {{"radius", 2}}, with({{"radius", 2}}, {{"group-by", "outputs"}, {"group-weights", "root"}})};
    static const std::vector<Shape> squares{{5, 5}, {2, 2}, {1, 1}};
    static const std::map<std::string_view, Example> examples{
        {"l1", {{{{"radius", 2}}}}},
        {"l2", {{{{"radius", 2}}}}},
        {"linf", {{{{"radius", 2}}}}},
        {"lp", {{{{"radius", 2}, {"p", 1.5}}, {{"radius", 0.5}, {"p", 3}}}}},
        {"weighted-l1", {{{{"radius", 2}, {"costs", 0.3}}}}},
        {"k-support",
         {{{{"radius", 2}, {"k", 3}}, {{"radius", 0.5}, {"k", 1}}, {{"radius", 1}, {"k", 100}}}}},
        {"k-norm", {{{{"radius", 2}, {"k", 3}}, {{"radius", 0.5}, {"k", 1}}, {{"radius", 1}, {"k", 100}}}}},
        {"owl", {{{{"radius", 2}}, {{"radius", 0.5}, {"slope", 0}}, {{"radius", 3}, {"slope", 20}}}}},
        {"ellipsoid", {{{{"radius", 2}, {"axes", 0.5}}}}},
        {"k-sparse", {{{{"radius", 2}, {"k", 3}}, {{"radius", 0.5}, {"k", 1}}, {{"radius", 1}, {"k", 100}}}}},
        {"box",
         {{{{"lower", -1}, {"upper", 3}}, {{"lower", 0.5}, {"upper", 0.75}}, {{"lower", -2}, {"upper", 0}}}}},
        {"bounded-l1",
         {{{{"radius", 2}, {"lower", 0}, {"upper", 0.75}},
           {{"radius", 2}, {"lower", -0.1}},
           {{"radius", 2}}}}},
        {"nonnegative-l1", {{{{"radius", 2}}}}},
        {"nonnegative-l2", {{{{"radius", 2}}}}},
        {"simplex", {{{{"radius", 2}}}}},
        {"unit-simplex", {{{}}}},
        {"capped-simplex",
         {{{{"radius", 2}, {"cap", 0.75}}, {{"radius", 3.5}, {"cap", 0.5}}}, {{1, 7}, {4, 5}}}},
        {"hypersimplex", {{{{"k", 3}, {"radius", 2}}, {{"k", 7}}}, {{1, 7}, {4, 5}}}},
        {"knapsack", {{{{"radius", 2}, {"costs", 3}, {"upper", 0.25}}, {{"radius", 100}}}}},
        {"isotonic", {{{{"lower", -1}, {"upper", 2}}, {}, {{"lower", 1}, {"upper", 1.5}}}}},
        {"nuclear", {{{{"radius", 2}}}}},
        {"birkhoff", {{{}, {{"radius", 2}}}, {{4, 4}, {1, 1}}}},
        {"transport", {{{}, with({{"radius", 2}}, {{"supply", "supply"}, {"demand", "demand"}})}, {{3, 5}}}},
        {"row-stochastic", {{{}, {{"radius", 2}}}}},
        {"permutahedron", {{{}, with({{"radius", 2}}, {{"levels", "levels"}})}, {{1, 7}, {7, 1}}}},
        {"polymatroid", {{{}, with({{"radius", 2}}, {{"levels", "levels"}})}}},
        {"total-variation", {{{{"radius", 2}}}}},
        {"spanning-tree", {{with({{"radius", 2}}, {{"graph", "graph"}})}, {{1, 8}, {3, 8}}}},
        {"dag-paths", {{with({}, {{"graph", "dag"}, {"source", "a"}, {"sink", "f"}})}, {{1, 9}, {2, 9}}}},
        {"flow",
         {{with({}, {{"graph", "dag"}, {"source", "a"}, {"sink", "f"}}),
           with({{"radius", 2}}, {{"graph", "network"}, {"supply", "nodes"}})},
          {{1, 9}, {2, 9}}}},
        {"matching", {{with({{"radius", 2}}, {{"graph", "pairs"}})}, {{1, 8}, {2, 8}}}},
        {"vertices", {{with({{"radius", 2}}, {{"vertices", "points"}})}, {{1, 6}, {2, 3}}}},
        {"hull", {{with({}, {{"points", "points"}})}, {{1, 6}, {2, 6}}}},
        {"linear",
         {region::has_linear_solver() ? std::vector{with({{"radius", 2}}, {{"at-most", "at-most"}}),
                                                    with({}, {{"at-most", "at-most"}, {"equal", "equal"}})}
                                      : std::vector<Parameters>{},
          {{1, 4}, {2, 4}}}},
        {"product",
         {{with({{"radius", 2}}, {{"of", "l1 radius=2 columns=1-2,5; linf radius=0.5 columns=3,4"}}),
           with({}, {{"of", "l2 rows=2 radius=3; l1 rows=1,3"}}),
           with({{"radius", 2}}, {{"of", "simplex rows=1; row-stochastic rows=2-3"}})},
          {{3, 5}}}},
        {"sum", {{with({{"radius", 2}}, {{"of", "l1 radius=2; linf radius=0.3"}})}}},
        {"shifted", {{with({{"radius", 2}, {"shift", 0.7}}, {{"of", "l1 radius=2"}})}}},
        {"lazy",
         {{with({{"radius", 2}, {"cache", 3}}, {{"of", "l1 radius=2"}}),
           with({}, {{"of", "nuclear radius=2"}}), with({}, {{"of", "simplex"}})}}},
        {"group-l12", {groups}},
        {"group-l1inf", {groups}},
        {"group-linf2", {groups}},
        {"sparse-group", {groups}},
        {"latent-groups", {groups}},
        {"rows-lp", {{{{"radius", 2}, {"p", 1}}, {{"radius", 0.5}, {"p", 3}}}}},
        {"spectral", {{{{"radius", 2}}}}},
        {"ky-fan", {{{{"radius", 2}, {"k", 2}}, {{"radius", 2}, {"k", 3}}}}},
        {"schatten", {{{{"radius", 2}, {"p", 1.5}}, {{"radius", 0.5}, {"p", 4}}}}},
        {"spectraplex", {{{{"radius", 2}}}, squares}},
        {"trace", {{{{"radius", 2}}}, squares}},
        {"fantope", {{{{"radius", 2}, {"k", 1}}, {{"k", 2}}}, {{5, 5}, {3, 3}}}},
        {"psd-box", {{{{"radius", 2}}}, squares}},
    };
    return examples;
}

inline const std::map<std::string_view, double Composite::*>& term_weights() {
    static const std::map<std::string_view, double Composite::*> weights{{"l1", &Composite::l1},
                                                                         {"l2", &Composite::l2},
                                                                         {"nuclear", &Composite::nuclear},
                                                                         {"norm", &Composite::norm},
                                                                         {"entropy", &Composite::entropy}};
    return weights;
}

// Whether a region made of others takes a term: all of its parts do.
inline bool takes(const RegionInfo& info, const Parameters& parameters, std::string_view term) {
    RegionSpec spec{std::string(info.name), parameters, {}};
    spec.composite.*term_weights().at(term) = 1;
    try {
        make_region<double>(spec);
    } catch (const QuantityError&) {
        return false;
    }
    return true;
}

// None of the terms of h that a region takes, each of them, and as many at once as can be.
inline std::vector<Composite> composites(const RegionInfo& info, const Parameters* parameters = nullptr) {
    std::vector<Composite> all{{}};
    Composite together;
    for (const std::string_view term : info.terms) {
        if (parameters != nullptr && info.family == "combined" && !takes(info, *parameters, term)) continue;
        all.emplace_back().*term_weights().at(term) = 0.3;
        together.*term_weights().at(term) = 0.3;
    }
    // A square excludes the own norm and the entropy, where these have no terms of their own.
    Composite square = together;
    square.norm = square.entropy = 0;
    all.push_back(square);
    together.l2 = 0;
    all.push_back(together);
    return all;
}

}  // namespace alfcg::testing
