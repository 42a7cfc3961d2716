// Balls of norms of groups, against formulas and slow searches of their own.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "region_reference.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

using Lists = std::vector<std::vector<std::size_t>>;  // positions of each group

Groups listed(std::vector<std::vector<Index>> features, Groups::Weights weights = Groups::Weights::equal) {
    Groups groups;
    groups.kind = Groups::Kind::listed;
    groups.weights = weights;
    groups.listed = std::move(features);
    return groups;
}

// All positions of the groups, those of features that are in none at the end.
Lists positions(const Groups& groups, Shape shape) {
    Lists all;
    const auto at = [&](Index i, Index j) { return static_cast<std::size_t>(i * shape.cols + j); };
    auto columns = groups.listed;
    if (groups.kind == Groups::Kind::outputs) {
        for (Index i = 0; i < shape.rows; ++i) {
            all.emplace_back();
            for (Index j = 0; j < shape.cols; ++j) all.back().push_back(at(i, j));
        }
        return all;
    }
    if (groups.kind == Groups::Kind::features) columns.clear();
    for (Index j = 0; j < shape.cols; ++j) {
        const bool known = std::any_of(columns.begin(), columns.end(), [j](const auto& group) {
            return std::find(group.begin(), group.end(), j) != group.end();
        });
        if (!known) columns.push_back({j});
    }
    for (const auto& group : columns) {
        all.emplace_back();
        for (Index i = 0; i < shape.rows; ++i)
            for (const Index j : group) all.back().push_back(at(i, j));
    }
    return all;
}

long double weight_of(const Groups& groups, const std::vector<std::size_t>& group) {
    return groups.weights == Groups::Weights::root ? std::sqrt(static_cast<long double>(group.size())) : 1.0L;
}

std::vector<long double> part(const std::vector<long double>& x, const std::vector<std::size_t>& group) {
    std::vector<long double> result;
    for (const std::size_t k : group) result.push_back(x[k]);
    return result;
}

// The ε-norm: ‖(|x| − ratio ν)₊‖₂ = (1 − ratio) w ν, by halving.
long double epsilon_norm(const std::vector<long double>& x, long double ratio, long double weight) {
    long double low = 0;
    long double high = norm(x, 2) / ((1 - ratio) * weight);
    for (int k = 0; k < 200; ++k) {
        const long double middle = (low + high) / 2;
        (norm(soft_threshold(x, ratio * middle), 2) > (1 - ratio) * weight * middle ? low : high) = middle;
    }
    return low;
}

constexpr double ratio = 0.3;

// A region of groups with its norm and the dual of that, written down plainly.
struct Case {
    std::string name;
    std::function<std::unique_ptr<Region<float>>(const Groups&, double, const Composite&)> make_float;
    std::function<std::unique_ptr<Region<double>>(const Groups&, double, const Composite&)> make_double;
    std::function<long double(const std::vector<long double>&, const Groups&, const Lists&)> norm;
    std::function<long double(const std::vector<long double>&, const Groups&, const Lists&)> dual;

    template <class Real>
    std::unique_ptr<Region<Real>> make(const Groups& groups, double radius, const Composite& h) const {
        if constexpr (std::is_same_v<Real, float>)
            return make_float(groups, radius, h);
        else
            return make_double(groups, radius, h);
    }
};

using Each = std::function<long double(const std::vector<long double>&, long double)>;

auto sum_over(Each each) {
    return [each](const std::vector<long double>& x, const Groups& groups, const Lists& lists) {
        long double sum = 0;
        for (const auto& group : lists) sum += each(part(x, group), weight_of(groups, group));
        return sum;
    };
}

auto max_over(Each each) {
    return [each](const std::vector<long double>& x, const Groups& groups, const Lists& lists) {
        long double most = 0;
        for (const auto& group : lists) most = std::max(most, each(part(x, group), weight_of(groups, group)));
        return most;
    };
}

using Measure = std::function<long double(const std::vector<long double>&, const Groups&, const Lists&)>;

