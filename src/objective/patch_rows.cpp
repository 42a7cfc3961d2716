#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/vector.hpp"
#include "objective/dense_pass.hpp"
#include "objective/patch_samples.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

namespace {

using kernels::patch_rows;
using kernels::patch_width;

constexpr Index patch_head_start = 8;  // rows
constexpr Index least_patch_work =
    Index{1} << 17;  // multiply-adds of a part: zeros that are passed over have work of their own

template <class Real>
class PatchRows final : public RowEngine<Real> {
  public:
    PatchRows(PatchSamples<Real> samples, int threads)
        : samples_(std::move(samples)), cols_(samples_.cols()), workers_(static_cast<std::size_t>(threads)) {}

    void expect(const Selection& upcoming) override { upcoming_ = upcoming; }
    int begin(const Selection& selection, Scoring scoring, int threads) override {
        selection_ = selection;
        outputs_ = scoring.outputs;
        relative_ = spares_an_output(scoring, selection.count);
        reference_ = -1;
        threads_ = worthwhile(selection.count, threads);
        block_ = whole() ? patch_rows : std::min(patch_rows, selection.count);
        pieces_ = whole() ? whole_pieces() : RowPieces::of_threads(selection, threads_, patch_head_start);
        for (int part = 0; part < threads_; ++part) make_room(workers_[static_cast<std::size_t>(part)]);
        return threads_;
    }
    [[nodiscard]] Index block() const override { return block_; }
    [[nodiscard]] kernels::ScoreLayout layout(Index /*outputs*/) const override { return {1, patch_rows}; }
    [[nodiscard]] int pieces() const override { return pieces_.count(); }
    [[nodiscard]] std::pair<Index, Index> piece(int number) const override { return pieces_.rows(number); }

    void prepare(std::size_t set, const Real* weights, Index outputs,
                 const FactoredMove<Real>* since) override {
        set = slot(set);
        Weights& to = weights_.at(set);
        const bool shifted = relative_ && outputs == outputs_;
        const Index own = outputs - (shifted ? 1 : 0);
        const bool kept =
            since != nullptr && to.shifted == shifted && to.outputs == own && still_good(to, *since);
        if (kept) {
            to.matrix = weights;
            to.make(*since);
            if (shifted) reference_ = to.reference;
        } else {
            to = {.version = to.version + 1, .matrix = weights, .outputs = own, .shifted = shifted};
            if (shifted) {
                if (reference_ < 0) reference_ = reference_output(weights, outputs, cols_);
                to.reference = reference_;
            }
        }
        place_features(own);
        // Memory for threads, which must not throw.
        for (int part = 0; part < (whole() ? 1 : threads_); ++part) {
            Worker& worker = workers_[static_cast<std::size_t>(part)];
            auto& entries = worker.weights.at(set).entries;
            const auto size = static_cast<std::size_t>(partial_sum_size(own));
            if (entries.size() != size) entries.assign(size, Real(0));  // places without a feature stay zero
            worker.right.resize(static_cast<std::size_t>(partial_sum_size(1)));
        }
        if (whole()) update_weights(workers_.front(), set, to);
    }
    void score(int part, std::size_t set, RowRange range, Real* scores) override {
        // Threads that share a batch place the weights each for itself, which is faster than to wait for one.
        Worker& worker = workers_[whole() ? 0 : static_cast<std::size_t>(part)];
        set = slot(set);
        const Weights& weights = weights_[set];
        if (!whole()) update_weights(worker, set, weights);
        score_rows(locate(part, range), range.count, worker.weights[set].entries.data(), weights, scores);
    }

