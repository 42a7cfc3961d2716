#include "objective/row_moments.hpp"

#include <algorithm>
#include <utility>

#include "core/threads.hpp"

namespace alfcg {

template <class Real>
RowMoments<Real>::RowMoments(const Features<Real>& features, std::vector<Index> rows,
                             std::vector<double> weights, Index outputs, int threads)
    : rows_(std::move(rows)),
      weights_(std::move(weights)),
      outputs_(outputs),
      threads_(resolve_threads(threads)),
      engine_(row_engine(features, outputs, threads_, Use::once)),
      blocks_(static_cast<std::size_t>(threads_)) {}

template <class Real>
void RowMoments<Real>::times(const Matrix<Real>& in, Matrix<Real>& out) {
    out.reshape(in.shape());
    const int threads = engine_->begin({rows_.data(), std::ssize(rows_)}, {outputs_}, threads_);
    engine_->prepare(0, in.data(), outputs_);
    engine_->open_gradient(out.data(), 0);
    const auto layout = engine_->layout(outputs_);
    for (auto& block : blocks_) block.resize(static_cast<std::size_t>(engine_->score_size(outputs_)));
    engine_->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
        Real* block = blocks_[static_cast<std::size_t>(part)].data();
        engine_->open_partial_sum(part, piece);
        const auto [first, last] = engine_->piece(piece);
        for (Index begin = first; begin < last; begin += engine_->block()) {
            const RowRange range{begin, std::min(engine_->block(), last - begin)};
            engine_->score(part, 0, range, block);
            for (Index i = 0; i < range.count; ++i) {
                const auto weight = static_cast<Real>(weights_[static_cast<std::size_t>(begin + i)]);
                for (Index l = 0; l < outputs_; ++l)
                    block[i * layout.sample_stride + l * layout.output_stride] *= weight;
            }
            engine_->add(part, range, block, layout, {last, 0});
        }
    });
    engine_->close_gradient();
}

template class RowMoments<float>;
template class RowMoments<double>;

}  // namespace alfcg
