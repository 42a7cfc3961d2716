// Structured regions against all of their vertices, enumerated.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "alfcg/region/combined.hpp"
#include "alfcg/region/spec.hpp"
#include "alfcg/region/structured.hpp"
#include "region/linear_program.hpp"
#include "region/order.hpp"
#include "region_enumeration.hpp"
#include "region_reference.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

template <class Real>
class Structured : public ::testing::Test {
  protected:
    static constexpr double rounding = std::is_same_v<Real, float> ? 1e-5 : 1e-13;

    // Gradients at random, others with ties, and a walk of small changes, on which warm starts live.
    static std::vector<Matrix<Real>> gradients(Shape shape) {
        std::vector<Matrix<Real>> all;
        std::mt19937_64 random(5);
        for (unsigned seed = 0; seed < 60; ++seed) all.push_back(random_matrix<Real>(shape, seed));
        for (int k = 0; k < 60; ++k) {
            all.emplace_back(shape);
            for (Real& entry : all.back().span())
                entry = static_cast<Real>(static_cast<int>(random() % 3) - 1);
        }
        for (unsigned k = 0; k < 120; ++k) {
            all.push_back(all.back());
            const Matrix<Real> change = random_matrix<Real>(shape, 100 + k, 0.1);
            for (Index i = 0; i < change.size(); ++i) all.back().data()[i] += change.data()[i];
        }
        all.emplace_back(shape);
        return all;
    }

    // The oracle's answers are as good as the best vertex; vertices and their mean are inside; what lies beyond the best vertex is
    // not.
    static void expect_hull(Region<Real>& region, Shape shape, const std::vector<Point>& vertices,
                            double accuracy = rounding) {
        ASSERT_FALSE(vertices.empty());
        region.check(shape);
        Vertex<Real> vertex;
        for (const Matrix<Real>& gradient : gradients(shape)) {
            const auto g = entries(gradient);
            long double best = infinity;
            long double size = 0;
            for (const Point& point : vertices) {
                best = std::min(best, dot(g, point));
                size = std::max(size, norm(g, 2) * norm(point, 2));
            }
            const double slack = region.minimize(gradient, 0, true, vertex);
            const Matrix<Real> answer = vertex.to_matrix();
            ASSERT_LE(slack, accuracy * (1 + static_cast<double>(size)));
            ASSERT_NEAR(static_cast<double>(dot(g, entries(answer)) - best), 0,
                        accuracy * (1 + static_cast<double>(size)));
            ASSERT_LE(region.violation(answer), accuracy);
            if (norm(g, 2) == 0) continue;
            Matrix<Real> beyond = answer;
            const double step = 1e-2 * (1 + region.diameter(shape)) / static_cast<double>(norm(g, 2));
            for (Index i = 0; i < beyond.size(); ++i)
                beyond.data()[i] -= static_cast<Real>(step) * gradient.data()[i];
            ASSERT_GT(region.violation(beyond), 0);
        }
        Matrix<Real> mean(shape);
        for (Index i = 0; i < mean.size(); ++i) {
            long double sum = 0;
            for (const Point& point : vertices) sum += point[static_cast<std::size_t>(i)];
            mean.data()[i] = static_cast<Real>(sum / static_cast<long double>(vertices.size()));
        }
        EXPECT_LE(region.violation(mean), accuracy);
        for (std::size_t a = 0; a < vertices.size(); a += 1 + vertices.size() / 100)
            for (const Point& other : vertices) {
                Point difference = other;
                for (std::size_t i = 0; i < other.size(); ++i) difference[i] -= vertices[a][i];
                ASSERT_LE(norm(difference, 2), region.diameter(shape) * (1 + accuracy));
            }
    }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Structured, Precisions);

Graph graph_of(const std::string& text, bool capacities = false) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("graph")) << text;
    return read_graph(folder.file("graph"), capacities);
}

std::vector<Point> scaled(std::vector<Point> points, long double factor) {
    for (Point& point : points)
        for (long double& entry : point) entry *= factor;
    return points;
}

// Every row any of the points.
std::vector<Point> two_rows(const std::vector<Point>& points) {
    std::vector<Point> all;
    for (const Point& one : points)
        for (const Point& other : points) {
            all.push_back(one);
            all.back().insert(all.back().end(), other.begin(), other.end());
        }
    return all;
}

std::vector<Point> permutation_matrices(std::size_t n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<Point> all;
    do {
        all.emplace_back(n * n, 0);
        for (std::size_t i = 0; i < n; ++i) all.back()[i * n + order[i]] = 1;
    } while (std::next_permutation(order.begin(), order.end()));
    return all;
}

