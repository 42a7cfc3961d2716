#include "alfcg/fit/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/team.hpp"
#include "core/threads.hpp"
#include "fit/completion_fit.hpp"
#include "fit/specification.hpp"
#include "kernels/pattern.hpp"

namespace alfcg {

namespace {

constexpr double usual_hold_out = 0.1;
// While given radii are compared, gaps need not be smaller.
constexpr double rough_tolerance = 2e-2;
constexpr Index rough_iterations = 8;
// A search for a radius goes along a path of penalties that fall to such a share from one step to the next. It ends when two steps in a row
// have won less on what is held out than such a share of all that has been won, and than such a share of the error.
constexpr double path_share = 0.85;
constexpr int most_steps = 60;
constexpr int most_idle = 2;
constexpr Index wide = 50;  // a rank that makes steps dear: one is enough
constexpr double least_won = 0.02;
constexpr double least_share_won = 0.005;
// Ranks that are refitted lie so far apart, as far as the path allows.
constexpr double next_rank = 1.5;
// A refit that is so much worse than the best is as good as two.
constexpr double much_worse = 1.02;
constexpr std::array bias_penalties{0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0};
// The penalty of a refit is sought by halving, no further than this share of the one that the radius stands for. With the best there are
// more sweeps, as long as they win such a share.
constexpr double least_refit_share = 1.0 / 512;
constexpr int more_sweeps = 6;
constexpr double least_refit_gain = 1e-4;
// Parabolas that touch a loss which is none lead to its best point in so many
// steps, near enough.
constexpr int fold_in_sweeps = 30;

template <class Real>
double error_on(const CompletionModel<Real>& model, const Observations<Real>& some) {
    const bool signs = loss_info(model.loss.name).classifies();
    const Pattern& pattern = some.pattern;
    const Index stride = stride_for<Real>(model.rank());
    const Matrix<Real> left = with_lines_of(model.left, stride);
    const Matrix<Real> right = with_lines_of(model.right, stride);
    double sum = 0;
    double total = 0;
    AlignedVector<Real> found;
    for (Index i = 0; i < pattern.shape.rows; ++i) {
        const Index first = pattern.begin(i);
        const Index count = pattern.end(i) - first;
        found.resize(static_cast<std::size_t>(count));
        kernels::row_dots(pattern.columns.data() + first, count, left.data() + i * stride, right.data(),
                          stride, model.rank(), found.data());
        for (Index k = 0; k < count; ++k) {
            const auto at = static_cast<std::size_t>(first + k);
            const auto wanted = static_cast<double>(some.values[at]);
            const double value = model.entry_of(static_cast<double>(found[static_cast<std::size_t>(k)]), i,
                                                pattern.columns[at]);
            const double loss =
                signs ? (value * wanted > 0 ? 0.0 : 1.0) : (value - wanted) * (value - wanted);
            sum += some.weight(first + k) * loss;
            total += some.weight(first + k);
        }
    }
    return signs ? sum / total : std::sqrt(sum / total);
}

/// What is chosen on observations that are held out.
struct RefitChoice {
    std::vector<double> penalties;  // of sweeps, one after the other
    [[nodiscard]] bool used() const { return !penalties.empty(); }
};
struct Choice {
    double radius = 0;
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

// Down the penalties, a sweep with each, as long as that helps; then on with the best. `begin`: where to. Leaves the fit where it was best.
template <class Real>
double choose_refit(CompletionFit<Real>& fit, double penalty, double begin,
                    const Observations<Real>& held_out, RefitChoice& choice) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<double> made;
    const auto sweep = [&](double with) {
        fit.sweep(with);
        made.push_back(with);
        return error_on(fit.model(), held_out);
    };
    const auto keep = [&](double error) {
        best = error;
        choice.penalties = made;
        fit.keep_sweeps();
    };
    int worse = 0;
    for (double next = begin; worse < 2 && next >= least_refit_share * penalty; next /= 2) {
        const double error = sweep(next);
        worse = error < best ? 0 : worse + 1;
        if (worse == 0) keep(error);
    }
    fit.take_kept();
    made = choice.penalties;
    for (int more = 0; more < more_sweeps; ++more) {
        const double before = best;
        const double error = sweep(made.back());
        if (error < best) keep(error);
        if (!(error < (1 - least_refit_gain) * before)) break;
    }
    fit.take_kept();
    return best;
}

// A gap is small beside what has been gained since the origin, wherever a solve
// begins.
Options counted_from_origin(Options options, double gained) {
    if (options.tolerance > 0 && gained > 0)
        options.gap = std::max(options.gap.value_or(0), options.tolerance * gained);
    return options;
}

/// Looks for the radius that is best on what is held out.
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
          place_(fit.place()) {}

