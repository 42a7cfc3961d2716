// Facts about every row of the table of regions: a new one needs one line in region_examples.hpp.
#include <gtest/gtest.h>

#include <random>

#include "alfcg/region/spec.hpp"
#include "region_examples.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using testing::dot;
using testing::entries;
using testing::random_matrix;

template <class Real>
class RegionRows : public ::testing::Test {
  protected:
    static constexpr double rounding = std::is_same_v<Real, float> ? 2e-5 : 1e-12;

    // visit(spec, shape) for every row, its examples and its terms.
    template <class Visit>
    static void for_each_region(const Visit& visit) {
        EXPECT_EQ(testing::region_examples().size(), regions().size());
        for (const RegionInfo& info : regions()) {
            ASSERT_TRUE(testing::region_examples().contains(info.name)) << info.name << " has no example";
            const auto& [some, shapes] = testing::region_examples().at(info.name);
            for (const Parameters& parameters : some)
                for (const Composite& composite : testing::composites(info, &parameters))
                    for (const Shape shape : shapes) {
                        const RegionSpec spec{std::string(info.name), parameters, composite};
                        SCOPED_TRACE(make_region<Real>(spec)->describe());
                        make_region<Real>(spec)->check(shape);
                        visit(spec, shape);
                    }
        }
    }

    // Extreme points: what the oracle answers where h = 0.
    static std::vector<std::vector<long double>> corners(RegionSpec spec, Shape shape) {
        spec.composite = {};
        const auto region = make_region<Real>(spec);
        std::vector<std::vector<long double>> points;
        Vertex<Real> vertex;
        for (unsigned seed = 0; seed < 60; ++seed) {
            region->minimize(random_matrix<Real>(shape, 1000 + seed), 0, true, vertex);
            points.push_back(entries(vertex.to_matrix()));
        }
        return points;
    }

    // The last point of the region on a way from its start, as its violation says: an oracle that forgets a part of the
    // region would not make points there.
    static Matrix<Real> edge(Region<Real>& region, const Matrix<Real>& direction) {
        const Matrix<Real> start = region.start(direction.shape());
        const auto at = [&](double step) {
            Matrix<Real> x = start;
            for (std::size_t i = 0; i < x.span().size(); ++i)
                x.span()[i] += static_cast<Real>(step) * direction.span()[i];
            return x;
        };
        double inside = 0;
        double outside = 1;
        while (region.violation(at(outside)) <= 0) outside *= 2;
        for (int k = 0; k < 50; ++k) {
            const double middle = (inside + outside) / 2;
            (region.violation(at(middle)) <= 0 ? inside : outside) = middle;
        }
        return at(inside);
    }

    // Along the axes, both ways, and along gradients, with and without their signs.
    static std::vector<Matrix<Real>> directions(Shape shape) {
        std::vector<Matrix<Real>> all;
        for (Index i = 0; i < shape.rows * shape.cols; ++i)
            for (const Real sign : {Real(-1), Real(1)}) {
                all.emplace_back(shape).fill(0);
                all.back().data()[i] = sign;
            }
        for (unsigned seed = 0; seed < 100; ++seed) {
            all.push_back(random_matrix<Real>(shape, 2000 + seed));
            if (seed % 2 == 0) continue;
            for (Real& entry : all.back().span()) entry = std::abs(entry);
        }
        return all;
    }

    static void expect_inside(Region<Real>& region, const Matrix<Real>& x) {
        for (const Real entry : x.span()) ASSERT_TRUE(std::isfinite(entry));
        EXPECT_LE(region.violation(x), rounding);
    }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RegionRows, Precisions);

TYPED_TEST(RegionRows, NoPointOfTheRegionIsBetterThanTheAnswer) {
    using Real = TypeParam;
    this->for_each_region([&](const RegionSpec& spec, Shape shape) {
        const auto region = make_region<Real>(spec);
        const auto corners = this->corners(spec, shape);
        std::vector<std::pair<std::vector<long double>, long double>> points;
        for (const Matrix<Real>& direction : this->directions(shape)) {
            const Matrix<Real> x = this->edge(*region, direction);
            points.emplace_back(entries(x), region->composite(x));
        }
        // Convex combinations of up to three corners.
        std::mt19937_64 random(7);
        Matrix<Real> x(shape);
        for (int k = 0; k < 1000; ++k) {
            const auto& a = corners[random() % corners.size()];
            const auto& b = corners[random() % corners.size()];
            const auto& c = corners[random() % corners.size()];
            std::uniform_real_distribution<long double> uniform;
            const long double s = uniform(random);
            const long double t = k % 2 == 0 ? 0 : uniform(random);
            for (std::size_t i = 0; i < a.size(); ++i)
                x.span()[i] = static_cast<Real>(t * a[i] + (1 - t) * (s * b[i] + (1 - s) * c[i]));
            this->expect_inside(*region, x);
            points.emplace_back(entries(x), region->composite(x));
        }
        Vertex<Real> vertex;
        for (unsigned seed = 0; seed < 12; ++seed) {
            const Matrix<Real> gradient = random_matrix<Real>(shape, seed, seed % 3 == 0 ? 0.3 : 1);
            const double slack = region->minimize(gradient, 0, true, vertex);
            const Matrix<Real> answer = vertex.to_matrix();
            this->expect_inside(*region, answer);
            EXPECT_NEAR(region->composite(answer), vertex.composite,
                        this->rounding * (1 + std::abs(vertex.composite)));
            const auto g = entries(gradient);
            const long double best = dot(g, entries(answer)) + vertex.composite;
            for (const auto& [point, h] : points)
                ASSERT_LE(best, dot(g, point) + h + slack + this->rounding * (1 + std::abs(best)));
        }
    });
}

