#include <limits>
#include <string_view>

#include "region/row.hpp"

namespace alfcg::region {
namespace {

// An l_p ball with a name of its own.
RegionRow named_ball(std::string_view name, double p, std::string_view description) {
    return row({name, description, {usual_radius}, {"l1", "l2", "norm"}},
               [p]<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                   return lp_ball<Real>(p, given.number("radius").value(), h, setting.threads);
               });
}

}  // namespace

std::vector<RegionRow> norm_rows() {
    return {
        named_ball("l1", 1, "sum of magnitudes at most radius: sparse weights (lp with p = 1)"),
        named_ball("l2", 2, "Euclidean norm at most radius (lp with p = 2)"),
        named_ball("linf", std::numeric_limits<double>::infinity(),
                   "every magnitude at most radius (lp with p = inf)"),
        row({"lp",
             "l_p norm of the entries at most radius, p from 1 to inf",
             {usual_radius, {exponent, {}}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return lp_ball<Real>(given.number("p").value(), given.number("radius").value(), h,
                                     setting.threads);
            }),
    };
}

}  // namespace alfcg::region
