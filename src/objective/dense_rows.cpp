#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/short_rows.hpp"
#include "kernels/vector.hpp"
#include "objective/byte_samples.hpp"
#include "objective/dense_pass.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

namespace {

constexpr Index head_start = 32;              // rows
constexpr Index least_work = Index{1} << 19;  // multiply-adds of a part
constexpr Index share_gap = 32;               // entries
// Outputs up to which a pass waits for memory more than for arithmetic.
constexpr Index most_memory_bound = 3;

// The samples as they are.
template <class Real>
struct PlainSamples {
    using Sample = Real;
    DenseFeatures<Real> features;
    [[nodiscard]] Index stride() const { return features.stride(); }
    [[nodiscard]] Index cols() const { return features.cols(); }
    [[nodiscard]] const Sample* row(Index i) const { return features.row(i); }
};

template <class Real, class Samples>
class DenseRows final : public RowEngine<Real> {
    using Sample = typename Samples::Sample;
    static constexpr bool plain = std::is_same_v<Sample, Real>;

  public:
    DenseRows(Samples samples, int threads)
        : samples_(std::move(samples)), cols_(samples_.cols()), workers_(static_cast<std::size_t>(threads)) {}

    void expect(const Selection& upcoming) override { upcoming_ = upcoming; }
    int begin(const Selection& selection, Scoring scoring, int threads) override {
        selection_ = selection;
        outputs_ = scoring.outputs;
        relative_ = spares_an_output(scoring, selection.count);
        reference_ = -1;
        gradient_open_ = false;
        threads_ = pass_parts(selection.count, selection.count * cols_ * outputs_, least_work, threads);
        short_ = plain && selection.list == nullptr && kernels::are_short<Real>(cols_, summed());
        block_ = std::min(block_rows(), selection.count);
        pieces_ = share_out();
        for (int part = 0; part < threads_; ++part) {
            Worker& worker = workers_[static_cast<std::size_t>(part)];
            worker.rows.resize(static_cast<std::size_t>(block_));
            worker.next.resize(static_cast<std::size_t>(block_));
            worker.located = {};
            worker.fetched = 0;
            if (!plain) worker.residuals.resize(static_cast<std::size_t>(this->score_size(outputs_)));
        }
        return threads_;
    }
    [[nodiscard]] Index block() const override { return block_; }
    [[nodiscard]] kernels::ScoreLayout layout(Index outputs) const override {
        if (outputs <= kernels::few_outputs) return {1, kernels::padded<Real>(block_)};
        return {kernels::padded<Real>(outputs), 1};
    }
    [[nodiscard]] int pieces() const override { return pieces_.count(); }
    [[nodiscard]] std::pair<Index, Index> piece(int number) const override { return pieces_.rows(number); }

    void prepare(std::size_t set, const Real* weights, Index outputs,
                 const FactoredMove<Real>* /*since*/) override {
        Weights& to = weights_.at(set);
        to.outputs = outputs;
        to.entries = weights;
        to.shifted = relative_ && outputs == outputs_;
        if (short_ || to.shifted) return copy(to);
        if (outputs <= kernels::few_outputs) return;
        to.packed.resize(static_cast<std::size_t>(kernels::padded<Real>(outputs) * cols_));
        const int parts = parts_of(outputs * cols_, threads_);
        parallel(parts, [&](int part) {
            const auto [first, last] = range_of_part(cols_, part, parts);
            kernels::pack_weights(weights, outputs, cols_, first, last, to.packed.data());
        });
        to.entries = to.packed.data();
    }
    void score(int part, std::size_t set, RowRange range, Real* scores) override {
        const Weights& weights = weights_[set];
        const auto at = layout(weights.outputs);
        const Index outputs = weights.own();
        const Sample* const* rows = short_ ? nullptr : locate(part, range);
        if constexpr (plain) {
            if (short_) {
                kernels::forward_short(short_rows(range), range.count, weights.entries, outputs, cols_,
                                       at.output_stride, scores);
            } else if (weights.outputs <= kernels::few_outputs) {
                kernels::forward_few(rows, range.count, weights.entries, outputs, cols_, at.output_stride,
                                     scores, fetch_forward(part, range));
            } else {
                kernels::forward_packed(rows, range.count, weights.entries, outputs, cols_, at.sample_stride,
                                        scores);
            }
        } else {
            kernels::forward_few(rows, range.count, weights.entries, outputs, cols_, at.output_stride,
                                 scores);
            kernels::scale_to(outputs * at.output_stride, samples_.scale(), scores, scores);
        }
        if (weights.shifted) put_reference_back(reference_, outputs_, range.count, at.output_stride, scores);
    }

