#pragma once

#include <limits>
#include <memory>
#include <utility>

#include "alfcg/data/features.hpp"
#include "core/function_ref.hpp"
#include "core/parallel.hpp"
#include "kernels/dense.hpp"
#include "objective/factored_move.hpp"

namespace alfcg {

/// The rows of one pass: all of them, or those listed.
struct Selection {
    const Index* list = nullptr;
    Index count = 0;
    [[nodiscard]] Index row(Index i) const { return list == nullptr ? i : list[i]; }
};

/// A range of a selection.
struct RowRange {
    Index first = 0;
    Index count = 0;
};

/// What is made of a sample's scores.
struct Scoring {
    Index outputs = 0;
    /// Only differences between scores count, and residuals add up to zero (softmax): an engine may shift the
    /// scores of a sample by what it likes, and need not look at the residuals of the last output.
    bool relative = false;
};

/// How samples of one kind (dense, sparse) are scored and added up, block by block. A pass is begun, its weights
/// are prepared, and then every thread walks through its share of the rows.
template <class Real>
class RowEngine {
  public:
    virtual ~RowEngine() = default;

    /// The rows of the pass after the one that begins next; the list must last until that one's gradient is closed.
    virtual void expect(const Selection& /*upcoming*/) {}
    /// Begins a pass over these rows, with up to `threads` threads; returns how many are worth it.
    virtual int begin(const Selection& selection, Scoring scoring, int threads) = 0;
    /// Rows of a block, at most.
    [[nodiscard]] virtual Index block() const = 0;
    /// Where the scores of a block lie, for this many outputs, and the memory they take.
    [[nodiscard]] virtual kernels::ScoreLayout layout(Index outputs) const = 0;
    [[nodiscard]] Index score_size(Index outputs) const {
        const auto at = layout(outputs);
        return at.sample_stride == 1 ? at.output_stride * outputs : at.sample_stride * block();
    }
    /// The rows come in pieces: one for each thread, or more, which threads take as they get free. What a pass adds up
    /// depends on its pieces alone, not on who took them.
    [[nodiscard]] virtual int pieces() const = 0;
    [[nodiscard]] virtual std::pair<Index, Index> piece(int number) const = 0;
    /// Calls body(part, piece, next) for every piece: `part` says whose memory to use, `next` what comes after this piece
    /// there, or pieces().
    template <class Body>
    void for_each_piece(int threads, const Body& body) const {
        Team::mine().run(threads, pieces(), body);
    }

    /// Lays weights (outputs x features) out for scoring; a pass may use several sets, numbered from 0. Those with
    /// all outputs are all shifted alike. `since`, if any: they are those that this set was prepared with last for a
    /// batch, after this move.
    virtual void prepare(std::size_t set, const Real* weights, Index outputs,
                         const FactoredMove<Real>* since = nullptr) = 0;
    /// Scores of a range of the selection.
    virtual void score(int part, std::size_t set, RowRange range, Real* scores) = 0;

    /// Memory for the gradient, before the threads start; `keep` times what `gradient` holds stays in it.
    virtual void open_gradient(Real* gradient, double keep) = 0;
    /// A thread begins a piece: what it adds from now on goes to the piece's share, which is empty.
    virtual void open_partial_sum(int part, int piece) = 0;
    /// Adds Σ residual ⊗ row to the share, and may fetch the rows that come next.
    virtual void add(int part, RowRange range, const Real* residuals, kernels::ScoreLayout layout,
                     RowRange next) = 0;
    /// Whether rows are so short that a thread should rather walk through its piece a few rows at a time.
    [[nodiscard]] virtual bool walks() const { return false; }
    /// Scores the rows of a range with set 0; judge() makes the scores of some of them residuals, which are added to
    /// the partial sum if there is a gradient.
    virtual void walk(int /*part*/, RowRange /*range*/, Real* /*scores*/,
                      FunctionRef<void(RowRange)> /*judge*/) {}

    /// gradient = keep · gradient + Σ of all partial sums, in a fixed order.
    virtual void close_gradient() = 0;

    /// What passes leave behind for others.
    virtual void archive(Archive& /*state*/) {}
};

/// Inner product of two blocks; what pads them does not count.
template <class Real>
double block_product(const Real* a, const Real* b, Index samples, Index outputs,
                     kernels::ScoreLayout layout) {
    double sum = 0;
    for (Index i = 0; i < samples; ++i) {
        for (Index l = 0; l < outputs; ++l) {
            const Index at = i * layout.sample_stride + l * layout.output_stride;
            sum += static_cast<double>(a[at]) * static_cast<double>(b[at]);
        }
    }
    return sum;
}

/// One that will be used often may look at the data first and make a copy that suits it better.
enum class Use { once, often };
/// Bytes of such a copy, at most, where nobody minds.
inline constexpr Index any_copy = std::numeric_limits<Index>::max();

template <class Real>
std::unique_ptr<RowEngine<Real>> dense_row_engine(const DenseFeatures<Real>& features, Index outputs,
                                                  int threads, Use use, Index memory);
/// For data with many zeros among few values; null for others.
template <class Real>
std::unique_ptr<RowEngine<Real>> patch_row_engine(const DenseFeatures<Real>& features, int threads,
                                                  Index memory);
template <class Real>
std::unique_ptr<RowEngine<Real>> sparse_row_engine(const SparseFeatures<Real>& features, int threads, Use use,
                                                   Index memory);
/// Whichever fits; a copy takes at most `memory` bytes.
template <class Real>
std::unique_ptr<RowEngine<Real>> row_engine(const Features<Real>& features, Index outputs, int threads,
                                            Use use, Index memory = any_copy) {
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features))
        return dense_row_engine(*dense, outputs, threads, use, memory);
    return sparse_row_engine(std::get<SparseFeatures<Real>>(features), threads, use, memory);
}

}  // namespace alfcg
