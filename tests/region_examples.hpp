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
    // A square and the own norm may exclude each other.
    for (double Composite::*one : {&Composite::l2, &Composite::norm}) {
        all.push_back(together);
        all.back().*one = 0;
    }
    return all;
}

}  // namespace alfcg::testing