    void open_gradient(Real* gradient, double keep) override {
        gradient_ = gradient;
        keep_ = keep;
        gradient_open_ = true;
        starts_.assign(static_cast<std::size_t>(pieces()), kernels::Start::zero);
        const auto size = static_cast<std::size_t>((pieces() - 1) * partial_sum_size());
        if (partial_sums_.size() < size) partial_sums_.resize(size);
    }
    void open_partial_sum(int part, int piece) override {
        Worker& worker = workers_[static_cast<std::size_t>(part)];
        worker.piece = piece;
        if (piece > 0) return;
        if (keep_ != 0) starts_.front() = kernels::Start::kept;
        const Index size = summed() * cols_;
        if (relative_) {
            // What all rows add up to, and will add up to in the end.
            Real* last = gradient_ + size;
            if (keep_ == 0) {
                std::fill_n(last, cols_, Real(0));
            } else {
                add_rows(1, gradient_, 0, cols_, last);
                kernels::scale_to(cols_, keep_, last, last);
            }
        }
        if (keep_ != 0 && keep_ != 1) kernels::scale_to(size, keep_, gradient_, gradient_);
    }
    void add(int part, RowRange range, const Real* residuals, kernels::ScoreLayout layout,
             RowRange next) override {
        Worker& worker = workers_[static_cast<std::size_t>(part)];
        kernels::Start& start = starts_[static_cast<std::size_t>(worker.piece)];
        const Sample* const* rows = short_ ? nullptr : locate(part, range);
        if constexpr (plain) {
            if (short_) {
                kernels::backward_short(short_rows(range), range.count, residuals, layout.output_stride,
                                        summed(), cols_, partial_sum_of(worker.piece), start);
                start = kernels::Start::kept;
                return;
            }
        }
        fill(worker.next, selection_, next);
        Index ahead = next.count;
        if (ahead == 0) {
            // The first rows of the next pass, if it is like this one.
            const Index first = piece(worker.piece).first;
            ahead = std::clamp<Index>(upcoming_.count - first, 0, block_);
            fill(worker.next, upcoming_, {first, ahead});
        }
        const Index fetched = std::min(ahead, worker.fetched);
        worker.fetched = 0;
        if constexpr (!plain) {
            Real* scaled = worker.residuals.data();
            kernels::scale_to(this->score_size(outputs_), samples_.scale(), residuals, scaled);
            residuals = scaled;
        }
        kernels::backward(rows, range.count, residuals, layout, summed(), cols_, partial_sum_of(worker.piece),
                          start, {worker.next.data() + fetched, ahead - fetched});
        start = kernels::Start::kept;
        std::swap(worker.rows, worker.next);
        worker.located = next;
    }
    [[nodiscard]] bool walks() const override { return short_ && kernels::walk_rows<Real>(cols_) > 0; }
    void walk(int part, RowRange range, Real* scores, FunctionRef<void(RowRange)> judge) override {
        if constexpr (plain) {
            const Weights& weights = weights_.front();
            const Index stride = layout(weights.outputs).output_stride;
            const auto judge_group = [&](Index first, Index count) {
                if (weights.shifted) put_reference_back(reference_, outputs_, count, stride, scores);
                judge({range.first + first, count});
            };
            kernels::ShortWalk<Real> walk{.weights = weights.entries,
                                          .outputs = weights.own(),
                                          .stride = stride,
                                          .scores = scores,
                                          .judge = judge_group};
            if (gradient_open_ && range.count > 0) {
                const int piece = workers_[static_cast<std::size_t>(part)].piece;
                kernels::Start& start = starts_[static_cast<std::size_t>(piece)];
                walk.summed = summed();
                walk.gradient = partial_sum_of(piece);
                walk.start = std::exchange(start, kernels::Start::kept);
            }
            kernels::walk_short(short_rows(range), range.count, cols_, walk);
        }
    }
    void close_gradient() override {
        upcoming_ = {};
        // A piece without rows has nothing to add.
        const auto empty = [&](int number) {
            return starts_[static_cast<std::size_t>(number)] == kernels::Start::zero;
        };
        if (empty(0)) std::fill_n(gradient_, summed() * cols_, Real(0));
        if (pieces() == 1 && !relative_) return;
        const int parts = parts_of(pieces() * summed() * cols_, threads_);
        parallel(parts, [&](int part) {
            const auto [first, last] = range_of_part(cols_, part, parts);
            for (int other = 1; other < pieces(); ++other) {
                if (empty(other)) continue;
                for (Index l = 0; l < summed(); ++l)
                    kernels::axpby(last - first, 1, partial_sum_of(other) + l * cols_ + first, 1,
                                   gradient_ + l * cols_ + first);
            }
            if (relative_) add_rows(-1, gradient_, first, last, gradient_ + summed() * cols_);
        });
    }

