// Every row of the table of regions: what its oracle reaches is the least that there is, found here by counting vertices, or by another
// formula. A region that is not in `least` below fails.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>

#include "alfcg/region/spec.hpp"
#include "region/graph_file.hpp"
#include "region/linear_program.hpp"
#include "region_enumeration.hpp"
#include "region_examples.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

using Values = std::vector<long double>;
// min <g, v> over the region, g in the order of rows.
using Least = std::function<long double(const Values& g)>;

struct Checked {
    Parameters parameters;
    Shape shape;
    Least least;
};

Least over(std::vector<Point> vertices) {
    return [vertices = std::move(vertices)](const Values& g) {
        long double best = HUGE_VALL;
        for (const Point& vertex : vertices) best = std::min(best, dot(g, vertex));
        return best;
    };
}
Least times(long double factor, const Least& least) {
    return [=](const Values& g) { return factor * least(g); };
}

// {x : <a, x> ≤ b for all rows}, by the points where as many hold with equality as there are entries.
struct Inequalities {
    explicit Inequalities(std::size_t n) : entries(n) {}
    Inequalities& at_most(Point a, long double b) {
        rows.push_back(std::move(a));
        bounds.push_back(b);
        return *this;
    }
    Inequalities& between(long double low, long double high) {
        for (std::size_t i = 0; i < entries; ++i) {
            Point unit(entries, 0);
            unit[i] = 1;
            at_most(unit, high);
            unit[i] = -1;
            at_most(unit, -low);
        }
        return *this;
    }
    Inequalities& sum(long double cost, long double bound, bool exactly = false) {
        at_most(Point(entries, cost), bound);
        if (exactly) at_most(Point(entries, -cost), -bound);
        return *this;
    }
    // <a, x> ≤ bound(ones) for all a from a set of numbers, unless there is no bound.
    Inequalities& all(const Point& numbers, const std::function<long double(const Point&)>& bound) {
        std::vector<std::size_t> digits(entries, 0);
        for (;;) {
            Point a;
            for (const std::size_t digit : digits) a.push_back(numbers[digit]);
            if (const long double b = bound(a); std::isfinite(b)) at_most(a, b);
            std::size_t i = 0;
            while (i < entries && digits[i] + 1 == numbers.size()) digits[i++] = 0;
            if (i == entries) return *this;
            ++digits[i];
        }
    }
    [[nodiscard]] Least least() const { return over(inequality_vertices(rows, bounds)); }

    std::size_t entries;
    std::vector<Point> rows;
    Point bounds;
};

std::size_t not_zero(const Point& a) {
    return static_cast<std::size_t>(
        std::count_if(a.begin(), a.end(), [](long double entry) { return entry != 0; }));
}
constexpr long double no_bound = HUGE_VALL;

// −radius · (dual norm).
Least ball(long double radius, const std::function<long double(const Values& sizes)>& dual_norm) {
    return [=](Values g) {
        for (long double& entry : g) entry = std::abs(entry);
        return -radius * dual_norm(g);
    };
}
long double largest(const Values& x) {
    return norm(x, infinity);
}
long double first_of_sorted(Values x, std::size_t k) {
    std::sort(x.rbegin(), x.rend());
    return std::accumulate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(k), 0.0L);
}
// Over all sets of entries.
long double best_set(const Values& t, const std::function<long double(const Values& chosen)>& value) {
    long double best = 0;
    for (std::size_t k = 1; k <= t.size(); ++k)
        for_each_choice(t.size(), k, [&](const std::vector<std::size_t>& chosen) {
            Values some;
            for (const std::size_t i : chosen) some.push_back(t[i]);
            best = std::max(best, value(some));
        });
    return best;
}

// A value for each column (or row), of a matrix of two rows and three columns.
Values columns(const Values& g, const std::function<long double(const Values&)>& value) {
    return {value({g[0], g[3]}), value({g[1], g[4]}), value({g[2], g[5]})};
}
Values rows(const Values& g, const std::function<long double(const Values&)>& value) {
    return {value({g[0], g[1], g[2]}), value({g[3], g[4], g[5]})};
}
long double length(const Values& x) {
    return norm(x, 2);
}
long double sum_of(const Values& x) {
    return norm(x, 1);
}

// ν with ‖(a − ν/2)₊‖ = ν/2, by bisection.
long double half_sparse_dual(const Values& a) {
    long double low = 0;
    long double high = 4 * sum_of(a) + 1;
    for (int k = 0; k < 100; ++k) {
        const long double middle = (low + high) / 2;
        (length(soft_threshold(a, middle / 2)) > middle / 2 ? low : high) = middle;
    }
    return low;
}

