#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "alfcg/fit/fit.hpp"

/// Choosing the radius: fits over increasing radii, each from where the last one ended, judged on rows that they have not
/// seen.
namespace alfcg {

/// Which radius is chosen: that with the best score, or the smallest whose score is within one standard error of it.
enum class Pick { best, smallest };

struct PathOptions {
    /// Those to try, in any order. None: at least doubling, from one that hardly matters to where it holds nothing back, the score is
    /// perfect, or two in a row have made neither score nor loss on unseen rows better.
    std::vector<double> radii;
    /// Parts of the rows, each of which is unseen once; rows of every class are shared out evenly. 0: the rows that the
    /// specification holds out, or five parts where it holds out none.
    Index folds = 0;
    Pick pick = Pick::best;
    /// Fits along the path only have to show which radius is best (see Limits); the specification's other budgets hold for
    /// each of them.
    double tolerance = 1e-4;
    double max_epochs = 300;
    /// Written after each radius; a path that goes on from there does so with the next one, to the same bits.
    Checkpoints checkpoints = {};

    /// Throws Error when something makes no sense.
    void verify(const Specification& specification) const;
};

/// What a radius is worth.
struct PathPoint {
    double radius = 0;
    Metrics metrics;  // on all rows that the path may train on
    Index nonzeros = 0;
    std::optional<Index> rank;  // of a matrix of weights
    Score training;
    double score = 0;        // on unseen rows: the share that is right, or the mean squared error
    double score_error = 0;  // its standard error: over the rows held out, or over the folds
    double loss = 0;         // on unseen rows: log loss, or the mean squared error
    double seconds = 0;      // the method's own time, all folds together
    // For pictures: the singular values of a matrix, largest first; of a vector its largest entries, by position.
    std::vector<double> singular_values;
    std::vector<std::pair<Index, double>> coefficients;

    void archive(Archive& state) {
        state(radius, metrics, nonzeros, rank, training, score, score_error, loss, seconds, singular_values,
              coefficients);
    }
};

/// Whether one score is better than another.
bool better(const PathPoint& one, const PathPoint& other);

/// A path, and the problem it leaves to solve: fit(path.problem, path.adapted(options), observer, &path.start).
template <class Real>
struct Path {
    std::vector<PathPoint> points;  // by increasing radius
    std::size_t best = 0;           // the best score, at the smallest radius that has it
    std::size_t smallest = 0;       // the smallest radius within one standard error of it
    std::size_t chosen = 0;
    Index folds = 0;        // 0: rows were held out
    Problem<Real> problem;  // all rows that the path may train on, over the region with the chosen radius
    Matrix<Real> start;     // weights of the path's fit there
    double won = 0;         // how far its objective is below that of no weights

    /// A tolerance means as much as for a run from zero.
    [[nodiscard]] Options adapted(Options options) const {
        if (options.tolerance > 0) options.gap = std::max(options.gap.value_or(0), options.tolerance * won);
        return options;
    }
};

struct PathObserver {
    std::function<void(const PathPoint&)> point;  // called after each radius
    std::function<bool()>
        stop;  // asked at every iterate, by several threads: whether to end the path with the radii so far
};

/// `begun` sees the problem, rows held out and all, before the first radius.
template <class Real>
Path<Real> find_radius(const Data& data, const Specification& specification, const PathOptions& options,
                       const PathObserver& observer = {},
                       const std::function<void(const Problem<Real>&)>& begun = {});
/// The same for data that are at hand.
template <class Real>
Path<Real> find_radius(Dataset<Real> data, const Specification& specification, const PathOptions& options,
                       const PathObserver& observer = {},
                       const std::function<void(const Problem<Real>&)>& begun = {});

/// The part, from 0 to folds − 1, of every row. Parts differ by at most one row, and so do the rows of each class in them.
/// `classes`: of every row; empty: there are none.
std::vector<Index> fold_of_rows(Index rows, const std::vector<std::int32_t>& classes, Index folds,
                                std::uint64_t seed);

}  // namespace alfcg
