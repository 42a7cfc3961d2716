// f on a few directions of its space is what the loss is on the products of the data with them.
#include <gtest/gtest.h>

#include <numeric>

#include "bridge.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

using reference::inner;

const std::vector<std::pair<std::string, int>> all_losses{
    {"multinomial", 2}, {"multinomial", 5}, {"multinomial", 17}, {"logistic", 1},
    {"squared", 1},     {"huber", 1},       {"sigmoid", 1},      {"welsch", 1}};

// The second derivative along a direction, each sample's own without what is negative of it, by differences.
reference::Matrix curved(const reference::Problem& problem, const reference::Matrix& s,
                         const reference::Matrix& d) {
    constexpr double step = 1e-5;
    reference::Matrix sum = reference::Matrix::Zero(s.rows(), s.cols());
    for (Eigen::Index i = 0; i < problem.X.rows(); ++i) {
        const reference::Matrix change = reference::sample_gradient(problem, s + step * d, i) -
                                         reference::sample_gradient(problem, s - step * d, i);
        const bool convex = inner(change, d) > 0;
        if (convex) sum += change / (2 * step);
    }
    return sum / static_cast<double>(problem.X.rows());
}

template <class Real>
void expect_part(Part<Real>& part, const reference::Problem& few, double tolerance) {
    const Shape shape = part.shape();
    ASSERT_EQ(shape, (Shape{few.outputs, few.X.cols()}));
    const reference::Matrix s = 0.5 * reference::gaussian(shape.rows, shape.cols, 11);
    const reference::Matrix d = 0.3 * reference::gaussian(shape.rows, shape.cols, 12);
    const auto near = [&](const Matrix<Real>& got, const reference::Matrix& expected, double scale) {
        EXPECT_LE((from_matrix(got) - expected).norm(), tolerance * scale);
    };
    Matrix<Real> gradient;
    const reference::Matrix slopes = reference::full_gradient(few, s);
    EXPECT_NEAR(part.evaluate(to_matrix<Real>(s), gradient), reference::full_value(few, s), tolerance);
    near(gradient, slopes, 1);

    Matrix<Real> product;
    const reference::Matrix expected = curved(few, s, d);
    part.curve(to_matrix<Real>(d), product);
    near(product, expected, std::max(10 * expected.norm(), 1.0));
    EXPECT_NEAR(part.aim(to_matrix<Real>(d)), inner(from_matrix(product), d),
                tolerance * std::max(expected.norm(), 1.0));
    Matrix<double> matrix;
    if (const Index rows = part.curvature_matrix(part.samples(), true, matrix); rows > 0) {
        EXPECT_EQ(rows, few.X.rows());
        EXPECT_EQ(shape.rows, 1);
        near(product, d * from_matrix(matrix), std::max(expected.norm(), 1.0));
    }
    // The mean of the second derivatives over the outputs, each by itself.
    const Index cols = shape.cols - part.free_columns();
    const reference::Matrix directions = reference::gaussian(15, cols, 14);
    Matrix<Real> spread;
    std::vector<double> mean;
    const double flat = part.spread(to_matrix<Real>(directions), spread, mean);
    ASSERT_EQ(spread.shape(), (Shape{15, cols}));
    reference::Matrix sum = reference::Matrix::Zero(15, cols);
    for (Index l = 0; l < shape.rows; ++l)
        for (Index k = 0; k < 15; ++k) {
            reference::Matrix single = reference::Matrix::Zero(shape.rows, shape.cols);
            single.row(l).head(cols) = directions.row(k);
            part.curve(to_matrix<Real>(single), product);
            sum.row(k) += from_matrix(product).row(l).head(cols) / static_cast<double>(shape.rows);
        }
    near(spread, sum, std::max(10 * sum.norm(), 1.0));
    if (part.free_columns() > 0) {
        double own = 0;
        reference::Vector features = reference::Vector::Zero(cols);
        for (Index l = 0; l < shape.rows; ++l) {
            reference::Matrix single = reference::Matrix::Zero(shape.rows, shape.cols);
            single(l, cols) = 1;
            part.curve(to_matrix<Real>(single), product);
            own += static_cast<double>(product(l, cols)) / static_cast<double>(shape.rows);
            features += from_matrix(product).row(l).head(cols).transpose() / static_cast<double>(shape.rows);
        }
        EXPECT_NEAR(flat, own, tolerance);
        for (Index j = 0; j < cols && flat > 0; ++j)
            EXPECT_NEAR(mean[static_cast<std::size_t>(j)] * flat, features(j),
                        tolerance * std::max(10 * features.norm(), 1.0));
    }
    part.aim(to_matrix<Real>(d));
    Matrix<double> diagonal;
    part.curvatures(diagonal);
    EXPECT_EQ(diagonal.shape(), shape);
    for (const double entry : diagonal.span()) EXPECT_GE(entry, 0);

    EXPECT_NEAR(part.value_after(0.7), reference::full_value(few, s + 0.7 * d), tolerance);
    EXPECT_NEAR(part.value_after(0), reference::full_value(few, s), tolerance);
    EXPECT_NEAR(part.advance(0.4, gradient), reference::full_value(few, s + 0.4 * d), tolerance);
    near(gradient, reference::full_gradient(few, s + 0.4 * d), 1);
    // From there on.
    part.curve(to_matrix<Real>(d), product);
    near(product, curved(few, s + 0.4 * d, d), std::max(10 * expected.norm(), 1.0));
    EXPECT_NEAR(part.value_after(0.6), reference::full_value(few, s + d), tolerance);
}