Eigen::MatrixXd matrix_of(const Values& g, Index matrix_rows) {
    Eigen::MatrixXd matrix(matrix_rows, static_cast<Index>(g.size()) / matrix_rows);
    for (std::size_t i = 0; i < g.size(); ++i)
        matrix(static_cast<Index>(i) / matrix.cols(), static_cast<Index>(i) % matrix.cols()) =
            static_cast<double>(g[i]);
    return matrix;
}
Least of_singular_values(const std::function<long double(const Values&)>& dual_norm) {
    return [=](const Values& g) {
        const Eigen::VectorXd found = Eigen::JacobiSVD<Eigen::MatrixXd>(matrix_of(g, 2)).singularValues();
        return -2 * dual_norm(Values(found.begin(), found.end()));
    };
}
// Of the symmetric part, the smallest first.
Least of_eigenvalues(const std::function<long double(const Values&)>& value) {
    return [=](const Values& g) {
        const Eigen::MatrixXd matrix = matrix_of(g, 3);
        const Eigen::VectorXd found =
            Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>((matrix + matrix.transpose()) / 2).eigenvalues();
        return 2 * value(Values(found.begin(), found.end()));
    };
}

std::vector<Point> orders(Point numbers) {
    std::vector<Point> all;
    std::sort(numbers.begin(), numbers.end());
    do all.push_back(numbers);
    while (std::next_permutation(numbers.begin(), numbers.end()));
    return all;
}

// Ones on some of the edges.
std::vector<Point> edge_sets(const Graph& graph,
                             const std::function<bool(const std::vector<std::size_t>&)>& good) {
    std::vector<Point> all{{}};
    all.clear();
    for (std::size_t k = 0; k <= graph.edges.size(); ++k)
        for_each_choice(graph.edges.size(), k, [&](const std::vector<std::size_t>& chosen) {
            if (!good(chosen)) return;
            all.emplace_back(graph.edges.size(), 0);
            for (const std::size_t edge : chosen) all.back()[edge] = 1;
        });
    return all;
}
bool is_spanning_tree(const Graph& graph, const std::vector<std::size_t>& chosen) {
    std::vector<Index> part(graph.nodes.size());
    std::iota(part.begin(), part.end(), Index{0});
    for (const std::size_t k : chosen) {
        const Index from = part[static_cast<std::size_t>(graph.edges[k].from)];
        const Index to = part[static_cast<std::size_t>(graph.edges[k].to)];
        if (from == to) return false;
        std::replace(part.begin(), part.end(), from, to);
    }
    return chosen.size() + 1 == graph.nodes.size();
}
bool is_matching(const Graph& graph, const std::vector<std::size_t>& chosen) {
    std::vector<int> touched(graph.nodes.size(), 0);
    for (const std::size_t k : chosen) {
        ++touched[static_cast<std::size_t>(graph.edges[k].from)];
        ++touched[static_cast<std::size_t>(graph.edges[k].to)];
    }
    return *std::max_element(touched.begin(), touched.end()) <= 1;
}
std::vector<double> one_unit(const Graph& graph, std::string_view from, std::string_view to) {
    std::vector<double> supply(graph.nodes.size(), 0);
    supply[static_cast<std::size_t>(graph.node(std::string(from)))] = 1;
    supply[static_cast<std::size_t>(graph.node(std::string(to)))] = -1;
    return supply;
}

using Table = std::multimap<std::string_view, Checked>;