  private:
    // No two share a cache line, nor the pair of lines that a core may fetch at once.
    struct alignas(128) Worker {
        std::vector<const Sample*> rows;  // of the range at hand
        std::vector<const Sample*> next;
        RowRange located;               // what `rows` lists
        Index fetched = 0;              // rows of the next range that are on their way
        int piece = 0;                  // that it adds up
        AlignedVector<Real> residuals;  // of a block, scaled like the samples
    };
    struct Weights {
        const Real* entries = nullptr;
        Index outputs = 0;
        bool shifted = false;  // entries are differences to the reference
        AlignedVector<Real> packed;
        // Outputs that have weights of their own.
        [[nodiscard]] Index own() const { return outputs - (shifted ? 1 : 0); }
    };

    [[nodiscard]] kernels::ShortRows<Real> short_rows(RowRange range) const {
        return {samples_.row(range.first), samples_.stride()};
    }
    // Outputs the gradient is summed up for: where residuals add up to zero, the last row follows from the others.
    [[nodiscard]] Index summed() const { return outputs_ - (relative_ ? 1 : 0); }
    // to[j] += factor Σ_l rows[l][j], over the rows that are summed up.
    void add_rows(double factor, const Real* rows, Index first, Index last, Real* to) const {
        for (Index l = 0; l < summed(); ++l)
            kernels::axpby(last - first, factor, rows + l * cols_ + first, 1, to + first);
    }

    // A copy of the weights, in which they may be replaced by their differences to a reference, which needs no score of
    // its own then: the last output takes its place.
    void copy(Weights& set) {
        const auto row = [&](Index l) { return set.entries + l * cols_; };
        const Index stride = short_ ? kernels::padded<Real>(cols_) : cols_;
        const Index outputs = set.own();
        if (set.shifted && reference_ < 0) reference_ = reference_output(set.entries, outputs_, cols_);
        set.packed.assign(static_cast<std::size_t>(outputs * stride), Real(0));
        for (Index l = 0; l < outputs; ++l) {
            Real* to = set.packed.data() + l * stride;
            if (set.shifted) {
                kernels::subtract(cols_, row(l == reference_ ? outputs_ - 1 : l), row(reference_), to);
            } else {
                std::copy_n(row(l), cols_, to);
            }
        }
        set.entries = set.packed.data();
    }

