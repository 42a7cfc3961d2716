// Regions made of others: what the text of their parts means, and what remembered vertices may and may not do.
#include <gtest/gtest.h>

#include <fstream>

#include "alfcg/core/error.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/region/combined.hpp"
#include "alfcg/region/spec.hpp"
#include "alfcg/region/structured.hpp"
#include "region/linear_program.hpp"
#include "region/parts.hpp"
#include "region_reference.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing";
}

TEST(Parts, AreNamesWithParametersRowsAndColumns) {
    const auto parts =
        region::parse_parts("l1 radius=2 columns=1-3,7; lp p='inf' radius=\"0.5\" rows=2 ;", true);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].spec.name, "l1");
    EXPECT_EQ(parts[0].spec.parameters, (Parameters{{"radius", 2}}));
    EXPECT_EQ(parts[0].columns, (std::vector<Index>{0, 1, 2, 6}));
    EXPECT_TRUE(parts[0].rows.empty());
    EXPECT_EQ(parts[1].spec.parameters, (Parameters{{"radius", 0.5}, {"p", infinity}}));
    EXPECT_EQ(parts[1].rows, std::vector<Index>{1});
}

TEST(Parts, InQuotesAreRegionsOfRegions) {
    const RegionSpec spec{"sum", {}, {}};
    RegionSpec nested = spec;
    nested.parameters.set("of", "product of='l1 columns=1 radius=2; l2 columns=2,3'; linf radius=1");
    const auto region = make_region<double>(nested);
    Matrix<double> gradient(1, 3);
    std::copy_n(std::vector<double>{1, 3, 4}.begin(), 3, gradient.data());
    Vertex<double> vertex;
    region->minimize(gradient, 0, true, vertex);
    EXPECT_NEAR(vertex.at(0, 0), -2 - 1, 1e-12);
    EXPECT_NEAR(vertex.at(0, 1), -10 * 0.6 - 1, 1e-12);
    EXPECT_NEAR(vertex.at(0, 2), -10 * 0.8 - 1, 1e-12);
}

TEST(Parts, ThatAreWrongAreNamed) {
    const auto said = [](const std::string& text) {
        return refusal([&] { region::parse_parts(text, true); });
    };
    EXPECT_EQ(said("l1; l7 radius=2"), refusal([] { region::parse_parts("l2; l7 radius=2", true); }));
    EXPECT_NE(said("l1; l7 radius=2").find("of part 2: region must be one of"), std::string::npos);
    EXPECT_EQ(said("l1 radius=-2"), "of part 1: radius must be positive, not -2");
    EXPECT_EQ(said("l1 size=2"), "of part 1: size is not a parameter of l1, which has radius = 10");
    EXPECT_EQ(said("l1 2"), "of part 1: expected NAME=VALUE, not '2'");
    EXPECT_EQ(said("l1; ; l2"), "of part 2: is empty; expected the name of a region and its parameters");
    EXPECT_EQ(said("l1 columns=0-3"),
              "of part 1: columns must be numbers or ranges from 1, like 1-100,105, not '0-3'");
    EXPECT_EQ(said("l1 columns=5-3"),
              "of part 1: columns must be numbers or ranges from 1, like 1-100,105, not '5-3'");
    EXPECT_EQ(said("lp p='2"), "of part 1: a quote is not closed");
    EXPECT_EQ(said("lp radius=2"),
              "of part 1: p is needed by the region lp: the p of the l_p norm, from 1 to inf");
    EXPECT_EQ(refusal([] { region::parse_parts("l1 columns=1", false); }),
              "of part 1: columns is not a parameter of l1, which has radius = 10");
}

std::unique_ptr<Region<double>> product_of(const std::string& parts) {
    RegionSpec spec{"product", {}, {}};
    spec.parameters.set("of", parts);
    return make_region<double>(spec);
}

TEST(Products, NeedEveryEntryOnce) {
    EXPECT_EQ(refusal([] { product_of("l1 columns=1-3; l2 columns=4,5")->check({2, 5}); }), "nothing");
    EXPECT_EQ(refusal([] {
                  product_of("l1 columns=1-3; l2 columns=5")->check({2, 5});
              }),
              "of no part has row 1, column 4: every entry must belong to one");
    EXPECT_EQ(refusal([] {
                  product_of("l1 columns=1-3; l2 columns=3-5")->check({2, 5});
              }),
              "of part 2 has row 1, column 3, which a part before it has too");
    EXPECT_EQ(refusal([] {
                  product_of("l1 columns=1-3; l2 columns=4-6")->check({2, 5});
              }),
              "of part 2 has column 6, but points have 5 of them");
    EXPECT_EQ(refusal([] {
                  product_of("birkhoff columns=1-3; l2 columns=4-5")->check({2, 5});
              }),
              "region birkhoff has square points, not 2 x 3");
}