void add_norms(Table& all) {
    const Shape row{1, 5};
    all.insert(
        {{"l1", {{{"radius", 2}}, row, ball(2, largest)}},
         {"l2", {{{"radius", 2}}, row, ball(2, length)}},
         {"linf", {{{"radius", 2}}, row, ball(2, sum_of)}},
         {"lp", {{{"radius", 2}, {"p", 3}}, row, ball(2, [](const Values& t) { return norm(t, 1.5L); })}},
         {"weighted-l1", {{{"radius", 2}, {"costs", 0.3}}, row, ball(2 / 0.3L, largest)}},
         {"ellipsoid", {{{"radius", 2}, {"axes", 0.5}}, row, ball(1, length)}}});
    for (const std::size_t k : {1U, 3U, 5U}) {
        const Parameters given{{"radius", 2}, {"k", static_cast<double>(k)}};
        const auto top = [k](const Values& t) { return first_of_sorted(t, k); };
        all.insert({{"k-sparse", {given, row, ball(2, top)}},
                    {"k-support",
                     {given, row,
                      ball(2,
                           [k](const Values& t) {
                               return best_set(t, [k](const Values& chosen) {
                                   return chosen.size() > k ? 0 : length(chosen);
                               });
                           })}},
                    // <a, x> ≤ radius for all signs on k entries, by its vertices.
                    {"k-norm",
                     {given,
                      {1, 3},
                      Inequalities(3)
                          .all({-1, 0, 1},
                               [k](const Point& a) {
                                   return not_zero(a) == std::min<std::size_t>(k, 3) ? 2 : no_bound;
                               })
                          .least()}}});
    }
    for (const double slope : {0.0, 1.0, 20.0})
        all.insert({"owl", {{{"radius", 2}, {"slope", slope}}, row, ball(2, [slope](const Values& t) {
                                return best_set(t, [slope](const Values& chosen) {
                                    long double weights = 0;
                                    for (std::size_t k = 0; k < chosen.size(); ++k)
                                        weights += 1 + slope * (1 - static_cast<long double>(k) / 4);
                                    return sum_of(chosen) / weights;
                                });
                            })}});
}

void add_boxes(Table& all) {
    const Shape row{1, 4};
    const auto l1 = [](long double radius) {
        return [radius](const Point& a) { return not_zero(a) == a.size() ? radius : no_bound; };
    };
    all.insert(
        {{"box", {{{"lower", -1}, {"upper", 3}}, row, Inequalities(4).between(-1, 3).least()}},
         {"box", {{{"lower", 0.5}, {"upper", 0.75}}, row, Inequalities(4).between(0.5L, 0.75L).least()}},
         {"bounded-l1",
          {{{"radius", 2}, {"lower", -0.25}, {"upper", 0.75}},
           row,
           Inequalities(4).between(-0.25L, 0.75L).all({-1, 1}, l1(2)).least()}},
         {"bounded-l1",
          {{{"radius", 2}, {"lower", 0}}, row, Inequalities(4).between(0, 9).sum(1, 2).least()}},
         {"nonnegative-l1", {{{"radius", 2}}, row, Inequalities(4).between(0, 9).sum(1, 2).least()}},
         {"nonnegative-l2",
          {{{"radius", 2}},
           row,
           [](Values g) {
               for (long double& entry : g) entry = std::max(-entry, 0.0L);
               return -2 * length(g);
           }}},
         {"simplex", {{{"radius", 2}}, row, Inequalities(4).between(0, 9).sum(1, 2, true).least()}},
         {"unit-simplex", {{}, row, Inequalities(4).between(0, 9).sum(1, 1).least()}},
         {"capped-simplex",
          {{{"radius", 2}, {"cap", 0.75}}, row, Inequalities(4).between(0, 0.75L).sum(1, 2, true).least()}},
         {"hypersimplex",
          {{{"radius", 2}, {"k", 3}}, row, Inequalities(4).between(0, 2).sum(1, 6, true).least()}},
         {"knapsack",
          {{{"radius", 2}, {"costs", 3}, {"upper", 0.25}},
           row,
           Inequalities(4).between(0, 0.25L).sum(3, 2).least()}},
         {"isotonic",
          {{{"lower", -1}, {"upper", 2}},
           row,
           Inequalities(4)
               .between(-1, 2)
               .at_most({1, -1, 0, 0}, 0)
               .at_most({0, 1, -1, 0}, 0)
               .at_most({0, 0, 1, -1}, 0)
               .least()}}});
}

void add_groups(Table& all) {
    const Shape shape{2, 3};
    const Parameters given{{"radius", 2}};
    const auto of = [](const auto& inner, const auto& outer) {
        return ball(2, [=](const Values& g) { return outer(columns(g, inner)); });
    };
    all.insert(
        {{"group-l12", {given, shape, of(length, largest)}},
         {"group-l1inf", {given, shape, of(sum_of, largest)}},
         {"group-linf2", {given, shape, of(length, sum_of)}},
         {"sparse-group", {given, shape, of(half_sparse_dual, largest)}},
         {"latent-groups", {given, shape, of(length, largest)}},
         {"rows-lp",
          {{{"radius", 2}, {"p", 3}},
           shape,
           ball(2,
                [](const Values& g) {
                    return sum_of(rows(g, [](const Values& t) { return norm(t, 1.5L); }));
                })}},
         {"row-stochastic", {given, shape, [](const Values& g) {
                                 return 2 * (std::min({g[0], g[1], g[2]}) + std::min({g[3], g[4], g[5]}));
                             }}}});
}