template <class Real>
void check(Storage storage, bool intercept, int threads) {
    const double tolerance = std::is_same_v<Real, float> ? 3e-5 : 1e-8;
    for (const auto& [loss, outputs] : all_losses) {
        SCOPED_TRACE(loss + " " + std::to_string(outputs));
        auto problem = sized_problem(loss, 211, 30, outputs);
        if (!problem.targets.empty() && loss != "logistic" && loss != "sigmoid") {
            // An intercept's numbers count from the median.
            auto sorted = problem.targets;
            std::sort(sorted.begin(), sorted.end());
            for (double& target : problem.targets) target -= sorted[sorted.size() / 2];
        }
        const Bridge<Real> bridge(problem, storage);
        const auto objective =
            linear_objective<Real>(bridge.features, bridge.targets, bridge.loss, threads, intercept);
        const auto few = [&](const reference::Matrix& products) {
            reference::Problem other = problem;
            other.X.resize(products.rows(), products.cols() + (intercept ? 1 : 0));
            other.X.leftCols(products.cols()) = products;
            if (intercept) other.X.rightCols(1).setOnes();
            return other;
        };
        const std::vector<Index> columns{0, 3, 4, 11, 28, 29};
        reference::Matrix chosen(problem.X.rows(), std::ssize(columns));
        for (Eigen::Index k = 0; k < chosen.cols(); ++k)
            chosen.col(k) = problem.X.col(columns[static_cast<std::size_t>(k)]);
        auto part = objective->part(columns);
        EXPECT_EQ(part->free_columns(), intercept ? 1 : 0);
        expect_part(*part, few(chosen), tolerance);

        const reference::Matrix directions = 0.2 * reference::gaussian(7, 30, 13);
        part = objective->part(to_matrix<Real>(directions));
        expect_part(*part, few(problem.X * directions.transpose()), tolerance);
    }
}

TEST(Part, IsTheLossOnFewFeatures) {
    for (const auto storage : {Storage::dense, Storage::sparse})
        for (const bool intercept : {false, true})
            for (const int threads : {1, 3}) {
                check<double>(storage, intercept, threads);
                check<float>(storage, intercept, threads);
            }
}

