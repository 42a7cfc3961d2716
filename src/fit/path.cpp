#include "alfcg/fit/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/function_ref.hpp"
#include "core/side_by_side.hpp"
#include "data/column_deviation.hpp"
#include "fit/checkpoint_facts.hpp"
#include "fit/specification.hpp"
#include "method/option_facts.hpp"
#include "solve/keeper.hpp"

namespace alfcg {

namespace {

constexpr Index usual_folds = 5;
constexpr double growth = 2;
constexpr double most_growth = 1e8;
// Weights that fill no more than this share of the radius are not held back by it, where the gap is this share of what fits along a path
// are asked for.
constexpr double filled = 0.9;
constexpr double exactly = 1e-3;
constexpr std::size_t most_radii = 30;
// At the first radius of its own choice, a path cannot win more than this share of the objective; more than the tolerance, or
// its fit would end where it begins.
constexpr double first_gain = 0.03;
// A radius whose objective is lower by less than this share than that of the one before, where a linear model promised more, no longer
// binds; unless one feature alone, in its own units, would win more than that.
constexpr double last_gain = 2e-3;
// Radii in a row without a better score or loss, before a path ends.
constexpr std::size_t patience = 2;
constexpr std::size_t pictured_coefficients = 100;

// How well a model does on rows it has not seen.
struct Validation {
    double score = 0;
    double variance = 0;  // of the score
    double loss = 0;
};

template <class Real>
Validation validate(const Model<Real>& model, const Dataset<Real>& data, int threads) {
    const Predictions predictions = predict(model, data, true, threads);
    const Score score = score_of(predictions);
    const auto rows = static_cast<double>(score.rows);
    Validation result;
    result.score = score.value();
    if (score.classification) {
        result.variance = result.score * (1 - result.score) / rows;
        const std::vector<std::int32_t> truth = model.classes.encode(data.labels);
        for (std::size_t i = 0; i < truth.size(); ++i) {
            // A class that was never seen, like a share that is zero, costs much and not everything.
            const double share =
                truth[i] < 0 ? 0 : predictions.probabilities(static_cast<Index>(i), truth[i]);
            result.loss -= std::log(std::max(share, std::numeric_limits<double>::min())) / rows;
        }
        return result;
    }
    result.loss = result.score;
    double squares = 0;
    for (std::size_t i = 0; i < predictions.values.size(); ++i) {
        const double error = predictions.values[i] - data.labels.number(static_cast<Index>(i));
        squares += std::pow(error * error - result.score, 2);
    }
    result.variance = squares / rows / rows;
    return result;
}

template <class Real>
void set_radius(Problem<Real>& problem, double radius) {
    problem.region.parameters.set("radius", radius);
    problem.region_text = problem.new_region()->describe();
}

// Rows to train on, and rows to judge by, with the weights where the last fit ended.
template <class Real>
struct Trial {
    Problem<Real> problem;
    std::optional<Dataset<Real>> unseen;
    Matrix<Real> x;
    Matrix<Real> best;  // x at the best radius so far

    Fitted<Real> fit_over(double radius, const Options& options, const PathObserver& observer) {
        const double last = problem.region.parameters.number("radius").value_or(radius);
        set_radius(problem, radius);
        if (x.size() > 0) follow(radius / last);
        const Observer<Real> watch = [&](const Snapshot<Real>& /*now*/) {
            return observer.stop && observer.stop() ? Action::stop : Action::proceed;
        };
        Fitted<Real> fitted = fit<Real>(problem, options, watch, x.size() > 0 ? &x : nullptr);
        x = fitted.model.weights;
        return fitted;
    }

    // Between two radii. What the objective remembers may change the last digit of the next fit.
    void archive(Archive& state) {
        auto last = problem.region.parameters.number("radius");
        state(last, x, best, *problem.objective);
        if (state.loading() && last) set_radius(problem, *last);
    }

