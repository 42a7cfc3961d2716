#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "alfcg/region/spec.hpp"

namespace alfcg::region {

/// A region is a row: its name, its parameters, the composite terms it takes, and how it is made.
struct RegionRow : RegionInfo {
    template <class Real>
    using Factory = std::function<std::unique_ptr<Region<Real>>(const Parameters&, const Composite&,
                                                                const RegionSetting&)>;
    Factory<float> make_float;
    Factory<double> make_double;
};

/// make.operator()<Real>(parameters, composite, setting) for both precisions. Parameters are checked and complete; text that was
/// not given is empty.
template <class Make>
RegionRow row(RegionInfo info, Make make) {
    return {std::move(info),
            [make](const Parameters& p, const Composite& h, const RegionSetting& setting) {
                return make.template operator()<float>(p, h, setting);
            },
            [make](const Parameters& p, const Composite& h, const RegionSetting& setting) {
                return make.template operator()<double>(p, h, setting);
            }};
}

/// What rows share. Parameters of one name are one option of the command line, of one kind.
inline constexpr ParameterInfo radius_info{.name = "radius", .meaning = "size of the region", .open = true};
inline constexpr ParameterInfo exponent{
    .name = "p", .meaning = "the p of the l_p norm, from 1 to inf", .least = 1, .endless = true};
inline constexpr Parameter usual_radius{radius_info, Default::of(10)};
inline constexpr Parameter unit_radius{radius_info, Default::of(1)};
inline constexpr ParameterInfo count_info{
    .name = "k", .meaning = "number of entries that count", .least = 1, .most = 1e15, .whole = true};
inline constexpr ParameterInfo costs_info{.name = "costs",
                                          .meaning = "what a unit costs: a number, or a CSV file by feature",
                                          .open = true,
                                          .text = true};

inline double size_of(const Parameters& given) {
    return given.number("radius").value();
}

/// The table, a family a file.
std::vector<RegionRow> norm_rows();
std::vector<RegionRow> box_rows();
std::vector<RegionRow> group_rows();
std::vector<RegionRow> spectral_rows();
std::vector<RegionRow> structured_rows();
std::vector<RegionRow> combined_rows();

}  // namespace alfcg::region