template <class Make>
Case make_case(std::string name, Make make, Measure norm, Measure dual) {
    return {std::move(name),
            [make](const Groups& g, double r, const Composite& h) {
                return make.template operator()<float>(g, r, h);
            },
            [make](const Groups& g, double r, const Composite& h) {
                return make.template operator()<double>(g, r, h);
            },
            std::move(norm), std::move(dual)};
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        make_case(
            "l12",
            []<class Real>(const Groups& g, double r, const Composite& h) {
                return group_l12_ball<Real>(g, r, h, 1);
            },
            sum_over([](const auto& x, long double w) { return w * norm(x, 2); }),
            max_over([](const auto& x, long double w) { return norm(x, 2) / w; })),
        make_case(
            "l1inf",
            []<class Real>(const Groups& g, double r, const Composite& h) {
                return group_l1inf_ball<Real>(g, r, h, 1);
            },
            sum_over([](const auto& x, long double w) { return w * norm(x, infinity); }),
            max_over([](const auto& x, long double w) { return norm(x, 1) / w; })),
        make_case(
            "linf2",
            []<class Real>(const Groups& g, double r, const Composite& h) {
                return group_linf2_ball<Real>(g, r, h, 1);
            },
            max_over([](const auto& x, long double w) { return w * norm(x, 2); }),
            sum_over([](const auto& x, long double w) { return norm(x, 2) / w; })),
        make_case(
            "sparse group",
            []<class Real>(const Groups& g, double r, const Composite& h) {
                return sparse_group_ball<Real>(g, ratio, r, h, 1);
            },
            sum_over([](const auto& x, long double w) {
                return ratio * norm(x, 1) + (1 - ratio) * w * norm(x, 2);
            }),
            max_over([](const auto& x, long double w) { return epsilon_norm(x, ratio, w); })),
    };
    return all;
}

const std::vector<Groups>& groupings() {
    static const std::vector<Groups> all = [] {
        Groups outputs;
        outputs.kind = Groups::Kind::outputs;
        Groups heavy = outputs;
        heavy.weights = Groups::Weights::root;
        return std::vector<Groups>{Groups{}, outputs, heavy, listed({{3, 1}, {0, 5, 6}}),
                                   listed({{0, 2, 4}, {1}, {3, 5, 6}}, Groups::Weights::root)};
    }();
    return all;
}

constexpr Shape shapes[] = {{1, 7}, {3, 7}};

template <class Real>
class GroupBalls : public ::testing::Test {
  protected:
    static constexpr long double accuracy = std::is_same_v<Real, float> ? 2e-6L : 1e-14L;

    template <class Visit>
    static void for_each(const Visit& visit) {
        for (const Case& one : cases())
            for (const Groups& groups : groupings())
                for (const Shape shape : shapes) visit(one, groups, shape, positions(groups, shape));
    }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GroupBalls, Precisions);

TYPED_TEST(GroupBalls, NormIsItsFormula) {
    using Real = TypeParam;
    this->for_each([&](const Case& one, const Groups& groups, Shape shape, const Lists& lists) {
        const auto region = one.template make<Real>(groups, 2, {});
        SCOPED_TRACE(region->describe());
        const auto x = random_matrix<Real>(shape, 4);
        const long double expected = one.norm(entries(x), groups, lists);
        EXPECT_LE(distance(region->norm(x).value() / expected, 1), this->accuracy);
        EXPECT_LE(distance(region->violation(x), std::max(0.0L, expected / 2 - 1)),
                  this->accuracy * expected);
    });
}

// min <g, v> + l1 ‖v‖₁ + own Ω(v) over Ω(v) ≤ r is −r (Ω°(soft(g)) − own)₊.
TYPED_TEST(GroupBalls, OracleReachesTheDualNorm) {
    using Real = TypeParam;
    this->for_each([&](const Case& one, const Groups& groups, Shape shape, const Lists& lists) {
        for (const double l1 : {0.0, 0.4})
            for (const double own : {0.0, 0.5, 100.0}) {
                Composite h;
                h.l1 = l1;
                h.norm = own;
                const double radius = 1.7;
                const auto region = one.template make<Real>(groups, radius, h);
                SCOPED_TRACE(region->describe());
                for (unsigned seed = 0; seed < 10; ++seed) {
                    const auto g = random_matrix<Real>(shape, seed);
                    Vertex<Real> vertex;
                    EXPECT_EQ(region->minimize(g, 0, true, vertex), 0);
                    const auto v = entries(vertex.to_matrix());
                    const long double dual = one.dual(soft_threshold(entries(g), l1), groups, lists);
                    const long double best = -radius * std::max(dual - own, 0.0L);
                    const long double reached =
                        dot(entries(g), v) + l1 * norm(v, 1) + own * one.norm(v, groups, lists);
                    EXPECT_LE(distance(reached, best), this->accuracy * (1 + own) * radius * (1 + dual));
                    EXPECT_LE(one.norm(v, groups, lists), radius * (1 + this->accuracy));
                    if (own == 100) {
                        EXPECT_EQ(vertex.kind, Vertex<Real>::Kind::zero);
                    }
                }
            }
    });
}

