#include "alfcg/region/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/parameter_list.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr ParameterInfo radius{.name = "radius", .meaning = "radius of the region", .open = true};
constexpr ParameterInfo exponent{
    .name = "p", .meaning = "the p of the l_p norm, from 1 to inf", .least = 1, .endless = true};

/// A region is a row: its name, its parameters, the composite terms it takes, and how it is made.
struct RegionRow : RegionInfo {
    template <class Real>
    using Factory =
        std::function<std::unique_ptr<Region<Real>>(const Parameters&, const Composite&, int threads)>;
    Factory<float> make_float;
    Factory<double> make_double;
};

// make.operator()<Real>(parameters, composite, threads) for both precisions.
template <class Make>
RegionRow row(RegionInfo info, Make make) {
    return {std::move(info),
            [make](const Parameters& p, const Composite& h, int threads) {
                return make.template operator()<float>(p, h, threads);
            },
            [make](const Parameters& p, const Composite& h, int threads) {
                return make.template operator()<double>(p, h, threads);
            }};
}

// The l_p balls with a name of their own.
constexpr std::array<std::pair<std::string_view, double>, 3> named_exponents{
    {{"l1", 1}, {"l2", 2}, {"linf", infinity}}};

RegionRow ball_of(std::size_t which, std::string_view description) {
    const auto [name, p] = named_exponents[which];
    return row({name, description, {{radius, Default::of(10)}}, {"l1", "l2"}},
               [p = p]<class Real>(const Parameters& given, const Composite& h, int threads) {
                   return lp_ball<Real>(p, given.number("radius").value(), h, threads);
               });
}

const std::vector<RegionRow>& table() {
    static const std::vector<RegionRow> rows{
        row({"nuclear",
             "sum of singular values at most radius: low-rank matrices",
             {{radius, Default::of(10)}},
             {"nuclear", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, int threads) {
                return nuclear_ball<Real>(given.number("radius").value(), h, threads);
            }),
        row({"lp",
             "l_p norm of the entries at most radius, p from 1 to inf",
             {{radius, Default::of(10)}, {exponent, {}}},
             {"l1", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, int threads) {
                return lp_ball<Real>(given.number("p").value(), given.number("radius").value(), h, threads);
            }),
        ball_of(0, "sum of magnitudes at most radius: sparse weights (lp with p = 1)"),
        ball_of(1, "Euclidean norm at most radius (lp with p = 2)"),
        ball_of(2, "every magnitude at most radius (lp with p = inf)"),
    };
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

std::array<std::pair<std::string_view, double>, 3> weights_of(const Composite& composite) {
    return {{{"l1", composite.l1}, {"l2", composite.l2}, {"nuclear", composite.nuclear}}};
}

void verify_terms(const RegionRow& row, const Composite& composite) {
    for (const auto& [term, weight] : weights_of(composite)) {
        const std::string name(term);
        if (!std::isfinite(weight))
            throw QuantityError(name, fmt::format("must be a finite number, not {}", weight));
        if (weight < 0) throw QuantityError(name, fmt::format("must be 0 or positive, not {}", weight));
        if (weight > 0 && std::find(row.terms.begin(), row.terms.end(), term) == row.terms.end())
            throw QuantityError(name, fmt::format("has no oracle over the region {}, which takes `{}`",
                                                  row.name, fmt::join(row.terms, "` and `")));
    }
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
}

template <class Real>
std::unique_ptr<Region<Real>> make_region(const RegionSpec& spec, int threads) {
    verify(spec);
    const RegionRow& row = find_region(spec.name);
    const Parameters parameters = resolve(spec.name, row.parameters, spec.parameters);
    if constexpr (std::is_same_v<Real, float>) {
        return row.make_float(parameters, spec.composite, threads);
    } else {
        return row.make_double(parameters, spec.composite, threads);
    }
}

template std::unique_ptr<Region<float>> make_region(const RegionSpec&, int);
template std::unique_ptr<Region<double>> make_region(const RegionSpec&, int);

namespace region {

std::string describe(const Composite& composite) {
    std::string text;
    if (composite.l1 > 0) text += fmt::format(" + {} ‖x‖₁", composite.l1);
    if (composite.nuclear > 0) text += fmt::format(" + {} ‖x‖_*", composite.nuclear);
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

void reject_gradient() {
    throw Error(
        "the gradient has an entry that is not a finite number: the problem overflows; normalise the data "
        "(`normalize`), or use double precision (`precision` f64)");
}

}  // namespace region
}  // namespace alfcg