// u minimises (w/2) ‖u − point‖² + h(u) over the region if and only if no v of it is better than u for <w (u − point), v> + h(v).
TYPED_TEST(RegionRows, TheOracleFindsNothingBetterThanTheProximalMap) {
    using Real = TypeParam;
    this->for_each_region([&](const RegionSpec& spec, Shape shape) {
        const auto region = make_region<Real>(spec);
        if (!region->has_proximal(shape)) return;
        Vertex<Real> nearest;
        Vertex<Real> vertex;
        for (unsigned seed = 0; seed < 30; ++seed) {
            const double size = seed % 3 == 0 ? 0.3 : seed % 3 == 1 ? 3 : 30;
            const double weight = seed % 2 == 0 ? 0.7 : 20;
            const Matrix<Real> point = random_matrix<Real>(shape, seed, size);
            ASSERT_TRUE(region->proximal(point, weight, nearest));
            const Matrix<Real> u = nearest.to_matrix();
            this->expect_inside(*region, u);
            EXPECT_NEAR(region->composite(u), nearest.composite,
                        this->rounding * (1 + std::abs(nearest.composite)));
            Matrix<Real> gradient(shape);
            for (std::size_t i = 0; i < u.span().size(); ++i)
                gradient.span()[i] = static_cast<Real>(weight) * (u.span()[i] - point.span()[i]);
            region->minimize(gradient, 0, true, vertex);
            const auto g = entries(gradient);
            const long double gap = dot(g, entries(u)) + nearest.composite -
                                    dot(g, entries(vertex.to_matrix())) - vertex.composite;
            EXPECT_LE(gap, this->rounding * (1 + weight * size * (1 + region->diameter(shape))));
        }
    });
}

TYPED_TEST(RegionRows, TwoPointsAreNoFurtherApartThanTheDiameter) {
    this->for_each_region([&](const RegionSpec& spec, Shape shape) {
        const long double diameter = make_region<TypeParam>(spec)->diameter(shape);
        const auto corners = this->corners(spec, shape);
        for (const auto& a : corners)
            for (const auto& b : corners) {
                std::vector<long double> difference(a.size());
                for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
                ASSERT_LE(testing::norm(difference, 2), diameter * (1 + this->rounding));
            }
    });
}

TYPED_TEST(RegionRows, StartsInsideAndAnswersAZeroGradient) {
    this->for_each_region([&](const RegionSpec& spec, Shape shape) {
        const auto region = make_region<TypeParam>(spec);
        this->expect_inside(*region, region->start(shape));
        Vertex<TypeParam> vertex;
        region->minimize(Matrix<TypeParam>(shape), 0, true, vertex);
        this->expect_inside(*region, vertex.to_matrix());
        EXPECT_TRUE(std::isfinite(vertex.composite));
    });
}

TYPED_TEST(RegionRows, TheSizeOfAGradientDoesNotMatter) {
    using Real = TypeParam;
    const double far = std::is_same_v<Real, float> ? 1e30 : 1e300;
    this->for_each_region([&](const RegionSpec& spec, Shape shape) {
        const auto region = make_region<Real>(spec);
        Vertex<Real> vertex;
        const Matrix<Real> gradient = random_matrix<Real>(shape, 3);
        const auto g = entries(gradient);
        region->minimize(gradient, 0, true, vertex);
        const long double best = dot(g, entries(vertex.to_matrix()));
        for (const double scale : {1 / far, 1 / std::sqrt(far), std::sqrt(far), far}) {
            region->minimize(random_matrix<Real>(shape, 3, scale), 0, true, vertex);
            this->expect_inside(*region, vertex.to_matrix());
            EXPECT_TRUE(std::isfinite(vertex.composite));
            if (!spec.composite.zero()) continue;
            EXPECT_LE(dot(g, entries(vertex.to_matrix())), best + this->rounding * (1 + std::abs(best)));
        }
    });
}

}  // namespace
}  // namespace alfcg