    void open_gradient(Real* gradient, double keep) override {
        gradient_ = gradient;
        keep_ = keep;
        starts_.assign(static_cast<std::size_t>(pieces()), kernels::Start::zero);
        const auto size = static_cast<std::size_t>(pieces() * partial_sum_size(summed()));
        if (partial_sums_.size() < size) partial_sums_.resize(size);
        own_order_.resize(static_cast<std::size_t>(summed() * cols_));
        place_features(summed());
    }
    void open_partial_sum(int part, int piece) override {
        workers_[static_cast<std::size_t>(part)].piece = piece;
    }
    void add(int part, RowRange range, const Real* residuals, kernels::ScoreLayout /*layout*/,
             RowRange /*next*/) override {
        Worker& worker = workers_[static_cast<std::size_t>(part)];
        const kernels::PatchedRow* rows = locate(part, range);
        kernels::Start& start = starts_[static_cast<std::size_t>(worker.piece)];
        kernels::backward_patches({rows, range.count, samples_.groups()}, rows_with_groups(worker, range),
                                  residuals, summed(), partial_sum_of(worker.piece), start,
                                  ahead(worker, range));
        start = kernels::Start::kept;
    }
    void close_gradient() override {
        upcoming_ = {};
        take_from_places(add_partial_sums(), own_order_.data());
        const Index size = summed() * cols_;
        const double scale = samples_.scale();
        if (keep_ == 0) {
            kernels::scale_to(size, scale, own_order_.data(), gradient_);
        } else {
            kernels::axpby(size, scale, own_order_.data(), keep_, gradient_);
        }
        if (!relative_) return;
        // Residuals add up to zero: the last row follows from the others.
        Real* last = gradient_ + size;
        if (keep_ == 0) std::fill_n(last, cols_, Real(0));
        for (Index l = 0; l < summed(); ++l)
            kernels::axpby(cols_, -scale, own_order_.data() + l * cols_, l == 0 ? keep_ : 1, last);
    }

    // Weights that have been moved along; those of passes over all rows are placed anew by each.
    void archive(Archive& state) override {
        for (std::size_t set = 0; set < sets; ++set) {
            Weights& own = weights_[set];
            state(own.version, own.outputs, own.shifted, own.reference, own.moves, own.stays);
            own.matrix = nullptr;
            own.since = nullptr;
            for (Worker& worker : workers_) state(worker.weights[set]);
        }
    }

  private:
    static constexpr std::size_t sets = 2;
    // Each time that weights change they have a new version; what threads have placed is of one of them.
    struct PlacedWeights {
        AlignedVector<Real> entries;
        Index version = 0;

        void archive(Archive& state) { state(entries, version); }
    };
    // No two share a cache line, nor the pair of lines that a core may fetch at once.
    struct alignas(128) Worker {
        int piece = 0;  // that it adds up
        std::array<PlacedWeights, 2 * sets> weights;
        AlignedVector<Real> right;              // w of a move, placed
        std::vector<kernels::PatchedRow> rows;  // of the range at hand
        RowRange located;                       // which that is
        // Of a batch: the rows that come next, and which of those at hand have a group.
        std::vector<kernels::PatchedRow> next;
        std::vector<std::uint64_t> group_rows;
    };
    struct Weights {
        Index version = 0;
        const Real* matrix = nullptr;
        Index outputs = 0;     // that have a score of their own
        bool shifted = false;  // scores are differences to the reference's
        Index reference = -1;
        const FactoredMove<Real>* since = nullptr;  // what leads here from the version before, if anything
        int moves = 0;                              // since they were placed from the matrix
        double stays = 1;                           // share that these moves have left of them

        void make(const FactoredMove<Real>& move) {
            ++version;
            since = &move;
            stays *= move.keep;
            ++moves;
        }
    };
    // A pass over all rows, not over a batch.
    [[nodiscard]] bool whole() const { return selection_.list == nullptr; }
    // Passes over all rows have sets of their own: what they do in between makes no difference to batches.
    [[nodiscard]] std::size_t slot(std::size_t set) const { return whole() ? sets + set : set; }
    // Outputs the gradient is summed up for.
    [[nodiscard]] Index summed() const { return outputs_ - (relative_ ? 1 : 0); }
    [[nodiscard]] Index partial_sum_size(Index outputs) const {
        return samples_.groups() * outputs * patch_width;
    }
    Real* partial_sum_of(int piece) { return partial_sums_.data() + piece * partial_sum_size(summed()); }

