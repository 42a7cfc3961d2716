#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "kernels/dense.hpp"
#include "kernels/vector.hpp"
#include "objective/row_engine.hpp"

/// What passes over dense data have in common, however they are stored.
namespace alfcg {

/// Into how many parts a pass over so many rows with so many multiply-adds is divided: with few rows to each, it would
/// take longer to add up the parts' shares of the gradient than to compute them.
inline int pass_parts(Index rows, Index work, Index least_work, int threads) {
    constexpr Index least_rows = 32;
    return std::min(parts_of(rows, least_rows, threads), parts_of(work, least_work, threads));
}

/// Whether a pass is to spare an output, where only differences between scores count: weights and gradient have to be
/// worth another look.
inline bool spares_an_output(const Scoring& scoring, Index rows) {
    constexpr Index few_rows = 16;  // for each output
    return scoring.relative && scoring.outputs > 1 && scoring.outputs <= kernels::few_outputs &&
           rows > few_rows * scoring.outputs;
}

/// The output to compare others with: the one with the smallest weights, so that no score's rounding error more than
/// doubles.
template <class Real>
Index reference_output(const Real* weights, Index outputs, Index cols) {
    double smallest = std::numeric_limits<double>::infinity();
    Index reference = 0;
    for (Index l = 0; l < outputs; ++l) {
        const Real* row = weights + l * cols;
        const double size = kernels::direction(cols, row, row, 0, nullptr).length_squared;
        if (size < smallest) {
            smallest = size;
            reference = l;
        }
    }
    return reference;
}

/// Scores against the reference stand in the order of weights in which the last output has taken the reference's place:
/// puts them back in their order, with zeros for the reference.
template <class Real>
void put_reference_back(Index reference, Index outputs, Index count, Index stride, Real* scores) {
    Real* zeros = scores + reference * stride;
    std::copy_n(zeros, count, scores + (outputs - 1) * stride);
    std::fill_n(zeros, count, Real(0));
}

/// How the rows of a pass are shared out.
class RowPieces {
  public:
    RowPieces() = default;
    /// One for each thread; of a batch, the first has `head_start` rows more, which the calling thread has done by the
    /// time the others have woken up and fetched the weights.
    static RowPieces of_threads(const Selection& selection, int threads, Index head_start) {
        const bool early = selection.list != nullptr && threads > 1;
        return {selection.count, 1, threads, early ? std::min(head_start, selection.count / 4) : 0};
    }
    /// Pieces of whole blocks.
    static RowPieces of_blocks(Index rows, Index block, int count) { return {rows, block, count, 0}; }
    /// As many that a thread which is held up keeps no other waiting, as long as each reads far more data than it
    /// adds up sums, and more than a cache next to a core holds; or one for each thread.
    static int suitable_count(int threads, Index data_bytes, Index sum_bytes) {
        constexpr Index least_bytes = Index{512} << 10;
        if (threads == 1) return 1;
        const Index most = data_bytes / std::max(least_bytes, 16 * sum_bytes);
        return most < 2 * threads ? threads : static_cast<int>(std::min<Index>(most, 16 * threads));
    }

    [[nodiscard]] int count() const { return count_; }
    /// The first row of a piece, and the one after its last.
    [[nodiscard]] std::pair<Index, Index> rows(int number) const {
        const auto [first, last] = range_of_part((rows_ - lead_ + block_ - 1) / block_, number, count_);
        return {number == 0 ? 0 : first * block_ + lead_, std::min(last * block_ + lead_, rows_)};
    }

  private:
    RowPieces(Index rows, Index block, int count, Index lead)
        : rows_(rows), block_(block), count_(count), lead_(lead) {}

    Index rows_ = 0;
    Index block_ = 1;
    int count_ = 1;
    Index lead_ = 0;
};

}  // namespace alfcg
