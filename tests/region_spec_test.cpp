#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/region/spec.hpp"
#include "region_examples.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using alfcg::testing::infinity;

std::string complaint(const RegionSpec& spec) {
    try {
        verify(spec);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

RegionSpec with(const std::string& name, std::optional<double> p, double radius, Composite composite = {}) {
    RegionSpec spec{name, {{"radius", radius}}, composite};
    if (p) spec.parameters.set("p", *p);
    return spec;
}

TEST(RegionSpec, AcceptsEveryRegionWithTheTermsItsRowNames) {
    for (const RegionInfo& info : regions()) {
        EXPECT_FALSE(info.description.empty());
        EXPECT_FALSE(info.family.empty());
        EXPECT_EQ(region_info(info.name).description, info.description);
        RegionSpec spec{
            std::string(info.name), testing::region_examples().at(info.name).parameters.front(), {}};
        for (const auto& [term, weight] : testing::term_weights()) {
            spec.composite = {};
            spec.composite.*weight = 1;
            const bool taken = std::find(info.terms.begin(), info.terms.end(), term) != info.terms.end();
            EXPECT_EQ(complaint(spec).empty(), taken) << info.name << " " << term;
        }
        for (const Composite& composite : testing::composites(info)) {
            spec.composite = composite;
            EXPECT_EQ(complaint(spec), "");
        }
    }
}

TEST(RegionSpec, TheOwnNormIsTheTermThatABallHasForIt) {
    RegionSpec spec{"l1", {{"radius", 2}}, {0.1, 0.2, 0, 0.3}};
    EXPECT_EQ(make_region<double>(spec)->describe(), "l_1 ball of radius 2 + 0.4 ‖x‖₁ + (0.2/2) ‖x‖₂²");
    spec = {"nuclear", {{"radius", 2}}, {0, 0.2, 0, 0.3}};
    EXPECT_EQ(make_region<double>(spec)->describe(), "nuclear ball of radius 2 + 0.3 ‖x‖_* + (0.2/2) ‖x‖₂²");
    spec = {"l2", {{"radius", 2}}, {0.1, 0, 0, 0.3}};
    EXPECT_EQ(make_region<double>(spec)->describe(), "l_2 ball of radius 2 + 0.1 ‖x‖₁ + 0.3 ‖x‖");
    spec.composite.l2 = 1;
    EXPECT_EQ(complaint(spec), "norm and `l2` have no oracle together over the region l2");
}

TEST(RegionSpec, NamesTheQuantityThatIsWrong) {
    struct Case {
        RegionSpec spec;
        std::string text;
    };
    const double nan = std::nan("");
    const auto none = std::nullopt;
    std::string names;
    for (const RegionInfo& info : regions()) names += (names.empty() ? "" : ", ") + std::string(info.name);
    EXPECT_TRUE(names.starts_with("l1, l2, linf, lp")) << names;
    const std::vector<Case> cases{
        {with("ball", none, 1), "region must be one of " + names + ", not 'ball'"},
        {with("", none, 1), "region must be one of " + names + ", not ''"},
        {with("nuclear", none, -1), "radius must be positive, not -1"},
        {with("l2", none, 0), "radius must be positive, not 0"},
        {with("l2", none, infinity), "radius must be a finite number, not inf"},
        {with("nuclear", none, nan), "radius must be positive, not nan"},
        {with("lp", none, 1), "p is needed by the region lp: the p of the l_p norm, from 1 to inf"},
        {with("lp", 0.5, 1), "p must be at least 1, or inf, not 0.5"},
        {with("lp", -infinity, 1), "p must be at least 1, or inf, not -inf"},
        {with("lp", nan, 1), "p must be at least 1, or inf, not nan"},
        {with("l1", 3, 1), "p is not a parameter of the region l1, which has radius = 10"},
        {with("l1", none, 1, {-0.5, 0, 0}), "l1 must be 0 or positive, not -0.5"},
        {with("l1", none, 1, {0, -2, 0}), "l2 must be 0 or positive, not -2"},
        {with("l1", none, 1, {0, nan, 0}), "l2 must be a finite number, not nan"},
        {with("nuclear", none, 1, {0, 0, infinity}), "nuclear must be a finite number, not inf"},
        {with("nuclear", none, 1, {1, 0, 0}),
         "l1 has no oracle over the region nuclear, which takes `nuclear`, `l2` and `norm`"},
        {with("lp", 3, 1, {0, 0, 1}),
         "nuclear has no oracle over the region lp, which takes `l1`, `l2` and `norm`"},
    };
    for (const Case& bad : cases) {
        EXPECT_EQ(complaint(bad.spec), bad.text);
        EXPECT_THROW(make_region<float>(bad.spec), Error);
        EXPECT_THROW(make_region<double>(bad.spec), Error);
    }
    EXPECT_EQ(complaint(with("lp", infinity, 1)), "");
}

TEST(RegionSpec, FactoriesVerifyToo) {
    EXPECT_THROW(lp_ball<double>(0.9, 1), Error);
    EXPECT_THROW(lp_ball<float>(2, -1), Error);
    EXPECT_THROW((lp_ball<float>(2, 1, {0, 0, 1})), Error);
    EXPECT_THROW(nuclear_ball<double>(std::nan("")), Error);
    EXPECT_THROW((nuclear_ball<double>(1, {1, 0, 0})), Error);
    EXPECT_THROW(nuclear_ball<float>(1e39), Error) << "infinite in single precision";
    EXPECT_THROW(lp_ball<float>(2, 1e-50), Error) << "zero in single precision";
    EXPECT_NO_THROW(lp_ball<double>(2, 1e-50));
}

TEST(RegionSpec, NamesStandForTheirExponents) {
    EXPECT_EQ(make_region<float>(with("l1", std::nullopt, 2, {}))->describe(), "l_1 ball of radius 2");
    EXPECT_EQ(make_region<float>(with("l2", std::nullopt, 2, {}))->describe(), "l_2 ball of radius 2");
    EXPECT_EQ(make_region<double>(with("linf", std::nullopt, 2, {}))->describe(), "l_inf ball of radius 2");
    EXPECT_EQ(make_region<double>(with("lp", 3, 2, {}))->describe(), "l_3 ball of radius 2");
    EXPECT_EQ(make_region<double>(with("nuclear", std::nullopt, 2, {0, 0.5, 0}))->describe(),
              "nuclear ball of radius 2 + (0.5/2) ‖x‖₂²");
}

/// The probability simplex: the oracle writes one entry only.
template <class Real>
CustomRegion<Real> simplex() {
    CustomRegion<Real> custom;
    custom.oracle = [](std::span<const Real> gradient, std::span<Real> vertex) {
        const auto least = std::min_element(gradient.begin(), gradient.end()) - gradient.begin();
        vertex[static_cast<std::size_t>(least)] = 1;
    };
    custom.diameter = std::sqrt(2.0);
    custom.name = "simplex";
    return custom;
}

template <class Real>
class Custom : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Custom, Precisions);

TYPED_TEST(Custom, AnswersWithTheCallersOracleFromCallToCall) {
    const auto region = custom_region(simplex<TypeParam>());
    Matrix<TypeParam> gradient(2, 2);
    Vertex<TypeParam> vertex;
    for (Index k = 0; k < 4; ++k) {
        gradient.fill(0);
        gradient.data()[k] = -1;
        EXPECT_EQ(region->minimize(gradient, 0, true, vertex), 0);
        EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::dense);
        EXPECT_EQ(vertex.shape, gradient.shape());
        for (Index i = 0; i < 4; ++i)
            EXPECT_EQ(vertex.dense.data()[i], i == k ? 1 : 0) << "nothing is left of the last answer";
    }
    EXPECT_EQ(region->describe(), "simplex");
    EXPECT_EQ(region->diameter({2, 2}), std::sqrt(2.0));
    EXPECT_EQ(region->violation(gradient), 0) << "where nobody says otherwise every point counts as inside";
    EXPECT_EQ(region->composite(gradient), 0);
    EXPECT_EQ(vertex.composite, 0);
}