    [[nodiscard]] int worthwhile(Index rows, int threads) const {
        const double work = samples_.filled() * static_cast<double>(rows * cols_ * outputs_);
        return pass_parts(rows, static_cast<Index>(work), least_patch_work, threads);
    }
    [[nodiscard]] RowPieces whole_pieces() const {
        const double data = samples_.filled() * static_cast<double>(selection_.count * cols_);
        const Index sums = partial_sum_size(outputs_) * static_cast<Index>(sizeof(Real));
        const int count = RowPieces::suitable_count(threads_, static_cast<Index>(data), sums);
        return RowPieces::of_blocks(selection_.count, block_, count);
    }
    // Where the features' weights, or sums, lie for so many outputs.
    void place_features(Index outputs) {
        auto& places = places_.at(static_cast<std::size_t>(outputs));
        if (!places.empty()) return;
        places.resize(static_cast<std::size_t>(cols_));
        for (Index j = 0; j < cols_; ++j) {
            const Index at = samples_.place(j);
            places[static_cast<std::size_t>(j)] =
                at / patch_width * (outputs * patch_width) + at % patch_width;
        }
    }
    // Weights that move along need not be read again, nor do threads have to fetch them from each other's caches, as long
    // as rounding errors are few and the reference is what it was chosen for.
    static bool still_good(const Weights& weights, const FactoredMove<Real>& move) {
        constexpr int most_patch_moves = 64;
        constexpr double least_share = 0.5;
        return weights.version > 0 && weights.moves < most_patch_moves &&
               weights.stays * move.keep > least_share;
    }
    void update_weights(Worker& worker, std::size_t set, const Weights& weights) const {
        PlacedWeights& placed = worker.weights[set];
        if (placed.version == weights.version) return;
        if (weights.since != nullptr && placed.version + 1 == weights.version) {
            move_weights(worker, weights, *weights.since, placed.entries.data());
        } else {
            place_weights(weights, placed.entries.data());
        }
        placed.version = weights.version;
    }
    void move_weights(Worker& worker, const Weights& weights, const FactoredMove<Real>& move,
                      Real* entries) const {
        const VertexFactors<Real>& vertex = move.vertex;
        std::array<Real, kernels::few_outputs> gains{};
        if (vertex.scale != 0) {
            std::transform(samples_.features().begin(), samples_.features().end(), worker.right.begin(),
                           [&](std::int32_t j) { return vertex.right[static_cast<std::size_t>(j)]; });
            const auto left = [&](Index l) {
                return static_cast<double>(vertex.left[static_cast<std::size_t>(l)]);
            };
            for (Index l = 0; l < weights.outputs; ++l) {
                const Index output = weights.shifted && l == weights.reference ? weights.outputs : l;
                const double gain = left(output) - (weights.shifted ? left(weights.reference) : 0);
                gains[static_cast<std::size_t>(l)] =
                    static_cast<Real>(move.coefficient * vertex.scale * samples_.scale() * gain);
            }
        }
        kernels::move_patch_weights(samples_.groups(), weights.outputs, static_cast<Real>(move.keep),
                                    gains.data(), worker.right.data(), entries);
    }
    void place_weights(const Weights& from, Real* entries) const {
        const Index* places = places_[static_cast<std::size_t>(from.outputs)].data();
        const auto scale = static_cast<Real>(samples_.scale());
        const Real* reference = from.shifted ? from.matrix + from.reference * cols_ : nullptr;
        for (Index l = 0; l < from.outputs; ++l) {
            // The last output takes the reference's place.
            const Real* row = from.matrix + (from.shifted && l == from.reference ? from.outputs : l) * cols_;
            Real* to = entries + l * patch_width;
            for (Index j = 0; j < cols_; ++j)
                to[places[j]] = scale * (from.shifted ? row[j] - reference[j] : row[j]);
        }
    }
    void score_rows(const kernels::PatchedRow* rows, Index count, const Real* entries, const Weights& weights,
                    Real* scores) const {
        kernels::forward_patches({rows, count, samples_.groups()}, entries, weights.outputs, scores);
        if (weights.shifted)
            put_reference_back(weights.reference, weights.outputs + 1, count, patch_rows, scores);
    }
    // Sums by outputs and features, in the features' own order.
    void take_from_places(const Real* sums, Real* to) const {
        const Index* places = places_[static_cast<std::size_t>(summed())].data();
        for (Index j = 0; j < cols_; ++j) {
            const Real* from = sums + places[j];
            for (Index l = 0; l < summed(); ++l) to[l * cols_ + j] = from[l * patch_width];
        }
    }
    // The sum of all partial ones.
    const Real* add_partial_sums() {
        filled_.clear();
        for (int number = 0; number < pieces(); ++number)
            if (starts_[static_cast<std::size_t>(number)] == kernels::Start::kept)
                filled_.push_back(partial_sum_of(number));
        const Index size = partial_sum_size(summed());
        if (filled_.empty()) {
            std::fill_n(partial_sums_.data(), size, Real(0));
            return partial_sums_.data();
        }
        Real* sum = filled_.front();
        const int parts = parts_of(static_cast<Index>(filled_.size()) * size, threads_);
        parallel(parts, [&](int part) {
            const auto [first, last] = range_of_part(size, part, parts);
            for (std::size_t other = 1; other < filled_.size(); ++other)
                kernels::axpby(last - first, 1, filled_[other] + first, 1, sum + first);
        });
        return sum;
    }

