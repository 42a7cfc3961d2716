// Problems and objectives for the tests of the rule that finds ALFCG's scale.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bridge.hpp"
#include "reference/samples.hpp"

namespace alfcg {

inline const std::vector<std::string>& alfcg_methods() {
    static const std::vector<std::string> names{"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"};
    return names;
}

/// A ball with a composite term, for a reference problem.
struct BallCase {
    std::string region = "lp";
    double p = 2;
    double l1 = 0;
    double l2 = 0;
    double nuclear = 0;

    void put(reference::Problem& problem) const {
        problem.region = region;
        problem.p = p;
        problem.l1 = l1;
        problem.l2 = l2;
        problem.nuclear = nuclear;
    }
    [[nodiscard]] std::string text() const {
        return region + " p=" + std::to_string(p) + " l1=" + std::to_string(l1) +
               " l2=" + std::to_string(l2) + " nuclear=" + std::to_string(nuclear);
    }
};

/// Nuclear, l_1, l_2 and l_3 balls, without and with composite terms.
inline std::vector<BallCase> ball_cases() {
    return {
        {.region = "nuclear"},
        {.region = "nuclear", .nuclear = 0.02},
        {.region = "nuclear", .l2 = 0.05, .nuclear = 0.01},
        {.region = "lp", .p = 3},
        {.region = "lp", .p = 3, .l1 = 0.01, .l2 = 0.05},
        {.region = "lp", .p = 1},
        {.region = "lp", .p = 1, .l1 = 0.02},
        {.region = "lp", .p = 2},
        {.region = "lp", .p = 2, .l1 = 0.01},
        {.region = "lp", .p = 2, .l2 = 0.1},
    };
}

inline Options run_options(const std::string& method, Index iterations) {
    Options options;
    options.method = method;
    options.max_iterations = iterations;
    options.seed = 3;
    return options;
}

/// c f.
class ScaledObjective final : public Objective<double> {
  public:
    ScaledObjective(Objective<double>& inner, double factor) : inner_(inner), factor_(factor) {}

    [[nodiscard]] Shape shape() const override { return inner_.shape(); }
    [[nodiscard]] Index samples() const override { return inner_.samples(); }
    double evaluate(const Iterate<double>& x, Matrix<double>& gradient) override {
        const double value = inner_.evaluate(x, gradient);
        scale(gradient);
        return factor_ * value;
    }
    double value(const Iterate<double>& x) override { return factor_ * inner_.value(x); }
    void batch_gradient(std::span<const Index> rows, const Iterate<double>& x,
                        Matrix<double>& gradient) override {
        inner_.batch_gradient(rows, x, gradient);
        scale(gradient);
    }
    void blend(std::span<const Index> rows, const Blend<double>& blend, Matrix<double>& gradient,
               Matrix<double>& scratch) override {
        Blend<double> scaled = blend;
        scaled.at_x *= factor_;
        scaled.at_y *= factor_;
        inner_.blend(rows, scaled, gradient, scratch);
        if (blend.slopes != nullptr) {
            blend.slopes->at_x *= factor_;
            blend.slopes->at_y *= factor_;
        }
    }

  private:
    void scale(Matrix<double>& gradient) const {
        for (double& g : gradient.span()) g *= factor_;
    }

    Objective<double>& inner_;
    double factor_;
};

/// Counts what it is asked for.
class CountingObjective final : public Objective<double> {
  public:
    explicit CountingObjective(Objective<double>& inner) : inner_(inner) {}

    Index component_gradients = 0;
    Index values = 0;

    [[nodiscard]] Shape shape() const override { return inner_.shape(); }
    [[nodiscard]] Index samples() const override { return inner_.samples(); }
    double evaluate(const Iterate<double>& x, Matrix<double>& gradient) override {
        component_gradients += samples();
        return inner_.evaluate(x, gradient);
    }
    double value(const Iterate<double>& x) override {
        ++values;
        return inner_.value(x);
    }
    void batch_gradient(std::span<const Index> rows, const Iterate<double>& x,
                        Matrix<double>& gradient) override {
        component_gradients += static_cast<Index>(rows.size());
        inner_.batch_gradient(rows, x, gradient);
    }
    void blend(std::span<const Index> rows, const Blend<double>& blend, Matrix<double>& gradient,
               Matrix<double>& scratch) override {
        component_gradients += static_cast<Index>(rows.size()) * (blend.y == nullptr ? 1 : 2);
        inner_.blend(rows, blend, gradient, scratch);
    }
    double value_after(const Iterate<double>& x, const Move<double>& move, double step) override {
        ++values;
        return inner_.value_after(x, move, step);
    }

  private:
    Objective<double>& inner_;
};

/// The iterates of a run, with their steps and curvatures; the metrics are not looked at.
struct Way {
    std::vector<Matrix<double>> x;
    std::vector<std::optional<double>> step;
    std::vector<std::optional<double>> curvature;
    Solution<double> result;
};

inline Way walk(Objective<double>& objective, Region<double>& region, const Options& options) {
    Way way;
    way.result = solve<double>(objective, region, options, [&](const Snapshot<double>& now) {
        way.x.push_back(now.x());
        way.step.push_back(now.step);
        way.curvature.push_back(now.curvature);
        return Action::proceed;
    });
    return way;
}

inline double distance(const Matrix<double>& a, const Matrix<double>& b) {
    return (from_matrix(a) - from_matrix(b)).norm();
}

}  // namespace alfcg