TYPED_TEST(Structured, BirkhoffHasThePermutationMatrices) {
    for (const Index n : {1, 2, 3, 5})
        this->expect_hull(*birkhoff<TypeParam>(0.5), {n, n},
                          scaled(permutation_matrices(static_cast<std::size_t>(n)), 0.5L));
}

TYPED_TEST(Structured, TransportHasTheBasesOfItsNetwork) {
    const std::vector<double> supply{1, 2.5, 0.5};
    const std::vector<double> demand{0.75, 1.25, 1, 1};
    std::vector<Point> a(7, Point(12, 0));
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 4; ++j) a[i][4 * i + j] = a[3 + j][4 * i + j] = 1;
    Point b(supply.begin(), supply.end());
    b.insert(b.end(), demand.begin(), demand.end());
    const auto vertices = standard_vertices(a, b, 6, 12);
    this->expect_hull(*transport<TypeParam>(supply, demand, 2), {3, 4}, scaled(vertices, 2));
    for (long double& amount : b) amount = &amount < &b[3] ? 1.0L / 3 : 0.25L;
    this->expect_hull(*transport<TypeParam>({}, {}), {3, 4}, standard_vertices(a, b, 6, 12));
}

TYPED_TEST(Structured, RowsOfStochasticMatricesAreAnyUnitVectors) {
    std::vector<Point> units(3, Point(3, 0));
    for (std::size_t i = 0; i < 3; ++i) units[i][i] = 4;
    this->expect_hull(*row_stochastic<TypeParam>(4), {2, 3}, two_rows(units));
}

TYPED_TEST(Structured, ThePermutahedronHasAllOrders) {
    std::vector<double> levels{-1, 0.5, 0.5, 2, 3};
    std::vector<Point> all;
    do all.emplace_back(levels.begin(), levels.end());
    while (std::next_permutation(levels.begin(), levels.end()));
    this->expect_hull(*permutahedron<TypeParam>({0.5, 3, -1, 2, 0.5}, 2), {1, 5}, scaled(all, 2));
}

TYPED_TEST(Structured, ThePolymatroidHasAllGreedyVertices) {
    const std::vector<double> levels{3, 2, 2, 0.5};
    std::vector<Point> all;
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    do {
        Point point(5, 0);
        all.push_back(point);
        for (std::size_t k = 0; k < levels.size(); ++k) {
            point[order[k]] = levels[k];
            all.push_back(point);
        }
    } while (std::next_permutation(order.begin(), order.end()));
    this->expect_hull(*polymatroid<TypeParam>(levels), {1, 5}, all);
}

TYPED_TEST(Structured, TotalVariationHasSteps) {
    for (const Index columns : {1, 5, 8, 21}) {
        std::vector<Point> all;
        for (Index row = 0; row < 2; ++row)
            for (Index from = 0; from < columns; ++from)
                for (const double sign : {-1.5, 1.5}) {
                    all.emplace_back(static_cast<std::size_t>(2 * columns), 0);
                    for (Index j = from; j < columns; ++j)
                        all.back()[static_cast<std::size_t>(row * columns + j)] = sign;
                }
        this->expect_hull(*total_variation<TypeParam>(1.5), {2, columns}, all);
    }
}

TYPED_TEST(Structured, SpanningTreesAreChoicesOfEdgesThatConnect) {
    const Graph graph = graph_of("a b\na c\nb c\nb d\nc d\nc e\nd e\na e\na b\n");
    std::vector<Point> trees;
    for_each_choice(9, 4, [&](const std::vector<std::size_t>& chosen) {
        std::vector<Index> part(5);
        std::iota(part.begin(), part.end(), Index{0});
        for (const std::size_t k : chosen) {
            const Index from = part[static_cast<std::size_t>(graph.edges[k].from)];
            const Index to = part[static_cast<std::size_t>(graph.edges[k].to)];
            std::replace(part.begin(), part.end(), from, to);
        }
        if (std::count(part.begin(), part.end(), part[0]) != 5) return;
        trees.emplace_back(9, 0);
        for (const std::size_t k : chosen) trees.back()[k] = 1;
    });
    this->expect_hull(*spanning_tree<TypeParam>(graph), {1, 9}, trees);
}

TYPED_TEST(Structured, PathsAreFlowsOfOneUnitThroughAGraphWithoutCycles) {
    const Graph graph = graph_of("s a\ns b\na b\na t\nb t\nb c\nc t\nx s\nt y\n");
    std::vector<double> supply(graph.nodes.size(), 0);
    supply[static_cast<std::size_t>(graph.node("s"))] = 1;
    supply[static_cast<std::size_t>(graph.node("t"))] = -1;
    const auto paths = flow_vertices(graph, supply);
    this->expect_hull(*dag_paths<TypeParam>(graph, "s", "t", 3), {1, 9}, scaled(paths, 3));
    this->expect_hull(*dag_paths<TypeParam>(graph, "s", "t"), {2, 9}, two_rows(paths));
    this->expect_hull(*network_flow<TypeParam>(graph, supply), {1, 9}, paths);
}

