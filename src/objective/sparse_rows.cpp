#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/sparse.hpp"
#include "kernels/vector.hpp"
#include "objective/coded_rows.hpp"
#include "objective/row_engine.hpp"
#include "objective/sparse_columns.hpp"

namespace alfcg {

namespace {

constexpr Index least_sparse_work = Index{1} << 17;  // multiply-adds of a part
constexpr Index block_rows = 64;
// Pieces of the rows for each thread, where threads take them as they get free.
constexpr int pieces_a_thread = 16;
// Memory that a copy of the data by columns may always take.
constexpr Index modest_copy_bytes = Index{256} << 20;

template <class Real>
class SparseRows final : public RowEngine<Real> {
  public:
    SparseRows(const SparseFeatures<Real>& features, int threads, Use use, Index memory)
        : features_(features),
          copies_(use == Use::often),
          memory_(memory),
          lines_{features.start.data(), features.column.data(), features.value.data()},
          cols_(features.cols()),
          partial_sums_(static_cast<std::size_t>(threads)) {}

    int begin(const Selection& selection, Scoring scoring, int threads) override {
        const Index outputs = scoring.outputs;
        selection_ = selection;
        outputs_ = outputs;
        nonzeros_ = features_.nonzeros();
        if (selection.list != nullptr) {
            nonzeros_ = 0;
            for (Index i = 0; i < selection.count; ++i) nonzeros_ += entries_of(i);
        }
        threads_ = parts_of(nonzeros_ * outputs, least_sparse_work, threads);
        // It must not take longer to clear a part's sum, and to add it up, than to compute it.
        if (selection.list != nullptr) threads_ = parts_of(nonzeros_, std::max<Index>(cols_, 1), threads_);
        share_out(threads_);
        // A small batch is not worth laying the weights out anew.
        table_ = outputs > 1 && 2 * nonzeros_ > cols_;
        by_columns_ = false;
        return threads_;
    }
    [[nodiscard]] Index block() const override { return block_rows; }
    [[nodiscard]] kernels::ScoreLayout layout(Index outputs) const override {
        if (outputs == 1) return {1, kernels::padded<Real>(block_rows)};
        return {kernels::table_stride<Real>(outputs), 1};
    }
    [[nodiscard]] int pieces() const override { return static_cast<int>(bounds_.size()) - 1; }
    [[nodiscard]] std::pair<Index, Index> piece(int number) const override {
        return {bounds_[static_cast<std::size_t>(number)], bounds_[static_cast<std::size_t>(number) + 1]};
    }

    void prepare(std::size_t set, const Real* weights, Index outputs,
                 const FactoredMove<Real>* /*since*/) override {
        Weights& to = weights_.at(set);
        to.outputs = outputs;
        to.entries = weights;
        to.table = table_ && outputs > 1;
        if (!to.table) return;
        to.own.resize(table_size(outputs));
        const int parts = parts_of(outputs * cols_, threads_);
        parallel(parts, [&](int part) {
            const auto [first, last] = range_of_part(cols_, part, parts);
            kernels::to_table(weights, outputs, cols_, first, last, {to.own.data(), cols_});
        });
        to.entries = to.own.data();
    }
    void score(int /*part*/, std::size_t set, RowRange range, Real* scores) override {
        const Weights& weights = weights_[set];
        if (!weights.table && weights.outputs > 1) {
            kernels::gather_sums(lines_, choice(range), weights.entries, weights.outputs, cols_, scores);
        } else if (coded_) {
            kernels::gather_sums(coded_->lines(), choice(range), {weights.entries, cols_}, weights.outputs,
                                 scores);
        } else {
            kernels::gather_sums(lines_, choice(range), {weights.entries, cols_}, weights.outputs, scores);
        }
    }

    void open_gradient(Real* gradient, double keep) override {
        gradient_ = gradient;
        keep_ = keep;
        // Of one output, sums by rows are as fast, and need no copy.
        by_columns_ = outputs_ > 1 && selection_.list == nullptr && keep == 0 && residuals_are_modest() &&
                      columns_at_hand();
        if (by_columns_) {
            residuals_.resize(
                static_cast<std::size_t>(selection_.count * kernels::table_stride<Real>(outputs_)));
            if (threads_ > 1) share_out(pieces_a_thread * threads_);
            return;
        }
        for (int part = direct() ? 1 : 0; part < threads_; ++part)
            partial_sums_[static_cast<std::size_t>(part)].resize(table_size(outputs_));
        if (table_ && keep != 0) sum_.resize(static_cast<std::size_t>(outputs_ * cols_));
    }
    void open_partial_sum(int part, int /*piece*/) override {
        if (by_columns_) return;
        if (part > 0 || !direct()) {
            auto& partial = partial_sums_[static_cast<std::size_t>(part)];
            std::fill(partial.begin(), partial.end(), Real(0));
        } else if (keep_ == 0) {
            std::fill(gradient_, gradient_ + outputs_ * cols_, Real(0));
        } else if (keep_ != 1) {
            kernels::scale_to(outputs_ * cols_, keep_, gradient_, gradient_);
        }
    }
    void add(int part, RowRange range, const Real* residuals, kernels::ScoreLayout /*layout*/,
             RowRange /*next*/) override {
        if (by_columns_) {
            kernels::rows_to_table(residuals, range.first, range.count, outputs_,
                                   {residuals_.data(), selection_.count});
            return;
        }
        Real* share =
            part == 0 && direct() ? gradient_ : partial_sums_[static_cast<std::size_t>(part)].data();
        if (table_ || outputs_ == 1) {
            kernels::scatter_adds(lines_, choice(range), residuals, outputs_, {share, cols_});
        } else {
            kernels::scatter_adds(lines_, choice(range), residuals, outputs_, cols_, share);
        }
    }
    void close_gradient() override {
        if (by_columns_) {
            columns_->gather(threads_, {residuals_.data(), selection_.count}, outputs_, gradient_);
            return;
        }
        Real* sum = direct() ? gradient_ : partial_sums_.front().data();
        const auto size = static_cast<Index>(table_size(outputs_));
        if (threads_ > 1) {
            const int parts = parts_of((threads_ - 1) * size, threads_);
            parallel(parts, [&](int part) {
                const auto [first, last] = range_of_part(size, part, parts);
                for (int other = 1; other < threads_; ++other) {
                    const Real* from = partial_sums_[static_cast<std::size_t>(other)].data();
                    kernels::axpby(last - first, 1, from + first, 1, sum + first);
                }
            });
        }
        if (!table_) return;
        Real* matrix = keep_ == 0 ? gradient_ : sum_.data();
        const int parts = parts_of(outputs_ * cols_, threads_);
        parallel(parts, [&](int part) {
            const auto [first, last] = range_of_part(cols_, part, parts);
            kernels::from_table({sum, cols_}, outputs_, cols_, first, last, matrix);
        });
        if (keep_ != 0) kernels::axpby(outputs_ * cols_, 1, sum_.data(), keep_, gradient_);
    }

