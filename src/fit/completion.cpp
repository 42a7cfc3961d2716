#include "alfcg/fit/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/objective/completion.hpp"
#include "alfcg/region/region.hpp"
#include "core/threads.hpp"

namespace alfcg {

namespace {

constexpr double usual_hold_out = 0.1;
// While a radius is looked for, gaps need not be smaller.
constexpr double rough_tolerance = 2e-2;
constexpr Index rough_iterations = 8;
constexpr int most_tries = 16;
constexpr std::array bias_penalties{0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0};
// The penalty of a refit, as shares of the one that the radius stands for, and sweeps with each.
constexpr std::array refit_shares{1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125};
constexpr int refit_sweeps = 3;

/// One set of observations and everything that is fitted to it.
template <class Real>
class Fit {
  public:
    Fit(const Observations<Real>& known, const CompletionSpecification& specification, double bias_penalty)
        : known_(known), specification_(specification) {
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
        objective_ = completion_objective(known, specification.loss, biases_, specification.threads);
        x_.emplace(Factors<Real>(known.pattern.shape, specification.rank), known.pattern,
                   resolve_threads(specification.threads));
    }

    [[nodiscard]] Objective<Real>& objective() { return *objective_; }
    [[nodiscard]] const Iterate<Real>& x() const { return *x_; }

    // From where the last solve ended, scaled in if need be.
    Solution<Real> solve(double radius, const Options& options, const Observer<Real>& observer) {
        const auto region = nuclear_ball<Real>(radius, {}, specification_.threads);
        const double outside = region->violation_of(*x_->factors());
        if (outside > 0) x_->go_towards(zero(), 1 - (1 - 1e-6) / (1 + outside));
        Solution<Real> found = alfcg::solve<Real>(*objective_, *region, options, observer, &*x_);
        x_.emplace(*found.factors, known_.pattern, resolve_threads(specification_.threads));
        x_->intercept().at = found.intercept;
        factors_.reset();
        return found;
    }

    // Where it is, for another solve to begin there: of these observations or of others.
    struct Place {
        Factors<Real> factors;
        std::vector<double> biases;
    };
    [[nodiscard]] Place place() const { return {*x_->factors(), x_->intercept().at}; }
    void begin_at(Place place) {
        x_.emplace(std::move(place.factors), known_.pattern, resolve_threads(specification_.threads));
        x_->intercept().at = std::move(place.biases);
        factors_.reset();
    }

    // λ of the penalised problem that x solves, in sums over the observations.
    double multiplier() {
        Matrix<Real> gradient;
        objective_->evaluate(*x_, gradient);
        const auto sizes = x_->factors()->singular_values();
        const double norm = std::accumulate(sizes.begin(), sizes.end(), 0.0);
        const double along = -direction_to(zero(), gradient, *x_).slope;
        return norm > 0 ? std::max(-along / norm, 0.0) * static_cast<double>(known_.size()) : 0;
    }

    // f at the origin, once a radius has been looked for.
    [[nodiscard]] double at_origin() const { return at_origin_; }
    // Where a line search would end that goes as far as it likes.
    double first_radius() {
        Matrix<Real> gradient;
        at_origin_ = objective_->evaluate(*x_, gradient);
        const auto region = nuclear_ball<Real>(1, {}, specification_.threads);
        Move<Real> move;
        region->minimize_at(known_.pattern, gradient, 0, false, move.towards());
        const double start = objective_->slope_after(*x_, move, 0);
        const double end = objective_->slope_after(*x_, move, 1);
        return end > start && start < 0 ? -start / (end - start) : 1;
    }

