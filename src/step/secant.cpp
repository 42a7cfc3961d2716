#include <algorithm>
#include <cmath>
#include <limits>

#include "step/step.hpp"

namespace alfcg {

namespace {

constexpr int most_slopes = 10;
// Slope at the end, as a share of that at the start, that a last secant may do the rest for.
constexpr double nearly_flat = 1e-3;

// A slope of F along d, h taken as linear, `at` from x.
struct SlopeAt {
    double at = 0;
    double slope = 0;
};

// Where the line through two slopes is zero; not a number, or not between them, where it bends the wrong way.
double zero_of(const SlopeAt& a, const SlopeAt& b) {
    return b.at - b.slope * (b.at - a.at) / (b.slope - a.slope);
}

class SecantStep final : public StepRule {
  public:
    double step(const StepInput& input, LineFunction& line) override {
        if (!(input.gap > 0) || !(input.length_squared > 0)) return 0;
        const double linear = -input.gap - input.slope;  // what h adds to every slope
        const double enough = nearly_flat * input.gap;
        SlopeAt before{0, -input.gap};
        SlopeAt left = before;  // the furthest that is known to go down
        SlopeAt right{std::numeric_limits<double>::infinity(), 0};
        // The last curvature is the best guess at this one.
        double eta = short_step(input.gap, curvature_, input.length_squared, input.longest);
        if (!(eta > 0)) eta = input.longest;
        for (int looks = 0; looks < most_slopes; ++looks) {
            const SlopeAt now{eta, line.slope(eta) + linear};
            const double bend = (now.slope + input.gap) / (eta * input.length_squared);
            if (bend > 0 && std::isfinite(bend)) curvature_ = bend;
            if (now.slope < 0) {
                if (eta >= input.longest) return input.longest;
                left = now;
            } else {
                right = now;
            }
            const double next = zero_of(before, now);
            if (std::abs(now.slope) <= enough)
                return next > 0 && std::abs(next - eta) <= 0.5 * eta ? std::min(next, input.longest) : eta;
            before = now;
            eta = between(next, left, right, input.longest);
            if (eta == left.at || eta == right.at) break;
        }
        return left.at > 0 ? left.at : std::min(eta, input.longest);
    }
    [[nodiscard]] std::optional<double> curvature() const override { return curvature_; }
    void archive(Archive& state) override { state(curvature_); }

  private:
    // The next place to look, inside of what is left: where the secant says, if it is there.
    static double between(double secant, const SlopeAt& left, const SlopeAt& right, double longest) {
        if (secant > left.at && secant < std::min(right.at, longest)) return secant;
        return std::isinf(right.at) ? longest : (left.at + right.at) / 2;
    }

    double curvature_ = 0;  // met on the last way; 0: none yet
};

}  // namespace

std::unique_ptr<StepRule> secant_step() {
    return std::make_unique<SecantStep>();
}

}  // namespace alfcg
