#include "alfcg/fit/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/team.hpp"
#include "core/threads.hpp"
#include "fit/completion_fit.hpp"
#include "fit/specification.hpp"

namespace alfcg {

namespace {

constexpr double usual_hold_out = 0.1;
// While a radius is looked for, gaps need not be smaller.
constexpr double rough_tolerance = 2e-2;
constexpr Index rough_iterations = 8;
constexpr int most_tries = 16;
constexpr Index most_wider = 4;
constexpr std::array bias_penalties{0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0};
// The penalty of a refit, as shares of the one that the radius stands for, and
// sweeps with each.
constexpr std::array refit_shares{1.0, 0.5, 0.25, 0.125, 1.0 / 16, 1.0 / 32, 1.0 / 64, 1.0 / 128};
constexpr int refit_sweeps = 3;
// Parabolas that touch a loss which is none lead to its best point in so many
// steps, near enough.
constexpr int fold_in_sweeps = 30;

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
struct RefitChoice {
    std::optional<double> share;  // of the multiplier
    int sweeps = 0;               // with it; all of them with every larger one
};
struct Choice {
    double radius = 0;
    double bias_penalty = 0;
    RefitChoice refit;
};

template <class Real>
double choose_bias_penalty(const Observations<Real>& known, const Observations<Real>& held_out,
                           const CompletionSpecification& specification) {
    double best = std::numeric_limits<double>::infinity();
    double chosen = 0;
    const bool signs = loss_info(specification.loss.name).classifies();
    for (const double penalty : bias_penalties) {
        if (signs && penalty == 0) continue;
        CompletionFit<Real> fit(known, specification, penalty);
        const double error = error_on(fit.model(), held_out);
        if (error < best) {
            best = error;
            chosen = penalty;
        }
    }
    return chosen;
}

// Down the penalties, as long as that helps. Leaves the fit where it was best.
template <class Real>
double choose_refit(CompletionFit<Real>& fit, const Observations<Real>& held_out, RefitChoice& choice) {
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
                choice = {share, sweep};
                fit.keep_sweeps();
            }
        }
        worse = better ? 0 : worse + 1;
        if (worse == 2) break;
    }
    fit.take_kept();
    return best;
}

// Returns the last penalty.
template <class Real>
double refit_as_chosen(CompletionFit<Real>& fit, const RefitChoice& choice) {
    const double multiplier = fit.multiplier();
    for (const double share : refit_shares) {
        const bool last = share == *choice.share;
        for (int sweep = 1; sweep <= (last ? choice.sweeps : refit_sweeps); ++sweep)
            fit.sweep(share * multiplier);
        if (last) return share * multiplier;
    }
    return 0;
}

// A gap is small beside what has been gained since the origin, wherever a solve
// begins.
Options counted_from_origin(Options options, double gained) {
    if (options.tolerance > 0 && gained > 0)
        options.gap = std::max(options.gap.value_or(0), options.tolerance * gained);
    return options;
}

/// Solves over growing radii, each from where the last one ended, and looks
/// what is held out.
template <class Real>
class RadiusSearch {
  public:
    RadiusSearch(CompletionFit<Real>& fit, const Observations<Real>& known,
                 const Observations<Real>& held_out, const CompletionSpecification& specification,
                 const CompletionWatch<Real>& watch, CompletionReport& report)
        : fit_(fit),
          known_(known),
          held_out_(held_out),
          specification_(specification),
          watch_(watch),
          report_(report),
          rough_(specification.options),
          place_(fit.place()) {
        rough_.tolerance = std::max(rough_.tolerance, rough_tolerance);
        rough_.max_iterations = std::min(rough_.max_iterations, rough_iterations);
        rough_.checkpoints = {};
    }

    // Leaves the fit where it was best.
    double choose() {
        if (specification_.radii.empty()) {
            search();
        } else {
            std::vector<double> radii = specification_.radii;
            std::sort(radii.begin(), radii.end());
            for (const double radius : radii)
                if (!stop()) look(radius);
        }
        fit_.begin_at(std::move(place_));
        return chosen_;
    }

