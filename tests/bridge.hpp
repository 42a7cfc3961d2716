// From the reference's problems to the library's objects, and back.
#pragma once

#include <memory>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "alfcg/region/spec.hpp"
#include "reference/problem.hpp"

namespace alfcg {

enum class Storage { dense, sparse };

template <class Real>
Features<Real> make_features(const reference::Matrix& X, Storage storage) {
    if (storage == Storage::dense) {
        Buffer<Real> entries(static_cast<std::size_t>(X.size()));
        for (Index i = 0; i < X.rows(); ++i)
            for (Index j = 0; j < X.cols(); ++j)
                entries[static_cast<std::size_t>(i * X.cols() + j)] = static_cast<Real>(X(i, j));
        return DenseFeatures<Real>(std::move(entries), X.rows(), X.cols());
    }
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    for (Index i = 0; i < X.rows(); ++i) {
        for (Index j = 0; j < X.cols(); ++j) {
            if (X(i, j) == 0) continue;
            column.push_back(static_cast<std::int32_t>(j));
            value.push_back(static_cast<Real>(X(i, j)));
        }
        start.push_back(static_cast<Index>(value.size()));
    }
    return SparseFeatures<Real>{std::move(start), std::move(column), std::move(value), X.rows(), X.cols()};
}

template <class Real>
Matrix<Real> to_matrix(const reference::Matrix& from) {
    Matrix<Real> to(from.rows(), from.cols());
    for (Index i = 0; i < from.rows(); ++i)
        for (Index j = 0; j < from.cols(); ++j) to(i, j) = static_cast<Real>(from(i, j));
    return to;
}

template <class Real>
reference::Matrix from_matrix(const Matrix<Real>& from) {
    reference::Matrix to(from.rows(), from.cols());
    for (Index i = 0; i < from.rows(); ++i)
        for (Index j = 0; j < from.cols(); ++j) to(i, j) = static_cast<double>(from(i, j));
    return to;
}

/// A ball by name; p is for "lp" alone.
inline RegionSpec ball(const std::string& name, double p, double radius, const Composite& composite = {}) {
    RegionSpec spec{name, {{"radius", radius}}, composite};
    if (name == "lp") spec.parameters.set("p", p);
    return spec;
}

/// The library's view of a reference problem.
template <class Real>
struct Bridge {
    Features<Real> features;
    Targets targets;
    LossSpec loss;
    std::unique_ptr<Objective<Real>> objective;
    std::unique_ptr<Region<Real>> region;

    explicit Bridge(const reference::Problem& problem, Storage storage = Storage::dense, int threads = 1)
        : features(make_features<Real>(problem.X, storage)) {
        targets.outputs = problem.outputs;
        targets.classes.assign(problem.classes.begin(), problem.classes.end());
        targets.values = problem.targets;
        loss.name = problem.loss;
        for (const Parameter& parameter : loss_info(problem.loss).parameters)
            loss.parameters.set(parameter.info.name, problem.loss_parameter);
        objective = linear_objective(features, targets, loss, threads);
        region = make_region<Real>(
            ball(problem.region, problem.p, problem.radius, {problem.l1, problem.l2, problem.nuclear}));
    }
};

/// A trace row of the library, with the iterate.
template <class Real>
struct Row {
    Index iteration = 0;
    double epochs = 0;
    Metrics metrics;
    std::optional<double> step;
    std::optional<double> curvature;
    std::optional<double> alpha;
    Matrix<Real> x;
};

/// Runs the library and keeps every row.
template <class Real>
std::vector<Row<Real>> run_rows(Bridge<Real>& bridge, const Options& options,
                                Solution<Real>* result = nullptr) {
    std::vector<Row<Real>> rows;
    Solution<Real> answer =
        solve<Real>(*bridge.objective, *bridge.region, options, [&](const Snapshot<Real>& snapshot) {
            rows.push_back({snapshot.iteration, snapshot.epochs, snapshot.metrics(), snapshot.step,
                            snapshot.curvature, snapshot.alpha, snapshot.x()});
            return Action::proceed;
        });
    if (result != nullptr) *result = std::move(answer);
    return rows;
}

}  // namespace alfcg
