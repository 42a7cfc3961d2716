#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/norms.hpp"
#include "region/budget_region.hpp"
#include "region/ellipsoid.hpp"
#include "region/own_norm.hpp"
#include "region/row.hpp"
#include "region/settings.hpp"
#include "region/top_balls.hpp"

namespace alfcg {
namespace region {
namespace {

constexpr ParameterInfo slope_info{.name = "slope", .meaning = "weights of owl fall from 1 + slope to 1"};
constexpr ParameterInfo axes_info{.name = "axes",
                                  .meaning = "half axes of the ellipsoid: a number, or a CSV file by feature",
                                  .open = true,
                                  .text = true};
constexpr ParameterInfo metric_info{
    .name = "metric",
    .meaning = "a .npy file with the matrix M of the ellipsoid x'Mx <= radius^2",
    .text = true,
    .only_words = true};

// An l_p ball with a name of its own.
RegionRow named_ball(std::string_view name, double p, std::string_view description) {
    return row({name, description, {usual_radius}, {"l1", "l2", "norm"}},
               [p]<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                   return lp_ball<Real>(p, size_of(given), h, setting.threads);
               });
}

void check_count(Index k) {
    check(count_info, static_cast<double>(k));
}

template <class Real>
void check_radius(double radius) {
    check(radius_info, radius);
    verify_range<Real>(radius);
}

// What stays of h where its own norm is added by with_own_norm().
Composite without_norm(Composite composite) {
    composite.norm = 0;
    return composite;
}

template <class Real>
std::unique_ptr<Region<Real>> weighted_l1(FeatureValues costs, double radius, const Composite& composite,
                                          int threads) {
    verify_terms("weighted-l1", composite);
    check_radius<Real>(radius);
    BudgetSpec spec{fmt::format("weighted l_1 ball of radius {}, costs {}", radius, costs.describe())};
    spec.lower = -std::numeric_limits<double>::infinity();
    spec.cost = std::move(costs);
    spec.budget = radius;
    spec.norm_unit = 1;
    return with_own_norm(budget_region<Real>(std::move(spec), without_norm(composite), threads), radius,
                         composite.norm);
}

template <class Real>
std::unique_ptr<Region<Real>> ellipsoid_with(FeatureValues axes, double radius, const Composite& composite,
                                             int threads) {
    verify_terms("ellipsoid", composite);
    check_radius<Real>(radius);
    return with_own_norm(make_ellipsoid<Real>(std::move(axes), radius, without_norm(composite), threads),
                         radius, composite.norm);
}

template <class Real>
std::unique_ptr<Region<Real>> ellipsoid_with(const Matrix<double>& metric, double radius,
                                             const Composite& composite, const std::string& source) {
    verify_terms("ellipsoid", composite);
    check_radius<Real>(radius);
    return with_own_norm(make_ellipsoid<Real>(metric, radius, without_norm(composite), source), radius,
                         composite.norm);
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
                return lp_ball<Real>(given.number("p").value(), size_of(given), h, setting.threads);
            }),
        row({"weighted-l1",
             "sum of cost times magnitude at most radius",
             {usual_radius, {costs_info, Default::of(1)}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return weighted_l1<Real>({given, "costs", setting.features, not_given}, size_of(given), h,
                                         setting.threads);
            }),
        row({"k-support",
             "hull of the points with k entries and Euclidean norm radius: sparse groups of correlated "
             "features",
             {usual_radius, {count_info, Default::of(10)}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return k_support_ball<Real>(given.whole("k"), size_of(given), h, setting.threads);
            }),
        row({"k-norm",
             "sum of the k largest magnitudes at most radius",
             {usual_radius, {count_info, Default::of(10)}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return k_norm_ball<Real>(given.whole("k"), size_of(given), h, setting.threads);
            }),
        row({"owl",
             "sum of the sorted magnitudes, the largest weighted by 1 + slope and the smallest by 1, at most "
             "radius",
             {usual_radius, {slope_info, Default::of(1)}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return owl_ball<Real>(given.number("slope").value(), size_of(given), h, setting.threads);
            }),
        row({"ellipsoid",
             "Euclidean norm of x / axes, or root of x'Mx with M = metric, at most radius",
             {usual_radius, {axes_info, Default::of(1)}, {metric_info, Default::none()}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                const double radius = size_of(given);
                const std::string metric = given.word("metric").value_or("");
                if (!metric.empty())
                    return ellipsoid_with<Real>(read_square_matrix(metric), radius, h, metric);
                return ellipsoid_with<Real>({given, "axes", setting.features, not_given}, radius, h,
                                            setting.threads);
            }),
        row({"k-sparse",
             "hull of the points with k entries of magnitude radius",
             {usual_radius, {count_info, Default::of(10)}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return k_sparse_polytope<Real>(given.whole("k"), size_of(given), h, setting.threads);
            }),
    };
}

}  // namespace region

template <class Real>
std::unique_ptr<Region<Real>> weighted_l1_ball(double radius, std::vector<double> costs,
                                               const Composite& composite, int threads) {
    return region::weighted_l1<Real>({std::move(costs), 1}, radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> k_support_ball(Index k, double radius, const Composite& composite,
                                             int threads) {
    region::verify_terms("k-support", composite);
    region::check_count(k);
    region::check_radius<Real>(radius);
    return region::with_own_norm(
        region::make_k_support<Real>(k, radius, region::without_norm(composite), threads), radius,
        composite.norm);
}

template <class Real>
std::unique_ptr<Region<Real>> k_norm_ball(Index k, double radius, const Composite& composite, int threads) {
    region::verify_terms("k-norm", composite);
    region::check_count(k);
    region::check_radius<Real>(radius);
    return region::with_own_norm(
        region::make_k_norm<Real>(k, radius, region::without_norm(composite), threads), radius,
        composite.norm);
}

template <class Real>
std::unique_ptr<Region<Real>> owl_ball(double slope, double radius, const Composite& composite, int threads) {
    region::verify_terms("owl", composite);
    check(region::slope_info, slope);
    region::check_radius<Real>(radius);
    return region::with_own_norm(
        region::make_owl<Real>(slope, radius, region::without_norm(composite), threads), radius,
        composite.norm);
}

template <class Real>
std::unique_ptr<Region<Real>> ellipsoid(double radius, std::vector<double> axes, const Composite& composite,
                                        int threads) {
    return region::ellipsoid_with<Real>({std::move(axes), 1}, radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> ellipsoid(double radius, const Matrix<double>& metric,
                                        const Composite& composite) {
    return region::ellipsoid_with<Real>(metric, radius, composite, "metric");
}

template <class Real>
std::unique_ptr<Region<Real>> k_sparse_polytope(Index k, double radius, const Composite& composite,
                                                int threads) {
    region::verify_terms("k-sparse", composite);
    region::check_count(k);
    region::check_radius<Real>(radius);
    region::BudgetSpec spec{fmt::format("{}-sparse polytope of radius {}", k, radius)};
    spec.lower = -radius;
    spec.upper = radius;
    spec.norm_unit = static_cast<double>(k);
    spec.budget = radius * *spec.norm_unit;
    return region::with_own_norm(
        region::budget_region<Real>(std::move(spec), region::without_norm(composite), threads), radius,
        composite.norm);
}

#define ALFCG_NORMS(Real)                                                                                  \
    template std::unique_ptr<Region<Real>> weighted_l1_ball(double, std::vector<double>, const Composite&, \
                                                            int);                                          \
    template std::unique_ptr<Region<Real>> k_support_ball(Index, double, const Composite&, int);           \
    template std::unique_ptr<Region<Real>> k_norm_ball(Index, double, const Composite&, int);              \
    template std::unique_ptr<Region<Real>> owl_ball(double, double, const Composite&, int);                \
    template std::unique_ptr<Region<Real>> ellipsoid(double, std::vector<double>, const Composite&, int);  \
    template std::unique_ptr<Region<Real>> ellipsoid(double, const Matrix<double>&, const Composite&);     \
    template std::unique_ptr<Region<Real>> k_sparse_polytope(Index, double, const Composite&, int)
ALFCG_NORMS(float);
ALFCG_NORMS(double);
#undef ALFCG_NORMS

}  // namespace alfcg