    // Threads must not throw.
    void make_room(Worker& worker) const {
        worker.located = {};
        worker.rows.reserve(static_cast<std::size_t>(block_));
        if (whole()) return;
        worker.next.reserve(static_cast<std::size_t>(block_));
        worker.group_rows.resize(static_cast<std::size_t>(samples_.groups() * kernels::row_words));
    }
    void fill(std::vector<kernels::PatchedRow>& rows, const Selection& selection, RowRange range) const {
        rows.resize(static_cast<std::size_t>(range.count));
        for (Index i = 0; i < range.count; ++i)
            rows[static_cast<std::size_t>(i)] = samples_.row(selection.row(range.first + i));
    }
    const kernels::PatchedRow* locate(int part, RowRange range) {
        Worker& worker = workers_[static_cast<std::size_t>(part)];
        if (worker.located.first != range.first || worker.located.count != range.count) {
            fill(worker.rows, selection_, range);
            worker.located = range;
        }
        return worker.rows.data();
    }
    // What a thread will read after this range of a batch: more of it, or the first rows of the next batch.
    kernels::PatchedRows ahead(Worker& worker, RowRange range) const {
        if (whole()) return {};
        const auto [first, last] = piece(worker.piece);
        const Index end = range.first + range.count;
        const Index most = std::min(block_, last - first);
        const auto rows = [most](Index count) { return std::clamp<Index>(count, 0, most); };
        if (end < last) {
            fill(worker.next, selection_, {end, rows(last - end)});
        } else {
            fill(worker.next, upcoming_, {first, rows(upcoming_.count - first)});
        }
        return {worker.next.data(), std::ssize(worker.next), samples_.groups()};
    }

    const std::uint64_t* rows_with_groups(Worker& worker, RowRange range) const {
        if (whole()) return samples_.rows_with_groups(range.first / patch_rows);
        kernels::find_groups({worker.rows.data(), range.count, samples_.groups()}, worker.group_rows.data());
        return worker.group_rows.data();
    }

    PatchSamples<Real> samples_;
    Index cols_;
    Selection selection_;
    Selection upcoming_;  // of the next pass, as far as known
    Index outputs_ = 0;
    bool relative_ = false;  // one output less is enough
    Index reference_ = -1;   // the output others are compared with, once chosen
    Index block_ = 0;
    int threads_ = 1;
    RowPieces pieces_;
    Real* gradient_ = nullptr;
    double keep_ = 0;
    std::vector<Worker> workers_;
    AlignedVector<Real> partial_sums_;    // of all pieces
    AlignedVector<Real> own_order_;       // their sum, output by output
    std::vector<kernels::Start> starts_;  // whether a partial sum holds anything
    std::vector<Real*> filled_;           // those that do
    std::array<Weights, 2 * sets> weights_;
    std::array<std::vector<Index>, kernels::few_outputs + 1> places_;
};

}  // namespace

template <class Real>
std::unique_ptr<RowEngine<Real>> patch_row_engine(const DenseFeatures<Real>& features, int threads,
                                                  Index memory) {
    auto samples = PatchSamples<Real>::of(features, threads, memory);
    if (!samples) return nullptr;
    return std::make_unique<PatchRows<Real>>(std::move(*samples), threads);
}

template std::unique_ptr<RowEngine<float>> patch_row_engine(const DenseFeatures<float>&, int, Index);
template std::unique_ptr<RowEngine<double>> patch_row_engine(const DenseFeatures<double>&, int, Index);

}  // namespace alfcg