void add_spectral(Table& all) {
    const Shape shape{2, 3};
    const Shape square{3, 3};
    const Parameters given{{"radius", 2}};
    const auto negative = [](Values values) {
        for (long double& value : values) value = std::min(value, 0.0L);
        return -sum_of(values);
    };
    all.insert(
        {{"nuclear", {given, shape, of_singular_values(largest)}},
         {"spectral", {given, shape, of_singular_values(sum_of)}},
         {"ky-fan", {{{"radius", 2}, {"k", 2}}, shape, of_singular_values([](const Values& s) {
                         return std::max(largest(s), sum_of(s) / 2);
                     })}},
         {"schatten", {{{"radius", 2}, {"p", 3}}, shape, of_singular_values([](const Values& s) {
                           return norm(s, 1.5L);
                       })}},
         {"spectraplex", {given, square, of_eigenvalues([](const Values& e) { return e[0]; })}},
         {"trace", {given, square, of_eigenvalues([](const Values& e) { return std::min(e[0], 0.0L); })}},
         {"fantope",
          {{{"radius", 2}, {"k", 2}}, square, of_eigenvalues([](const Values& e) { return e[0] + e[1]; })}},
         {"psd-box", {given, square, of_eigenvalues(negative)}}});
}

void add_structured(Table& all) {
    std::vector<Point> permutations;
    for (const Point& order : orders({0, 1, 2})) {
        permutations.emplace_back(9, 0);
        for (std::size_t i = 0; i < 3; ++i)
            permutations.back()[3 * i + static_cast<std::size_t>(order[i])] = 1;
    }
    all.insert({"birkhoff", {{{"radius", 2}}, {3, 3}, times(2, over(permutations))}});
    std::vector<Point> sums(5, Point(6, 0));
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) sums[i][3 * i + j] = sums[2 + j][3 * i + j] = 1;
    all.insert({"transport",
                {{{"radius", 2}},
                 {2, 3},
                 times(2, over(standard_vertices(sums, {0.5L, 0.5L, 1 / 3.0L, 1 / 3.0L, 1 / 3.0L}, 4, 6)))}});
    all.insert({"permutahedron", {{{"radius", 2}}, {1, 4}, times(2, over(orders({1, 2, 3, 4})))}});
    all.insert({"polymatroid",
                {{},
                 {1, 4},
                 Inequalities(4)
                     .between(0, 9)
                     .all({0, 1},
                          [](const Point& a) {
                              return not_zero(a) == 0 ? no_bound
                                                      : std::sqrt(static_cast<long double>(not_zero(a)));
                          })
                     .least()}});
    std::vector<Point> steps;
    for (std::size_t k = 0; k < 6; ++k)
        for (const int sign : {-2, 2}) {
            steps.emplace_back(6, 0);
            const auto from = steps.back().begin() + static_cast<std::ptrdiff_t>(k);
            std::fill(from, from + (3 - static_cast<std::ptrdiff_t>(k % 3)), sign);
        }
    all.insert({"total-variation", {{{"radius", 2}}, {2, 3}, over(steps)}});
}

void add_files(Table& all) {
    const Graph graph = read_graph(example_file("graph"), false);
    all.insert(
        {"spanning-tree",
         {with({{"radius", 2}}, {{"graph", "graph"}}),
          {1, 8},
          times(2, over(edge_sets(graph, [&](const auto& set) { return is_spanning_tree(graph, set); })))}});
    const Graph pairs = read_graph(example_file("pairs"), false);
    all.insert(
        {"matching",
         {with({{"radius", 2}}, {{"graph", "pairs"}}),
          {1, 8},
          times(2, over(edge_sets(pairs, [&](const auto& set) { return is_matching(pairs, set); })))}});
    const Graph dag = read_graph(example_file("dag"), false);
    const auto paths = over(flow_vertices(dag, one_unit(dag, "a", "f")));
    const Parameters ends = with({}, {{"graph", "dag"}, {"source", "a"}, {"sink", "f"}});
    all.insert({{"dag-paths", {ends, {1, 9}, paths}}, {"flow", {ends, {1, 9}, paths}}});
    const std::vector<Point> points{{1, 0, 0, 2, 0, 1},
                                    {0, 1, 0, -1, 3, 0},
                                    {0, 0, 1, 1, 1, 1},
                                    {-2, 1, 0, 0, 1, -1},
                                    {1, 1, 1, 0, -1, 0.5L}};
    all.insert(
        {{"vertices", {with({{"radius", 2}}, {{"vertices", "points"}}), {2, 3}, times(2, over(points))}},
         {"hull", {with({}, {{"points", "points"}}), {1, 6}, over(points)}}});
    if (!region::has_linear_solver()) {
        all.insert({"linear", {{}, {}, {}}});
        return;
    }
    Inequalities limits(4);
    limits.at_most({1, 1, 1, 1}, 2).at_most({-1, 0, 0, 0}, 1).at_most({0, -1, 0, 0}, 1);
    limits.at_most({0, 0, -1, 0}, 1).at_most({0, 0, 0, -1}, 0.5L).at_most({1, -2, 0.5L, 0}, 1);
    all.insert(
        {"linear", {with({{"radius", 2}}, {{"at-most", "at-most"}}), {1, 4}, times(2, limits.least())}});
}

