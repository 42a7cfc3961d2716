// The part of the linear model that finds its intercept.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"
#include "kernels/vector.hpp"
#include "objective/linear.hpp"

namespace alfcg {

namespace {

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

}  // namespace

template <class Real>
const std::vector<double>& LinearObjective<Real>::intercept_at(const Iterate<Real>& x) const {
    return intercept_->at(x);
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
    intercept_->find_centre(features_, weights, threads_);
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
    intercept_->set_scale(std::sqrt(sum_over(rows_.ranks, squares) / static_cast<double>(rows_.total)));
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
    return intercept_->best(loss, at, x, [&] { return largest_score(load); });
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
    intercept_->take_off(found, *gradient);
    return found.loss;
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
template std::vector<double> LinearObjective<double>::intercept(const Iterate<double>&);

}  // namespace alfcg