  private:
    [[nodiscard]] bool stop() const { return watch_.stop && watch_.stop(); }

    // Doubles until what is held out is predicted no better; then once more on
    // both sides of the best, from there.
    void search() {
        double radius = fit_.first_radius() / 2;
        // What a refit makes of a radius depends on the rank there, which goes up and down.
        const int patience = specification_.refit ? 2 : 1;
        int worse = 0;
        for (int k = 0; k < most_tries && !stop() && worse < patience; ++k, radius *= 2)
            worse = look(radius) ? 0 : worse + 1;
        const double middle = chosen_;
        const auto of_middle = place_;
        for (const double factor : {std::numbers::sqrt2, 1 / std::numbers::sqrt2}) {
            if (stop()) break;
            fit_.begin_at(of_middle);
            look(middle * factor);
        }
    }

    // Whether this is the best so far: by itself, or by what a refit makes of it
    // where there is to be one.
    bool look(double radius) {
        const auto found = fit_.solve(
            radius, rough_, [&](const Snapshot<Real>&) { return stop() ? Action::stop : Action::proceed; });
        // The next one begins near its end, and is there when its gap is small
        // beside what has been gained so far.
        if (const double gained = fit_.gained(); gained > 0) {
            rough_.gap = std::max(specification_.options.gap.value_or(0), rough_tolerance * gained);
            rough_.tolerance = 0;
        }
        const CompletionModel<Real> model = fit_.model();
        RadiusScore score{radius,       error_on(model, known_), error_on(model, held_out_), std::nullopt,
                          model.rank(), found.seconds.method()};
        auto place = fit_.place();
        RefitChoice refit;
        // Far more singular values than where a refit was best are fitted to noise, at the square of their number.
        const bool wide = chosen_ > 0 && score.rank > most_wider * rank_;
        if (specification_.refit && !wide && !stop()) score.refit = choose_refit(fit_, held_out_, refit);
        report_.radii.push_back(score);
        if (watch_.radius) watch_.radius(score);
        const double error = std::min(score.held_out, score.refit.value_or(score.held_out));
        if (!(error < best_)) return false;
        best_ = error;
        chosen_ = radius;
        rank_ = score.rank;
        place_ = std::move(place);
        return true;
    }

    CompletionFit<Real>& fit_;
    const Observations<Real>& known_;
    const Observations<Real>& held_out_;
    const CompletionSpecification& specification_;
    const CompletionWatch<Real>& watch_;
    CompletionReport& report_;
    Options rough_;
    double best_ = std::numeric_limits<double>::max();
    double chosen_ = 0;
    Index rank_ = 0;  // there
    typename CompletionFit<Real>::Place place_;
};

// What a run depends on, for its checkpoints.
template <class Real>
std::vector<Fact> facts_of(const Observations<Real>& known, const CompletionSpecification& specification,
                           const Choice& choice) {
    Digest data;
    const auto add = [&](const auto& array) { data.add(array.data(), array.size() * sizeof(array[0])); };
    add(known.pattern.starts);
    add(known.pattern.columns);
    add(known.values);
    add(known.weights);
    std::string loss = specification.loss.name;
    for (const auto& [name, value] : specification.loss.parameters.all())
        if (const auto number = specification.loss.parameters.number(name))
            loss += " " + name + " " + format_number(*number);
    return {
        {"loss", loss},
        {"biases", specification.biases ? "with a penalty of " + format_number(choice.bias_penalty) : "none"},
        {"rank", specification.rank > 0 ? std::to_string(specification.rank) : "any"},
        {"threads", std::to_string(specification.parts())},
        {"data", data.text(), true}};
}