// Walks that follow each other end where no entry of u is worth a step over the ball, and say with which multiplier.
template <class Real>
void check_walks(const std::string& loss, int outputs, Storage storage, bool intercept, double radius) {
    SCOPED_TRACE(loss + (intercept ? ", intercept" : "") + ", radius " + std::to_string(radius));
    const double tolerance = std::is_same_v<Real, float> ? 1e-4 : 1e-7;
    const auto problem = sized_problem(loss, 211, 30, outputs);
    const Bridge<Real> bridge(problem, storage);
    const auto objective = linear_objective<Real>(bridge.features, bridge.targets, bridge.loss, 1, intercept);
    const auto part = objective->part(std::vector<Index>{0, 2, 3, 7, 8, 11, 13, 20, 21, 29});
    const Shape shape = part->shape();
    const Matrix<Real> s(shape);
    Matrix<Real> gradient;
    Matrix<double> least;
    part->evaluate(s, gradient);
    part->curvatures(least);
    for (double& own : least.span()) own *= 0.2;
    const std::vector<double> slopes(gradient.span().begin(), gradient.span().end());
    constexpr double l1 = 1e-3;
    constexpr double l2 = 1e-2;
    std::vector<double> u(slopes.size());
    double multiplier = 0.1;
    for (int turn = 0; turn < 30; ++turn) {
        const auto reached = part->walk({.slopes = slopes,
                                         .least = least.span(),
                                         .l1 = l1,
                                         .l2 = l2,
                                         .radius = radius,
                                         .multiplier = multiplier,
                                         .turns = 200},
                                        s, u);
        ASSERT_TRUE(reached.has_value());
        multiplier = *reached;
    }
    Matrix<Real> way(shape);
    std::transform(u.begin(), u.end(), way.data(), [](double entry) { return static_cast<Real>(entry); });
    Matrix<Real> product;
    part->curve(way, product);
    double norm = 0;
    for (Index e = 0; e < shape.size(); ++e) {
        const double own = u[static_cast<std::size_t>(e)];
        const double slope = slopes[static_cast<std::size_t>(e)] + static_cast<double>(product.data()[e]);
        if (e % shape.cols >= shape.cols - part->free_columns()) {
            EXPECT_NEAR(slope, 0, tolerance);
            continue;
        }
        norm += std::abs(own);
        if (own == 0) {
            EXPECT_LE(std::abs(slope), multiplier + tolerance);
        } else {
            EXPECT_NEAR(slope + l2 * own, -std::copysign(multiplier, own), tolerance);
        }
    }
    if (multiplier > l1 + tolerance) {
        EXPECT_NEAR(norm, radius, tolerance * radius);
    } else {
        EXPECT_LE(norm, radius * (1 + tolerance));
    }
}

TEST(Part, WalksEndAtTheMinimumOfTheModelOverTheBall) {
    for (const auto& [loss, outputs] :
         std::vector<std::pair<std::string, int>>{{"logistic", 1}, {"squared", 1}, {"multinomial", 4}})
        for (const auto storage : {Storage::dense, Storage::sparse})
            for (const bool intercept : {false, true})
                for (const double radius : {0.3, 100.0}) {
                    check_walks<double>(loss, outputs, storage, intercept, radius);
                    check_walks<float>(loss, outputs, storage, intercept, radius);
                }
}

TEST(Part, WeightsCountAsRepeatedRows) {
    auto problem = sized_problem("logistic", 60, 12, 1);
    reference::Problem repeated = problem;
    std::vector<double> weights;
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < problem.X.rows(); ++i) {
        weights.push_back(static_cast<double>(i % 3));
        for (Eigen::Index k = 0; k < i % 3; ++k) rows.push_back(i);
    }
    repeated.X.resize(std::ssize(rows), problem.X.cols());
    repeated.targets.clear();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        repeated.X.row(static_cast<Eigen::Index>(k)) = problem.X.row(rows[k]);
        repeated.targets.push_back(problem.targets[static_cast<std::size_t>(rows[k])]);
    }
    const Bridge<double> bridge(problem, Storage::dense);
    Targets targets = bridge.targets;
    targets.weights = weights;
    const auto objective = linear_objective<double>(bridge.features, targets, bridge.loss, 1);
    std::vector<Index> all(12);
    std::iota(all.begin(), all.end(), Index{0});
    expect_part(*objective->part(all), repeated, 1e-8);
}

template <class Real>
void check_all_rows(Storage storage, bool intercept) {
    const double tolerance = std::is_same_v<Real, float> ? 3e-5 : 1e-8;
    for (const auto& [loss, outputs] : all_losses) {
        SCOPED_TRACE(loss + " " + std::to_string(outputs));
        auto problem = sized_problem(loss, 211, 30, outputs);
        if (!problem.targets.empty() && loss != "logistic" && loss != "sigmoid") {
            auto sorted = problem.targets;
            std::sort(sorted.begin(), sorted.end());
            for (double& target : problem.targets) target -= sorted[sorted.size() / 2];
        }
        const Bridge<Real> bridge(problem, storage);
        const auto objective =
            linear_objective<Real>(bridge.features, bridge.targets, bridge.loss, 2, intercept);
        const Iterate<Real> x(objective->shape());
        const auto part = objective->sample(x, 211, 1);
        EXPECT_EQ(part->share(), 1);
        if (intercept) {
            problem.X.conservativeResize(Eigen::NoChange, 31);
            problem.X.rightCols(1).setOnes();
        }
        expect_part(*part, problem, tolerance);
    }
}