    // Leaves the fit where it was best; returns how far below the origin that is.
    double choose(Choice& choice) {
        if (specification_.radii.empty())
            follow_path();
        else
            try_radii();
        fit_.begin_at(std::move(place_));
        report_.held_out = held_out_error_;
        report_.refit_held_out = refit_error_;
        choice = std::move(choice_);
        return gained_;
    }

  private:
    [[nodiscard]] bool stop() const { return watch_.stop && watch_.stop(); }

    // Down the penalties; norms are the radii that they stand for.
    void follow_path() {
        FactorSweeps<Real> sweeps;
        auto path = fit_.path(sweeps);
        const double at_origin = error_on(fit_.model(), held_out_);
        double least = at_origin;
        int idle = 0;
        for (int k = 0; k < most_steps && !stop() && path.steepest() > 0; ++k) {
            const Clock clock;
            const Index before = path.x().width();
            path.step(path_share);
            if (!(path.norm() > 0)) continue;
            fit_.begin_at({path.x(), path.biases()});
            fit_.reached(path.value());
            const bool grown = path.x().width() > before;
            const double error = judge(path.norm(), path.penalty(), grown, clock);
            const bool wins = error < least && least - error >= std::min(least_won * (at_origin - error),
                                                                         least_share_won * error);
            least = std::min(least, error);
            idle = wins ? 0 : idle + 1;
            // What is better after a refit needs no other radius once other ranks are worse.
            if (idle >= (path.x().width() > wide ? 1 : most_idle) ||
                (refits_worse_ >= most_idle && choice_.refit.used()))
                break;
        }
    }

    void try_radii() {
        Options rough = specification_.options;
        rough.tolerance = std::max(rough.tolerance, rough_tolerance);
        rough.max_iterations = std::min(rough.max_iterations, rough_iterations);
        rough.checkpoints = {};
        std::vector<double> radii = specification_.radii;
        std::sort(radii.begin(), radii.end());
        for (const double radius : radii) {
            if (stop()) break;
            const Clock clock;
            fit_.solve(radius, rough,
                       [&](const Snapshot<Real>&) { return stop() ? Action::stop : Action::proceed; });
            // The next one begins near its end, and is there when its gap is small beside what has been gained so far.
            if (const double gained = fit_.gained(); gained > 0) {
                rough.gap = std::max(specification_.options.gap.value_or(0), rough_tolerance * gained);
                rough.tolerance = 0;
            }
            judge(radius, specification_.refit ? fit_.multiplier() : 0, true, clock);
        }
    }

    class Clock {
      public:
        [[nodiscard]] double seconds() const {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        }

      private:
        std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    };

    // The error where the fit is; it is kept where that is the best so far, by itself or after a refit.
    double judge(double radius, double penalty, bool grown, const Clock& clock) {
        const CompletionModel<Real> model = fit_.model();
        RadiusScore score{
            radius, error_on(model, known_), error_on(model, held_out_), std::nullopt, model.rank(), 0};
        const double gained = fit_.gained();
        auto place = fit_.place();
        RefitChoice refit;
        // Ranks that were refitted, or nearly, say nothing new.
        const bool next = static_cast<double>(score.rank) >= next_rank * static_cast<double>(refitted_) ||
                          (!grown && score.rank > refitted_);
        if (specification_.refit && next && !stop()) {
            refitted_ = score.rank;
            score.refit = choose_refit(fit_, penalty, std::min(refit_from_.value_or(penalty / 2), penalty),
                                       held_out_, refit);
            refit_from_ = 2 * refit.penalties.back();
        }
        score.seconds = clock.seconds();
        report_.radii.push_back(score);
        if (watch_.radius) watch_.radius(score);
        const double error = std::min(score.held_out, score.refit.value_or(score.held_out));
        const bool better = error < best_;
        if (score.refit) refits_worse_ = better ? 0 : refits_worse_ + (error > much_worse * best_ ? 2 : 1);
        if (better) {
            best_ = error;
            held_out_error_ = score.held_out;
            refit_error_ = score.refit;
            choice_ = {radius, error < score.held_out ? std::move(refit) : RefitChoice{}};
            place_ = std::move(place);
            gained_ = gained;
        }
        return score.held_out;
    }