// The factors of a model, to begin at.
template <class Real>
typename CompletionFit<Real>::Place place_of(const CompletionModel<Real>& model, Shape shape,
                                             const CompletionSpecification& specification) {
    if (model.left.rows() != shape.rows || model.right.rows() != shape.cols)
        throw QuantityError(
            "start", fmt::format("must be a model of {} rows and {} columns, not of {} and {}", shape.rows,
                                 shape.cols, model.left.rows(), model.right.rows()));
    const Index stride = stride_for<Real>(model.rank());
    typename CompletionFit<Real>::Place place{
        Factors<Real>(with_lines_of(model.left, stride), with_lines_of(model.right, stride), model.rank(),
                      specification.rank),
        {}};
    if (specification.biases) {
        place.biases = model.row_biases;
        place.biases.insert(place.biases.end(), model.column_biases.begin(), model.column_biases.end());
    }
    return place;
}

}  // namespace

Options CompletionSpecification::default_options() {
    Options options;
    options.tolerance = 1e-2;
    options.max_epochs = 10000;
    return options;
}

int CompletionSpecification::parts() const {
    return reproducible ? reproducible_parts : resolve_threads(threads);
}

void CompletionSpecification::verify() const {
    alfcg::verify(loss);
    if (radius && !(*radius > 0 && std::isfinite(*radius)))
        throw QuantityError("radius", fmt::format("must be positive, not {}", *radius));
    if (radius && !radii.empty()) throw QuantityError("radii", "are for `radius` auto");
    for (const double one : radii)
        if (!(one > 0 && std::isfinite(one)))
            throw QuantityError("radii", fmt::format("must be positive, not {}", one));
    if (hold_out != 0 && !(hold_out > 0 && hold_out < 1))
        throw QuantityError("holdout", fmt::format("must be a share between 0 and 1, not {}", hold_out));
    if (bias_penalty && !(*bias_penalty >= 0 && std::isfinite(*bias_penalty)))
        throw QuantityError("bias-penalty", fmt::format("must be at least 0, not {}", *bias_penalty));
    if (bias_penalty && !biases) throw QuantityError("bias-penalty", "is for `biases`");
    if (rank < 0) throw QuantityError("rank", fmt::format("must be at least 1, not {}", rank));
    options.verify();
}