    // Few outputs: rows stay in the second-level cache (1 MB) between the two halves of a pass, next to those that are being
    // fetched, the weights and the gradient, as far as enough of them fit to make the walk through the gradient worth
    // it; or in the first-level cache, where there is little to walk through; scattered rows come in smaller blocks,
    // since nothing fetches the first one ahead. Many outputs: the work on a row is long, and what counts is how often the weights
    // are walked through.
    [[nodiscard]] Index block_rows() const {
        const Index row_bytes = std::max<Index>(cols_, 1) * static_cast<Index>(sizeof(Real));
        const auto rows_of = [&](Index kilobytes) { return (kilobytes << 10) / row_bytes / 16 * 16; };
        if (short_) return std::clamp<Index>(rows_of(608), 128, 512);
        if (outputs_ <= kernels::few_outputs) {
            if (selection_.list != nullptr) return std::clamp<Index>(rows_of(96), 16, 256);
            if (summed() <= 2) return std::clamp<Index>(rows_of(16), 48, 256);
            if (!plain || summed() <= most_memory_bound) return std::clamp<Index>(rows_of(320), 48, 256);
            const Index rows = (Index{1} << 20) / row_bytes / 2 - summed();
            return std::clamp<Index>(rows / 8 * 8, 16, 256);
        }
        const Index least = outputs_ * row_bytes > (Index{1} << 20) ? 192 : 48;
        return std::clamp<Index>((Index{512} << 10) / row_bytes / 24 * 24, least, 192);
    }
    [[nodiscard]] RowPieces share_out() const {
        if (selection_.list == nullptr) {
            const Index data = selection_.count * cols_ * static_cast<Index>(sizeof(Sample));
            const Index sums = outputs_ * cols_ * static_cast<Index>(sizeof(Real));
            const int count = RowPieces::suitable_count(threads_, data, sums);
            if (count > threads_) return RowPieces::of_blocks(selection_.count, block_, count);
        }
        return RowPieces::of_threads(selection_, threads_, head_start);
    }
    // Entries of a share, and a gap, so that threads do not write to the same cache lines.
    [[nodiscard]] Index partial_sum_size() const {
        return kernels::padded<Real>(summed() * cols_) + share_gap;
    }
    // The first piece adds straight to the result.
    Real* partial_sum_of(int piece) {
        return piece == 0 ? gradient_ : partial_sums_.data() + (piece - 1) * partial_sum_size();
    }
    void fill(std::vector<const Sample*>& rows, const Selection& selection, RowRange range) const {
        for (Index i = 0; i < range.count; ++i)
            rows[static_cast<std::size_t>(i)] = samples_.row(selection.row(range.first + i));
    }
    // With very few outputs memory is the limit: half of the rows that come next are fetched during the forward
    // half of a pass, which would leave it idle.
    kernels::Ahead<Sample> fetch_forward(int part, RowRange range) {
        if (summed() > most_memory_bound || !gradient_open_) return {};
        Worker& worker = workers_[static_cast<std::size_t>(part)];
        const Index first = range.first + range.count;
        const Index count = std::min((block_ + 1) / 2, piece(worker.piece).second - first) / 4 * 4;
        if (count <= 0) return {};
        fill(worker.next, selection_, {first, count});
        worker.fetched = count;
        return {worker.next.data(), count};
    }
    const Sample* const* locate(int part, RowRange range) {
        Worker& worker = workers_[static_cast<std::size_t>(part)];
        if (worker.located.first != range.first || worker.located.count != range.count) {
            fill(worker.rows, selection_, range);
            worker.located = range;
        }
        return worker.rows.data();
    }

    Samples samples_;
    Index cols_;
    Selection selection_;
    Selection upcoming_;  // of the next pass, as far as known
    Index outputs_ = 0;
    bool relative_ = false;  // one output less is enough
    bool short_ = false;     // rows are read in order
    Index reference_ = -1;   // the output others are compared with, once chosen
    Index block_ = 0;
    int threads_ = 1;
    RowPieces pieces_;
    Real* gradient_ = nullptr;
    double keep_ = 0;
    bool gradient_open_ = false;
    std::vector<Worker> workers_;
    AlignedVector<Real> partial_sums_;    // of all pieces but the first
    std::vector<kernels::Start> starts_;  // whether a partial sum holds anything
    std::array<Weights, 2> weights_;
};

}  // namespace

template <class Real>
std::unique_ptr<RowEngine<Real>> dense_row_engine(const DenseFeatures<Real>& features, Index outputs,
                                                  int threads, Use use, Index memory) {
    // Rows of bytes are padded: short ones would save nothing.
    const Index row_bytes = features.cols() * static_cast<Index>(sizeof(Real));
    if (use == Use::often && outputs <= kernels::few_outputs &&
        2 * kernels::padded_bytes(features.cols()) <= row_bytes) {
        if (auto patches = patch_row_engine(features, threads, memory)) return patches;
        if (auto bytes = ByteSamples<Real>::of(features, threads, memory))
            return std::make_unique<DenseRows<Real, ByteSamples<Real>>>(std::move(*bytes), threads);
    }
    return std::make_unique<DenseRows<Real, PlainSamples<Real>>>(PlainSamples<Real>{features}, threads);
}

template std::unique_ptr<RowEngine<float>> dense_row_engine(const DenseFeatures<float>&, Index, int, Use,
                                                            Index);
template std::unique_ptr<RowEngine<double>> dense_row_engine(const DenseFeatures<double>&, Index, int, Use,
                                                             Index);

}  // namespace alfcg