TEST(Sample, OfAllRowsIsTheWhole) {
    for (const auto storage : {Storage::dense, Storage::sparse})
        for (const bool intercept : {false, true}) {
            check_all_rows<double>(storage, intercept);
            check_all_rows<float>(storage, intercept);
        }
}

// A matrix of second derivatives from some of the rows is right in the mean, and never far off.
TEST(Part, MatrixOfSomeRowsIsRightInTheMean) {
    for (const std::string loss : {"logistic", "squared", "huber"}) {
        for (const bool weighed : {false, true}) {
            SCOPED_TRACE(loss + (weighed ? ", weighed" : ""));
            const auto problem = sized_problem(loss, 4000, 20, 1);
            const Bridge<double> bridge(problem, Storage::dense);
            Targets targets = bridge.targets;
            if (weighed)
                for (int i = 0; i < 4000; ++i) targets.weights.push_back(i % 7);
            const auto objective = linear_objective<double>(bridge.features, targets, bridge.loss, 2);
            std::vector<Index> columns(20);
            std::iota(columns.begin(), columns.end(), Index{0});
            const auto part = objective->part(columns);
            Matrix<double> gradient;
            Matrix<double> matrix;
            part->evaluate(to_matrix<double>(reference::gaussian(1, 20, 5)), gradient);
            ASSERT_EQ(part->curvature_matrix(4000, true, matrix), 4000);
            const reference::Matrix all = from_matrix(matrix);
            constexpr int draws = 200;
            reference::Matrix mean = reference::Matrix::Zero(20, 20);
            for (int k = 0; k < draws; ++k) {
                ASSERT_EQ(part->curvature_matrix(400, true, matrix), 400);
                EXPECT_LE((from_matrix(matrix) - all).norm(), 0.6 * all.norm());
                mean += from_matrix(matrix) / draws;
            }
            EXPECT_LE((mean - all).norm(), 0.05 * all.norm());
        }
    }
}

// Where rows have few entries, all of them are taken.
TEST(Part, MatrixOfShortRowsIsOfAll) {
    const auto problem = sized_problem("logistic", 500, 8, 1);
    const Bridge<double> bridge(problem, Storage::sparse);
    const auto objective = linear_objective<double>(bridge.features, bridge.targets, bridge.loss, 1);
    const auto part = objective->part(std::vector<Index>{0, 1, 2, 5, 7});
    Matrix<double> gradient;
    Matrix<double> matrix;
    part->evaluate(Matrix<double>(1, 5), gradient);
    EXPECT_EQ(part->curvature_matrix(40, true, matrix), 500);
}

// Whatever rows are drawn, means over many draws are those of f: of its value, its gradient and its second derivatives.
TEST(Sample, IsRightInTheMean) {
    for (const auto& [loss, outputs] : all_losses) {
        for (const bool looked_at : {false, true}) {
            SCOPED_TRACE(loss + " " + std::to_string(outputs) + (looked_at ? " at a point" : ""));
            const auto problem = sized_problem(loss, 211, 6, outputs);
            const Bridge<double> bridge(problem, Storage::dense);
            Targets targets = bridge.targets;
            for (int i = 0; i < 211; ++i) targets.weights.push_back(i % 4);
            const auto objective = linear_objective<double>(bridge.features, targets, bridge.loss, 1);
            const auto s = to_matrix<double>(2.0 * reference::gaussian(objective->shape().rows, 6, 5));
            const auto d = to_matrix<double>(reference::gaussian(objective->shape().rows, 6, 6));
            const Iterate<double> x(s);
            Matrix<double> gradient;
            Matrix<double> product;
            const auto all = objective->sample(x, 211, 0);
            const double value = all->evaluate(s, gradient);
            all->curve(d, product);
            const auto slopes = from_matrix(gradient);
            const auto bends = from_matrix(product);
            if (looked_at) {
                objective->sample(x, 40, 0);  // from now on it knows what to look at
                objective->evaluate(x, gradient);
            }
            constexpr int draws = 3000;
            double mean = 0;
            double square = 0;
            double rows = 0;
            reference::Matrix mean_slopes = reference::Matrix::Zero(slopes.rows(), slopes.cols());
            reference::Matrix mean_bends = mean_slopes;
            for (int k = 0; k < draws; ++k) {
                const auto part = objective->sample(x, 40, static_cast<std::uint64_t>(k));
                rows += 211 * part->share() / draws;
                const double own = part->evaluate(s, gradient);
                part->curve(d, product);
                mean += own / draws;
                square += own * own / draws;
                mean_slopes += from_matrix(gradient) / draws;
                mean_bends += from_matrix(product) / draws;
            }
            const double error = std::sqrt((square - mean * mean) / draws);
            EXPECT_NEAR(mean, value, 5 * error);
            EXPECT_NEAR(rows, 40, 1.5);
            EXPECT_LE((mean_slopes - slopes).norm(), 0.05 * (slopes.norm() + 0.2));
            EXPECT_LE((mean_bends - bends).norm(), 0.05 * (bends.norm() + 0.2));
        }
    }
}