TEST(Products, TakeTermsThatAllPartsTake) {
    RegionSpec spec{"product", {}, {.l1 = 0.1}};
    spec.parameters.set("of", "l1 columns=1; birkhoff columns=2");
    EXPECT_EQ(refusal([&] { make_region<double>(spec); }),
              "l1 has no oracle over the region birkhoff, which takes no such term");
}

TEST(Files, OfStructuredRegionsAreRefusedWithTheirLine) {
    const TemporaryFolder folder;
    const auto said = [&](const std::string& name, const std::map<std::string, std::string>& files,
                          const std::map<std::string, std::string>& words = {}) {
        RegionSpec spec{name, {}, {}};
        for (const auto& [parameter, content] : files) {
            std::ofstream(folder.file(parameter)) << content;
            spec.parameters.set(parameter, folder.file(parameter));
        }
        for (const auto& [parameter, word] : words) spec.parameters.set(parameter, word);
        std::string message = refusal([&] { make_region<double>(spec); });
        const std::string path = folder.path() + "/";
        for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path))
            message.erase(at, path.size());
        return message;
    };
    EXPECT_EQ(said("spanning-tree", {{"graph", "a b\n# why\nb\n"}}),
              "graph:3: expected an edge, 'from to', not 1 field");
    EXPECT_EQ(said("spanning-tree", {{"graph", "a b\nb b\n"}}), "graph:2: an edge from 'b' to itself");
    EXPECT_EQ(said("spanning-tree", {{"graph", "\n"}}), "graph: has no edges");
    EXPECT_EQ(said("spanning-tree", {{"graph", "a b\nc d\n"}}),
              "graph: has 2 components; a spanning tree needs a connected graph");
    EXPECT_EQ(said("dag-paths", {{"graph", "a b\nb c\nc b\nc d\n"}}),
              "graph:3: the edge from 'c' to 'b' is part of a cycle; paths need a graph without any");
    EXPECT_EQ(said("dag-paths", {{"graph", "a b\nc b\nb d\n"}}),
              "source is needed: graph has 2 nodes that no edge leads to");
    EXPECT_EQ(said("dag-paths", {{"graph", "a b\nc b\nb d\n"}}, {{"source", "d"}, {"sink", "a"}}),
              "graph: no path leads from 'd' to 'a'");
    EXPECT_EQ(said("dag-paths", {{"graph", "a b\nc b\nb d\n"}}, {{"source", "e"}}), "graph: has no node 'e'");
    EXPECT_EQ(said("flow", {{"graph", "a b -1\n"}}, {{"source", "a"}, {"sink", "b"}}),
              "graph:1: a capacity must be 0 or positive, not -1");
    EXPECT_EQ(said("flow", {{"graph", "a b x\n"}}, {{"source", "a"}, {"sink", "b"}}),
              "graph:1: 'x' is not a number");
    EXPECT_EQ(said("flow", {{"graph", "a b 0.25\n"}}, {{"source", "a"}, {"sink", "b"}}),
              "graph: 0.75 of a supply of 1 cannot get where it is needed");
    EXPECT_EQ(said("flow", {{"graph", "a b\nb c\nc a\n"}}, {{"source", "a"}, {"sink", "b"}}),
              "graph:3: the edge from 'c' to 'a' is part of a cycle without capacities: flows have no bound");
    EXPECT_EQ(said("flow", {{"graph", "a b 1\n"}}),
              "supply is needed by the region flow, or `source` and `sink` instead of it");
    EXPECT_EQ(said("flow", {{"graph", "a b 1\n"}, {"supply", "a 1\nb -2\n"}}),
              "supply must add up to 0, not to -1: what some nodes send, others take");
    EXPECT_EQ(said("flow", {{"graph", "a b 1\n"}, {"supply", "a 1\nc -1\n"}}),
              "supply:2: 'c' is no node of graph");
    EXPECT_EQ(
        said("matching", {{"graph", "a b\nb c\nc a\n"}}),
        "graph:2: the edge from 'b' to 'c' is part of a cycle of odd length: the graph is not bipartite");
    EXPECT_EQ(said("transport", {{"supply", "1 2\n"}, {"demand", "1 1 1.5\n"}}),
              "demand adds up to 3.5 and `supply` to 3: both must be the same");
    EXPECT_EQ(said("transport", {{"supply", "1 -2\n"}}), "supply must be 0 or positive, not -2");
    EXPECT_EQ(said("polymatroid", {{"levels", "1 2\n"}}), "levels must not increase: 1 comes before 2");
    EXPECT_EQ(said("permutahedron", {{"levels", "1 two\n"}}), "levels:1: 'two' is not a number");
    EXPECT_EQ(said("linear", {}),
              "at-most is needed by the region linear, or `equal`: a file of constraints");
    if (!region::has_linear_solver()) return;
    EXPECT_EQ(said("linear", {{"at-most", "1,0,1\n-1,0,-2\n"}}),
              "at-most: the constraints contradict each other: no point fulfils all of them");
    EXPECT_EQ(said("linear", {{"at-most", "1,1,1\n-1,0,0\n"}}),
              "at-most: the set that the constraints describe has no bound in some direction; add bounds");
}