TYPED_TEST(Structured, FlowsKeepToCapacities) {
    const Graph graph = graph_of("a b 2\na c 1\nb c 1.5\nb d 1\nc d 2\nd a 0.5\nc e\nd e 2\n", true);
    std::vector<double> supply(graph.nodes.size(), 0);
    supply[static_cast<std::size_t>(graph.node("a"))] = 2;
    supply[static_cast<std::size_t>(graph.node("d"))] = -0.5;
    supply[static_cast<std::size_t>(graph.node("e"))] = -1.5;
    this->expect_hull(*network_flow<TypeParam>(graph, supply, 2), {1, 8},
                      scaled(flow_vertices(graph, supply), 2));
}

TYPED_TEST(Structured, MatchingsTouchNoNodeTwice) {
    const Graph graph = graph_of("1 x\n1 y\n2 x\n2 z\ny 3\n3 z\n4 x\n");
    std::vector<Point> matchings;
    for (unsigned chosen = 0; chosen < 1U << 7U; ++chosen) {
        Point point(7, 0);
        std::vector<int> touched(graph.nodes.size(), 0);
        for (std::size_t k = 0; k < 7; ++k) {
            if ((chosen >> k & 1U) == 0) continue;
            point[k] = 1;
            ++touched[static_cast<std::size_t>(graph.edges[k].from)];
            ++touched[static_cast<std::size_t>(graph.edges[k].to)];
        }
        if (*std::max_element(touched.begin(), touched.end()) <= 1) matchings.push_back(point);
    }
    this->expect_hull(*bipartite_matching<TypeParam>(graph), {1, 7}, matchings);
    this->expect_hull(*bipartite_matching<TypeParam>(graph, 0.5), {2, 7}, two_rows(scaled(matchings, 0.5L)));
}

// The same points as compressed rows.
template <class Real>
SparseFeatures<Real> compressed(const std::vector<Point>& points) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    *start.extend(1) = 0;
    for (const Point& point : points) {
        for (std::size_t j = 0; j < point.size(); ++j) {
            if (point[j] == 0) continue;
            *column.extend(1) = static_cast<std::int32_t>(j);
            *value.extend(1) = static_cast<Real>(point[j]);
        }
        *start.extend(1) = static_cast<Index>(value.size());
    }
    return {std::move(start), std::move(column), std::move(value), static_cast<Index>(points.size()),
            static_cast<Index>(points[0].size())};
}

TYPED_TEST(Structured, HullsHaveTheirPoints) {
    const std::vector<Point> points{{1, 0, 0, 2}, {0, 1, 0, -1}, {0, 0, 1, 1}, {-2, 1, 0, 0}, {1, 1, 1, 0}};
    Buffer<TypeParam> entries;
    for (const Point& point : points)
        for (const long double entry : point) *entries.extend(1) = static_cast<TypeParam>(entry);
    const DenseFeatures<TypeParam> dense(std::move(entries), 5, 4);
    const SparseFeatures<TypeParam> sparse = compressed<TypeParam>(points);
    for (const Features<TypeParam>& listed : {Features<TypeParam>(dense), Features<TypeParam>(sparse)}) {
        this->expect_hull(*vertex_hull<TypeParam>(listed, 3), {2, 2}, scaled(points, 3));
        this->expect_hull(*data_hull<TypeParam>(listed), {2, 4}, two_rows(points));
    }
}

TYPED_TEST(Structured, LinearConstraintsHaveTheVerticesOfTheirInequalities) {
    if (!region::has_linear_solver()) GTEST_SKIP() << "built without a linear programming solver";
    const std::vector<Point> a{{1, 1, 1, 1},  {-1, 0, 0, 0}, {0, -1, 0, 0},
                               {0, 0, -1, 0}, {0, 0, 0, -1}, {1, -2, 0.5, 0}};
    const Point b{2, 1, 1, 1, 0.5, 1};
    LinearConstraints constraints{"six", Matrix<double>(6, 4), std::vector<double>(6, -infinity), {}};
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 4; ++j)
            constraints.coefficients(static_cast<Index>(i), static_cast<Index>(j)) =
                static_cast<double>(a[i][j]);
        constraints.upper.push_back(static_cast<double>(b[i]));
    }
    const auto vertices = inequality_vertices(a, b);
    // To the tolerance that the solver is asked for.
    const double accuracy = std::max(this->rounding, 1e-9);
    this->expect_hull(*linear_constraints<TypeParam>(constraints, 2), {1, 4}, scaled(vertices, 2), accuracy);
    this->expect_hull(*linear_constraints<TypeParam>(constraints), {2, 4}, two_rows(vertices), accuracy);
}

