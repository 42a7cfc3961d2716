#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "alfcg/fit/completion.hpp"
#include "alfcg/objective/completion.hpp"
#include "alfcg/region/region.hpp"
#include "corrective/factor_path.hpp"

namespace alfcg {

/// Whole cache lines for so many numbers, and at least one.
template <class Real>
constexpr Index stride_for(Index width) {
    constexpr Index lanes = 64 / static_cast<Index>(sizeof(Real));
    return (std::max<Index>(width, 1) + lanes - 1) / lanes * lanes;
}

/// The same table with longer lines, which end in zeros, or with shorter ones.
template <class Real>
Matrix<Real> with_lines_of(const Matrix<Real>& from, Index length) {
    Matrix<Real> to(from.rows(), length);
    for (Index i = 0; i < from.rows(); ++i)
        std::copy_n(from.data() + i * from.cols(), std::min(from.cols(), length), to.data() + i * length);
    return to;
}

/// One set of observations and everything that is fitted to it.
template <class Real>
class CompletionFit {
  public:
    CompletionFit(const Observations<Real>& known, const CompletionSpecification& specification,
                  double bias_penalty)
        : known_(known), specification_(specification), parts_(specification.parts()) {
        biases_.used = specification.biases;
        biases_.penalty = bias_penalty;
        if (biases_.used && !loss_info(specification.loss.name).classifies()) {
            double sum = 0;
            double total = 0;
            for (Index k = 0; k < known.size(); ++k) {
                sum += known.weight(k) * static_cast<double>(known.values[static_cast<std::size_t>(k)]);
                total += known.weight(k);
            }
            biases_.mean = sum / total;
        }
        objective_ = completion_objective(known, specification.loss, biases_, parts_);
        stand_at(origin());
    }

    [[nodiscard]] const Iterate<Real>& x() const { return *x_; }

    // Along the path of penalties from here, which is the origin.
    FactorPath<Real> path(FactorSweeps<Real>& sweeps) {
        Matrix<Real> gradient;
        at_origin_ = objective_->evaluate(*x_, gradient);
        return FactorPath<Real>(sweeps, *objective_, *x_, std::move(gradient));
    }

    // From where the last solve ended, scaled in if need be.
    Solution<Real> solve(double radius, const Options& options, const Observer<Real>& observer) {
        const auto region = nuclear_ball<Real>(radius, {}, parts_);
        const double outside = region->violation_of(*x_->factors());
        if (outside > 0)
            x_->go_towards(zero(), 1 - (1 - 4 * static_cast<double>(std::numeric_limits<Real>::epsilon())) /
                                           (1 + outside));
        Solution<Real> found = alfcg::solve<Real>(*objective_, *region, options, observer, &*x_);
        stand_at(std::move(*found.factors));
        x_->intercept().at = found.intercept;
        x_->intercept().best = !found.intercept.empty();
        reached_ = found.metrics.objective;
        return found;
    }

    // Where it is, for another solve to begin there: of these observations or of others.
    struct Place {
        Factors<Real> factors;
        std::vector<double> biases;
    };
    [[nodiscard]] Place place() const { return {*x_->factors(), x_->intercept().at}; }
    void begin_at(Place place) {
        stand_at(std::move(place.factors));
        x_->intercept().at = std::move(place.biases);
        settled_ = true;
    }

    // λ of the penalised problem that x solves, in sums over the observations.
    double multiplier() {
        // What is seen of this copy goes with it.
        const Iterate<Real> here = copy_of_x();
        Matrix<Real> gradient;
        objective_->evaluate(here, gradient);
        const auto sizes = here.factors()->singular_values();
        const double norm = std::accumulate(sizes.begin(), sizes.end(), 0.0);
        const double along = -direction_to(zero(), gradient, here).slope;
        return norm > 0 ? std::max(-along / norm, 0.0) * static_cast<double>(known_.size()) : 0;
    }