TEST(Regions, WithFilesRefuseOtherShapes) {
    const auto said = [](const Region<double>& region, Shape shape) {
        return refusal([&] { region.check(shape); });
    };
    const Graph graph{"roads", {"a", "b"}, {{0, 1}, {1, 0}, {0, 1}}};
    EXPECT_EQ(said(*spanning_tree<double>(graph), {1, 4}),
              "region has 3 edges (roads), but points have 4 columns");
    EXPECT_EQ(said(*birkhoff<double>(), {2, 3}), "region birkhoff has square points, not 2 x 3");
    EXPECT_EQ(said(*transport<double>({1, 1}, {}), {3, 3}), "supply has 2 numbers, but points have 3 rows");
    EXPECT_EQ(said(*permutahedron<double>({1, 2, 3}), {2, 2}),
              "levels has 3 numbers, but points have 4 entries");
}

/// Counts what it is asked.
template <class Real>
class Counted final : public Region<Real> {
  public:
    explicit Counted(std::unique_ptr<Region<Real>> region) : region_(std::move(region)) {}
    [[nodiscard]] std::string describe() const override { return region_->describe(); }
    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        ++asked;
        return region_->minimize(gradient, tolerance, certify, vertex);
    }
    double composite(const Matrix<Real>& x) override { return region_->composite(x); }
    [[nodiscard]] double diameter(Shape shape) const override { return region_->diameter(shape); }
    double violation(const Matrix<Real>& x) override { return region_->violation(x); }
    Matrix<Real> start(Shape shape) override { return region_->start(shape); }

    int asked = 0;

  private:
    std::unique_ptr<Region<Real>> region_;
};

// Nearest doubly stochastic matrix.
TEST(Lazy, ReachesTheSameGapWithFewerQuestionsAndReportsItExactly) {
    const Shape shape{12, 12};
    const Matrix<double> target = random_matrix<double>(shape, 4, 0.3);
    for (const char* name : {"fw-pairwise", "fw-away", "fw-blended", "fw-shortstep", "alfcg-d"}) {
        int asked[2] = {0, 0};
        double value[2] = {0, 0};
        for (const bool is_lazy : {false, true}) {
            const auto f = custom_objective<double>(shape, [&](auto x, auto gradient) {
                double sum = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    gradient[i] = x[i] - target.span()[i];
                    sum += gradient[i] * gradient[i] / 2;
                }
                return sum;
            });
            auto counted = std::make_unique<Counted<double>>(birkhoff<double>());
            Counted<double>& oracle = *counted;
            std::unique_ptr<Region<double>> region = std::move(counted);
            if (is_lazy) region = lazy<double>(std::move(region), 200);
            Options options;
            options.method = name;
            if (options.method == "fw-shortstep") options.parameters.set("lipschitz", 1);
            options.max_iterations = 4000;
            options.gap = options.method == "alfcg-d" || options.method == "fw-shortstep" ? 3e-2 : 1e-6;
            const auto result = solve(*f, *region, options);
            asked[is_lazy] = oracle.asked;
            value[is_lazy] = result.metrics.objective;
            EXPECT_EQ(result.status, Status::converged) << name;
            // The gap, by a region that remembers nothing.
            Matrix<double> gradient(shape);
            f->evaluate(result.x, gradient);
            Vertex<double> vertex;
            birkhoff<double>()->minimize(gradient, 0, true, vertex);
            EXPECT_NEAR(result.metrics.gap, -direction_to(vertex, gradient, result.x).slope, 1e-12) << name;
            EXPECT_TRUE(result.metrics.gap_exact) << name;
        }
        EXPECT_NEAR(value[0], value[1], 3e-2) << name;
        EXPECT_LT(asked[1], asked[0]) << name;
        RecordProperty(std::string(name) + "-asked", asked[0]);
        RecordProperty(std::string(name) + "-asked-lazy", asked[1]);
    }
}

TEST(Lazy, ForgetsThoseThatWereNotUsedForLongest) {
    const auto region = lazy<double>(lp_ball<double>(1, 1), 2);
    const auto ask = [&](Index largest) {
        Matrix<double> gradient(1, 4);
        gradient(0, largest) = 1;
        Vertex<double> vertex;
        region->minimize(gradient, 0, true, vertex);
    };
    const auto knows = [&](Index largest) {
        Matrix<double> gradient(1, 4);
        gradient(0, largest) = 1;
        Vertex<double> vertex;
        return region->recall(gradient, -1, vertex);
    };
    ask(0);
    ask(1);
    EXPECT_TRUE(knows(0));
    ask(2);
    EXPECT_TRUE(knows(0));
    EXPECT_FALSE(knows(1));
    EXPECT_TRUE(knows(2));
    EXPECT_FALSE(knows(3));
}

}  // namespace
}  // namespace alfcg