TYPED_TEST(Structured, SumsHaveSumsOfVertices) {
    std::vector<Point> sums;
    for (std::size_t i = 0; i < 4; ++i)
        for (const double sign : {-2.0, 2.0})
            for (unsigned signs = 0; signs < 16; ++signs) {
                Point point(4, 0);
                for (std::size_t j = 0; j < 4; ++j) point[j] = (signs >> j & 1U) != 0 ? 0.5 : -0.5;
                point[i] += sign;
                sums.push_back(point);
            }
    std::vector<std::unique_ptr<Region<TypeParam>>> parts;
    parts.push_back(lp_ball<TypeParam>(1, 2));
    parts.push_back(lp_ball<TypeParam>(infinity, 0.5));
    this->expect_hull(*minkowski_sum<TypeParam>(std::move(parts)), {1, 4}, sums);
}

TYPED_TEST(Structured, ShiftedSetsAreWhereTheyWereMovedTo) {
    std::vector<Point> corners;
    for (std::size_t i = 0; i < 3; ++i)
        for (const double sign : {-3.0, 3.0}) {
            corners.push_back({1, 2, -1});
            corners.back()[i] += sign;
        }
    Matrix<TypeParam> shift(1, 3);
    std::copy_n(std::vector<TypeParam>{1, 2, -1}.begin(), 3, shift.data());
    this->expect_hull(*shifted<TypeParam>(lp_ball<TypeParam>(1, 1.5), shift, 2), {1, 3}, corners);
}

TYPED_TEST(Structured, ProductsHaveAnyVertexInEveryBlock) {
    std::vector<Point> all;
    for (const std::size_t one : {0U, 2U})
        for (const double sign : {-2.0, 2.0})
            for (const Point& rest : std::vector<Point>{{1, 0}, {0, 1}}) {
                Point point{0, rest[0], 0, rest[1]};
                point[one] = sign;
                all.push_back(point);
            }
    std::vector<Block<TypeParam>> blocks;
    blocks.push_back({lp_ball<TypeParam>(1, 2), {}, {0, 2}});
    blocks.push_back({row_stochastic<TypeParam>(), {}, {1, 3}});
    this->expect_hull(*product<TypeParam>(std::move(blocks)), {1, 4}, all);
}

TEST(Assignments, AgreeWithTransportPlansWhenLarge) {
    const Index n = 70;
    const auto one = birkhoff<double>();
    const auto other = transport<double>(std::vector<double>(70, 1), std::vector<double>(70, 1));
    Vertex<double> vertex;
    Matrix<double> gradient = random_matrix<double>({n, n}, 1);
    for (unsigned round = 0; round < 20; ++round) {
        const Matrix<double> change = random_matrix<double>({n, n}, 50 + round, round % 5 == 0 ? 10 : 0.02);
        for (Index i = 0; i < change.size(); ++i) gradient.data()[i] += change.data()[i];
        one->minimize(gradient, 0, true, vertex);
        const long double first = dot(entries(gradient), entries(vertex.to_matrix()));
        other->minimize(gradient, 0, true, vertex);
        EXPECT_NEAR(static_cast<double>(first - dot(entries(gradient), entries(vertex.to_matrix()))), 0,
                    1e-10);
    }
}

TYPED_TEST(Structured, OrdersAreThoseOfAStableSort) {
    std::mt19937_64 random(3);
    for (const std::size_t n : {1U, 2U, 255U, 256U, 5000U})
        for (int kind = 0; kind < 4; ++kind) {
            std::vector<TypeParam> numbers(n);
            for (TypeParam& number : numbers) {
                const double unit = static_cast<double>(random() % 1000) - 500;
                number =
                    static_cast<TypeParam>(kind == 0   ? unit
                                           : kind == 1 ? 1 + unit * std::numeric_limits<TypeParam>::epsilon()
                                           : kind == 2 ? std::copysign(0.0, unit)
                                                       : unit * std::exp(unit / 10));
            }
            std::vector<Index> order(n);
            std::iota(order.begin(), order.end(), Index{0});
            std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
                return numbers[static_cast<std::size_t>(a)] < numbers[static_cast<std::size_t>(b)];
            });
            region::Order found;
            found.sort(std::span<const TypeParam>(numbers));
            for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(found[k], order[k]) << n << ' ' << kind;
        }
}

}  // namespace
}  // namespace alfcg
