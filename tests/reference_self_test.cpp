// The reference implementation checked against closed forms, finite differences, duality and runs computed by
// hand, so that a difference between it and the library points at the library or at the specification.
// Losses, normalisations and oracles are here; estimators and methods in the header at the end of the
// includes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/normalise.hpp"
#include "reference/samples.hpp"
#include "reference/self_test_methods.hpp"

namespace {

using reference::gaussian;
using reference::Index;
using reference::line_problem;
using reference::Matrix;
using reference::Problem;
using reference::random_problem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix scalar(double value) {
    return Matrix::Constant(1, 1, value);
}

TEST(ReferenceLosses, GradientsAreTheDerivativesOfTheValues) {
    for (const std::string loss : {"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"}) {
        Problem problem = random_problem(loss);
        problem.loss_parameter = 1.3;
        const Matrix x = 0.3 * gaussian(problem.outputs, problem.features(), 5);
        const Matrix gradient = full_gradient(problem, x);
        for (Index k = 0; k < x.size(); ++k) {
            const double h = 1e-5;
            Matrix right = x;
            Matrix left = x;
            right(k) += h;
            left(k) -= h;
            const double slope = (full_value(problem, right) - full_value(problem, left)) / (2 * h);
            EXPECT_NEAR(gradient(k), slope, 1e-8) << loss;
        }
    }
}

TEST(ReferenceLosses, ValuesAreTheFormulasOfTheSpecification) {
    const auto value = [](const std::string& loss, double z, double y, double parameter) {
        Problem problem = line_problem({y});
        problem.loss = loss;
        problem.loss_parameter = parameter;
        return full_value(problem, scalar(z));
    };
    EXPECT_NEAR(value("logistic", 0.7, -1, 1), std::log(1 + std::exp(0.7)), 1e-15);
    EXPECT_NEAR(value("squared", 0.7, -1, 1), 0.5 * 1.7 * 1.7, 1e-15);
    EXPECT_NEAR(value("huber", 0.7, -1, 1), 1.7 - 0.5, 1e-15);
    EXPECT_NEAR(value("huber", 0.7, -1, 2), 0.5 * 1.7 * 1.7, 1e-15);
    EXPECT_NEAR(value("sigmoid", 0.7, -1, 1), 1 / (1 + std::exp(-0.7)), 1e-15);
    EXPECT_NEAR(value("welsch", 0.7, -1, 2), 2 * (1 - std::exp(-1.7 * 1.7 / 4)), 1e-15);
    EXPECT_DOUBLE_EQ(value("logistic", 1e5, -1, 1), 1e5);
    EXPECT_GT(value("logistic", 700, 1, 1), 0.0);
}

TEST(ReferenceLosses, MultinomialIsRightForLogitsOfAnySize) {
    Problem problem;
    problem.X = Matrix::Ones(1, 1);
    problem.classes = {1};
    problem.outputs = 3;
    Matrix x(3, 1);
    x << 1e4, -1e4, 0;
    EXPECT_DOUBLE_EQ(full_value(problem, x), 2e4);
    const Matrix gradient = full_gradient(problem, x);
    EXPECT_DOUBLE_EQ(gradient(0), 1);
    EXPECT_DOUBLE_EQ(gradient(1), -1);
    x << 0.1, 0.2, -0.4;
    const double total = std::exp(0.1) + std::exp(0.2) + std::exp(-0.4);
    EXPECT_NEAR(full_value(problem, x), std::log(total) - 0.2, 1e-15);
    EXPECT_NEAR(full_gradient(problem, x)(1), std::exp(0.2) / total - 1, 1e-15);
}

TEST(ReferenceLosses, ABatchCountsRepeats) {
    const Problem problem = random_problem("multinomial");
    const Matrix x = gaussian(problem.outputs, problem.features(), 3);
    const Matrix expected = (2 * sample_gradient(problem, x, 4) + sample_gradient(problem, x, 9)) / 3;
    EXPECT_LT((batch_gradient(problem, x, {4, 9, 4}) - expected).norm(), 1e-15);
}

TEST(ReferenceLosses, LabelsBecomeClassesAndSigns) {
    Problem problem;
    set_classes(problem, {5, -2, 9, 5});
    EXPECT_EQ(problem.classes, (std::vector<int>{1, 0, 2, 1}));
    EXPECT_EQ(problem.outputs, 3);
    set_signs(problem, {2, 1, 2});
    EXPECT_EQ(problem.targets, (std::vector<double>{1, -1, 1}));
}

TEST(ReferenceLosses, GradientsAreLipschitzWithTheStatedConstant) {
    for (const std::string loss : {"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"}) {
        const Problem problem = random_problem(loss);
        const double bound = smoothness(problem);
        for (unsigned seed = 0; seed < 50; ++seed) {
            const Matrix a = gaussian(problem.outputs, problem.features(), 100 + seed);
            const Matrix b = a + 0.1 * gaussian(problem.outputs, problem.features(), 200 + seed);
            const double change = (full_gradient(problem, a) - full_gradient(problem, b)).norm();
            EXPECT_LE(change, bound * (a - b).norm() * (1 + 1e-12)) << loss;
        }
    }
}

TEST(ReferenceNormalise, EachKindHasItsProperty) {
    Matrix X = gaussian(12, 4, 8);
    X.row(3).setZero();
    X.col(2).setConstant(0.1);
    X(3, 2) = 0.1;
    Matrix zero_row = X;
    zero_row.row(5).setZero();
    EXPECT_EQ(reference::normalise(X, "none"), X);
    const Matrix rows = reference::normalise(zero_row, "rows");
    EXPECT_NEAR(rows.row(0).norm(), 1, 1e-15);
    EXPECT_EQ(rows.row(5).norm(), 0);
    const Matrix columns = reference::normalise(X, "columns");
    EXPECT_EQ(columns.col(2), X.col(2));
    const Eigen::ArrayXd column = columns.col(1).array();
    EXPECT_NEAR((column.square().mean() - column.mean() * column.mean()), 1, 1e-14);
    EXPECT_EQ(columns(3, 0), 0);
    const Matrix spectral = reference::normalise(X, "spectral");
    EXPECT_NEAR(Eigen::SelfAdjointEigenSolver<Matrix>(spectral.transpose() * spectral).eigenvalues()(3), 1,
                1e-13);
}

// ||a||_q, q the dual exponent of p.
double dual_norm(const Matrix& a, double p) {
    if (p == 1) return a.cwiseAbs().maxCoeff();
    if (std::isinf(p)) return a.cwiseAbs().sum();
    const double q = p / (p - 1);
    const double top = a.cwiseAbs().maxCoeff();
    return top == 0 ? 0 : top * std::pow((a.cwiseAbs().array() / top).pow(q).sum(), 1 / q);
}

// v minimises <g,v> + l1||v||_1 + (mu/2)||v||^2 over the ball exactly when it minimises the linearised
// <g + mu v, .> + l1||.||_1, whose least value is -r ||soft(g + mu v, l1)||_q by duality.
TEST(ReferenceOracles, LpAnswersMeetTheirDualValue) {
    for (const double p : {1.0, 1.05, 1.5, 1.8, 2.0, 2.5, 3.0, 7.0, 40.0, kInfinity})
        for (const double radius : {0.2, 1.0, 30.0})
            for (const double l1 : {0.0, 0.4})
                for (const double l2 : {0.0, 0.05, 2.0}) {
                    Problem problem;
                    problem.p = p;
                    problem.radius = radius;
                    problem.l1 = l1;
                    problem.l2 = l2;
                    const Matrix g = gaussian(3, 5, 17);
                    const Matrix v = linear_minimiser(problem, g);
                    const Matrix slope = g + l2 * v;
                    const Matrix soft =
                        slope.cwiseSign().cwiseProduct((slope.cwiseAbs().array() - l1).max(0).matrix());
                    const double primal = reference::inner(slope, v) + l1 * v.cwiseAbs().sum();
                    EXPECT_NEAR(primal, -radius * dual_norm(soft, p), 1e-11 * radius)
                        << "p=" << p << " r=" << radius << " l1=" << l1 << " l2=" << l2;
                    EXPECT_LE(region_norm(problem, v), radius * (1 + 1e-12));
                }
}

TEST(ReferenceOracles, NuclearAnswersMeetTheirDualValue) {
    for (const double radius : {0.2, 1.0, 30.0})
        for (const double weight : {0.0, 0.7, 2.0, 100.0})
            for (const double l2 : {0.0, 0.05, 2.0}) {
                Problem problem;
                problem.region = "nuclear";
                problem.radius = radius;
                problem.nuclear = weight;
                problem.l2 = l2;
                const Matrix g = gaussian(3, 7, 4);
                const Matrix v = linear_minimiser(problem, g);
                const Matrix slope = g + l2 * v;
                const double top = Eigen::JacobiSVD<Matrix>(slope).singularValues()(0);
                EXPECT_NEAR(reference::inner(slope, v) + weight * reference::nuclear_norm(v),
                            -radius * std::max(top - weight, 0.0), 1e-11 * radius);
                EXPECT_LE(region_norm(problem, v), radius * (1 + 1e-12));
            }
}

TEST(ReferenceOracles, NoRandomFeasiblePointIsBetter) {
    for (const std::string region : {"l1", "l2", "linf", "lp", "nuclear"}) {
        Problem problem;
        problem.region = region;
        problem.p = 3;
        problem.radius = 1.5;
        problem.l2 = 0.8;
        (region == "nuclear" ? problem.nuclear : problem.l1) = 0.3;
        const Matrix g = gaussian(2, 3, 31);
        const auto value = [&](const Matrix& v) { return reference::inner(g, v) + composite(problem, v); };
        const Matrix best = linear_minimiser(problem, g);
        for (unsigned seed = 0; seed < 300; ++seed) {
            Matrix other = gaussian(2, 3, 1000 + seed);
            other *= problem.radius / region_norm(problem, other);
            for (const double part : {1e-4, 0.1, 1.0})
                EXPECT_LE(value(best), value(best + part * (other - best)) + 1e-13) << region;
        }
    }
}

TEST(ReferenceOracles, ClosedFormsOfSmallCases) {
    Problem problem;
    Matrix g(2, 2);
    g << 3, -4, 0, 0;
    problem.radius = 2;
    Matrix expected(2, 2);
    expected << -1.2, 1.6, 0, 0;
    problem.region = "l2";
    EXPECT_LT((linear_minimiser(problem, g) - expected).norm(), 1e-15);
    problem.region = "linf";
    expected << -2, 2, 0, 0;
    EXPECT_EQ(linear_minimiser(problem, g), expected);
    problem.region = "l1";
    expected << 0, 2, 0, 0;
    EXPECT_EQ(linear_minimiser(problem, g), expected);
    problem.region = "nuclear";
    expected << -1.2, 1.6, 0, 0;
    EXPECT_LT((linear_minimiser(problem, g) - expected).norm(), 1e-15);
    // Ties in the l_1 ball: the lowest index, row-major.
    problem.region = "l1";
    g << 1, -5, 5, 5;
    expected << 0, 2, 0, 0;
    EXPECT_EQ(linear_minimiser(problem, g), expected);
}

TEST(ReferenceOracles, ZeroAndExtremeGradients) {
    for (const std::string region : {"l1", "l2", "linf", "lp", "nuclear"})
        for (const double l2 : {0.0, 1.0}) {
            Problem problem;
            problem.region = region;
            problem.p = 3;
            problem.l2 = l2;
            EXPECT_EQ(linear_minimiser(problem, Matrix::Zero(2, 3)).norm(), 0) << region;
            const Matrix g = gaussian(2, 3, 12);
            const Matrix huge = linear_minimiser(problem, 1e300 * g);
            EXPECT_NEAR(region_norm(problem, huge), 1, 1e-12) << region << l2;
            if (l2 == 0.0) {
                EXPECT_LT((huge - linear_minimiser(problem, g)).norm(), 1e-12) << region;
                EXPECT_LT((linear_minimiser(problem, 1e-300 * g) - linear_minimiser(problem, g)).norm(),
                          1e-12);
            }
        }
}

TEST(ReferenceOracles, TheDiameterIsReached) {
    Problem problem;
    problem.X = Matrix::Zero(1, 4);
    problem.outputs = 2;
    problem.p = 4;
    problem.radius = 3;
    const Matrix corner = linear_minimiser(problem, Matrix::Ones(2, 4));
    EXPECT_NEAR(diameter(problem), 2 * corner.norm(), 1e-13);
    problem.region = "l1";
    EXPECT_EQ(diameter(problem), 6);
}

}  // namespace