    // Another way has led to where it is, with this value.
    void reached(double value) { reached_ = value; }
    // How far below f at the origin the last solve has ended.
    [[nodiscard]] double gained() {
        if (!at_origin_) {
            Matrix<Real> gradient;
            at_origin_ = objective_->evaluate(iterate(origin()), gradient);
        }
        return *at_origin_ - reached_;
    }
    void sweep(double penalty) {
        if (!factors_) begin_sweeps();
        objective_->sweep(*factors_, penalty);
    }
    void keep_sweeps() { kept_ = factors_; }
    void take_kept() { factors_ = kept_; }

    [[nodiscard]] CompletionModel<Real> model() const {
        CompletionModel<Real> model;
        model.mean = biases_.mean;
        model.loss = specification_.loss;
        model.bias_penalty = biases_.penalty;
        if (!loss_info(specification_.loss.name).classifies()) {
            const auto [least, most] = std::minmax_element(known_.values.begin(), known_.values.end());
            model.least = static_cast<double>(*least);
            model.most = static_cast<double>(*most);
        }
        const Shape shape = known_.pattern.shape;
        if (factors_) {
            model.left = with_lines_of(factors_->left, factors_->width);
            model.right = with_lines_of(factors_->right, factors_->width);
            model.row_biases = factors_->row_biases;
            model.column_biases = factors_->column_biases;
            return model;
        }
        std::optional<Factors<Real>> turned;
        if (!x_->factors()->diagonal()) turned.emplace(*x_->factors()).compress();
        const Factors<Real>& x = turned ? *turned : *x_->factors();
        model.left = Matrix<Real>(shape.rows, x.width());
        model.right = Matrix<Real>(shape.cols, x.width());
        for (Index k = 0; k < x.width(); ++k) {
            const double root = std::sqrt(x.core(k, k));
            for (Index i = 0; i < shape.rows; ++i)
                model.left(i, k) = static_cast<Real>(root * static_cast<double>(x.left(i)[k]));
            for (Index j = 0; j < shape.cols; ++j)
                model.right(j, k) = static_cast<Real>(root * static_cast<double>(x.right(j)[k]));
        }
        if (biases_.used) {
            const bool there = x_->intercept().best || (settled_ && !x_->intercept().at.empty());
            const auto biases = there ? x_->intercept().at : objective_->intercept(copy_of_x());
            model.row_biases.assign(biases.begin(), biases.begin() + static_cast<std::ptrdiff_t>(shape.rows));
            model.column_biases.assign(biases.begin() + static_cast<std::ptrdiff_t>(shape.rows),
                                       biases.end());
        }
        return model;
    }

  private:
    [[nodiscard]] Factors<Real> origin() const {
        return Factors<Real>(known_.pattern.shape, specification_.rank);
    }
    [[nodiscard]] Iterate<Real> iterate(Factors<Real> at) const {
        return Iterate<Real>(std::move(at), known_.pattern, parts_);
    }
    [[nodiscard]] Iterate<Real> copy_of_x() const {
        Iterate<Real> copy = iterate(*x_->factors());
        copy.intercept() = x_->intercept();
        return copy;
    }
    void stand_at(Factors<Real> at) {
        x_.emplace(iterate(std::move(at)));
        factors_.reset();
        kept_.reset();
        settled_ = false;
    }
    [[nodiscard]] Vertex<Real> zero() const {
        Vertex<Real> vertex;
        vertex.shape = known_.pattern.shape;
        return vertex;
    }

    void begin_sweeps() {
        const CompletionModel<Real> now = model();
        const Index width = now.rank();
        const Index stride = stride_for<Real>(width + 1);
        factors_ = TwoFactors<Real>{with_lines_of(now.left, stride),
                                    with_lines_of(now.right, stride),
                                    width,
                                    now.row_biases,
                                    now.column_biases,
                                    biases_.used,
                                    {}};
    }

    const Observations<Real>& known_;
    const CompletionSpecification& specification_;
    int parts_;
    BiasSpec biases_;
    std::unique_ptr<Objective<Real>> objective_;
    std::optional<Iterate<Real>> x_;
    bool settled_ = false;                     // biases are those of the place that x was put to
    std::optional<double> at_origin_;          // f there, where it was asked for
    double reached_ = 0;                       // by the last solve
    std::optional<TwoFactors<Real>> factors_;  // of a refit
    std::optional<TwoFactors<Real>> kept_;
};

}  // namespace alfcg
