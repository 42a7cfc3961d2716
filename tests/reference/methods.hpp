// The table of methods and its defaults (spec 4), ALFCG's accumulator (spec 2) and the step rules (spec 4).
#pragma once

#include <algorithm>
#include <cmath>

#include "reference/losses.hpp"
#include "reference/oracles.hpp"

namespace reference {

enum class EstimatorKind { full, heavy_ball, mini_batch, median, svrg, saga, spider, ema, storm };
enum class StepKind { open_loop, power, short_step, armijo, parameter_free, alf, sliding };
enum class AlphaKind { none, power, mvr1, mvr2 };  // power: (t+1)^{-2/3}

// What a caller may set; unset means the method's own default.
struct MethodOptions {
    std::string method;
    std::optional<double> rho = {};
    std::optional<double> beta = {};
    std::optional<std::int64_t> batch = {};
    std::optional<std::int64_t> period = {};  // q or m: steps between resets
    std::optional<std::int64_t> reset = {};   // rows of a reset; 0 means all
    std::optional<std::int64_t> groups = {};  // K of srfw
    std::optional<double> lipschitz = {};     // L; fw-parafree: the first L
    std::optional<double> momentum = {};      // m of fw-momentum
    std::optional<std::int64_t> inner_steps = {};
    std::optional<double> contraction = {};
    std::optional<double> descent = {};   // c of Armijo's rule
    std::optional<double> increase = {};  // parameter-free
    std::optional<double> decrease = {};
};

// A row of the table with its parameters resolved.
struct Settings {
    EstimatorKind estimator = EstimatorKind::full;
    StepKind step = StepKind::open_loop;
    AlphaKind alpha = AlphaKind::none;
    bool growing_batch = false;
    double rho = 1e-5;
    double beta = 100.0;
    std::int64_t batch = 0;
    std::int64_t period = 0;  // 0: never
    std::int64_t reset = 0;   // 0: all rows
    std::int64_t groups = 5;
    double lipschitz = 10.0;
    double momentum = 0.9;
    std::int64_t inner_steps = 5;
    double contraction = 0.5;
    double descent = 1e-4;
    double increase = 2.0;
    double decrease = 0.5;
};

// The largest integer whose square is at most n.
inline std::int64_t integer_root(std::int64_t n) {
    std::int64_t root = 0;
    while ((root + 1) * (root + 1) <= n) ++root;
    return root;
}

// sfw-gb: the largest b with b^3 <= (t+1)^2.
inline std::int64_t growing_batch(std::int64_t t) {
    std::int64_t b = 0;
    while ((b + 1) * (b + 1) * (b + 1) <= (t + 1) * (t + 1)) ++b;
    return b;
}

inline Settings settings_of(const MethodOptions& options, std::int64_t n) {
    using E = EstimatorKind;
    using S = StepKind;
    using A = AlphaKind;
    const std::string& name = options.method;
    const std::int64_t root = integer_root(n);
    Settings s;
    s.batch = root;
    if (name == "fw-openloop") {
    } else if (name == "fw-shortstep") {
        s.step = S::short_step;
    } else if (name == "fw-momentum") {
        s.estimator = E::heavy_ball;
    } else if (name == "fw-sliding") {
        s.step = S::sliding;
    } else if (name == "fw-armijo") {
        s.step = S::armijo;
    } else if (name == "fw-parafree") {
        s.step = S::parameter_free;
        s.lipschitz = 1.0;
    } else if (name == "alfcg-d") {
        s.step = S::alf;
    } else if (name == "svfw") {
        s.estimator = E::svrg;
        s.period = 50;
    } else if (name == "saga-fw") {
        s.estimator = E::saga;
    } else if (name == "spider-cg") {
        s.estimator = E::spider;
        s.period = root;
        s.reset = root;
        s.batch = 32;
    } else if (name == "onesample-fw") {
        s.estimator = E::storm;
        s.alpha = A::power;
        s.period = 50;
        s.batch = 1;
    } else if (name == "sarah-fw") {
        s.estimator = E::spider;
        s.period = 50;
        s.batch = 32;
    } else if (name == "alfcg-fs") {
        s.estimator = E::spider;
        s.step = S::alf;
        s.period = root;
    } else if (name == "sfw") {
        s.estimator = E::mini_batch;
    } else if (name == "sfw-gb") {
        s.estimator = E::mini_batch;
        s.growing_batch = true;
    } else if (name == "onesample-storm") {
        s.estimator = E::storm;
        s.alpha = A::power;
        s.step = S::power;
    } else if (name == "onesample-ema") {
        s.estimator = E::ema;
        s.alpha = A::power;
    } else if (name == "srfw") {
        s.estimator = E::median;
    } else if (name == "alfcg-mvr1") {
        s.estimator = E::ema;
        s.step = S::alf;
        s.alpha = A::mvr1;
    } else if (name == "alfcg-mvr2") {
        s.estimator = E::storm;
        s.step = S::alf;
        s.alpha = A::mvr2;
    } else {
        throw std::invalid_argument("reference: unknown method " + name);
    }
    s.rho = options.rho.value_or(s.rho);
    s.beta = options.beta.value_or(s.beta);
    s.batch = options.batch.value_or(s.batch);
    s.period = options.period.value_or(s.period);
    s.reset = options.reset.value_or(s.reset);
    s.groups = options.groups.value_or(s.groups);
    s.lipschitz = options.lipschitz.value_or(s.lipschitz);
    s.momentum = options.momentum.value_or(s.momentum);
    s.inner_steps = options.inner_steps.value_or(s.inner_steps);
    s.contraction = options.contraction.value_or(s.contraction);
    s.descent = options.descent.value_or(s.descent);
    s.increase = options.increase.value_or(s.increase);
    s.decrease = options.decrease.value_or(s.decrease);
    return s;
}

// All twenty names, in the table's order.
inline std::vector<std::string> method_names() {
    return {"fw-openloop",     "fw-shortstep",  "fw-momentum", "fw-sliding", "fw-armijo",
            "fw-parafree",     "alfcg-d",       "svfw",        "saga-fw",    "spider-cg",
            "onesample-fw",    "sarah-fw",      "alfcg-fs",    "sfw",        "sfw-gb",
            "onesample-storm", "onesample-ema", "srfw",        "alfcg-mvr1", "alfcg-mvr2"};
}

// S_t, M_t, alpha_t and L_t of spec 2, recomputed from the list of delta_i^2, i < t.
class History {
  public:
    explicit History(const Settings& settings) : settings_(settings) {}

