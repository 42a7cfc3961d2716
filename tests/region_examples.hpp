#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "alfcg/region/spec.hpp"

namespace alfcg::testing {

// What to try a region with: parameters, and shapes where it does not take any.
struct Example {
    std::vector<Parameters> parameters;
    std::vector<Shape> shapes{{1, 7}, {4, 5}, {1, 1}};
};

// Words beside the numbers.
inline Parameters with_words(Parameters numbers, const std::map<std::string, std::string>& words) {
    for (const auto& [name, word] : words) numbers.set(name, word);
    return numbers;
}

inline const std::map<std::string_view, Example>& region_examples() {
    static const std::vector<Parameters> groups{
        {{"radius", 2}}, with_words({{"radius", 2}}, {{"group-by", "outputs"}, {"group-weights", "root"}})};
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

// None of the terms of h that a region takes, each of them, and as many at once as can be.
inline std::vector<Composite> composites(const RegionInfo& info) {
    std::vector<Composite> all{{}};
    Composite together;
    for (const std::string_view term : info.terms) {
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
