#pragma once

#include "step/step.hpp"

namespace alfcg {

/// ALFCG's accumulator (Algorithm 1 of the paper): S_t = Σ δ_i² and M_t = max(β + δ_i²) over the moves so
/// far, δ_i = L_i ‖x_{i+1} − x_i‖. One object owns them, because they drive both the momentum and the step.
class AlfAccumulator {
  public:
    enum class Momentum {
        none,  // ALFCG-D, ALFCG-FS: L_t = ρ (1+S_t)^{1/2}
        mvr1,  // α_t = (1 + tβ + S_t)^{−1/2},                          L_t = ρ (1+S_t)^{1/2} α_t^{−1/2}
        mvr2  // α_t = min_{j≤t} ((1+M_j)/(1 + jβ + S_j))^{2/3},       L_t = ρ (1+S_t)^{1/2} α_t^{−1/4}
    };

    AlfAccumulator(double rho, double beta, Momentum momentum)
        : rho_(rho), beta_(beta), momentum_(momentum) {}

    /// Gives ρ, and the unit in which δ is measured, after the first α and L have been made.
    void set_scale(double rho, double unit);
    /// Makes α_t and L_t from what happened before t; call once per iteration, t = 0, 1, 2, …
    void begin(Index iteration);
    /// Adds δ_t² for a move of this length.
    void moved(double distance);

    [[nodiscard]] double alpha() const { return alpha_; }
    [[nodiscard]] double curvature() const { return curvature_; }
    [[nodiscard]] double rho() const { return rho_; }

    void archive(Archive& state) { state(rho_, unit_, sum_, largest_, alpha_, curvature_); }

  private:
    double rho_;
    double unit_ = 1;  // δ_i = L_i ‖x_{i+1} − x_i‖ / unit
    double beta_;
    Momentum momentum_;
    double sum_ = 0;      // S_t
    double largest_ = 0;  // M_t
    double alpha_ = 1;
    double curvature_ = 0;
};

/// The ALF step: a short step with the accumulator's curvature.
class AlfStep final : public StepRule {
  public:
    AlfStep(double rho, double beta, AlfAccumulator::Momentum momentum)
        : accumulator_(rho, beta, momentum), steers_(momentum != AlfAccumulator::Momentum::none) {}

    std::optional<double> begin(Index iteration) override;
    double step(const StepInput& input, LineFunction& line) override;
    [[nodiscard]] std::optional<double> curvature() const override { return accumulator_.curvature(); }
    [[nodiscard]] std::optional<double> scale() const override { return accumulator_.rho(); }
    void set_scale(double rho, double unit) { accumulator_.set_scale(rho, unit); }
    void moved(double distance) override { accumulator_.moved(distance); }
    void archive(Archive& state) override { state(accumulator_); }

  private:
    AlfAccumulator accumulator_;
    bool steers_;
};

}  // namespace alfcg
