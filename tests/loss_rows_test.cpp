// Facts about every row of the table of losses: a new one needs one line in `formulas`.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "bridge.hpp"

namespace alfcg {
namespace {

using Scores = std::vector<long double>;
// The loss of one sample as a function of its scores z (one, but for `classes`), its target y (a class, a sign or a number)
// and its parameter, if it has one.
using Formula = std::function<long double(const Scores& z, long double y, long double parameter)>;

long double softmax(const Scores& z, long double y) {
    long double sum = 0;
    for (const long double score : z) sum += std::exp(score - z[static_cast<std::size_t>(y)]);
    return std::log(sum);
}

long double huber(long double r, long double w) {
    return std::abs(r) <= w ? r * r / 2 : w * (std::abs(r) - w / 2);
}

long double welsch(long double r, long double w) {
    return -w * w / 2 * std::expm1(-r * r / (w * w));
}

const std::map<std::string_view, Formula> formulas{
    {"multinomial", [](const Scores& z, auto y, auto) { return softmax(z, y); }},
    {"logistic", [](const Scores& z, auto y, auto) { return std::log1p(std::exp(-y * z[0])); }},
    {"squared", [](const Scores& z, auto y, auto) { return (z[0] - y) * (z[0] - y) / 2; }},
    {"huber", [](const Scores& z, auto y, auto w) { return huber(z[0] - y, w); }},
    {"sigmoid", [](const Scores& z, auto y, auto) { return 1 / (1 + std::exp(y * z[0])); }},
    {"welsch", [](const Scores& z, auto y, auto w) { return welsch(z[0] - y, w); }},
};

// A linear model of three features; rows enough for a block and some more.
struct Samples {
    static constexpr Index rows = 37;
    static constexpr Index cols = 3;
    std::vector<double> x;
    Targets targets;

    explicit Samples(TargetKind kind) {
        std::mt19937_64 random(5);
        std::normal_distribution<double> normal;
        for (Index k = 0; k < rows * cols; ++k) x.push_back(std::round(64 * normal(random)) / 64);
        if (kind == TargetKind::classes) targets.outputs = 4;
        for (Index i = 0; i < rows; ++i) {
            if (kind == TargetKind::classes) targets.classes.push_back(static_cast<int>(random() % 4));
            if (kind == TargetKind::two_classes) targets.values.push_back(random() % 2 == 0 ? -1 : 1);
            if (kind == TargetKind::numbers) targets.values.push_back(std::round(64 * normal(random)) / 64);
        }
    }

    // The mean of the formula at weights w.
    [[nodiscard]] long double value(const Formula& formula, const std::vector<long double>& w,
                                    long double parameter) const {
        long double sum = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            Scores z(static_cast<std::size_t>(targets.outputs));
            for (std::size_t l = 0; l < z.size(); ++l)
                for (std::size_t j = 0; j < cols; ++j) z[l] += w[l * cols + j] * x[i * cols + j];
            sum += formula(z, targets.classes.empty() ? targets.values[i] : targets.classes[i], parameter);
        }
        return sum / rows;
    }
};

template <class Real>
void expect_the_formula(const LossInfo& info, double parameter, double size) {
    const double rounding = std::is_same_v<Real, float> ? 2e-5 : 1e-9;  // of the differences, in double
    const Formula& formula = formulas.at(info.name);
    const Samples samples(info.target);
    LossSpec loss{std::string(info.name), {}};
    for (const Parameter& one : info.parameters) loss.parameters.set(one.info.name, parameter);
    Buffer<Real> entries(samples.x.size());
    std::transform(samples.x.begin(), samples.x.end(), entries.begin(),
                   [](double entry) { return static_cast<Real>(entry); });
    const Features<Real> features = DenseFeatures<Real>(std::move(entries), Samples::rows, Samples::cols);
    const auto objective = linear_objective(features, samples.targets, loss, 1);
    Matrix<Real> at(samples.targets.outputs, Samples::cols);
    std::vector<long double> w;
    std::mt19937_64 random(9);
    std::normal_distribution<double> normal;
    for (Real& entry : at.span()) {
        entry = static_cast<Real>(size * normal(random));
        w.push_back(entry);
    }
    Matrix<Real> gradient;
    const double value = objective->evaluate(at, gradient);
    const auto expected = static_cast<double>(samples.value(formula, w, parameter));
    EXPECT_NEAR(value, expected, rounding * (1 + std::abs(expected)));
    EXPECT_NEAR(objective->value(at), value, rounding * (1 + std::abs(value)));
    for (std::size_t k = 0; k < w.size(); ++k) {
        constexpr long double step = 1e-6L;
        auto right = w;
        auto left = w;
        right[k] += step;
        left[k] -= step;
        const auto slope = static_cast<double>(
            (samples.value(formula, right, parameter) - samples.value(formula, left, parameter)) /
            (2 * step));
        EXPECT_NEAR(static_cast<double>(gradient.span()[k]), slope, rounding * (1 + std::abs(slope)));
    }
}

TEST(LossRows, ValuesAreTheFormulasAndGradientsTheirDerivatives) {
    EXPECT_EQ(formulas.size(), losses().size());
    for (const LossInfo& info : losses()) {
        SCOPED_TRACE(info.name);
        EXPECT_FALSE(info.description.empty());
        ASSERT_TRUE(formulas.contains(info.name)) << "a loss without a line in this test";
        for (const double parameter : {0.5, 1.0, 3.0})
            for (const double size : {0.1, 1.0, 5.0}) {
                expect_the_formula<float>(info, parameter, size);
                expect_the_formula<double>(info, parameter, size);
            }
    }
}

}  // namespace
}  // namespace alfcg