template <class Real>
Completed<Real> complete(Ratings<Real> ratings, const CompletionSpecification& specification,
                         const CompletionWatch<Real>& watch, const CompletionModel<Real>* start) {
    specification.verify();
    if (start != nullptr && !specification.radius)
        throw QuantityError("start", "is for a `radius` that is given: a search begins at the origin");
    const TeamLimit limit(resolve_threads(specification.threads));
    Completed<Real> result;
    CompletionReport& report = result.report;
    const bool wants_penalty = specification.biases && !specification.bias_penalty;
    const bool signs = loss_info(specification.loss.name).classifies();
    double share = specification.hold_out;
    if (share == 0 && (!specification.radius || specification.refit)) share = usual_hold_out;

    Choice choice;
    choice.radius = specification.radius.value_or(0);
    choice.bias_penalty = specification.bias_penalty.value_or(signs ? 1 : 0);
    Observations<Real> known = std::move(ratings.known);
    Observations<Real> held_out;
    if (share > 0) held_out = hold_out(known, share, specification.options.seed);
    report.held_out_count = held_out.pattern.columns.empty() ? 0 : held_out.size();
    if (wants_penalty && share > 0) choice.bias_penalty = choose_bias_penalty(known, held_out, specification);

    const bool chooses = share > 0 && (!specification.radius || specification.refit || wants_penalty);
    const auto final_solve = [&](CompletionFit<Real>& fit, double gained, bool last) {
        Options options = counted_from_origin(specification.options, gained);
        if (!last) {
            options.checkpoints = {};
        } else if (options.checkpoints.used()) {
            for (Fact& fact : facts_of(known, specification, choice))
                options.checkpoints.facts.push_back(std::move(fact));
        }
        const Solution<Real> found = fit.solve(choice.radius, options, last ? watch.run : Observer<Real>{});
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
    const Shape shape = known.pattern.shape;
    std::optional<typename CompletionFit<Real>::Place> reached;
    double gained = 0;
    {
        CompletionFit<Real> fit(known, specification, choice.bias_penalty);
        if (start != nullptr) fit.begin_at(place_of(*start, shape, specification));
        if (!specification.radius) {
            choice.radius = RadiusSearch<Real>(fit, known, held_out, specification, watch, report).choose();
            gained = fit.gained();
        }
        final_solve(fit, gained, !chooses);
        if (chooses) {
            reached = fit.place();
            gained = fit.gained();
        }
        result.model = fit.model();
        result.model.penalty = fit.multiplier();
        if (share > 0) report.held_out = error_on(result.model, held_out);
        if (specification.refit) {
            report.refit_held_out = choose_refit(fit, held_out, choice.refit);
            if (*report.refit_held_out < *report.held_out) {
                report.refit_penalty = *choice.refit.share * result.model.penalty;
                result.model = fit.model();
                result.model.penalty = *report.refit_penalty;
            } else {
                choice.refit.share.reset();
            }
        }
        report.error = error_on(result.model, known);
        report.trained_on = known.size();
    }
    if (chooses && !(watch.stop && watch.stop())) {
        put_back(known, std::move(held_out));
        CompletionFit<Real> fit(known, specification, choice.bias_penalty);
        fit.begin_at(std::move(*reached));
        final_solve(fit, gained, true);
        const double penalty = choice.refit.share ? refit_as_chosen(fit, choice.refit) : fit.multiplier();
        result.model = fit.model();
        result.model.penalty = penalty;
        report.error = error_on(result.model, known);
        report.trained_on = known.size();
        report.on_all = true;
    }
    result.model.rows = std::move(ratings.rows);
    result.model.columns = std::move(ratings.columns);
    result.model.radius = choice.radius;
    result.model.method = report.method;
    result.model.refitted = choice.refit.share.has_value();
    report.rank = result.model.rank();
    report.radius = choice.radius;
    report.bias_penalty = choice.bias_penalty;
    return result;
}

template <class Real>
Matrix<Real> fold_in(const CompletionModel<Real>& model, const Observations<Real>& known, int threads) {
    const Shape shape = known.pattern.shape;
    if (shape.cols != model.right.rows())
        throw Error(fmt::format("entries must be of the model's {} columns, not of {}", model.right.rows(),
                                shape.cols));
    if (model.rank() == 0) return Matrix<Real>(shape.rows, 0);
    const BiasSpec biases{!model.row_biases.empty(), model.bias_penalty, model.mean};
    const auto objective = completion_objective(known, model.loss, biases, threads);
    const Index stride = stride_for<Real>(model.rank() + 1);
    TwoFactors<Real> x;
    x.width = model.rank();
    x.left = Matrix<Real>(shape.rows, stride);
    x.fit_biases = biases.used;
    if (biases.used) x.row_biases.resize(static_cast<std::size_t>(shape.rows));
    // A sweep begins with the rows; what it makes of the columns is thrown away.
    const int sweeps = model.loss.name == "squared" ? 1 : fold_in_sweeps;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        x.right = with_lines_of(model.right, stride);
        x.column_biases = model.column_biases;
        objective->sweep(x, model.penalty);
    }
    return with_lines_of(x.left, model.rank());
}

template Matrix<float> fold_in(const CompletionModel<float>&, const Observations<float>&, int);
template Matrix<double> fold_in(const CompletionModel<double>&, const Observations<double>&, int);
template Completed<float> complete(Ratings<float>, const CompletionSpecification&,
                                   const CompletionWatch<float>&, const CompletionModel<float>*);
template Completed<double> complete(Ratings<double>, const CompletionSpecification&,
                                    const CompletionWatch<double>&, const CompletionModel<double>*);

}  // namespace alfcg