    CompletionFit<Real>& fit_;
    const Observations<Real>& known_;
    const Observations<Real>& held_out_;
    const CompletionSpecification& specification_;
    const CompletionWatch<Real>& watch_;
    CompletionReport& report_;
    double best_ = std::numeric_limits<double>::max();
    // Where that was.
    Choice choice_;
    typename CompletionFit<Real>::Place place_;
    double gained_ = 0;
    double held_out_error_ = 0;
    std::optional<double> refit_error_;

    Index refitted_ = 0;  // the last rank that was
    int refits_worse_ = 0;
    std::optional<double> refit_from_;  // a penalty
};

// What a run depends on, for its checkpoints.
template <class Real>
std::vector<Fact> facts_of(const Observations<Real>& known, const CompletionSpecification& specification,
                           double bias_penalty) {
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
    return {{"loss", loss},
            {"biases", specification.biases ? "with a penalty of " + format_number(bias_penalty) : "none"},
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

    const auto stop = [&] { return watch.stop && watch.stop(); };
    Choice choice{specification.radius.value_or(0), {}};
    report.bias_penalty = specification.bias_penalty.value_or(signs ? 1 : 0);
    Observations<Real> known = std::move(ratings.known);
    Observations<Real> held_out;
    if (share > 0) held_out = hold_out(known, share, specification.options.seed);
    report.held_out_count = held_out.pattern.columns.empty() ? 0 : held_out.size();
    if (wants_penalty && share > 0) report.bias_penalty = choose_bias_penalty(known, held_out, specification);

    const bool chooses = share > 0 && (!specification.radius || specification.refit || wants_penalty);
    const auto final_solve = [&](CompletionFit<Real>& fit, double gained, bool last) {
        Options options = counted_from_origin(specification.options, gained);
        if (!last) {
            options.checkpoints = {};
        } else if (options.checkpoints.used()) {
            for (Fact& fact : facts_of(known, specification, report.bias_penalty))
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
        CompletionFit<Real> fit(known, specification, report.bias_penalty);
        if (start != nullptr) fit.begin_at(place_of(*start, shape, specification));
        if (!specification.radius) {
            gained = RadiusSearch<Real>(fit, known, held_out, specification, watch, report).choose(choice);
            report.status = Status::interrupted;  // unless it goes on
        } else {
            final_solve(fit, 0, !chooses);
            gained = fit.gained();
        }
        if (chooses) reached = fit.place();
        // What is left of a run that ends here.
        if (!chooses || specification.radius || stop()) {
            result.model = fit.model();
            result.model.penalty = fit.multiplier();
            report.error = error_on(result.model, known);
            report.trained_on = known.size();
            if (share > 0) report.held_out = error_on(result.model, held_out);
        }
        if (specification.radius && specification.refit) {
            const double penalty = result.model.penalty;
            report.refit_held_out = choose_refit(fit, penalty, penalty / 2, held_out, choice.refit);
            if (!(*report.refit_held_out < *report.held_out)) choice.refit = {};
            if (choice.refit.used() && stop()) {
                result.model = fit.model();
                result.model.penalty = choice.refit.penalties.back();
            }
        }
    }
    if (chooses && !stop()) {
        put_back(known, std::move(held_out));
        CompletionFit<Real> fit(known, specification, report.bias_penalty);
        fit.begin_at(*reached);
        final_solve(fit, gained, true);
        // A refit goes on with the rank at which it was judged.
        if (choice.refit.used() && fit.x().factors()->width() != reached->factors.width())
            fit.begin_at(std::move(*reached));
        const double penalty = choice.refit.used() ? choice.refit.penalties.back() : fit.multiplier();
        for (const double with : choice.refit.penalties) fit.sweep(with);
        result.model = fit.model();
        result.model.penalty = penalty;
        report.error = error_on(result.model, known);
        report.trained_on = known.size();
        report.on_all = true;
    }
    if (choice.refit.used()) report.refit_penalty = choice.refit.penalties.back();
    result.model.rows = std::move(ratings.rows);
    result.model.columns = std::move(ratings.columns);
    result.model.radius = choice.radius;
    result.model.method = report.method;
    result.model.refitted = choice.refit.used();
    report.rank = result.model.rank();
    report.radius = choice.radius;
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