// The optimality condition of the proximal map u of a point: with p = weight (point − u) − (h's other terms' slopes), the dual
// norm certifies: <p, u> = r Ω°(p) on the boundary, and u = point inside.
TYPED_TEST(GroupBalls, ProximalMapIsCertifiedByTheDualNorm) {
    using Real = TypeParam;
    this->for_each([&](const Case& one, const Groups& groups, Shape shape, const Lists& lists) {
        for (const double l1 : {0.0, 0.4})
            for (const double l2 : {0.0, 0.6})
                for (const double own : {0.0, 0.3})
                    for (const double radius : {1e-6, 0.5, 3.0, 1000.0}) {
                        if (l2 > 0 && own > 0) continue;
                        Composite h;
                        h.l1 = l1;
                        h.l2 = l2;
                        h.norm = own;
                        const auto region = one.template make<Real>(groups, radius, h);
                        SCOPED_TRACE(region->describe());
                        const double weight = 1.5;
                        const auto point = random_matrix<Real>(shape, 17, 2);
                        Vertex<Real> nearest;
                        ASSERT_TRUE(region->proximal(point, weight, nearest));
                        const auto u = entries(nearest.to_matrix());
                        EXPECT_LE(one.norm(u, groups, lists), radius * (1 + this->accuracy));
                        // <s, v − u> + l1 (‖v‖₁ − ‖u‖₁) + own (Ω(v) − Ω(u)) ≥ 0 with s = weight (u − point) + l2 u, at its worst v.
                        std::vector<long double> s = entries(point);
                        for (std::size_t i = 0; i < s.size(); ++i) s[i] = weight * (u[i] - s[i]) + l2 * u[i];
                        const long double dual = one.dual(soft_threshold(s, l1), groups, lists);
                        const long double gap = dot(s, u) + l1 * norm(u, 1) +
                                                own * one.norm(u, groups, lists) +
                                                radius * std::max(dual - own, 0.0L);
                        const long double size =
                            one.dual(entries(point), groups, lists) * weight *
                            std::min<long double>(radius, one.norm(entries(point), groups, lists));
                        EXPECT_LE(gap, 10 * this->accuracy * size);
                    }
    });
}

TYPED_TEST(GroupBalls, PointsInsideStayWhereTheyAre) {
    using Real = TypeParam;
    this->for_each([&](const Case& one, const Groups& groups, Shape shape, const Lists&) {
        const auto region = one.template make<Real>(groups, 1000, {});
        const auto point = random_matrix<Real>(shape, 6);
        Vertex<Real> nearest;
        ASSERT_TRUE(region->proximal(point, 3, nearest));
        EXPECT_EQ(entries(nearest.to_matrix()), entries(point)) << region->describe();
    });
}

