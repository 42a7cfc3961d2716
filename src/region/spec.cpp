#include "alfcg/region/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/parameter_list.hpp"
#include "core/range_advice.hpp"
#include "region/row.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

using region::RegionRow;

// The l_p balls with a name of their own.
constexpr std::array<std::pair<std::string_view, double>, 3> named_exponents{
    {{"l1", 1}, {"l2", 2}, {"linf", std::numeric_limits<double>::infinity()}}};

const std::vector<RegionRow>& table() {
    static const std::vector<RegionRow> rows = [] {
        std::vector<RegionRow> all;
        const auto add = [&](std::string_view family, std::vector<RegionRow> some) {
            for (RegionRow& row : some) {
                row.family = family;
                all.push_back(std::move(row));
            }
        };
        add("norms", region::norm_rows());
        add("boxes", region::box_rows());
        add("groups", region::group_rows());
        add("spectral", region::spectral_rows());
        add("structured", region::structured_rows());
        add("combined", region::combined_rows());
        return all;
    }();
    return rows;
}

const RegionRow& find_region(std::string_view name) {
    std::vector<std::string> names;
    for (const RegionRow& row : table()) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw QuantityError("region", fmt::format("must be one of {}, not '{}'{}", fmt::join(names, ", "), name,
                                              suggestion(name, names)));
}

std::array<std::pair<std::string_view, double>, 5> weights_of(const Composite& composite) {
    return {{{"l1", composite.l1},
             {"l2", composite.l2},
             {"nuclear", composite.nuclear},
             {"norm", composite.norm},
             {"entropy", composite.entropy}}};
}

void verify_terms(const RegionRow& row, const Composite& composite) {
    for (const auto& [term, weight] : weights_of(composite)) {
        const std::string name(term);
        if (!std::isfinite(weight))
            throw QuantityError(name, fmt::format("must be a finite number, not {}", weight));
        if (weight < 0) throw QuantityError(name, fmt::format("must be 0 or positive, not {}", weight));
        if (weight == 0 || std::find(row.terms.begin(), row.terms.end(), term) != row.terms.end()) continue;
        std::vector<std::string> taken;
        for (const std::string_view each : row.terms) taken.push_back(fmt::format("`{}`", each));
        throw QuantityError(name, fmt::format("has no oracle over the region {}, which takes {}", row.name,
                                              taken.empty() ? "no such term" : listed(taken, "and")));
    }
}

// A square excludes terms that its multiplier would have to be found together with.
void verify_pairs(const RegionRow& row, const Composite& composite) {
    for (const auto& [term, weight] : {std::pair{"norm", composite.norm}, {"entropy", composite.entropy}})
        if (weight > 0 && composite.l2 > 0)
            throw QuantityError(term,
                                fmt::format("and `l2` have no oracle together over the region {}", row.name));
}

// Whether the own norm of the ball has a term of its own, which its oracle takes beside others.
bool has_term_of_norm(const RegionSpec& spec) {
    const RegionSpec normal = normal_form(spec);
    return normal.name == "nuclear" || (normal.name == "lp" && normal.parameters.number("p") == 1);
}

}  // namespace

std::vector<RegionInfo> regions() {
    return {table().begin(), table().end()};
}

RegionInfo region_info(std::string_view name) {
    return find_region(name);
}

std::vector<ParameterInfo> region_parameters() {
    std::vector<ParameterInfo> all;
    for (const RegionRow& row : table()) add_once(all, row.parameters);
    return all;
}

RegionSpec normal_form(RegionSpec spec) {
    for (const auto& [name, p] : named_exponents) {
        if (spec.name != name) continue;
        spec.name = "lp";
        spec.parameters.set("p", p);
        break;
    }
    for (const RegionRow& row : table())
        if (row.name == spec.name) spec.parameters = own_parameters(row.parameters, spec.parameters);
    return spec;
}

void verify(const RegionSpec& spec) {
    const RegionRow& row = find_region(spec.name);
    static_cast<void>(resolve("the region " + spec.name, row.parameters, spec.parameters));
    verify_terms(row, spec.composite);
    if (!has_term_of_norm(spec)) verify_pairs(row, spec.composite);
}

template <class Real>
std::unique_ptr<Region<Real>> make_region(const RegionSpec& spec, const RegionSetting& setting) {
    verify(spec);
    const RegionRow& row = find_region(spec.name);
    const Parameters parameters = resolve(spec.name, row.parameters, spec.parameters);
    if constexpr (std::is_same_v<Real, float>) {
        return row.make_float(parameters, spec.composite, setting);
    } else {
        return row.make_double(parameters, spec.composite, setting);
    }
}

template std::unique_ptr<Region<float>> make_region(const RegionSpec&, const RegionSetting&);
template std::unique_ptr<Region<double>> make_region(const RegionSpec&, const RegionSetting&);

namespace region {

void verify_terms(std::string_view name, const Composite& composite) {
    const RegionRow& row = find_region(name);
    alfcg::verify_terms(row, composite);
    verify_pairs(row, composite);
}

std::string describe(const Composite& composite) {
    std::string text;
    if (composite.l1 > 0) text += fmt::format(" + {} ‖x‖₁", composite.l1);
    if (composite.nuclear > 0) text += fmt::format(" + {} ‖x‖_*", composite.nuclear);
    if (composite.entropy > 0) text += fmt::format(" + {} Σ x log x", composite.entropy);
    if (composite.l2 > 0) text += fmt::format(" + ({}/2) ‖x‖₂²", composite.l2);
    return text;
}

template <class Real>
void verify_range(double radius) {
    const double most = static_cast<double>(std::numeric_limits<Real>::max());
    const double least = static_cast<double>(std::numeric_limits<Real>::min());
    if (radius >= least && radius <= most) return;
    throw QuantityError("radius", fmt::format("must be between {:.3g} and {:.3g} in this precision, not {}",
                                              least, most, radius));
}

template void verify_range<float>(double);
template void verify_range<double>(double);

template <class Real>
void reject_gradient() {
    throw Error("the gradient has an entry that is not a finite number: the problem overflows; " +
                range_advice<Real>());
}

template void reject_gradient<float>();
template void reject_gradient<double>();

}  // namespace region
}  // namespace alfcg