    void sweep(double penalty) {
        if (!factors_) begin_sweeps();
        objective_->sweep(*factors_, penalty);
    }
    void forget_sweeps() { factors_.reset(); }
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
        const auto copy = [](const Matrix<Real>& from, Index width) {
            Matrix<Real> to(from.rows(), width);
            for (Index i = 0; i < from.rows(); ++i)
                std::copy_n(from.data() + i * from.cols(), width, to.data() + i * width);
            return to;
        };
        if (factors_) {
            model.left = copy(factors_->left, factors_->width);
            model.right = copy(factors_->right, factors_->width);
            model.row_biases = factors_->row_biases;
            model.column_biases = factors_->column_biases;
            return model;
        }
        Factors<Real> turned = *x_->factors();
        turned.compress();
        model.left = Matrix<Real>(shape.rows, turned.width());
        model.right = Matrix<Real>(shape.cols, turned.width());
        for (Index k = 0; k < turned.width(); ++k) {
            const double root = std::sqrt(turned.core(k, k));
            for (Index i = 0; i < shape.rows; ++i)
                model.left(i, k) = static_cast<Real>(root * static_cast<double>(turned.left(i)[k]));
            for (Index j = 0; j < shape.cols; ++j)
                model.right(j, k) = static_cast<Real>(root * static_cast<double>(turned.right(j)[k]));
        }
        if (biases_.used) {
            const auto biases = objective_->intercept(*x_);
            model.row_biases.assign(biases.begin(), biases.begin() + static_cast<std::ptrdiff_t>(shape.rows));
            model.column_biases.assign(biases.begin() + static_cast<std::ptrdiff_t>(shape.rows),
                                       biases.end());
        }
        return model;
    }

  private:
    [[nodiscard]] Vertex<Real> zero() const {
        Vertex<Real> vertex;
        vertex.shape = known_.pattern.shape;
        return vertex;
    }

    void begin_sweeps() {
        const CompletionModel<Real> now = model();
        constexpr Index lanes = 64 / static_cast<Index>(sizeof(Real));
        const Index width = now.rank();
        const Index stride = (width + 1 + lanes - 1) / lanes * lanes;
        const auto widened_to = [&](const Matrix<Real>& from) {
            Matrix<Real> to(from.rows(), stride);
            for (Index i = 0; i < from.rows(); ++i)
                std::copy_n(from.data() + i * width, width, to.data() + i * stride);
            return to;
        };
        factors_ = TwoFactors<Real>{widened_to(now.left), widened_to(now.right), width, now.row_biases,
                                    now.column_biases,    biases_.used,          {}};
    }