// Groups of single entries, or one of all, make l_p balls.
TYPED_TEST(GroupBalls, AreLpBallsWhereGroupsAreTrivial) {
    using Real = TypeParam;
    Groups outputs;
    outputs.kind = Groups::Kind::outputs;
    const Shape shape{1, 9};
    const auto expect_ball = [&](std::unique_ptr<Region<Real>> region, double p) {
        SCOPED_TRACE(region->describe());
        const auto ball = lp_ball<Real>(p, 1.3);
        EXPECT_LE(distance(region->diameter(shape), ball->diameter(shape)), 1e-12);
        for (unsigned seed = 0; seed < 5; ++seed) {
            const auto x = random_matrix<Real>(shape, seed);
            EXPECT_LE(distance(region->norm(x).value() / ball->norm(x).value(), 1), this->accuracy);
            Vertex<Real> a;
            Vertex<Real> b;
            region->minimize(x, 0, true, a);
            ball->minimize(x, 0, true, b);
            region->proximal(x, 1, a);
            ball->proximal(x, 1, b);
            const auto u = entries(a.to_matrix());
            const auto v = entries(b.to_matrix());
            for (std::size_t i = 0; i < u.size(); ++i) EXPECT_LE(distance(u[i], v[i]), 4 * this->accuracy);
        }
    };
    expect_ball(group_l12_ball<Real>({}, 1.3), 1);
    expect_ball(group_l1inf_ball<Real>({}, 1.3), 1);
    expect_ball(group_linf2_ball<Real>({}, 1.3), infinity);
    expect_ball(sparse_group_ball<Real>({}, 0.4, 1.3), 1);
    expect_ball(group_l12_ball<Real>(outputs, 1.3), 2);
    expect_ball(group_l1inf_ball<Real>(outputs, 1.3), infinity);
    expect_ball(group_linf2_ball<Real>(outputs, 1.3), 2);
}

TEST(Groups, TheFirstOfEqualGroupsIsTheAnswer) {
    Matrix<double> g(2, 6);
    g.fill(1);
    for (const Case& one : cases()) {
        if (one.name == "linf2") continue;  // all groups at once
        Vertex<double> vertex;
        one.make<double>(listed({{4, 5}, {0, 1}, {2, 3}}), 1, {})->minimize(g, 0, true, vertex);
        ASSERT_EQ(vertex.kind, Vertex<double>::Kind::sparse) << one.name;
        EXPECT_EQ(vertex.positions, (std::vector<Index>{4, 5, 10, 11})) << one.name;
    }
}

TEST(Groups, ThreadsAndTheFormOfTheListDoNotMatter) {
    const Shape shape{3, 50000};
    std::vector<std::vector<Index>> singles;
    for (Index j = 0; j < 1000; ++j) singles.push_back({j});
    const auto g = random_matrix<float>(shape, 2);
    const auto make = [&](const Case& one, const Groups& groups) { return one.make<float>(groups, 1, {}); };
    for (const Case& one : cases()) {
        Vertex<float> a;
        Vertex<float> b;
        make(one, {})->minimize(g, 0, true, a);
        make(one, listed(singles))->minimize(g, 0, true, b);
        EXPECT_TRUE(a == b) << one.name;
    }
    Vertex<float> a;
    Vertex<float> b;
    group_l12_ball<float>({}, 1, {}, 1)->minimize(g, 0, true, a);
    group_l12_ball<float>({}, 1, {}, 2)->minimize(g, 0, true, b);
    EXPECT_TRUE(a == b);
    sparse_group_ball<float>({}, 0.4, 1, {}, 1)->minimize(g, 0, true, a);
    sparse_group_ball<float>({}, 0.4, 1, {}, 2)->minimize(g, 0, true, b);
    EXPECT_TRUE(a == b);
    group_linf2_ball<float>({}, 1, {}, 1)->minimize(g, 0, true, a);
    group_linf2_ball<float>({}, 1, {}, 2)->minimize(g, 0, true, b);
    EXPECT_TRUE(a == b);
}

TEST(Groups, RejectWhatIsNotThere) {
    EXPECT_NE(message_of<Error>([] {
                  group_l12_ball<double>(listed({{0, 7}}), 1)->check({2, 7});
              }).find("there is no feature 7; the 7 features are numbered from 0"),
              std::string::npos);
    EXPECT_NE(message_of<Error>([] {
                  group_l12_ball<double>(listed({{0, 1}, {2}, {1, 3}}), 1);
              }).find("feature 1 is in group 0 already"),
              std::string::npos);
    EXPECT_NO_THROW(latent_group_ball<double>(listed({{0, 1}, {2}, {1, 3}}), 1)->check({1, 4}));
    EXPECT_NE(message_of<Error>([] { sparse_group_ball<double>({}, 1, 1); }).find("l1-ratio"),
              std::string::npos);
    Matrix<double> g(1, 4);
    g.fill(1);
    Vertex<double> vertex;
    for (const double bad : {infinity, std::nan("")}) {
        g(0, 2) = bad;
        for (const Case& one : cases())
            EXPECT_THROW(one.make<double>({}, 1, {})->minimize(g, 0, true, vertex), Error) << one.name;
    }
}