// Rows that bend more are drawn more often: the second derivatives scatter less.
TEST(Sample, LooksWhereTheLossBends) {
    auto problem = sized_problem("logistic", 400, 3, 1);
    // Most rows are far from the border between the classes, on the right side.
    for (Eigen::Index i = 0; i < 400; ++i)
        problem.X(i, 0) = i % 20 == 0 ? 0 : 8 * problem.targets[static_cast<std::size_t>(i)];
    const Bridge<double> bridge(problem, Storage::dense);
    const auto objective = linear_objective<double>(bridge.features, bridge.targets, bridge.loss, 1);
    const auto s = to_matrix<double>(reference::Matrix::Constant(1, 3, 2.0));
    const Iterate<double> x(s);
    Matrix<double> gradient;
    Matrix<double> product;
    const auto scatter = [&] {
        reference::Matrix mean = reference::Matrix::Zero(1, 3);
        double square = 0;
        for (std::uint64_t k = 0; k < 200; ++k) {
            const auto part = objective->sample(x, 40, k);
            part->evaluate(s, gradient);
            part->curve(s, product);
            mean += from_matrix(product) / 200;
            square += from_matrix(product).squaredNorm() / 200;
        }
        return std::sqrt(square - mean.squaredNorm());
    };
    const double before = scatter();
    objective->evaluate(x, gradient);
    EXPECT_LT(scatter(), 0.5 * before);
}

// Along every entry, differences of slopes are at most what is told, and as much where a squared loss bends everywhere.
TEST(Objective, MostCurvaturesAreAboveDifferencesOfSlopes) {
    for (const std::string loss : {"logistic", "squared", "huber", "sigmoid", "welsch"})
        for (const int threads : {1, 3}) {
            SCOPED_TRACE(loss);
            const auto problem = sized_problem(loss, 211, 30, 1);
            const Bridge<double> bridge(problem, Storage::sparse);
            const auto objective =
                linear_objective<double>(bridge.features, bridge.targets, bridge.loss, threads);
            Matrix<double> gradient;
            objective->evaluate(Iterate<double>(objective->shape()), gradient);
            const std::vector<double> most = objective->most_curvatures();
            ASSERT_EQ(most.size(), 30);
            const reference::Matrix s = 0.5 * reference::gaussian(1, 30, 11);
            for (Eigen::Index j = 0; j < 30; ++j) {
                constexpr double step = 0.01;
                reference::Matrix after = s;
                after(0, j) += step;
                const double change =
                    (reference::full_gradient(problem, after) - reference::full_gradient(problem, s))(0, j) /
                    step;
                EXPECT_LE(change, most[static_cast<std::size_t>(j)] * (1 + 1e-9));
                if (loss == "squared") {
                    EXPECT_NEAR(change, most[static_cast<std::size_t>(j)], 1e-9);
                }
            }
        }
}

