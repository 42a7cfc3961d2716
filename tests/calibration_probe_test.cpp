// `--rho probe` is the printed method, on f over the length of its first gradient, with the curvature along
// the first direction for ρ.
#include <gtest/gtest.h>

#include "calibration_cases.hpp"

namespace alfcg {
namespace {

constexpr double tolerance = 1e-9;
// Short enough that no gap has come down to rounding, which the two runs do not share.
constexpr Index run_length = 20;

// dᵀ Xᵀ X d / (b ‖d‖²) over the rows listed, d from the origin to the vertex for this gradient.
double exact_curvature(const reference::Problem& problem, Region<double>& region, const Matrix<double>& g,
                       const reference::Draw& rows) {
    Vertex<double> vertex;
    region.minimize(g, 0, false, vertex);
    const reference::Matrix d = from_matrix(vertex.to_matrix());
    double sum = 0;
    for (const auto i : rows) sum += std::pow(problem.X.row(i).dot(d.row(0)), 2);
    return sum / (static_cast<double>(rows.size()) * d.squaredNorm());
}

struct Probed {
    Way way;
    std::vector<std::vector<Index>> draws;
};

Probed probe(const reference::Problem& problem, const std::string& method) {
    Options options = run_options(method, run_length);
    options.parameters.set("rho", "probe");
    Probed probed;
    options.on_draw = [&](auto rows) { probed.draws.emplace_back(rows.begin(), rows.end()); };
    Bridge<double> bridge(problem);
    probed.way = walk(*bridge.objective, *bridge.region, options);
    return probed;
}

TEST(Probe, OfASquaredLossIsTheExactCurvature) {
    for (const double p : {1.0, 2.0, 3.0})
        for (const std::string& method : alfcg_methods()) {
            auto problem = reference::random_problem("squared", 50, 6);
            problem.p = p;
            Bridge<double> bridge(problem);
            const Matrix<double> origin(1, 6);
            const Probed probed = probe(problem, method);
            Matrix<double> gradient;
            reference::Draw rows = reference::all_rows(problem);
            if (method == "alfcg-mvr1" || method == "alfcg-mvr2") {
                bridge.objective->batch_gradient(probed.draws.at(0), origin, gradient);
                // mvr1 looks at a second batch, which has had no part in the direction.
                if (method == "alfcg-mvr1") rows.assign(probed.draws.at(1).begin(), probed.draws.at(1).end());
            } else {
                bridge.objective->evaluate(origin, gradient);
            }
            const double expected = exact_curvature(problem, *bridge.region, gradient, rows);
            EXPECT_NEAR(*probed.way.result.scale / expected, 1, 1e-9) << method << " p=" << p;
        }
}

TEST(Probe, IsThePrintedMethodOnTheObjectiveInItsOwnUnit) {
    for (const std::string loss : {"multinomial", "logistic", "squared"})
        for (const BallCase& ball : ball_cases())
            for (const std::string& method : alfcg_methods()) {
                SCOPED_TRACE(loss + " " + ball.text() + " " + method);
                auto problem = reference::random_problem(loss, 60, 6);
                ball.put(problem);
                problem.radius = 2;
                const Probed probed = probe(problem, method);

                Bridge<double> bridge(problem);
                Matrix<double> gradient;
                const Matrix<double> origin(bridge.objective->shape());
                auto draws = probed.draws;
                if (method == "alfcg-mvr1") {
                    bridge.objective->batch_gradient(draws.at(1), origin, gradient);
                    draws.erase(draws.begin() + 1);
                } else {
                    bridge.objective->evaluate(origin, gradient);
                }
                const double unit = from_matrix(gradient).norm();
                Options options = run_options(method, run_length);
                options.parameters.set("rho", *probed.way.result.scale / unit);
                options.batches = draws;
                auto same = problem;
                same.l1 /= unit;
                same.l2 /= unit;
                same.nuclear /= unit;
                Bridge<double> other(same);
                ScaledObjective objective(*other.objective, 1 / unit);
                const Way printed = walk(objective, *other.region, options);

                ASSERT_EQ(printed.x.size(), probed.way.x.size());
                for (std::size_t t = 0; t < printed.x.size(); ++t) {
                    const double size = from_matrix(printed.x[t]).norm();
                    ASSERT_LE(distance(printed.x[t], probed.way.x[t]), tolerance * size) << "t=" << t;
                    if (!printed.curvature[t]) continue;
                    const double curvature = unit * *printed.curvature[t];
                    ASSERT_NEAR(*probed.way.curvature[t] / curvature, 1, tolerance) << "t=" << t;
                }
            }
}

}  // namespace
}  // namespace alfcg