// ---- overlapping groups ----------------------------------------------------------------------------------------

// max <x, y> over ‖y_g‖ ≤ w_g: every y, shortened until it fits, is a lower bound. Here y_i = x_i / Σ_{g∋i} λ_g with
// λ_g ← λ_g ‖y_g‖ / w_g over and over, which climbs slowly.
long double latent_lower_bound(const std::vector<long double>& x, const Groups& groups, const Lists& lists) {
    std::vector<long double> lambda(lists.size(), 1);
    long double best = 0;
    for (int k = 0; k < 20000; ++k) {
        std::vector<long double> sums(x.size());
        for (std::size_t g = 0; g < lists.size(); ++g)
            for (const std::size_t i : lists[g]) sums[i] += lambda[g];
        auto y = x;
        for (std::size_t i = 0; i < y.size(); ++i) y[i] /= sums[i];
        long double most = 0;
        for (std::size_t g = 0; g < lists.size(); ++g) {
            const long double length = norm(part(y, lists[g]), 2) / weight_of(groups, lists[g]);
            lambda[g] *= length;
            most = std::max(most, length);
        }
        best = std::max(best, dot(x, y) / most);
    }
    return best;
}

TEST(LatentGroups, OfAChainHaveAClosedForm) {
    const auto region = latent_group_ball<double>(listed({{0, 1}, {1, 2}}), 1);
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto x = random_matrix<double>({1, 3}, seed);
        const double expected = std::hypot(x(0, 1), std::abs(x(0, 0)) + std::abs(x(0, 2)));
        EXPECT_LE(distance(region->norm(x).value() / expected, 1), 1e-13);
    }
    // Only one of the groups is in play.
    Matrix<double> x(1, 3);
    x(0, 0) = 3;
    x(0, 1) = 4;
    EXPECT_LE(distance(region->norm(x).value(), 5), 1e-12);
}