// Far on the wrong side a logistic loss is taken to bend as half the parabola does that touches it at z and −z; elsewhere as it does.
TEST(Part, StraightLossesBendFurtherOn) {
    for (const double score : {-40.0, -8.0, -6.0, -1.0, 3.0, 50.0}) {
        const double entry = 1;
        const DenseFeatures<double> one(&entry, 1, 1);
        Targets targets;
        targets.outputs = 1;
        targets.values = {1};
        const auto objective = linear_objective<double>(one, targets, LossSpec{"logistic", {}}, 1);
        const auto part = objective->part(std::vector<Index>{0});
        Matrix<double> s(1, 1);
        Matrix<double> gradient;
        s(0, 0) = score;
        part->evaluate(s, gradient);
        Matrix<double> way(1, 1);
        way(0, 0) = 1;
        const double share = 1 / (1 + std::exp(-score));
        const double own = share * (1 - share);
        if (score > -6.2) {
            EXPECT_NEAR(part->aim(way), own, 1e-12);
            continue;
        }
        const double bend = 2 * part->aim(way);
        // Above the loss everywhere, and it touches at ±score.
        const auto loss = [](double z) {
            return z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
        };
        for (double z = -60; z <= 60; z += 0.5) {
            const double parabola =
                loss(score) + gradient(0, 0) * (z - score) + bend / 2 * (z - score) * (z - score);
            EXPECT_GE(parabola, loss(z) - 1e-3 * std::abs(score));
            if (z == -score) {
                EXPECT_NEAR(parabola, loss(z), 5e-3 * std::abs(score));
            }
        }
    }
}

TEST(Part, OfAnyFunctionIsThatFunction) {
    // f(x) = ½‖x − c‖² + Σ x⁴/4 on 2 x 5 entries.
    const reference::Matrix centre = reference::gaussian(2, 5, 3);
    const auto f = custom_objective<double>({2, 5}, [&](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double away = x[i] - centre(static_cast<Index>(i) / 5, static_cast<Index>(i) % 5);
            gradient[i] = away + x[i] * x[i] * x[i];
            value += away * away / 2 + std::pow(x[i], 4) / 4;
        }
        return value;
    });
    const std::vector<Index> columns{1, 4};
    const auto part = f->part(columns);
    ASSERT_EQ(part->shape(), (Shape{2, 2}));
    Matrix<double> s(2, 2);
    Matrix<double> d(2, 2);
    for (Index i = 0; i < 4; ++i) s.data()[i] = 0.1 * static_cast<double>(i) - 0.2;
    for (Index i = 0; i < 4; ++i) d.data()[i] = 0.5 - 0.3 * static_cast<double>(i);
    Matrix<double> gradient;
    Matrix<double> product;
    part->evaluate(s, gradient);
    part->curve(d, product);
    for (Index l = 0; l < 2; ++l)
        for (Index k = 0; k < 2; ++k) {
            const double x = s(l, k);
            EXPECT_NEAR(gradient(l, k), x - centre(l, columns[static_cast<std::size_t>(k)]) + x * x * x,
                        1e-14);
            EXPECT_NEAR(product(l, k), d(l, k) * (1 + 3 * x * x), 1e-6);
        }
    Matrix<double> end = s;
    for (Index i = 0; i < 4; ++i) end.data()[i] += 0.5 * d.data()[i];
    const double after = part->value_after(0.5);
    EXPECT_NEAR(part->advance(0.5, product), after, 1e-14);
    EXPECT_NEAR(part->evaluate(end, gradient), after, 1e-14);
    EXPECT_EQ(gradient.size(), product.size());
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(gradient.data()[i], product.data()[i], 1e-14);

    // Directions: the gradient with respect to S is that of x times their transpose.
    Matrix<double> directions(3, 5);
    for (Index i = 0; i < 15; ++i) directions.data()[i] = std::sin(static_cast<double>(i));
    const auto along = f->part(directions);
    Matrix<double> t(2, 3);
    for (Index i = 0; i < 6; ++i) t.data()[i] = std::cos(static_cast<double>(i));
    along->evaluate(t, gradient);
    for (Index i = 0; i < 6; ++i) {
        Matrix<double> more = t;
        Matrix<double> less = t;
        more.data()[i] += 1e-5;
        less.data()[i] -= 1e-5;
        Matrix<double> unused;
        EXPECT_NEAR(gradient.data()[i],
                    (along->evaluate(more, unused) - along->evaluate(less, unused)) / 2e-5, 1e-8);
    }
}

}  // namespace
}  // namespace alfcg
