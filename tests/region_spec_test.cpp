#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/region/spec.hpp"
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

TEST(RegionSpec, AcceptsEveryRegionWithTheTermsItsCatalogueNames) {
    for (const RegionInfo& info : region_catalogue()) {
        EXPECT_FALSE(info.description.empty());
        const bool l1 = info.composite.find("--l1") != std::string_view::npos;
        const bool l2 = info.composite.find("--l2") != std::string_view::npos;
        const bool nuclear = info.composite.find("--nuclear") != std::string_view::npos;
        const std::string name(info.name);
        EXPECT_EQ(complaint({name, 3, 1, {}}), "");
        EXPECT_EQ(complaint({name, 3, 1, {1, 0, 0}}).empty(), l1) << name;
        EXPECT_EQ(complaint({name, 3, 1, {0, 1, 0}}).empty(), l2) << name;
        EXPECT_EQ(complaint({name, 3, 1, {0, 0, 1}}).empty(), nuclear) << name;
        EXPECT_EQ(complaint({name, 3, 1, {l1 ? 1.0 : 0.0, 1, nuclear ? 1.0 : 0.0}}), "") << name;
    }
    EXPECT_EQ(region_catalogue().size(), 5);
}

TEST(RegionSpec, SaysWhatIsWrongInTheWordsOfTheCommandLine) {
    struct Case {
        RegionSpec spec;
        std::string text;
    };
    const double nan = std::nan("");
    const std::string works =
        ": the regions lp, l1, l2 and linf take --l1, --l2 or both, the region nuclear takes --nuclear, --l2 "
        "or both";
    const std::vector<Case> cases{
        {{"ball", 2, 1, {}}, "--region must be nuclear, lp, l1, l2 or linf, not 'ball'"},
        {{"", 2, 1, {}}, "--region must be nuclear, lp, l1, l2 or linf, not ''"},
        {{"nuclear", 0, -1, {}}, "--radius must be positive, not -1"},
        {{"l2", 0, 0, {}}, "--radius must be positive, not 0"},
        {{"l2", 0, infinity, {}}, "--radius must be a finite number, not inf"},
        {{"nuclear", 0, nan, {}}, "--radius must be a finite number, not nan"},
        {{"lp", 0, 1, {}}, "--region lp needs --p, a number of at least 1, or inf"},
        {{"lp", 0.5, 1, {}}, "--p must be at least 1, or inf, not 0.5"},
        {{"lp", -infinity, 1, {}}, "--p must be at least 1, or inf, not -inf"},
        {{"lp", nan, 1, {}}, "--p must be at least 1, or inf, not nan"},
        {{"l1", 0, 1, {-0.5, 0, 0}}, "--l1 must be 0 or positive, not -0.5"},
        {{"l1", 0, 1, {0, -2, 0}}, "--l2 must be 0 or positive, not -2"},
        {{"l1", 0, 1, {0, nan, 0}}, "--l2 must be a finite number, not nan"},
        {{"nuclear", 0, 1, {0, 0, infinity}}, "--nuclear must be a finite number, not inf"},
        {{"nuclear", 0, 1, {1, 0, 0}}, "--l1 has no oracle over the nuclear ball" + works},
        {{"lp", 3, 1, {0, 0, 1}}, "--nuclear has no oracle over an l_p ball" + works},
        {{"linf", 3, 1, {0, 0, 1}}, "--nuclear has no oracle over an l_p ball" + works},
    };
    for (const Case& bad : cases) {
        EXPECT_EQ(complaint(bad.spec), bad.text);
        EXPECT_THROW(make_region<float>(bad.spec), Error);
        EXPECT_THROW(make_region<double>(bad.spec), Error);
    }
    EXPECT_EQ(complaint({"lp", infinity, 1, {}}), "");
    EXPECT_EQ(complaint({"l1", nan, 1, {}}), "") << "p is ignored where the name says it";
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
    EXPECT_EQ(make_region<float>({"l1", 0, 2, {}})->describe(), "l_1 ball of radius 2");
    EXPECT_EQ(make_region<float>({"l2", 0, 2, {}})->describe(), "l_2 ball of radius 2");
    EXPECT_EQ(make_region<double>({"linf", 0, 2, {}})->describe(), "l_inf ball of radius 2");
    EXPECT_EQ(make_region<double>({"lp", 3, 2, {}})->describe(), "l_3 ball of radius 2");
    EXPECT_EQ(make_region<double>({"nuclear", 0, 2, {0, 0.5, 0}})->describe(),
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
    EXPECT_EQ(region->gauge(gradient), 0) << "without a gauge every point counts as inside";
    EXPECT_EQ(region->composite(gradient), 0);
    EXPECT_EQ(vertex.composite, 0);
}

TYPED_TEST(Custom, UsesTheCallersCompositeAndGauge) {
    auto custom = simplex<TypeParam>();
    custom.composite = [](std::span<const TypeParam> x) { return 3 * static_cast<double>(x[0]); };
    custom.gauge = [](std::span<const TypeParam> x) { return 2 * static_cast<double>(x[1]); };
    const auto region = custom_region(custom);
    Matrix<TypeParam> gradient(1, 2);
    gradient(0, 0) = -1;
    gradient(0, 1) = 4;
    Vertex<TypeParam> vertex;
    region->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.composite, 3);
    EXPECT_EQ(region->gauge(gradient), 8);
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