    // A region without the origin moves away from x as it grows: x goes with it.
    void follow(double growth_of_radius) {
        const auto region = problem.new_region();
        if (region->violation(x) <= feasibility_slack) return;
        for (Real& entry : x.span()) entry = static_cast<Real>(growth_of_radius * static_cast<double>(entry));
        x = scaled_into(*region, std::move(x));
    }
};

// Whether the ball holds the weights of a fit back.
template <class Real>
bool fills(const Trial<Real>& trial, double radius) {
    RegionSpec smaller = trial.problem.region;
    smaller.parameters.set("radius", filled * radius);
    return make_region<Real>(smaller, trial.problem.setting)->violation(trial.x) > 0;
}

// How much more radius a linear model of f around x needs to win `first_gain` of it; 0 where f is flat.
template <class Real>
double more_radius(const Problem<Real>& problem, const Matrix<Real>& x) {
    RegionSpec unit = problem.region;
    unit.parameters.set("radius", 1);
    unit.composite = {};
    const auto region = make_region<Real>(unit, problem.setting);
    const Matrix<Real> zero(x.shape());
    Matrix<Real> gradient(x.shape());
    Vertex<Real> vertex;
    const double value = problem.objective->evaluate(x, gradient);
    region->minimize(gradient, 0, false, vertex);
    const double slope = -direction_to(vertex, gradient, zero).slope;
    return slope > 0 && value > 0 ? first_gain * value / slope : 0;
}

template <class Real>
double first_radius(const Problem<Real>& problem) {
    const double radius = more_radius(problem, Matrix<Real>(problem.objective->shape()));
    return radius > 0 ? std::stod(fmt::format("{:.1e}", radius)) : 1;
}

// Twice the last one; more where the features in play are used up and others, in other units, need more to count.
template <class Real>
double next_radius(const Problem<Real>& problem, const Matrix<Real>& x, double last) {
    const double needed = last + more_radius(problem, x);
    if (!(needed > growth * last)) return growth * last;
    return std::stod(fmt::format("{:.1e}", std::min(needed, most_growth * last)));
}

// What f would win if one weight could move freely: that whose slope is steepest in units of its feature's deviation. The ball may hold it
// back because its feature is in units that make weights large.
template <class Real>
double gain_of_one_weight(const Problem<Real>& problem, Matrix<Real> x, std::span<const double> deviations) {
    Matrix<Real> gradient(x.shape());
    const double here = problem.objective->evaluate(x, gradient);
    const auto relative_slope = [&](Index k) {
        const double deviation = deviations[static_cast<std::size_t>(k % x.cols())];
        return deviation > 0
                   ? std::abs(static_cast<double>(gradient.span()[static_cast<std::size_t>(k)])) / deviation
                   : 0;
    };
    Index steepest = 0;
    for (Index k = 1; k < x.size(); ++k)
        if (relative_slope(k) > relative_slope(steepest)) steepest = k;
    if (!(relative_slope(steepest) > 0)) return 0;
    const auto at = static_cast<std::size_t>(steepest);
    const double slope = static_cast<double>(gradient.span()[at]);
    const Real from = x.span()[at];
    const auto value_after = [&](double step) {
        x.span()[at] = static_cast<Real>(static_cast<double>(from) + step);
        return problem.objective->value(x);
    };
    // A step that would be right for the squared loss, and then the minimum of the parabola that it shows.
    const double first = -slope / std::pow(deviations[static_cast<std::size_t>(steepest % x.cols())], 2);
    const double reached = value_after(first);
    const double bend = 2 * (reached - here - slope * first) / (first * first);
    const double second = bend > 0 ? value_after(-slope / bend) : reached;
    return here - std::min(reached, second);
}

template <class Real>
void picture(const Matrix<Real>& weights, const Report& report, PathPoint& point) {
    point.singular_values = report.singular_values;
    if (weights.rows() > 1) return;
    for (Index j = 0; j < weights.cols(); ++j)
        if (weights(0, j) != 0) point.coefficients.emplace_back(j, static_cast<double>(weights(0, j)));
    std::stable_sort(
        point.coefficients.begin(), point.coefficients.end(),
        [](const auto& one, const auto& other) { return std::abs(one.second) > std::abs(other.second); });
    if (point.coefficients.size() > pictured_coefficients) point.coefficients.resize(pictured_coefficients);
}

// Fits over one radius: on all rows, and on those of each fold.
template <class Real>
PathPoint point_at(double radius, Trial<Real>& whole, std::vector<Trial<Real>>& folds, const Options& options,
                   const PathObserver& observer) {
    const int threads = whole.problem.threads;
    std::vector<Fitted<Real>> fitted(1 + folds.size());  // the first on all rows
    std::vector<Validation> results(std::max<std::size_t>(folds.size(), 1));
    const auto fit_one = [&](std::size_t k) {
        Trial<Real>& trial = k == 0 ? whole : folds[k - 1];
        fitted[k] = trial.fit_over(radius, options, observer);
        if (trial.unseen)
            results[k == 0 ? 0 : k - 1] = validate(fitted[k].model, *trial.unseen, trial.problem.parts);
    };
    if (static_cast<std::size_t>(threads) <= fitted.size()) {
        side_by_side(fitted.size(), threads, fit_one);
    } else {  // the longest one by itself: it has use for all threads
        fit_one(0);
        side_by_side(folds.size(), threads, [&](std::size_t k) { fit_one(k + 1); });
    }
    PathPoint point;
    point.radius = radius;
    const Report& report = fitted[0].report;
    point.metrics = report.metrics;
    point.nonzeros = report.nonzeros;
    point.rank = report.rank;
    point.training = report.training;
    picture(fitted[0].model.weights, report, point);
    for (const Fitted<Real>& one : fitted) point.seconds += one.report.seconds.method();
    const auto count = static_cast<double>(results.size());
    for (const Validation& result : results) {
        point.score += result.score / count;
        point.loss += result.loss / count;
    }
    double squares = 0;
    for (const Validation& result : results) squares += std::pow(result.score - point.score, 2);
    point.score_error = std::sqrt(results.size() > 1 ? squares / (count - 1) / count : results[0].variance);
    return point;
}

bool perfect(const PathPoint& point) {
    return point.training.classification ? point.score == 1 : point.score == 0;
}

// Whether a path of its own choice has seen enough. `gain_left`: of one weight by itself.
bool done(const std::vector<PathPoint>& points, double first_objective, FunctionRef<double()> gain_left) {
    const PathPoint& last = points.back();
    if (points.size() >= most_radii || perfect(last)) return true;
    if (points.size() < 2) return false;
    const double now = last.metrics.objective;
    const double gain = points[points.size() - 2].metrics.objective - now;
    const double little = last_gain * std::max(std::abs(now), first_objective - now);
    if (last.nonzeros > 0 && gain <= little && gain_left() <= little) return true;
    if (points.size() <= patience) return false;
    const auto recent = points.end() - patience;
    const auto some_better = [&](auto judge) {
        return std::any_of(recent, points.end(), [&](const PathPoint& late) {
            return std::all_of(points.begin(), recent,
                               [&](const PathPoint& early) { return judge(late, early); });
        });
    };
    return !some_better(better) &&
           !some_better([](const PathPoint& one, const PathPoint& other) { return one.loss < other.loss; });
}

template <class Real>
std::vector<Trial<Real>> make_folds(const Dataset<Real>& data, const Problem<Real>& whole,
                                    Specification specification, Index count) {
    const Index total = rows(data.features);
    if (count > total)
        throw QuantityError("folds",
                            fmt::format("must be at most the number of rows, {}, not {}", total, count));
    check_copies(data, specification, "folds", count);
    specification.loss = whole.loss;
    specification.region = whole.region;
    specification.device = whole.device == nullptr ? "cpu" : whole.device->name();  // that `auto` has chosen
    specification.threads = std::max(1, whole.threads / static_cast<int>(count));
    std::vector<std::int32_t> classes;
    if (whole.classes.size() > 0) classes = whole.classes.encode(data.labels);
    const std::vector<Index> fold = fold_of_rows(total, classes, count, specification.options.seed);
    std::vector<Trial<Real>> trials;
    for (Index k = 0; k < count; ++k) {
        std::vector<bool> chosen;
        chosen.reserve(fold.size());
        for (const Index f : fold) chosen.push_back(f == k);
        Dataset<Real> part = data;
        Dataset<Real> unseen = take_rows(part, chosen);
        trials.push_back({prepare<Real>(std::move(part), specification), std::move(unseen), {}, {}});
    }
    return trials;
}

// What the points of a path depend on.
template <class Real>
std::vector<Fact> facts_of(const Problem<Real>& problem, const Options& along, const PathOptions& options,
                           Index folds) {
    std::vector<Fact> facts = options.checkpoints.facts;
    const auto add = [&](std::vector<Fact> more) {
        std::move(more.begin(), more.end(), std::back_inserter(facts));
    };
    add(option_facts(along, along.method, along.parameters));
    add(budget_facts(along));
    add(checkpoint_facts(problem));
    RegionSpec unit = problem.region;
    unit.parameters.set("radius", 1);
    std::string radii = options.radii.empty() ? "auto" : "";
    for (const double radius : options.radii) radii += (radii.empty() ? "" : ",") + format_number(radius);
    add({{"precision", sizeof(Real) == sizeof(float) ? "f32" : "f64"},
         {"region", make_region<Real>(unit, problem.setting)->describe()},
         {"radii", radii},
         {"folds", std::to_string(folds)}});
    return facts;
}

template <class Real>
void choose(Path<Real>& path, Pick pick) {
    const auto& points = path.points;
    for (std::size_t k = 1; k < points.size(); ++k)
        if (better(points[k], points[path.best])) path.best = k;
    const PathPoint& best = points[path.best];
    while (std::abs(points[path.smallest].score - best.score) > best.score_error) ++path.smallest;
    path.smallest = std::min(path.smallest, path.best);
    path.chosen = pick == Pick::best ? path.best : path.smallest;
}

}  // namespace

bool better(const PathPoint& one, const PathPoint& other) {
    return one.training.classification ? one.score > other.score : one.score < other.score;
}

void PathOptions::verify(const Specification& specification) const {
    for (const double radius : radii)
        if (!(radius > 0) || std::isinf(radius))
            throw QuantityError("radii", fmt::format("must be positive numbers, not {}", radius));
    const std::string& region = specification.region.name;
    if (!region.empty()) {
        const RegionInfo info = region_info(region);
        if (std::none_of(info.parameters.begin(), info.parameters.end(),
                         [](const Parameter& parameter) { return parameter.info.name == "radius"; }))
            throw QuantityError("radius", fmt::format("cannot be chosen: the region {} has none, only {}",
                                                      region, describe(info.parameters)));
    }
    if (folds != 0 && folds < 2)
        throw QuantityError("folds", fmt::format("must be at least 2, not {}", folds));
    if (folds != 0 && specification.hold_out != 0)
        throw QuantityError("folds", "and `holdout` are two ways to the same end: give one of them");
    Limits limits;
    limits.tolerance = tolerance;
    limits.max_epochs = max_epochs;
    limits.verify();
}

template <class Real>
Path<Real> find_radius(const Data& data, const Specification& specification, const PathOptions& options,
                       const PathObserver& observer, const std::function<void(const Problem<Real>&)>& begun) {
    options.verify(specification);
    specification.verify();
    return find_radius<Real>(load<Real>(data, specification), specification, options, observer, begun);
}

template <class Real>
Path<Real> find_radius(Dataset<Real> data, const Specification& specification, const PathOptions& options,
                       const PathObserver& observer, const std::function<void(const Problem<Real>&)>& begun) {
    options.verify(specification);
    specification.verify();
    // None that is longer than the last one may be.
    Options along = specification.options;
    along.checkpoints = {};  // of one run, not of many
    along.tolerance = options.tolerance;
    along.max_epochs = std::min(along.max_epochs, options.max_epochs);
    along.gap_every = 0;
    along.batches.reset();
    along.on_draw = {};

    Path<Real> path;
    path.folds = specification.hold_out > 0 ? 0 : options.folds > 0 ? options.folds : usual_folds;
    Trial<Real> whole;
    std::vector<Trial<Real>> folds;
    if (path.folds > 0) {
        whole.problem = prepare<Real>(data, specification);
        folds = make_folds(data, whole.problem, specification, path.folds);
        data = {};
    } else {
        whole.problem = prepare<Real>(std::move(data), specification);
    }
    if (begun) begun(whole.problem);
    // Set aside for the path, so that its fits do not look at them.
    whole.unseen = std::move(whole.problem.held_out);
    whole.problem.held_out.reset();
    const Index patience_asked = std::exchange(whole.problem.patience, 0);

    std::vector<double> radii = options.radii;
    std::sort(radii.begin(), radii.end());
    radii.erase(std::unique(radii.begin(), radii.end()), radii.end());
    const bool own_choice = radii.empty();
    double radius = own_choice ? first_radius(whole.problem) : radii.front();
    const double first_objective =
        whole.problem.objective->value(Matrix<Real>(whole.problem.objective->shape()));
    // Fits that start near their ends are asked for no more than those from zero.
    along.gap = options.tolerance * first_objective;
    std::vector<double> deviations;  // found when first asked for
    const auto gain_left = [&] {
        const Problem<Real>& problem = whole.problem;
        if (deviations.empty())
            deviations = std::visit(
                [&](const auto& features) {
                    return column_deviations(features, problem.training.weights, problem.parts);
                },
                problem.training.features);
        return gain_of_one_weight(problem, whole.x, deviations);
    };
    const auto stopped = [&] { return observer.stop && observer.stop(); };
    // 0: none.
    const auto radius_after = [&](double last) {
        if (!own_choice) return path.points.size() == radii.size() ? 0 : radii[path.points.size()];
        if (done(path.points, first_objective, gain_left)) return 0.0;
        if (!fills(whole, last)) {
            // Before that is believed, the fit is made exact: what is left may be for features in small units.
            Options tight = along;
            tight.gap = exactly * *along.gap;
            whole.fit_over(last, tight, observer);
            if (!fills(whole, last)) return 0.0;
        }
        return next_radius(whole.problem, whole.x, last);
    };
    Checkpoints checkpoints = options.checkpoints;
    if (checkpoints.used()) checkpoints.facts = facts_of(whole.problem, along, options, path.folds);
    Keeper keeper(checkpoints, nullptr);
    const auto archive = [&](Archive& state) {
        state.section("path", [&] { state(path.points, radius); });
        state.section("fits", [&] {
            state(whole);
            for (Trial<Real>& fold : folds) state(fold);
        });
    };
    if (keeper.resumes()) {
        keeper.read(archive);
        if (observer.point) std::for_each(path.points.begin(), path.points.end(), observer.point);
    }
    while (radius > 0) {
        PathPoint now = point_at(radius, whole, folds, along, observer);
        const bool whole_point = !stopped();
        if (!whole_point && !path.points.empty()) break;  // half of a point says nothing
        path.points.push_back(std::move(now));
        const PathPoint& point = path.points.back();
        const bool best = std::all_of(path.points.begin(), path.points.end() - 1,
                                      [&](const PathPoint& before) { return better(point, before); });
        if (best) whole.best = whole.x;
        if (observer.point) observer.point(point);
        if (!whole_point) break;
        radius = radius_after(radius);
        if (keeper.keeps() && !stopped()) keeper.write(archive);
    }
    choose(path, options.pick);
    const double chosen = path.points[path.chosen].radius;
    path.problem = std::move(whole.problem);
    path.problem.held_out = std::move(whole.unseen);
    path.problem.patience = patience_asked;
    set_radius(path.problem, chosen);
    path.start = scaled_into(*path.problem.new_region(), std::move(whole.best));
    path.won = first_objective - path.points[path.chosen].metrics.objective;
    return path;
}

template Path<float> find_radius(const Data&, const Specification&, const PathOptions&, const PathObserver&,
                                 const std::function<void(const Problem<float>&)>&);
template Path<double> find_radius(const Data&, const Specification&, const PathOptions&, const PathObserver&,
                                  const std::function<void(const Problem<double>&)>&);
template Path<float> find_radius(Dataset<float>, const Specification&, const PathOptions&,
                                 const PathObserver&, const std::function<void(const Problem<float>&)>&);
template Path<double> find_radius(Dataset<double>, const Specification&, const PathOptions&,
                                  const PathObserver&, const std::function<void(const Problem<double>&)>&);

}  // namespace alfcg