void add_combined(Table& all) {
    const auto parts = [](std::string_view text) { return with({}, {{"of", std::string(text)}}); };
    const Shape row{1, 4};
    all.insert({{"product",
                 {parts("l1 radius=2 columns=1,3; linf radius=0.5 columns=2,4"), row,
                  ball(1, [](const Values& t) { return 2 * std::max(t[0], t[2]) + (t[1] + t[3]) / 2; })}},
                {"sum",
                 {parts("l1 radius=2; linf radius=0.3"), row,
                  ball(1, [](const Values& t) { return 2 * largest(t) + 0.3L * sum_of(t); })}},
                {"shifted",
                 {with({{"shift", 0.7}}, {{"of", "l1 radius=2"}}), row,
                  [](const Values& g) {
                      return -2 * largest(g) + 0.7L * std::accumulate(g.begin(), g.end(), 0.0L);
                  }}},
                {"lazy", {parts("l2 radius=3"), row, ball(3, length)}}});
}

const Table& least_of() {
    static const Table table = [] {
        Table all;
        for (const auto& add :
             {add_norms, add_boxes, add_groups, add_spectral, add_structured, add_files, add_combined})
            add(all);
        return all;
    }();
    return table;
}

template <class Real>
class LeastOf : public ::testing::Test {
  protected:
    static constexpr double accuracy = std::is_same_v<Real, float> ? 4e-6 : 2e-13;

    // At random; with ties; alike but for signs; with zeros; small changes of the last one; nothing but zeros.
    static std::vector<Matrix<Real>> gradients(Shape shape) {
        std::vector<Matrix<Real>> all;
        for (unsigned seed = 0; seed < 60; ++seed) {
            all.push_back(random_matrix<Real>(shape, seed));
            for (Real& entry : all.back().span()) {
                if (seed % 6 == 1) entry = std::round(2 * entry) / 2;
                if (seed % 6 == 2) entry = std::copysign(Real(0.5), entry);
                if (seed % 6 == 3 && std::abs(entry) < Real(0.7)) entry = 0;
                if (seed % 6 == 4) entry = Real(1) + entry * std::numeric_limits<Real>::epsilon();
                if (seed % 6 == 5) entry = -std::abs(entry);
            }
        }
        all.emplace_back(shape);
        return all;
    }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LeastOf, Precisions);

TYPED_TEST(LeastOf, EveryRegionIsReached) {
    for (const RegionInfo& info : regions()) {
        const auto [first, last] = least_of().equal_range(info.name);
        EXPECT_NE(first, last) << "the region " << info.name
                               << " is not compared with anything slow and sure";
        for (auto one = first; one != last; ++one) {
            const auto& [parameters, shape, least] = one->second;
            if (!least) continue;  // needs what is not there
            const auto region = make_region<TypeParam>({std::string(info.name), parameters, {}});
            SCOPED_TRACE(region->describe());
            region->check(shape);
            // The linear programs are solved to a tolerance.
            const double tolerance = info.name == "linear" ? std::max(this->accuracy, 1e-9) : this->accuracy;
            Vertex<TypeParam> vertex;
            for (const auto& gradient : this->gradients(shape)) {
                const double slack = region->minimize(gradient, 0, true, vertex);
                const Values g = entries(gradient);
                const Matrix<TypeParam> answer = vertex.to_matrix();
                const double reached = static_cast<double>(dot(g, entries(answer)));
                const double best = static_cast<double>(least(g));
                const double size = 1 + static_cast<double>(length(g)) * (1 + region->diameter(shape));
                ASSERT_NEAR(reached, best, tolerance * size);
                ASSERT_LE(slack, tolerance * size);
                ASSERT_LE(region->violation(answer), tolerance);
            }
        }
    }
}

}  // namespace
}  // namespace alfcg
