// Gradient estimators of spec 3, and the drawing of their batches.
#pragma once

#include <algorithm>
#include <random>
#include <utility>

#include "reference/losses.hpp"
#include "reference/methods.hpp"

namespace reference {

// The batches of a run, in order: from a list (then each draw has the length of its line), or from a random
// generator in the sizes the method wants. Those used are kept.
class Batches {
  public:
    explicit Batches(std::vector<Draw> given) : list_(std::move(given)), listed_(true) {}
    explicit Batches(std::uint64_t seed) : random_(seed) {}

    // A batch drawn uniformly with replacement; a size of N or more means every row once, no draw.
    Draw take(const Problem& problem, std::int64_t size) {
        if (size >= problem.rows()) return all_rows(problem);
        Draw batch;
        if (listed_) {
            if (used_.size() >= list_.size()) throw std::invalid_argument("reference: the batches ran out");
            batch = list_[used_.size()];
        } else {
            std::uniform_int_distribution<std::int64_t> any_row(0, problem.rows() - 1);
            for (std::int64_t k = 0; k < size; ++k) batch.push_back(any_row(random_));
        }
        if (batch.empty()) throw std::invalid_argument("reference: an empty batch");
        for (const auto row : batch)
            if (row < 0 || row >= problem.rows())
                throw std::invalid_argument("reference: no such row in a batch");
        used_.push_back(batch);
        return batch;
    }

    const std::vector<Draw>& used() const { return used_; }

  private:
    std::vector<Draw> list_ = {};
    bool listed_ = false;
    std::mt19937_64 random_ = {};
    std::vector<Draw> used_ = {};
};

// Coordinate-wise median; an even count takes the mean of the two in the middle.
inline Matrix coordinate_median(const std::vector<Matrix>& group) {
    Matrix answer(group.front().rows(), group.front().cols());
    for (Index i = 0; i < answer.rows(); ++i)
        for (Index j = 0; j < answer.cols(); ++j) {
            std::vector<double> values;
            for (const Matrix& member : group) values.push_back(member(i, j));
            std::sort(values.begin(), values.end());
            const std::size_t half = values.size() / 2;
            answer(i, j) = values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
        }
    return answer;
}

class Estimator {
  public:
    Estimator(const Problem& problem, const Settings& settings, Batches& batches)
        : problem_(problem), settings_(settings), batches_(batches) {}

    // g_t at x_t; alpha_t matters to EMA and STORM only.
    Matrix at(std::int64_t t, const Matrix& x, double alpha) {
        const Matrix g = formed(t, x, alpha);
        previous_g_ = g;
        previous_x_ = x;
        return g;
    }

    // Component gradients used so far.
    std::int64_t used() const { return used_; }

  private:
    Matrix mean(const Matrix& x, const Draw& batch) {
        used_ += static_cast<std::int64_t>(batch.size());
        return batch_gradient(problem_, x, batch);
    }

    Draw drawn(std::int64_t size) { return batches_.take(problem_, size); }

    bool multiple_of_period(std::int64_t t) const {
        return settings_.period > 0 && t % settings_.period == 0;
    }

    Matrix formed(std::int64_t t, const Matrix& x, double alpha) {
        const std::int64_t b = settings_.batch;
        const Draw everything = all_rows(problem_);
        switch (settings_.estimator) {
            case EstimatorKind::full:
                return mean(x, everything);
            case EstimatorKind::heavy_ball: {
                const double m = settings_.momentum;
                const Matrix gradient = mean(x, everything);
                return t == 0 ? gradient : Matrix(m * previous_g_ + (1.0 - m) * gradient);
            }
            case EstimatorKind::mini_batch:
                return mean(x, drawn(settings_.growing_batch ? growing_batch(t) : b));
            case EstimatorKind::median: {
                std::vector<Matrix> group;
                for (std::int64_t k = 0; k < settings_.groups; ++k) group.push_back(mean(x, drawn(b)));
                return coordinate_median(group);
            }
            case EstimatorKind::svrg: {
                if (multiple_of_period(t)) {
                    anchor_ = x;
                    anchor_gradient_ = mean(x, everything);
                    return anchor_gradient_;
                }
                const Draw batch = drawn(b);
                return mean(x, batch) - mean(anchor_, batch) + anchor_gradient_;
            }
            case EstimatorKind::saga:
                return saga(t, x);
            case EstimatorKind::spider: {
                if (multiple_of_period(t))
                    return mean(x, settings_.reset == 0 ? everything : drawn(settings_.reset));
                const Draw batch = drawn(b);
                return previous_g_ + mean(x, batch) - mean(previous_x_, batch);
            }
            case EstimatorKind::ema: {
                const Matrix gradient = mean(x, drawn(b));
                return t == 0 ? gradient : Matrix((1.0 - alpha) * previous_g_ + alpha * gradient);
            }
            case EstimatorKind::storm: {
                // onesample-fw resets to the full gradient every period; the other STORM methods have none.
                if (multiple_of_period(t)) return mean(x, everything);
                const Draw batch = drawn(b);
                if (t == 0) return mean(x, batch);
                return (1.0 - alpha) * (previous_g_ - mean(previous_x_, batch)) + mean(x, batch);
            }
        }
        throw std::logic_error("reference: unknown estimator");
    }

    // The table a_i holds whole gradients here, and its mean is recomputed each time.
    Matrix saga(std::int64_t t, const Matrix& x) {
        if (t == 0) {
            for (Index i = 0; i < problem_.rows(); ++i) table_.push_back(sample_gradient(problem_, x, i));
            return mean(x, all_rows(problem_));
        }
        const Draw batch = drawn(settings_.batch);
        Matrix table_mean = Matrix::Zero(x.rows(), x.cols());
        for (const Matrix& entry : table_) table_mean += entry;
        table_mean /= static_cast<double>(problem_.rows());
        Matrix batch_mean = Matrix::Zero(x.rows(), x.cols());  // an index drawn twice counts twice
        for (const auto i : batch) batch_mean += table_[static_cast<std::size_t>(i)];
        batch_mean /= static_cast<double>(batch.size());
        const Matrix g = mean(x, batch) - batch_mean + table_mean;
        for (const auto i : batch)
            table_[static_cast<std::size_t>(i)] = sample_gradient(problem_, x, static_cast<Index>(i));
        return g;
    }

    const Problem& problem_;
    const Settings& settings_;
    Batches& batches_;
    std::int64_t used_ = 0;
    Matrix previous_g_ = {};
    Matrix previous_x_ = {};
    Matrix anchor_ = {};
    Matrix anchor_gradient_ = {};
    std::vector<Matrix> table_ = {};
};

}  // namespace reference