    const Observations<Real>& known_;
    const CompletionSpecification& specification_;
    BiasSpec biases_;
    std::unique_ptr<Objective<Real>> objective_;
    std::optional<Iterate<Real>> x_;
    double at_origin_ = 0;
    std::optional<TwoFactors<Real>> factors_;  // of a refit
    std::optional<TwoFactors<Real>> kept_;
};

template <class Real>
double error_on(const CompletionModel<Real>& model, const Observations<Real>& some) {
    const bool signs = loss_info(model.loss.name).classifies();
    double sum = 0;
    double total = 0;
    for (Index i = 0; i < some.pattern.shape.rows; ++i)
        for (Index k = some.pattern.begin(i); k < some.pattern.end(i); ++k) {
            const double wanted = static_cast<double>(some.values[static_cast<std::size_t>(k)]);
            const double found = model.at(i, some.pattern.columns[static_cast<std::size_t>(k)]);
            const double loss =
                signs ? (found * wanted > 0 ? 0.0 : 1.0) : (found - wanted) * (found - wanted);
            sum += some.weight(k) * loss;
            total += some.weight(k);
        }
    return signs ? sum / total : std::sqrt(sum / total);
}

/// What is chosen on observations that are held out.
struct Choice {
    double radius = 0;
    double bias_penalty = 0;
    std::optional<double> refit_share;  // of the multiplier
    int refit_sweeps = 0;               // with it and every larger one
};

template <class Real>
double choose_bias_penalty(const Observations<Real>& known, const Observations<Real>& held_out,
                           const CompletionSpecification& specification) {
    double best = std::numeric_limits<double>::infinity();
    double chosen = 0;
    const bool signs = loss_info(specification.loss.name).classifies();
    for (const double penalty : bias_penalties) {
        if (signs && penalty == 0) continue;
        Fit<Real> fit(known, specification, penalty);
        const double error = error_on(fit.model(), held_out);
        if (error < best) {
            best = error;
            chosen = penalty;
        }
    }
    return chosen;
}

// Solves over growing radii, each from where the last one ended, until what is held out is predicted no better; then once more on both
// sides of the best, from there. Leaves the fit where it was best.
template <class Real>
double choose_radius(Fit<Real>& fit, const Observations<Real>& known, const Observations<Real>& held_out,
                     const CompletionSpecification& specification, const CompletionWatch<Real>& watch,
                     CompletionReport& report) {
    Options rough = specification.options;
    rough.tolerance = std::max(rough.tolerance, rough_tolerance);
    rough.max_iterations = std::min(rough.max_iterations, rough_iterations);
    double best = std::numeric_limits<double>::max();
    double chosen = 0;
    auto place = fit.place();
    const auto stop = [&] { return watch.stop && watch.stop(); };
    const Observer<Real> until_stopped = [&](const Snapshot<Real>&) {
        return stop() ? Action::stop : Action::proceed;
    };
    const auto look = [&](double radius) {
        const auto found = fit.solve(radius, rough, until_stopped);
        // The next one begins near its end, and is there when its gap is small beside what has been gained so far.
        const double gained = fit.at_origin() - found.metrics.objective;
        if (gained > 0) {
            rough.gap = rough_tolerance * gained;
            rough.tolerance = 0;
        }
        const CompletionModel<Real> model = fit.model();
        const RadiusScore score{radius, error_on(model, known), error_on(model, held_out), model.rank(),
                                found.seconds.method()};
        report.radii.push_back(score);
        if (watch.radius) watch.radius(score);
        const bool better = score.held_out < best;
        if (better) {
            best = score.held_out;
            chosen = radius;
            place = fit.place();
        }
        return better;
    };
    double radius = fit.first_radius() / 2;
    for (int k = 0; k < most_tries && !stop() && look(radius); ++k) radius *= 2;
    const double middle = chosen;
    const auto of_middle = place;
    for (const double factor : {std::numbers::sqrt2, 1 / std::numbers::sqrt2}) {
        if (stop()) break;
        fit.begin_at(of_middle);
        look(middle * factor);
    }
    fit.begin_at(std::move(place));
    return chosen;
}

// Down the penalties, as long as that helps.
template <class Real>
double choose_refit(Fit<Real>& fit, const Observations<Real>& held_out, Choice& choice) {
    const double multiplier = fit.multiplier();
    double best = std::numeric_limits<double>::infinity();
    int worse = 0;
    for (const double share : refit_shares) {
        bool better = false;
        for (int sweep = 1; sweep <= refit_sweeps; ++sweep) {
            fit.sweep(share * multiplier);
            const double error = error_on(fit.model(), held_out);
            if (error < best) {
                best = error;
                better = true;
                choice.refit_share = share;
                choice.refit_sweeps = sweep;
                fit.keep_sweeps();
            }
        }
        worse = better ? 0 : worse + 1;
        if (worse == 2) break;
    }
    fit.take_kept();
    return best;
}

template <class Real>
void refit_as_chosen(Fit<Real>& fit, const Choice& choice) {
    const double multiplier = fit.multiplier();
    for (const double share : refit_shares) {
        const bool last = share == *choice.refit_share;
        for (int sweep = 1; sweep <= (last ? choice.refit_sweeps : refit_sweeps); ++sweep)
            fit.sweep(share * multiplier);
        if (last) break;
    }
}

}  // namespace

Options CompletionSpecification::default_options() {
    Options options;
    options.tolerance = 1e-2;
    options.max_epochs = 10000;
    return options;
}

