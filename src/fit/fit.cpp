#include "alfcg/fit/fit.hpp"

#include <algorithm>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/spectrum.hpp"
#include "core/team.hpp"
#include "fit/checkpoint_facts.hpp"
#include "fit/early_stop.hpp"
#include "fit/specification.hpp"
#include "fit/warnings.hpp"

namespace alfcg {

namespace {

template <class Real>
Report report_of(const Solution<Real>& result) {
    Report report;
    report.status = result.status;
    report.metrics = result.metrics;
    report.iterations = result.iterations;
    report.epochs = result.epochs;
    report.counters = result.counters;
    report.seconds = result.seconds;
    report.method = result.method;
    report.parameters = result.parameters;
    if (result.iterations > 0) report.scale = result.scale;
    const Matrix<Real>& weights = result.x;
    report.nonzeros =
        std::count_if(weights.span().begin(), weights.span().end(), [](Real w) { return w != 0; });
    if (weights.rows() > 1) {
        report.singular_values = singular_values(weights);
        report.rank = numerical_rank<Real>(report.singular_values, weights.shape());
    }
    return report;
}

}  // namespace

Score score_of(const Predictions& predictions) {
    if (!predictions.scored) throw Error("there are no labels, or none that fit the loss: nothing to score");
    Score score;
    score.classification = predictions.values.empty();
    score.rows =
        static_cast<Index>(score.classification ? predictions.classes.size() : predictions.values.size());
    score.correct = predictions.correct;
    score.mean_squared_error = predictions.mean_squared_error;
    return score;
}

template <class Real>
Score score_of(const Model<Real>& model, const Dataset<Real>& data, int threads) {
    return score_of(predict(model, data, false, threads));
}

namespace {

Score add_up(Score score, Ranks* ranks) {
    if (ranks == nullptr) return score;
    std::vector<double> sums{static_cast<double>(score.rows), static_cast<double>(score.correct),
                             score.mean_squared_error * static_cast<double>(score.rows)};
    ranks->sum(sums);
    score.rows = static_cast<Index>(sums[0]);
    score.correct = static_cast<Index>(sums[1]);
    score.mean_squared_error = sums[2] / sums[0];
    return score;
}

}  // namespace

template <class Real>
Score score_on(const Model<Real>& model, const Dataset<Real>& data, int threads, Ranks* ranks) {
    Score score;
    score.classification = loss_info(model.loss.name).classifies();
    if (rows(data.features) > 0) score = score_of(model, data, threads);
    return add_up(score, ranks);
}

template <class Real>
Model<Real> model_of(const Problem<Real>& problem, const std::string& method, Matrix<Real> weights) {
    Model<Real> model;
    model.weights = std::move(weights);
    model.names = problem.training.names;
    model.reading = problem.training.reading;
    model.classes = problem.classes;
    model.loss = problem.loss;
    model.region = problem.region;
    model.method = method;
    return model;
}

template <class Real>
Fitted<Real> fit(Problem<Real>& problem, const Options& given,
                 const std::type_identity_t<Observer<Real>>& observer, const Matrix<Real>* start) {
    const TeamLimit limit(problem.threads);
    const auto region = problem.new_region();
    const std::string method = choose_method(*problem.objective, *region, given).name;
    EarlyStop<Real> early_stop(problem, method);
    Options options = given;
    if (options.checkpoints.used()) {
        for (Fact& fact : checkpoint_facts(problem)) options.checkpoints.facts.push_back(std::move(fact));
        options.checkpoints.also.emplace_back("early stop", [&](Archive& state) { state(early_stop); });
    }
    Ranks* const ranks = problem.ranks;
    const std::int64_t sent_before = ranks == nullptr ? 0 : ranks->bytes_sent();
    const std::int64_t calls_before = ranks == nullptr ? 0 : ranks->calls();
    const Observer<Real> asked_once = ranks == nullptr ? observer : of_first_rank(*ranks, observer);
    const Observer<Real> seen = [&](const Snapshot<Real>& now) {
        const Action asked = asked_once(now);
        return early_stop.enough(now) ? Action::stop : asked;
    };
    Solution<Real> result = problem.patience > 0
                                ? solve<Real>(*problem.objective, *region, options, seen, start)
                                : solve<Real>(*problem.objective, *region, options, asked_once, start);
    early_stop.put_best_into(result);
    Fitted<Real> fitted;
    fitted.report = report_of(result);
    fitted.report.best_iteration = early_stop.best_iteration();
    fitted.report.threads = problem.threads;
    if (ranks != nullptr) {
        fitted.report.ranks = ranks->size();
        fitted.report.bytes_sent = ranks->bytes_sent() - sent_before;
        fitted.report.messages = ranks->calls() - calls_before;
    }
    fitted.model = model_of(problem, method, std::move(result.x));
    fitted.model.intercept = std::move(result.intercept);
    // The training rows are scaled already.
    Predictions answers;
    Score own;
    own.classification = loss_info(problem.loss.name).classifies();
    if (rows(problem.training.features) > 0) {
        answers = predict(fitted.model, problem.training, false, problem.parts);
        own = score_of(answers);
    }
    fitted.report.training = add_up(own, ranks);
    fitted.report.warnings =
        warnings_of(fitted.model, region->start(problem.objective->shape()), answers, ranks);
    if (result.status != Status::converged && fitted.report.warnings.empty())
        fitted.report.warnings = warnings_about_units(problem);
    fitted.model.scaling = problem.scaling;
    if (problem.held_out)
        fitted.report.held_out = score_on(fitted.model, *problem.held_out, problem.parts, ranks);
    const auto record = [](const Score& score) { return TrainingScore{score.rows, score.value()}; };
    fitted.model.training = record(fitted.report.training);
    if (fitted.report.held_out) fitted.model.held_out = record(*fitted.report.held_out);
    return fitted;
}

template <class Real>
Fitted<Real> fit(const Data& data, const Specification& specification,
                 const std::type_identity_t<Observer<Real>>& observer) {
    Problem<Real> problem = prepare<Real>(data, specification);
    return fit(problem, specification.options, observer);
}

template Score score_of(const Model<float>&, const Dataset<float>&, int);
template Score score_of(const Model<double>&, const Dataset<double>&, int);
template Score score_on(const Model<float>&, const Dataset<float>&, int, Ranks*);
template Score score_on(const Model<double>&, const Dataset<double>&, int, Ranks*);
template Model<float> model_of(const Problem<float>&, const std::string&, Matrix<float>);
template Model<double> model_of(const Problem<double>&, const std::string&, Matrix<double>);
template Fitted<float> fit(Problem<float>&, const Options&, const Observer<float>&, const Matrix<float>*);
template Fitted<double> fit(Problem<double>&, const Options&, const Observer<double>&, const Matrix<double>*);
template Fitted<float> fit<float>(const Data&, const Specification&, const Observer<float>&);
template Fitted<double> fit<double>(const Data&, const Specification&, const Observer<double>&);

}  // namespace alfcg
