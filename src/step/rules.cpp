#include <algorithm>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "step/step.hpp"

namespace alfcg {

double short_step(double gap, double curvature, double length_squared, double longest) {
    const double denominator = curvature * length_squared;
    if (!(gap > 0) || !(denominator > 0)) return 0;
    return std::min(longest, gap / denominator);
}

namespace {

constexpr int most_halvings = 60;
constexpr int most_doublings = 100;

double known_value(const StepInput& input) {
    if (!input.value) throw Error("a line search needs the full gradient");
    return *input.value;
}

class OpenLoopStep final : public StepRule {
  public:
    double step(const StepInput& input, LineFunction& /*line*/) override {
        return 2 / static_cast<double>(input.iteration + 2);
    }
};

class PowerStep final : public StepRule {
  public:
    explicit PowerStep(double power) : power_(power) {}
    double step(const StepInput& input, LineFunction& /*line*/) override {
        return std::pow(static_cast<double>(input.iteration + 1), -power_);
    }

  private:
    double power_;
};

class GivenCurvatureStep final : public StepRule {
  public:
    explicit GivenCurvatureStep(double curvature) : curvature_(curvature) {}
    double step(const StepInput& input, LineFunction& /*line*/) override {
        return short_step(input.gap, curvature_, input.length_squared);
    }
    [[nodiscard]] std::optional<double> curvature() const override { return curvature_; }

  private:
    double curvature_;
};

class ArmijoStep final : public StepRule {
  public:
    ArmijoStep(double contraction, double descent) : contraction_(contraction), descent_(descent) {}

    double step(const StepInput& input, LineFunction& line) override {
        if (!(input.gap > 0)) return 0;
        const double here = known_value(input) + input.composite;
        double eta = 1;
        for (int halvings = 0; halvings <= most_halvings; ++halvings, eta *= contraction_) {
            const double smooth = line.smooth(eta);
            if (smooth + line.composite() <= here - descent_ * eta * input.gap) return eta;
        }
        return 0;
    }

  private:
    double contraction_;
    double descent_;
};

class ParameterFreeStep final : public StepRule {
  public:
    ParameterFreeStep(double first, double increase, double decrease, Below rounding)
        : curvature_(first), increase_(increase), decrease_(decrease), rounding_(rounding) {}

    double step(const StepInput& input, LineFunction& line) override {
        if (input.iteration > 0) curvature_ *= decrease_;
        const auto first_step = [&] {
            return short_step(input.gap, curvature_, input.length_squared, input.longest);
        };
        double eta = first_step();
        if (eta == 0) return 0;
        const double here = known_value(input);
        const double slack = input.rounding * std::max(1.0, std::abs(here));
        for (int doublings = 0;; ++doublings) {
            const double model =
                here + eta * input.slope + 0.5 * curvature_ * eta * eta * input.length_squared + slack;
            // A slope no steeper than the model's goes down still: F, if convex, has not risen.
            const double bend = curvature_ * eta * input.length_squared;
            const bool shown = rounding_ == Below::trusts || eta * (input.gap - 0.5 * bend) > 2 * slack;
            const bool fits = shown ? line.smooth(eta) <= model : line.slope(eta) <= input.slope + bend;
            if (doublings == most_doublings || fits) return eta;
            curvature_ *= increase_;
            eta = first_step();
        }
    }
    [[nodiscard]] std::optional<double> curvature() const override { return curvature_; }
    void archive(Archive& state) override { state(curvature_); }

  private:
    double curvature_;
    double increase_;
    double decrease_;
    Below rounding_;
};

}  // namespace

std::unique_ptr<StepRule> open_loop_step() {
    return std::make_unique<OpenLoopStep>();
}
std::unique_ptr<StepRule> power_step(double power) {
    return std::make_unique<PowerStep>(power);
}
std::unique_ptr<StepRule> given_curvature_step(double curvature) {
    return std::make_unique<GivenCurvatureStep>(curvature);
}
std::unique_ptr<StepRule> armijo_step(double contraction, double descent) {
    return std::make_unique<ArmijoStep>(contraction, descent);
}
std::unique_ptr<StepRule> parameter_free_step(double first_curvature, double increase, double decrease,
                                              Below rounding) {
    return std::make_unique<ParameterFreeStep>(first_curvature, increase, decrease, rounding);
}

}  // namespace alfcg
