#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/boxes.hpp"
#include "region/box.hpp"
#include "region/budget_region.hpp"
#include "region/row.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace region {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr ParameterInfo lower_info{.name = "lower",
                                   .meaning = "lower bound: a number, or a CSV file by feature",
                                   .least = -infinity,
                                   .endless = true,
                                   .text = true};
constexpr ParameterInfo upper_info{.name = "upper",
                                   .meaning = "upper bound: a number, or a CSV file by feature",
                                   .least = -infinity,
                                   .endless = true,
                                   .text = true};
constexpr ParameterInfo lower_number{.name = "lower", .meaning = "lower bound", .least = -infinity};
constexpr ParameterInfo upper_number{.name = "upper", .meaning = "upper bound", .least = -infinity};
constexpr ParameterInfo cap_info{
    .name = "cap", .meaning = "largest entry of the capped simplex", .open = true};

template <class Real>
std::unique_ptr<Region<Real>> box_between(FeatureValues lower, FeatureValues upper,
                                          const Composite& composite, int threads) {
    verify_terms("box", composite);
    return make_box<Real>(std::move(lower), std::move(upper), composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> bounded_l1(FeatureValues lower, FeatureValues upper, double radius,
                                         const Composite& composite, int threads) {
    verify_terms("bounded-l1", composite);
    check(radius_info, radius);
    BudgetSpec spec{
        fmt::format("l_1 ball of radius {}, from {} to {}", radius, lower.describe(), upper.describe())};
    spec.lower = std::move(lower);
    spec.upper = std::move(upper);
    spec.budget = radius;
    return budget_region<Real>(std::move(spec), composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> knapsack_of(FeatureValues costs, FeatureValues upper, double radius,
                                          const Composite& composite, int threads) {
    verify_terms("knapsack", composite);
    check(radius_info, radius);
    BudgetSpec spec{fmt::format("knapsack of size {}, costs {}, entries up to {}", radius, costs.describe(),
                                upper.describe())};
    spec.upper = std::move(upper);
    spec.cost = std::move(costs);
    spec.budget = radius;
    return budget_region<Real>(std::move(spec), composite, threads);
}

}  // namespace

std::vector<RegionRow> box_rows() {
    return {
        row({"box",
             "every entry from lower to upper",
             {{lower_info, Default::of(-1)}, {upper_info, Default::of(1)}},
             {"l1", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return box_between<Real>({given, "lower", setting.features, not_given},
                                         {given, "upper", setting.features, not_given}, h, setting.threads);
            }),
        row({"bounded-l1",
             "sum of magnitudes at most radius, every entry from lower to upper: signs and bounds by feature",
             {usual_radius, {lower_info, Default::of(-infinity)}, {upper_info, Default::of(infinity)}},
             {"l1", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return bounded_l1<Real>({given, "lower", setting.features, -infinity},
                                        {given, "upper", setting.features, infinity},
                                        given.number("radius").value(), h, setting.threads);
            }),
        row({"nonnegative-l1",
             "entries not negative, their sum at most radius",
             {usual_radius},
             {"l1", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return nonnegative_l1_ball<Real>(given.number("radius").value(), h, setting.threads);
            }),
        row({"nonnegative-l2",
             "entries not negative, Euclidean norm at most radius",
             {usual_radius},
             {"l1", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return nonnegative_l2_ball<Real>(given.number("radius").value(), h, setting.threads);
            }),
        row({"simplex",
             "entries not negative, their sum equal to radius: the probability simplex",
             {unit_radius},
             {"l2", "entropy"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return simplex<Real>(given.number("radius").value(), h, setting.threads);
            }),
        row({"unit-simplex",
             "entries not negative, their sum at most 1 (nonnegative-l1 with radius 1)",
             {},
             {"l1", "l2"}},
            []<class Real>(const Parameters& /*given*/, const Composite& h, const RegionSetting& setting) {
                return nonnegative_l1_ball<Real>(1, h, setting.threads);
            }),
        row({"capped-simplex",
             "entries from 0 to cap, their sum equal to radius",
             {unit_radius, {cap_info, {}}},
             {"l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return capped_simplex<Real>(given.number("radius").value(), given.number("cap").value(), h,
                                            setting.threads);
            }),
        row({"hypersimplex",
             "entries from 0 to radius, their sum equal to k times radius",
             {unit_radius, {count_info, Default::of(10)}},
             {"l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return hypersimplex<Real>(given.whole("k"), given.number("radius").value(), h,
                                          setting.threads);
            }),
        row({"knapsack",
             "entries from 0 to upper, the sum of cost times entry at most radius",
             {usual_radius, {costs_info, Default::of(1)}, {upper_info, Default::of(1)}},
             {"l1", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return knapsack_of<Real>({given, "costs", setting.features, not_given},
                                         {given, "upper", setting.features, infinity},
                                         given.number("radius").value(), h, setting.threads);
            }),
        row({"isotonic",
             "entries from lower to upper, in every row none smaller than the one before",
             {{lower_number, Default::of(0)}, {upper_number, Default::of(1)}},
             {"l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return isotonic<Real>(given.number("lower").value(), given.number("upper").value(), h,
                                      setting.threads);
            }),
    };
}

}  // namespace region

template <class Real>
std::unique_ptr<Region<Real>> box(double lower, double upper, const Composite& composite, int threads) {
    return region::box_between<Real>(lower, upper, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> box(std::vector<double> lower, std::vector<double> upper,
                                  const Composite& composite, int threads) {
    return region::box_between<Real>({std::move(lower), 0}, {std::move(upper), 0}, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> bounded_l1_ball(double radius, std::vector<double> lower,
                                              std::vector<double> upper, const Composite& composite,
                                              int threads) {
    return region::bounded_l1<Real>({std::move(lower), -region::infinity},
                                    {std::move(upper), region::infinity}, radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> nonnegative_l1_ball(double radius, const Composite& composite, int threads) {
    region::verify_terms("nonnegative-l1", composite);
    check(region::radius_info, radius);
    region::BudgetSpec spec{fmt::format("non-negative part of the l_1 ball of radius {}", radius)};
    spec.budget = radius;
    return region::budget_region<Real>(std::move(spec), composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> nonnegative_l2_ball(double radius, const Composite& composite, int threads) {
    region::verify_terms("nonnegative-l2", composite);
    check(region::radius_info, radius);
    region::verify_range<Real>(radius);
    return region::make_nonnegative_l2<Real>(radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> simplex(double radius, const Composite& composite, int threads) {
    region::verify_terms("simplex", composite);
    check(region::radius_info, radius);
    region::BudgetSpec spec{fmt::format("simplex of size {}", radius)};
    spec.budget = radius;
    spec.exactly = true;
    return region::budget_region<Real>(std::move(spec), composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> capped_simplex(double radius, double cap, const Composite& composite,
                                             int threads) {
    region::verify_terms("capped-simplex", composite);
    check(region::radius_info, radius);
    check(region::cap_info, cap);
    region::BudgetSpec spec{fmt::format("simplex of size {} with entries up to {}", radius, cap)};
    spec.upper = cap;
    spec.budget = radius;
    spec.exactly = true;
    return region::budget_region<Real>(std::move(spec), composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> hypersimplex(Index k, double radius, const Composite& composite, int threads) {
    region::verify_terms("hypersimplex", composite);
    check(region::radius_info, radius);
    check(region::count_info, static_cast<double>(k));
    region::BudgetSpec spec{fmt::format("hypersimplex of {} entries of size {}", k, radius)};
    spec.upper = radius;
    spec.budget = radius * static_cast<double>(k);
    spec.exactly = true;
    spec.whose_budget = "k";
    return region::budget_region<Real>(std::move(spec), composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> knapsack(double radius, std::vector<double> costs, std::vector<double> upper,
                                       const Composite& composite, int threads) {
    return region::knapsack_of<Real>({std::move(costs), 1}, {std::move(upper), region::infinity}, radius,
                                     composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> isotonic(double lower, double upper, const Composite& composite, int threads) {
    region::verify_terms("isotonic", composite);
    check(region::lower_number, lower);
    check(region::upper_number, upper);
    if (!(lower < upper))
        throw QuantityError("lower", fmt::format("must be less than `upper`, not {} and {}", lower, upper));
    region::verify_range<Real>(std::max(std::abs(lower), std::abs(upper)));
    return region::make_isotonic<Real>(lower, upper, composite, threads);
}

#define ALFCG_BOXES(Real)                                                                                    \
    template std::unique_ptr<Region<Real>> box(double, double, const Composite&, int);                       \
    template std::unique_ptr<Region<Real>> box(std::vector<double>, std::vector<double>, const Composite&,   \
                                               int);                                                         \
    template std::unique_ptr<Region<Real>> bounded_l1_ball(double, std::vector<double>, std::vector<double>, \
                                                           const Composite&, int);                           \
    template std::unique_ptr<Region<Real>> nonnegative_l1_ball(double, const Composite&, int);               \
    template std::unique_ptr<Region<Real>> nonnegative_l2_ball(double, const Composite&, int);               \
    template std::unique_ptr<Region<Real>> simplex(double, const Composite&, int);                           \
    template std::unique_ptr<Region<Real>> capped_simplex(double, double, const Composite&, int);            \
    template std::unique_ptr<Region<Real>> hypersimplex(Index, double, const Composite&, int);               \
    template std::unique_ptr<Region<Real>> knapsack(double, std::vector<double>, std::vector<double>,        \
                                                    const Composite&, int);                                  \
    template std::unique_ptr<Region<Real>> isotonic(double, double, const Composite&, int)
ALFCG_BOXES(float);
ALFCG_BOXES(double);
#undef ALFCG_BOXES

}  // namespace alfcg
