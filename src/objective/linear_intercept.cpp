// The part of the linear model that finds its intercept.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "core/parallel.hpp"
#include "data/row_access.hpp"
#include "kernels/vector.hpp"
#include "objective/linear.hpp"

namespace alfcg {

namespace {

// Derivatives by an intercept are zero where they are below this share of what they are made from.
template <class Real>
constexpr double intercept_tolerance = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-10;

// Of a mean of losses.
template <class Real>
constexpr double loss_rounding = sizeof(Real) == sizeof(float) ? 1e-6 : 1e-13;

// Several sums at a time do not wait for each other.
template <class Real>
double sum_of(Index count, const Real* values) {
    constexpr Index together = 8;
    std::array<double, together> sums{};
    Index i = 0;
    for (; i + together <= count; i += together)
        for (Index k = 0; k < together; ++k)
            sums[static_cast<std::size_t>(k)] += static_cast<double>(values[i + k]);
    double sum = 0;
    for (; i < count; ++i) sum += static_cast<double>(values[i]);
    return std::accumulate(sums.begin(), sums.end(), sum);
}

// The mean of the rows, weighted as they are.
template <class AnyFeatures>
std::vector<double> mean_row(const AnyFeatures& features, std::span<const double> weights, Ranks* ranks,
                             int threads) {
    threads = useful_threads(features, threads);
    const auto width = static_cast<std::size_t>(features.cols());
    std::vector<std::vector<double>> sums(static_cast<std::size_t>(threads));
    std::vector<double> total(sums.size());
    parallel(threads, [&](int thread) {
        std::vector<double>& sum = sums[static_cast<std::size_t>(thread)];
        sum.assign(width, 0);
        const auto [first, last] = range_of_part(features.rows(), thread, threads);
        for (Index i = first; i < last; ++i) {
            const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
            row_add(features, i, weight, sum.data());
            total[static_cast<std::size_t>(thread)] += weight;
        }
    });
    double all = std::accumulate(total.begin(), total.end(), 0.0);
    std::vector<double> mean(width);
    for (const std::vector<double>& sum : sums)
        for (std::size_t j = 0; j < width; ++j) mean[j] += sum[j];
    sum_over<double>(ranks, mean, std::span(&all, 1));
    for (double& entry : mean) entry /= all;
    return mean;
}

}  // namespace

template <class Real>
const std::vector<double>& LinearObjective<Real>::intercept_at(const Iterate<Real>& x) const {
    return x.intercept().at.empty() ? intercept_->start() : x.intercept().at;
}

// Both walk through the scores in the order in which they lie.
template <class Real>
void LinearObjective<Real>::add_intercept(const std::vector<double>& intercept, Index count,
                                          kernels::ScoreLayout layout, Real* scores) const {
    const Index outputs = shape_.rows;
    const double* shift = intercept.data();
    if (layout.sample_stride == 1) {
        for (Index l = 0; l < outputs; ++l) {
            const Real own = static_cast<Real>(shift[l]);
            Real* output = scores + l * layout.output_stride;
            for (Index i = 0; i < count; ++i) output[i] += own;
        }
    } else {
        for (Index i = 0; i < count; ++i) {
            Real* sample = scores + i * layout.sample_stride;
            for (Index l = 0; l < outputs; ++l) sample[l] += static_cast<Real>(shift[l]);
        }
    }
}

template <class Real>
void LinearObjective<Real>::add_residuals(const Real* residuals, Index count, kernels::ScoreLayout layout,
                                          double* sums) const {
    const Index outputs = shape_.rows;
    if (layout.sample_stride == 1) {
        for (Index l = 0; l < outputs; ++l) sums[l] += sum_of(count, residuals + l * layout.output_stride);
    } else {
        for (Index i = 0; i < count; ++i) {
            const Real* sample = residuals + i * layout.sample_stride;
            for (Index l = 0; l < outputs; ++l) sums[l] += static_cast<double>(sample[l]);
        }
    }
}

// Without features, classes have an intercept in closed form; numbers are searched for theirs at the first point.
template <class Real>
void LinearObjective<Real>::begin_intercept(std::span<const double> weights) {
    may_remember_ = true;
    pages_.in_order();
    const std::vector<double> none(1, 0.0);  // the weight of a row that stands in for none
    if (rows_.own == 0) weights = none;
    centre_ =
        std::visit([&](const auto& f) { return mean_row(f, weights, rows_.ranks, threads_); }, features_);
    engine_->begin({nullptr, samples_}, scoring(), 1);
    const auto layout = engine_->layout(shape_.rows);
    prepare_scratch(1, {});
    Real* scores = scratch_[0].scores.data();
    double squares = 0;
    for (Index begin = 0; begin < samples_; begin += engine_->block()) {
        const Index count = std::min(engine_->block(), samples_ - begin);
        std::fill_n(scores, engine_->score_size(shape_.rows), Real(0));
        add_intercept(intercept_->start(), count, layout, scores);
        loss_.apply(scores, count, layout, loss_.truth(begin), 1);
        for (Index i = 0; i < count; ++i)
            for (Index l = 0; l < shape_.rows; ++l) {
                const Real residual = scores[i * layout.sample_stride + l * layout.output_stride];
                squares += static_cast<double>(residual) * static_cast<double>(residual);
            }
    }
    intercept_scale_ = std::sqrt(sum_over(rows_.ranks, squares) / static_cast<double>(rows_.total));
}

template <class Real>
double LinearObjective<Real>::largest_score(LoadScores load) {
    std::vector<double> largest(static_cast<std::size_t>(threads_));
    const auto layout = engine_->layout(shape_.rows);
    for_each_block([&](int part, RowRange range) {
        Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
        double& peak = largest[static_cast<std::size_t>(part)];
        load(range, scores);
        for (Index i = 0; i < range.count; ++i)
            for (Index l = 0; l < shape_.rows; ++l)
                peak = std::max(peak, std::abs(static_cast<double>(
                                          scores[i * layout.sample_stride + l * layout.output_stride])));
    });
    return sum_over(rows_.ranks, *std::max_element(largest.begin(), largest.end()));
}

template <class Real>
InterceptFound LinearObjective<Real>::best_intercept(LoadScores load, std::vector<double>& at,
                                                     const Iterate<Real>* x) {
    const MadeMove<Real>* made = x != nullptr ? x->last_move() : nullptr;
    std::vector<double> inverse;
    if (made != nullptr && made->from == inverse_at_) {
        inverse.swap(inverse_);
    } else {
        inverse = intercept_->inverse();
    }
    engine_->begin({nullptr, samples_}, scoring(), threads_);
    const auto layout = engine_->layout(shape_.rows);
    const auto outputs = static_cast<std::size_t>(shape_.rows);
    prepare_scratch(threads_, {});
    const auto loss = [&](double share, std::span<const double> tried, std::span<double> gradient) {
        losses_.assign(static_cast<std::size_t>(threads_), 0);
        residuals_.assign(losses_.size() * outputs, 0);
        const std::vector<double> shift(tried.begin(), tried.end());
        for_each_block([&](int part, RowRange range) {
            Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
            load(range, scores);
            if (share != 1) kernels::scale_to(engine_->score_size(shape_.rows), share, scores, scores);
            add_intercept(shift, range.count, layout, scores);
            losses_[static_cast<std::size_t>(part)] +=
                loss_.apply(scores, range.count, layout, loss_.truth(range.first), 1);
            add_residuals(scores, range.count, layout, residuals_.data() + part * shape_.rows);
        });
        double sum = own_loss();
        const std::vector<double> sums = residual_sums();
        std::copy(sums.begin(), sums.end(), gradient.begin());
        sum_over(rows_.ranks, gradient, std::span(&sum, 1));
        for (double& derivative : gradient) derivative /= static_cast<double>(rows_.total);
        return sum / static_cast<double>(rows_.total);
    };
    const double reach = x != nullptr && x->intercept().best ? 0 : intercept_->reach();
    const InterceptAccuracy accuracy{intercept_tolerance<Real> * intercept_scale_, loss_rounding<Real>};
    InterceptFound found = search_intercept(loss, at, inverse, accuracy, reach);
    const auto try_again = [&](auto find) {
        std::vector<double> other = intercept_->start();
        std::vector<double> other_inverse = intercept_->inverse();
        const InterceptFound again = find(other, other_inverse);
        if (again.loss >= found.loss) return;
        found = again;
        at.swap(other);
        inverse.swap(other_inverse);
    };
    // The way from the last point's may be long and flat.
    if (!found.certain && std::isinf(reach))
        try_again([&](auto& other, auto& other_inverse) {
            return search_intercept(loss, other, other_inverse, accuracy, reach);
        });
    if (found.lost && std::isinf(reach) && shape_.rows > 1) {
        const double size = largest_score(load);
        if (std::isfinite(size))
            try_again([&](auto& other, auto& other_inverse) {
                return follow_intercept(loss, *intercept_, other, other_inverse, accuracy, size);
            });
    }
    if (made != nullptr) {
        inverse_.swap(inverse);
        inverse_at_ = x->version();
    }
    return found;
}

// The data are looked at twice: for the scores, unless they can be had without, and for the gradient.
template <class Real>
double LinearObjective<Real>::full_pass_with_intercept(const Iterate<Real>& x, Matrix<Real>* gradient,
                                                       Source source) {
    FollowedScores<Real>& scores = source == Source::data ? aside_ : scores_;
    if (source != Source::remembered) {
        Pass pass = full(&x);
        pass.source = source == Source::data ? Source::data_and_remember : source;
        pass.move = &scores_.move();
        pass.scores = &scores;
        pass.judges = false;
        run(pass);
    }
    Intercept& own = x.intercept();
    own.at = intercept_at(x);
    own.next.clear();
    const auto layout = engine_->layout(shape_.rows);
    const InterceptFound found =
        best_intercept([&](RowRange range, Real* block) { scores.load(range, block, layout); }, own.at, &x);
    if (!own.best) own.going = found.going;
    own.best = true;
    if (gradient == nullptr) return found.loss;
    Pass pass = full(&x);
    pass.gradient = gradient;
    pass.source = Source::remembered;
    pass.scores = &scores;
    run(pass);
    if (own.going) return found.loss;
    // Residuals r should add up to 0, and do so to the tolerance of the search. The gradient is the same for features
    // less any constant then; their own distance from 0 (years, prices) must not multiply what is left: Σ r (x - centre).
    for (Index l = 0; l < shape_.rows; ++l)
        for (Index j = 0; j < shape_.cols; ++j)
            (*gradient)(l, j) -= static_cast<Real>(found.derivative[static_cast<std::size_t>(l)] *
                                                   centre_[static_cast<std::size_t>(j)]);
    return found.loss;
}

// A stochastic Newton step, with the curvature of a model without features: b follows the weights at the pace at which
// rows are seen, as a mean over the last quarter of them, and a tenth of all rows at least.
template <class Real>
void LinearObjective<Real>::move_intercept(const Iterate<Real>& x, Index rows, std::span<const double> sums,
                                           double weight) {
    Intercept& own = x.intercept();
    if (own.best) return;
    own.at = intercept_at(x);
    own.next = own.at;
    const auto count = static_cast<double>(rows);
    const double gain = count / (count + static_cast<double>(rows_.total) / 10 + own.seen / 4);
    own.seen += count;
    for (std::size_t l = 0; l < sums.size(); ++l)
        own.next[l] -= gain * intercept_->pace()[l] * sums[l] / weight;
}

template <class Real>
std::vector<double> LinearObjective<Real>::intercept(const Iterate<Real>& x) {
    if (!intercept_) return {};
    if (!x.intercept().best) full_pass(x, nullptr);
    std::vector<double> intercept = x.intercept().at;
    for (double& entry : intercept) entry += intercept_->shift();
    return intercept;
}

template void LinearObjective<float>::begin_intercept(std::span<const double>);
template const std::vector<double>& LinearObjective<float>::intercept_at(const Iterate<float>&) const;
template void LinearObjective<float>::add_intercept(const std::vector<double>&, Index, kernels::ScoreLayout,
                                                    float*) const;
template void LinearObjective<float>::add_residuals(const float*, Index, kernels::ScoreLayout, double*) const;
template double LinearObjective<float>::largest_score(LoadScores);
template InterceptFound LinearObjective<float>::best_intercept(LoadScores, std::vector<double>&,
                                                               const Iterate<float>*);
template double LinearObjective<float>::full_pass_with_intercept(const Iterate<float>&, Matrix<float>*,
                                                                 Source);
template void LinearObjective<float>::move_intercept(const Iterate<float>&, Index, std::span<const double>,
                                                     double);
template std::vector<double> LinearObjective<float>::intercept(const Iterate<float>&);
template void LinearObjective<double>::begin_intercept(std::span<const double>);
template const std::vector<double>& LinearObjective<double>::intercept_at(const Iterate<double>&) const;
template void LinearObjective<double>::add_intercept(const std::vector<double>&, Index, kernels::ScoreLayout,
                                                     double*) const;
template void LinearObjective<double>::add_residuals(const double*, Index, kernels::ScoreLayout,
                                                     double*) const;
template double LinearObjective<double>::largest_score(LoadScores);
template InterceptFound LinearObjective<double>::best_intercept(LoadScores, std::vector<double>&,
                                                                const Iterate<double>*);
template double LinearObjective<double>::full_pass_with_intercept(const Iterate<double>&, Matrix<double>*,
                                                                  Source);
template void LinearObjective<double>::move_intercept(const Iterate<double>&, Index, std::span<const double>,
                                                      double);
template std::vector<double> LinearObjective<double>::intercept(const Iterate<double>&);

}  // namespace alfcg