void CompletionSpecification::verify() const {
    alfcg::verify(loss);
    if (radius && !(*radius > 0 && std::isfinite(*radius)))
        throw QuantityError("radius", fmt::format("must be positive, not {}", *radius));
    if (hold_out != 0 && !(hold_out > 0 && hold_out < 1))
        throw QuantityError("holdout", fmt::format("must be a share between 0 and 1, not {}", hold_out));
    if (bias_penalty && !(*bias_penalty >= 0 && std::isfinite(*bias_penalty)))
        throw QuantityError("bias-penalty", fmt::format("must be at least 0, not {}", *bias_penalty));
    if (bias_penalty && !biases) throw QuantityError("bias-penalty", "is for `biases`");
    if (rank < 0) throw QuantityError("rank", fmt::format("must be at least 1, not {}", rank));
    options.verify();
}

template <class Real>
Completed<Real> complete(const Ratings<Real>& ratings, const CompletionSpecification& specification,
                         const CompletionWatch<Real>& watch) {
    specification.verify();
    Completed<Real> result;
    CompletionReport& report = result.report;
    const bool wants_penalty = specification.biases && !specification.bias_penalty;
    const bool signs = loss_info(specification.loss.name).classifies();
    double share = specification.hold_out;
    if (share == 0 && (!specification.radius || specification.refit)) share = usual_hold_out;

    Choice choice;
    choice.radius = specification.radius.value_or(0);
    choice.bias_penalty = specification.bias_penalty.value_or(signs ? 1 : 0);
    Observations<Real> known = ratings.known;
    Observations<Real> held_out;
    if (share > 0) held_out = hold_out(known, share, specification.options.seed);
    report.held_out_count = held_out.pattern.columns.empty() ? 0 : held_out.size();
    if (wants_penalty && share > 0) choice.bias_penalty = choose_bias_penalty(known, held_out, specification);

    const auto final_solve = [&](Fit<Real>& fit, const Observer<Real>& observer) {
        const Solution<Real> found = fit.solve(choice.radius, specification.options, observer);
        report.status = found.status;
        report.method = found.method;
        report.iterations = found.iterations;
        report.epochs = found.epochs;
        report.seconds += found.seconds.method();
        report.counters = found.counters;
        report.metrics = found.metrics;
        const auto sizes = fit.x().factors()->singular_values();
        report.norm = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    };
    std::optional<typename Fit<Real>::Place> reached;
    const bool chooses = share > 0 && (!specification.radius || specification.refit || wants_penalty);
    {
        Fit<Real> fit(known, specification, choice.bias_penalty);
        if (!specification.radius)
            choice.radius = choose_radius(fit, known, held_out, specification, watch, report);
        final_solve(fit, chooses ? Observer<Real>{} : watch.run);
        result.model = fit.model();
        if (chooses) reached = fit.place();
        if (share > 0) report.held_out = error_on(result.model, held_out);
        if (specification.refit) {
            report.refit_held_out = choose_refit(fit, held_out, choice);
            if (*report.refit_held_out < *report.held_out) {
                result.model = fit.model();
                report.refit_penalty = *choice.refit_share * fit.multiplier();
            } else {
                choice.refit_share.reset();
            }
        }
        report.error = error_on(result.model, known);
        report.trained_on = known.size();
    }
    if (chooses && !(watch.stop && watch.stop())) {
        known = {};
        Fit<Real> fit(ratings.known, specification, choice.bias_penalty);
        fit.begin_at(std::move(*reached));
        final_solve(fit, watch.run);
        if (choice.refit_share) refit_as_chosen(fit, choice);
        result.model = fit.model();
        report.error = error_on(result.model, ratings.known);
        report.trained_on = ratings.known.size();
        report.on_all = true;
    }
    result.model.rows = ratings.rows;
    result.model.columns = ratings.columns;
    result.model.radius = choice.radius;
    result.model.method = report.method;
    result.model.refitted = choice.refit_share.has_value();
    report.rank = result.model.rank();
    report.radius = choice.radius;
    report.bias_penalty = choice.bias_penalty;
    return result;
}

template Completed<float> complete(const Ratings<float>&, const CompletionSpecification&,
                                   const CompletionWatch<float>&);
template Completed<double> complete(const Ratings<double>&, const CompletionSpecification&,
                                    const CompletionWatch<double>&);

}  // namespace alfcg