    void moved(double curvature, double distance) { squares_.push_back(std::pow(curvature * distance, 2)); }

    double sum(std::size_t t) const {  // S_t
        double total = 0.0;
        for (std::size_t i = 0; i < t; ++i) total += squares_.at(i);
        return total;
    }

    double alpha(std::size_t t) const {
        const double beta = settings_.beta;
        if (settings_.alpha == AlphaKind::power) return std::pow(static_cast<double>(t) + 1.0, -2.0 / 3.0);
        if (settings_.alpha == AlphaKind::mvr1)
            return 1.0 / std::sqrt(1.0 + static_cast<double>(t) * beta + sum(t));
        double least = 1.0;  // the term j = 0
        if (settings_.alpha == AlphaKind::mvr2) {
            double s_j = 0.0;
            double m_j = 0.0;
            for (std::size_t j = 1; j <= t; ++j) {
                s_j += squares_.at(j - 1);
                m_j = std::max(m_j, beta + squares_.at(j - 1));
                const double ratio = (1.0 + m_j) / (1.0 + static_cast<double>(j) * beta + s_j);
                least = std::min(least, std::pow(ratio, 2.0 / 3.0));
            }
        }
        return least;
    }

    double curvature(std::size_t t) const {
        double power = 0.0;
        if (settings_.alpha == AlphaKind::mvr1) power = -0.5;
        if (settings_.alpha == AlphaKind::mvr2) power = -0.25;
        return settings_.rho * std::sqrt(1.0 + sum(t)) * std::pow(alpha(t), power);
    }

  private:
    const Settings& settings_;
    std::vector<double> squares_ = {};
};

// min(1, numerator / denominator); 0 when the numerator is not positive or the denominator is 0 (spec 2).
inline double clipped_ratio(double numerator, double denominator) {
    if (!(numerator > 0.0) || denominator == 0.0) return 0.0;
    return std::min(1.0, numerator / denominator);
}

// The two rules that look at function values; both count those they ask for.
class Search {
  public:
    Search(const Problem& problem, const Settings& settings)
        : problem_(problem), settings_(settings), curvature_(settings.lipschitz) {}

    // Start 1, contract until F(x + eta d) <= F(x) - c eta gap; after 60 contractions 0.
    double armijo(const Matrix& x, const Matrix& d, double gap) {
        if (!(gap > 0.0)) return 0.0;
        const double here = f(x) + composite(problem_, x);
        double eta = 1.0;
        for (int contractions = 0;; ++contractions) {
            const Matrix trial = x + eta * d;
            if (f(trial) + composite(problem_, trial) <= here - settings_.descent * eta * gap) return eta;
            if (contractions == 60) return 0.0;
            eta *= settings_.contraction;
        }
    }

    // Short step with an estimate of L that doubles while the quadratic model is violated.
    double parameter_free(std::int64_t t, const Matrix& x, const Matrix& d, const Matrix& g, double gap) {
        if (t > 0) curvature_ *= settings_.decrease;
        if (!(gap > 0.0) || d.squaredNorm() == 0.0) return 0.0;
        const double here = f(x);
        for (int doublings = 0;; ++doublings) {
            const double eta = clipped_ratio(gap, curvature_ * d.squaredNorm());
            const double model = here + eta * inner(g, d) + 0.5 * curvature_ * eta * eta * d.squaredNorm();
            if (!(f(x + eta * d) > model + 1e-12 * std::max(1.0, std::abs(here)))) return eta;
            if (doublings == 100) return eta;
            curvature_ *= settings_.increase;
        }
    }

    double curvature() const { return curvature_; }
    std::int64_t evaluations() const { return evaluations_; }

  private:
    double f(const Matrix& x) {
        ++evaluations_;
        return full_value(problem_, x);
    }

    const Problem& problem_;
    const Settings& settings_;
    double curvature_;
    std::int64_t evaluations_ = 0;
};

}  // namespace reference
