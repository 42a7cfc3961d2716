// The part of the linear model that SAGA's memory asks: residuals of single rows, and what they add up to.
#include "objective/linear.hpp"

namespace alfcg {

template <class Real>
void LinearObjective<Real>::residuals(std::span<const Index> rows, const Iterate<Real>& x, Index count,
                                      Real* residuals) {
    if (!rows.empty()) own_residuals(rows, x, residuals);
    if (!intercept_ || x.intercept().best) return;
    if (rows.empty()) residuals_.clear();
    std::vector<double> sums = residual_sums();
    sum_over<double>(rows_.ranks, sums);
    intercept_->move(x, count, sums, static_cast<double>(count));
}

template <class Real>
void LinearObjective<Real>::own_residuals(std::span<const Index> rows, const Iterate<Real>& x,
                                          Real* residuals) {
    const Selection selection{rows.data(), static_cast<Index>(rows.size())};
    const int threads = engine_->begin(selection, scoring(), threads_);
    prepare_scratch(threads, {});
    prepare_point(selection, 0, x, x);
    const auto layout = engine_->layout(shape_.rows);
    if (intercept_)
        residuals_.assign(static_cast<std::size_t>(engine_->pieces()) * static_cast<std::size_t>(shape_.rows),
                          0);
    engine_->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        Real* scores = scratch.scores.data();
        const auto [first, last] = engine_->piece(piece);
        for (Index begin = first; begin < last; begin += engine_->block()) {
            const RowRange range{begin, std::min(engine_->block(), last - begin)};
            engine_->score(part, 0, range, scores);
            if (intercept_) add_intercept(intercept_at(x), range.count, layout, scores);
            loss_.apply(scores, range.count, layout, truth_of(selection, range, scratch), 1);
            if (intercept_)
                add_residuals(scores, range.count, layout, residuals_.data() + piece * shape_.rows);
            for (Index i = 0; i < range.count; ++i)
                for (Index l = 0; l < shape_.rows; ++l)
                    residuals[(begin + i) * shape_.rows + l] =
                        scores[i * layout.sample_stride + l * layout.output_stride];
        }
    });
}

template <class Real>
void LinearObjective<Real>::combine(std::span<const Index> rows, const Real* residuals,
                                    Matrix<Real>& gradient) {
    gradient.reshape(shape_);
    if (rows.empty()) {
        gradient.fill(0);
    } else {
        combine_own(rows, residuals, gradient);
    }
    sum_ranks(&gradient, {});
}

template <class Real>
void LinearObjective<Real>::combine_own(std::span<const Index> rows, const Real* residuals,
                                        Matrix<Real>& gradient) {
    const Selection selection{rows.data(), static_cast<Index>(rows.size())};
    const int threads = engine_->begin(selection, {shape_.rows}, threads_);
    prepare_scratch(threads, {});
    engine_->open_gradient(gradient.data(), 0);
    const auto layout = engine_->layout(shape_.rows);
    engine_->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
        Real* block = scratch_[static_cast<std::size_t>(part)].scores.data();
        std::fill_n(block, engine_->score_size(shape_.rows), Real(0));
        engine_->open_partial_sum(part, piece);
        const auto [first, last] = engine_->piece(piece);
        for (Index begin = first; begin < last; begin += engine_->block()) {
            const RowRange range{begin, std::min(engine_->block(), last - begin)};
            for (Index i = 0; i < range.count; ++i)
                for (Index l = 0; l < shape_.rows; ++l)
                    block[i * layout.sample_stride + l * layout.output_stride] =
                        residuals[(begin + i) * shape_.rows + l];
            engine_->add(part, range, block, layout, {last, 0});
        }
    });
    engine_->close_gradient();
}

template void LinearObjective<float>::residuals(std::span<const Index>, const Iterate<float>&, Index, float*);
template void LinearObjective<float>::own_residuals(std::span<const Index>, const Iterate<float>&, float*);
template void LinearObjective<float>::combine(std::span<const Index>, const float*, Matrix<float>&);
template void LinearObjective<float>::combine_own(std::span<const Index>, const float*, Matrix<float>&);
template void LinearObjective<double>::residuals(std::span<const Index>, const Iterate<double>&, Index,
                                                 double*);
template void LinearObjective<double>::own_residuals(std::span<const Index>, const Iterate<double>&, double*);
template void LinearObjective<double>::combine(std::span<const Index>, const double*, Matrix<double>&);
template void LinearObjective<double>::combine_own(std::span<const Index>, const double*, Matrix<double>&);

}  // namespace alfcg