TEST(LatentGroups, InsideALargerGroupDoNotCount) {
    const auto x = random_matrix<double>({2, 5}, 3);
    const double length = static_cast<double>(norm(entries(x), 2));
    EXPECT_LE(
        distance(latent_group_ball<double>(listed({{0, 1}, {2, 3, 4}, {0, 1, 2, 3, 4}}), 1)->norm(x).value() /
                     length,
                 1),
        1e-12);
    EXPECT_LE(
        distance(latent_group_ball<double>(listed({{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}), 1)->norm(x).value() /
                     length,
                 1),
        1e-12);
}

TEST(LatentGroups, NormLiesBetweenDualAndPrimalBounds) {
    const Groups groups = listed({{0, 1, 2}, {2, 3, 4}, {4, 5, 0}, {1, 3, 5}, {6, 5}}, Groups::Weights::root);
    const auto region = latent_group_ball<double>(groups, 1);
    for (unsigned seed = 0; seed < 3; ++seed) {
        const Shape shape{2, 7};
        const auto x = random_matrix<double>(shape, seed);
        const Lists lists = positions(groups, shape);
        const auto value = static_cast<long double>(region->norm(x).value());
        const long double lower = latent_lower_bound(entries(x), groups, lists);
        EXPECT_GE(value, lower * (1 - 1e-13L));
        EXPECT_LE(value, lower * (1 + 1e-3L));  // it is slow, but gets near
        // Parts that add up to x, at random: none of them does better.
        std::mt19937 random(seed);
        std::exponential_distribution<double> share;
        for (int k = 0; k < 2000; ++k) {
            std::vector<long double> total(x.span().size());
            std::vector<std::vector<long double>> shares;
            for (const auto& group : lists) {
                shares.emplace_back();
                for (const std::size_t i : group) {
                    shares.back().push_back(share(random));
                    total[i] += shares.back().back();
                }
            }
            long double sum = 0;
            for (std::size_t g = 0; g < lists.size(); ++g) {
                auto z = part(entries(x), lists[g]);
                for (std::size_t i = 0; i < z.size(); ++i) z[i] *= shares[g][i] / total[lists[g][i]];
                sum += weight_of(groups, lists[g]) * norm(z, 2);
            }
            EXPECT_GE(sum, value * (1 - 1e-13L));
        }
    }
}

TEST(LatentGroups, OracleReachesTheBestGroup) {
    const Groups groups = listed({{0, 1, 2}, {2, 3}, {3, 4, 0}}, Groups::Weights::root);
    const Shape shape{2, 6};
    const Lists lists = positions(groups, shape);
    for (const double own : {0.0, 0.7}) {
        Composite h;
        h.norm = own;
        const auto region = latent_group_ball<double>(groups, 3, h);
        for (unsigned seed = 0; seed < 10; ++seed) {
            const auto g = random_matrix<double>(shape, seed);
            long double dual = 0;
            for (const auto& group : lists)
                dual = std::max(dual, norm(part(entries(g), group), 2) / weight_of(groups, group));
            Vertex<double> vertex;
            region->minimize(g, 0, true, vertex);
            const auto v = vertex.to_matrix();
            EXPECT_LE(
                distance(dot(entries(g), entries(v)) + vertex.composite, -3 * std::max(dual - own, 0.0L)),
                1e-12);
            EXPECT_LE(distance(region->norm(v).value(), dual > own ? 3 : 0), 1e-12);
            EXPECT_LE(distance(region->composite(v), vertex.composite), 1e-12);
        }
    }
    EXPECT_FALSE(latent_group_ball<double>(groups, 3)->has_proximal(shape));
}

// Many groups along a line, each sharing half of itself with the next.
TEST(LatentGroups, ManyAreMeasuredToRounding) {
    std::vector<std::vector<Index>> windows;
    for (Index first = 0; first + 10 <= 3000; first += 5) {
        windows.emplace_back(10);
        std::iota(windows.back().begin(), windows.back().end(), first);
    }
    const Groups groups = listed(windows);
    const auto region = latent_group_ball<double>(groups, 1);
    // A combination of vertices far from each other, whose parts are known: its norm is the sum of theirs.
    Matrix<double> x(1, 3000);
    double expected = 0;
    for (const Index first : {0, 100, 1000, 2500}) {
        double square = 0;
        for (Index j = first; j < first + 10; ++j) {
            x(0, j) = std::sin(static_cast<double>(j) + 1);
            square += x(0, j) * x(0, j);
        }
        expected += std::sqrt(square);
    }
    EXPECT_LE(distance(region->norm(x).value() / expected, 1), 1e-12);
    // Everywhere at once: an upper bound, proven by <x, y> for a y that fits.
    const auto all = random_matrix<double>({1, 3000}, 8);
    const double value = region->norm(all).value();
    Groups even = listed({});
    for (std::size_t k = 0; k < windows.size(); k += 2) even.listed.push_back(windows[k]);
    EXPECT_LT(value, group_l12_ball<double>(even, 1)->norm(all).value());
    // By symmetry of Ω: scaled points scale it, signs do not matter.
    Matrix<double> mirrored = all;
    for (double& entry : mirrored.span()) entry *= -1e200;
    EXPECT_LE(distance(region->norm(mirrored).value() / value, 1e200), 1e187);
}

// ---- rows ------------------------------------------------------------------------------------------------------

TEST(RowProduct, AnswersRowByRow) {
    const auto g = random_matrix<double>({4, 6}, 1);
    for (const double p : {1.0, 1.5, 2.0, infinity}) {
        Composite h;
        h.l1 = 0.2;
        h.l2 = p == 1 ? 0 : 0.3;
        const auto each = lp_ball<double>(p, 2, h);
        const auto product = row_product(lp_ball<double>(p, 2, h));
        Vertex<double> all;
        Vertex<double> one;
        EXPECT_EQ(product->minimize(g, 0, true, all), 0);
        double sum = 0;
        for (Index i = 0; i < 4; ++i) {
            Matrix<double> row(1, 6);
            for (Index j = 0; j < 6; ++j) row(0, j) = g(i, j);
            each->minimize(row, 0, true, one);
            sum += one.composite;
            for (Index j = 0; j < 6; ++j) EXPECT_EQ(all.at(i, j), one.at(0, j)) << p;
        }
        EXPECT_DOUBLE_EQ(all.composite, sum);
        EXPECT_EQ(all.kind == Vertex<double>::Kind::sparse, p == 1);
        EXPECT_DOUBLE_EQ(product->diameter({4, 6}), 2 * each->diameter({1, 6}));
    }
}

}  // namespace
}  // namespace alfcg
