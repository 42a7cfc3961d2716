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
void FollowedScores<Real>::store(Stretch stretch, const Real* scores, kernels::ScoreLayout layout) {
    for_each_run(stretch, layout, [&](Index here, Index there, Index count) {
        std::copy_n(scores + there, count, scores_.data() + here);
    });
}

template <class Real>
void FollowedScores<Real>::load(Stretch stretch, Real* scores, kernels::ScoreLayout layout) const {
    for_each_run(stretch, layout, [&](Index here, Index there, Index count) {
        std::copy_n(scores_.data() + here, count, scores + there);
    });
}

template <class Real>
void FollowedScores<Real>::store_towards(Stretch stretch, const Real* scores, kernels::ScoreLayout layout) {
    for_each_run(stretch, layout, [&](Index here, Index there, Index count) {
        std::copy_n(scores + there, count, towards_.data() + here);
    });
}

template <class Real>
void FollowedScores<Real>::mix_into(Stretch stretch, Mix mix, Real* to, kernels::ScoreLayout layout) const {
    if (mix.factored) {
        move_.vertex.mix(mix.keep, mix.share, projection_.data() + stretch.first, stretch.count, outputs_, to,
                         layout);
        return;
    }
    for_each_run(stretch, layout, [&](Index here, Index there, Index count) {
        kernels::axpby(count, mix.share, towards_.data() + here, mix.keep, to + there);
    });
}

template <class Real>
void FollowedScores<Real>::load_mixed(Stretch stretch, Mix mix, Real* scores,
                                      kernels::ScoreLayout layout) const {
    load(stretch, scores, layout);
    mix_into(stretch, mix, scores, layout);
}

template <class Real>
void FollowedScores<Real>::advance(Stretch stretch, Mix mix) {
    Real* to = scores_.data() + (by_output_ ? stretch.first : stretch.first * stride_);
    const kernels::ScoreLayout own =
        by_output_ ? kernels::ScoreLayout{1, stride_} : kernels::ScoreLayout{stride_, 1};
    mix_into(stretch, mix, to, own);
}

template class FollowedScores<float>;
template class FollowedScores<double>;

}  // namespace alfcg
