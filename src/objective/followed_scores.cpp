#include "objective/followed_scores.hpp"

#include <algorithm>

#include "kernels/vector.hpp"

namespace alfcg {

template <class Real>
void FollowedScores<Real>::resize(Index samples, Index outputs, kernels::ScoreLayout layout) {
    samples_ = samples;
    outputs_ = outputs;
    by_output_ = layout.sample_stride == 1;
    stride_ = by_output_ ? kernels::padded<Real>(samples) : layout.sample_stride;
    scores_.resize(static_cast<std::size_t>(stride_ * (by_output_ ? outputs : samples)));
}

template <class Real>
void FollowedScores<Real>::store(RowRange range, const Real* scores, kernels::ScoreLayout layout) {
    for_each_run(range, layout, [&](Index here, Index there, Index count) {
        std::copy_n(scores + there, count, scores_.data() + here);
    });
}

template <class Real>
void FollowedScores<Real>::load(RowRange range, Real* scores, kernels::ScoreLayout layout) const {
    for_each_run(range, layout, [&](Index here, Index there, Index count) {
        std::copy_n(scores_.data() + here, count, scores + there);
    });
}

template <class Real>
void FollowedScores<Real>::store_towards(RowRange range, const Real* scores, kernels::ScoreLayout layout) {
    for_each_run(range, layout, [&](Index here, Index there, Index count) {
        std::copy_n(scores + there, count, towards_.data() + here);
    });
}

template <class Real>
void FollowedScores<Real>::add_to(RowRange range, double factor, Real* scores,
                                  kernels::ScoreLayout layout) const {
    for_each_run(range, layout, [&](Index here, Index there, Index count) {
        kernels::axpby(count, factor, scores_.data() + here, 1, scores + there);
    });
}

template <class Real>
double FollowedScores<Real>::product(RowRange range, const Real* residuals,
                                     kernels::ScoreLayout layout) const {
    double sum = 0;
    for_each_run(range, layout, [&](Index here, Index there, Index count) {
        sum -= kernels::direction(count, residuals + there, scores_.data() + here, 0,
                                  static_cast<const Real*>(nullptr))
                   .slope;
    });
    return sum;
}

template <class Real>
void FollowedScores<Real>::mix_into(RowRange range, Mix mix, Real* to, kernels::ScoreLayout layout) const {
    if (mix.factored) {
        move_.vertex.mix(mix.keep, mix.coefficient, projection_.data() + range.first, range.count, outputs_,
                         to, layout);
        return;
    }
    for_each_run(range, layout, [&](Index here, Index there, Index count) {
        kernels::axpby(count, mix.coefficient, towards_.data() + here, mix.keep, to + there);
    });
}

template <class Real>
void FollowedScores<Real>::load_mixed(RowRange range, Mix mix, Real* scores,
                                      kernels::ScoreLayout layout) const {
    load(range, scores, layout);
    mix_into(range, mix, scores, layout);
}

template <class Real>
void FollowedScores<Real>::advance(RowRange range, Mix mix) {
    Real* to = scores_.data() + (by_output_ ? range.first : range.first * stride_);
    const kernels::ScoreLayout own =
        by_output_ ? kernels::ScoreLayout{1, stride_} : kernels::ScoreLayout{stride_, 1};
    mix_into(range, mix, to, own);
}

template class FollowedScores<float>;
template class FollowedScores<double>;

}  // namespace alfcg
