#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "alfcg/fit/fit.hpp"
#include "fit/specification.hpp"

namespace alfcg {

/// Watches a run's score on the held-out rows and keeps the iterate with the best one. Its time is not the method's: the
/// loop charges observers to nobody.
template <class Real>
class EarlyStop {
  public:
    EarlyStop(Problem<Real>& problem, std::string method) : problem_(problem), method_(std::move(method)) {}

    /// To be told of every iterate: whether the run has gone on long enough without a better score.
    bool enough(const Snapshot<Real>& now) {
        if (!now.last && now.epochs < next_look_) return stopped_;
        next_look_ = now.epochs + std::max(1.0, now.epochs / 16);
        Model<Real> model = model_of(problem_, method_, now.x());
        model.intercept = now.intercept();
        model.scaling = problem_.scaling;
        const Score score = score_on(model, *problem_.held_out, problem_.parts, problem_.ranks);
        if (!best_ || score.better_than(*best_)) {
            best_ = score;
            best_iteration_ = now.iteration;
            best_x_ = now.x();
            looks_since_ = 0;
        } else {
            ++looks_since_;
        }
        stopped_ = stopped_ || looks_since_ >= problem_.patience;
        return stopped_;
    }

    /// Makes the best iterate the run's result, with its objective and gap.
    void put_best_into(Solution<Real>& result) {
        if (!best_iteration_) return;
        if (stopped_ && result.status == Status::interrupted) result.status = Status::early_stop;
        if (*best_iteration_ == result.iterations) return;
        Options look;  // a run of no steps: nothing but the facts at its start
        look.max_iterations = 0;
        const auto region = problem_.new_region();
        const auto facts = solve<Real>(*problem_.objective, *region, look, {}, &best_x_);
        result.metrics = facts.metrics;
        result.seconds.metrics += facts.seconds.metrics;
        result.intercept = facts.intercept;
        result.x = std::move(best_x_);
    }

    [[nodiscard]] std::optional<Index> best_iteration() const { return best_iteration_; }

    void archive(Archive& state) {
        state(next_look_, looks_since_, stopped_, best_, best_iteration_, best_x_);
    }

  private:
    Problem<Real>& problem_;
    std::string method_;
    double next_look_ = 0;
    Index looks_since_ = 0;
    bool stopped_ = false;
    std::optional<Score> best_;
    std::optional<Index> best_iteration_;
    Matrix<Real> best_x_;
};

}  // namespace alfcg
