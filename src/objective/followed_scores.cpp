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
bool FollowedScores<Real>::take_factors(const Vertex<Real>& vertex) {
    using Kind = typename Vertex<Real>::Kind;
    scale_ = vertex.kind == Kind::zero ? 0 : vertex.scale;
    switch (vertex.kind) {
        case Kind::zero:
            return true;
        case Kind::one_hot:
            left_.assign(static_cast<std::size_t>(vertex.shape.rows), Real(0));
            right_.assign(static_cast<std::size_t>(vertex.shape.cols), Real(0));
            left_[static_cast<std::size_t>(vertex.index / vertex.shape.cols)] = 1;
            right_[static_cast<std::size_t>(vertex.index % vertex.shape.cols)] = 1;
            return true;
        case Kind::rank_one:
            left_ = vertex.left;
            right_ = vertex.right;
            return true;
        case Kind::dense:
            break;
    }
    return false;
}

template <class Real>
void FollowedScores<Real>::mix(Stretch stretch, double step, bool factored, Real* to,
                               kernels::ScoreLayout layout) const {
    const double stay = 1 - step;
    if (!factored) {
        for_each_run(stretch, layout, [&](Index here, Index there, Index count) {
            kernels::axpby(count, step, towards_.data() + here, stay, to + there);
        });
        return;
    }
    if (scale_ == 0) {
        for_each_run(stretch, layout, [&](Index /*here*/, Index there, Index count) {
            kernels::scale_to(count, stay, to + there, to + there);
        });
        return;
    }
    const Real* projection = projection_.data() + stretch.first;
    if (by_output_) {
        for (Index l = 0; l < outputs_; ++l) {
            const double factor = step * scale_ * static_cast<double>(left_[static_cast<std::size_t>(l)]);
            kernels::axpby(stretch.count, factor, projection, stay, to + l * layout.output_stride);
        }
    } else {
        for (Index i = 0; i < stretch.count; ++i) {
            const double factor = step * scale_ * static_cast<double>(projection[i]);
            kernels::axpby(outputs_, factor, left_.data(), stay, to + i * layout.sample_stride);
        }
    }
}

template <class Real>
void FollowedScores<Real>::load_along(Stretch stretch, double step, bool factored, Real* scores,
                                      kernels::ScoreLayout layout) const {
    load(stretch, scores, layout);
    mix(stretch, step, factored, scores, layout);
}

template <class Real>
void FollowedScores<Real>::advance(Stretch stretch, double step, bool factored) {
    Real* to = scores_.data() + (by_output_ ? stretch.first : stretch.first * stride_);
    const kernels::ScoreLayout own =
        by_output_ ? kernels::ScoreLayout{1, stride_} : kernels::ScoreLayout{stride_, 1};
    mix(stretch, step, factored, to, own);
}

template class FollowedScores<float>;
template class FollowedScores<double>;

}  // namespace alfcg