    // Rows are in a coded form since the first full gradient: sums of them may be rounded otherwise.
    void archive(Archive& state) override {
        bool made = columns_.has_value();
        state(made);
        if (made && !columns_) make_columns();
    }

  private:
    struct Weights {
        const Real* entries = nullptr;
        Index outputs = 0;
        bool table = false;
        AlignedVector<Real> own;
    };

    [[nodiscard]] kernels::LineChoice choice(RowRange range) const {
        if (selection_.list == nullptr) return {nullptr, range.first, range.count};
        return {selection_.list + range.first, 0, range.count};
    }
    [[nodiscard]] Index entries_of(Index i) const {
        const Index row = selection_.row(i);
        return lines_.start[row + 1] - lines_.start[row];
    }
    // Thread 0 adds straight to the result when both are laid out alike.
    [[nodiscard]] bool direct() const { return !table_; }
    [[nodiscard]] std::size_t table_size(Index outputs) const {
        return static_cast<std::size_t>(cols_ * (table_ ? kernels::table_stride<Real>(outputs) : outputs));
    }

    // Every piece gets about the same number of entries.
    void share_out(int pieces) {
        bounds_.assign(static_cast<std::size_t>(pieces) + 1, selection_.count);
        bounds_.front() = 0;
        Index row = 0;
        Index passed = 0;
        for (int number = 1; number < pieces; ++number) {
            const Index goal = nonzeros_ / pieces * number;
            if (selection_.list == nullptr) {
                row = std::lower_bound(lines_.start, lines_.start + selection_.count, goal) - lines_.start;
            } else {
                while (row < selection_.count && passed < goal) passed += entries_of(row++);
            }
            bounds_[static_cast<std::size_t>(number)] = row;
        }
    }

    // A pass by columns keeps the residuals of all rows: with many classes they may be far more than the data and the shares of the
    // gradient, which a pass by rows needs in their place.
    [[nodiscard]] bool residuals_are_modest() const {
        const Index residuals = selection_.count * kernels::table_stride<Real>(outputs_);
        const Index shares = threads_ * static_cast<Index>(table_size(outputs_));
        return residuals <= std::max(modest_copy_bytes / static_cast<Index>(sizeof(Real)), shares);
    }

    // A copy of the data by columns: each entry of the full gradient is then summed in a register, and threads
    // share nothing.
    bool columns_at_hand() {
        if (columns_ || !copies_) return copies_;
        const Index bytes = features_.nonzeros() * static_cast<Index>(sizeof(Real) + sizeof(std::int32_t));
        const Index saved = threads_ * cols_ * outputs_ * static_cast<Index>(sizeof(Real));
        if (bytes > std::max(modest_copy_bytes, saved) || bytes > memory_ ||
            features_.rows() > std::numeric_limits<std::int32_t>::max())
            return false;
        make_columns();
        return true;
    }
    void make_columns() {
        coded_ = CodedRows<Real>::of(features_);
        columns_.emplace(features_, coded_);
    }

    SparseFeatures<Real> features_;
    bool copies_;
    Index memory_;  // that a copy may take
    kernels::SparseLines<Real> lines_;
    Index cols_;
    Selection selection_;
    Index outputs_ = 0;
    Index nonzeros_ = 0;
    int threads_ = 1;
    bool table_ = false;
    bool by_columns_ = false;
    Real* gradient_ = nullptr;
    double keep_ = 0;
    std::vector<Index> bounds_;
    std::array<Weights, 2> weights_;
    std::vector<AlignedVector<Real>> partial_sums_;  // one per thread
    AlignedVector<Real> sum_;        // of all parts, where it is added to a gradient that stays
    AlignedVector<Real> residuals_;  // of all rows
    std::optional<CodedRows<Real>> coded_;
    std::optional<SparseColumns<Real>> columns_;
};

}  // namespace

template <class Real>
std::unique_ptr<RowEngine<Real>> sparse_row_engine(const SparseFeatures<Real>& features, int threads, Use use,
                                                   Index memory) {
    return std::make_unique<SparseRows<Real>>(features, threads, use, memory);
}

template std::unique_ptr<RowEngine<float>> sparse_row_engine(const SparseFeatures<float>&, int, Use, Index);
template std::unique_ptr<RowEngine<double>> sparse_row_engine(const SparseFeatures<double>&, int, Use, Index);

}  // namespace alfcg