TYPED_TEST(Custom, UsesTheCallersCompositeAndViolation) {
    auto custom = simplex<TypeParam>();
    custom.composite = [](std::span<const TypeParam> x) { return 3 * static_cast<double>(x[0]); };
    custom.violation = [](std::span<const TypeParam> x) { return 2 * static_cast<double>(x[1]); };
    const auto region = custom_region(custom);
    Matrix<TypeParam> gradient(1, 2);
    gradient(0, 0) = -1;
    gradient(0, 1) = 4;
    Vertex<TypeParam> vertex;
    region->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.composite, 3);
    EXPECT_EQ(region->violation(gradient), 8);
}

TYPED_TEST(Custom, StartsAtAPointOfTheSet) {
    const Shape shape{1, 3};
    const auto sum = [](const Matrix<TypeParam>& x) { return x(0, 0) + x(0, 1) + x(0, 2); };
    // Nothing is known of the origin: the oracle knows a point.
    EXPECT_EQ(sum(custom_region(simplex<TypeParam>())->start(shape)), 1);
    // The origin lies outside.
    auto outside = simplex<TypeParam>();
    outside.violation = [](std::span<const TypeParam> x) {
        return std::abs(static_cast<double>(x[0] + x[1] + x[2]) - 1);
    };
    EXPECT_EQ(sum(custom_region(outside)->start(shape)), 1);
    // It lies inside.
    auto inside = simplex<TypeParam>();
    inside.violation = [](std::span<const TypeParam>) { return 0.0; };
    EXPECT_EQ(sum(custom_region(inside)->start(shape)), 0);
    // The caller knows better.
    auto given = simplex<TypeParam>();
    given.start = [](std::span<TypeParam> x) { x[0] = x[1] = TypeParam(0.5); };
    const auto start = custom_region(given)->start(shape);
    EXPECT_EQ(start(0, 0), TypeParam(0.5));
    EXPECT_EQ(start(0, 2), 0);
}

TYPED_TEST(Custom, RejectsAnAnswerThatIsNotFinite) {
    auto custom = simplex<TypeParam>();
    custom.oracle = [](std::span<const TypeParam>, std::span<TypeParam> vertex) {
        vertex[3] = static_cast<TypeParam>(infinity);
    };
    Matrix<TypeParam> gradient(2, 3);
    Vertex<TypeParam> vertex;
    try {
        custom_region(custom)->minimize(gradient, 0, true, vertex);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "simplex: the oracle answered inf at row 1, column 0; every entry must be finite");
    }
    custom = simplex<TypeParam>();
    custom.composite = [](std::span<const TypeParam>) { return std::nan(""); };
    EXPECT_THROW(custom_region(custom)->minimize(gradient, 0, true, vertex), Error);
    custom.diameter = -1;
    EXPECT_THROW(custom_region(custom), Error);
    custom = {};
    EXPECT_THROW(custom_region(custom), Error) << "no oracle";
}

}  // namespace
}  // namespace alfcg
