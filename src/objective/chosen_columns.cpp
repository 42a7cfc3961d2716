#include "objective/chosen_columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "kernels/sparse.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Samples whose losses are looked at together, and of which a thread has so many at least.
constexpr Index block_samples = 512;
constexpr Index least_samples = 4096;
// Columns that a thread takes at a time.
constexpr Index claimed_lines = 64;

/// Passes that first go through the columns with a weight, for the scores, and last through all of them, for the gradient.
template <class Real>
class ColumnEngine final : public RowEngine<Real> {
  public:
    explicit ColumnEngine(const ChosenColumns<Real>& columns) : columns_(columns) {}

    int begin(const Selection& /*selection*/, Scoring /*scoring*/, int threads) override {
        most_threads_ = threads;
        threads_ = parts_of(columns_.samples(), least_samples, threads);
        return threads_;
    }
    [[nodiscard]] Index block() const override { return block_samples; }
    [[nodiscard]] kernels::ScoreLayout layout(Index /*outputs*/) const override { return {1, block_samples}; }
    [[nodiscard]] int pieces() const override { return threads_; }
    [[nodiscard]] std::pair<Index, Index> piece(int number) const override {
        return range_of_part(columns_.samples(), number, threads_);
    }

    void prepare(std::size_t /*set*/, const Real* weights, Index /*outputs*/,
                 const FactoredMove<Real>* /*since*/) override {
        const auto lines = columns_.lines();
        used_.clear();
        factors_.clear();
        ends_.clear();
        Index entries = 0;
        for (std::size_t k = 0; k < lines.size(); ++k) {
            if (weights[k] == 0) continue;
            used_.push_back(lines[k]);
            factors_.push_back(weights[k]);
            ends_.push_back(entries += columns_.all().entries_of_line(lines[k]));
        }
        const auto samples = static_cast<std::size_t>(columns_.samples());
        const int parts = parts_of(entries, most_threads_);
        scores_.resize(static_cast<std::size_t>(parts));
        const auto first_of = [&](int part) {
            return std::lower_bound(ends_.begin(), ends_.end(), entries * part / parts) - ends_.begin();
        };
        parallel(parts, [&](int part) {
            auto& scores = scores_[static_cast<std::size_t>(part)];
            scores.assign(samples, part == 0 && columns_.ones() ? weights[lines.size()] : Real(0));
            const Index first = first_of(part);
            const Index last = part + 1 == parts ? std::ssize(used_) : first_of(part + 1);
            const kernels::LineChoice choice{used_.data() + first, 0, last - first};
            columns_.all().with_lines(
                [&](const auto& from) { scatter(from, choice, factors_.data() + first, scores); });
        });
    }
    void score(int /*part*/, std::size_t /*set*/, RowRange range, Real* scores) override {
        std::copy_n(scores_.front().data() + range.first, range.count, scores);
        for (std::size_t part = 1; part < scores_.size(); ++part)
            kernels::axpby(range.count, 1, scores_[part].data() + range.first, 1, scores);
    }

    void open_gradient(Real* gradient, double /*keep*/) override {
        gradient_ = gradient;
        residuals_.resize(static_cast<std::size_t>(columns_.samples()));
    }
    void open_partial_sum(int /*part*/, int /*piece*/) override {}
    void add(int /*part*/, RowRange range, const Real* residuals, kernels::ScoreLayout /*layout*/,
             RowRange /*next*/) override {
        std::copy_n(residuals, range.count, residuals_.data() + range.first);
    }
    void close_gradient() override {
        const auto lines = columns_.lines();
        const Index cols = std::ssize(lines);
        const int claims = static_cast<int>((cols + claimed_lines - 1) / claimed_lines);
        const int parts = std::min(parts_of(columns_.entries(), most_threads_), std::max(claims, 1));
        Team::mine().run(parts, claims, [&](int /*part*/, int item, int /*next*/) {
            const Index first = item * claimed_lines;
            const kernels::LineChoice choice{lines.data() + first, 0, std::min(claimed_lines, cols - first)};
            columns_.all().with_lines([&](const auto& from) {
                kernels::gather_sums(from, choice, {residuals_.data(), columns_.samples()}, 1,
                                     gradient_ + first);
            });
        });
        if (columns_.ones())
            gradient_[cols] = static_cast<Real>(std::accumulate(residuals_.begin(), residuals_.end(), 0.0));
    }

  private:
    static void scatter(const kernels::SparseLines<Real>& lines, const kernels::LineChoice& choice,
                        const Real* factors, AlignedVector<Real>& to) {
        kernels::scatter_adds(lines, choice, factors, 1, {to.data(), std::ssize(to)});
    }
    static void scatter(const kernels::CodedLines<Real>& lines, const kernels::LineChoice& choice,
                        const Real* factors, AlignedVector<Real>& to) {
        kernels::scatter_adds(lines, choice, factors, to.data());
    }

    const ChosenColumns<Real>& columns_;
    int most_threads_ = 1;
    int threads_ = 1;
    // Columns with a weight, these, and how many entries there are up to their ends.
    std::vector<Index> used_;
    std::vector<Real> factors_;
    std::vector<Index> ends_;
    std::vector<AlignedVector<Real>> scores_;  // shares of them, by thread
    AlignedVector<Real> residuals_;
    Real* gradient_ = nullptr;
};

}  // namespace

template <class Real>
ChosenColumns<Real>::ChosenColumns(const SparseColumns<Real>& all, std::span<const Index> columns, bool ones,
                                   Index samples)
    : all_(all), ones_(ones), samples_(samples) {
    lines_.reserve(columns.size());
    for (const Index column : columns) {
        lines_.push_back(all.line(column));
        entries_ += all.entries_of_line(lines_.back());
    }
}

template <class Real>
std::vector<double> ChosenColumns<Real>::squares(int threads) const {
    std::vector<double> squares(static_cast<std::size_t>(cols()), static_cast<double>(samples_));
    const int parts = parts_of(entries_, threads);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(std::ssize(lines_), part, parts);
        all_.with_lines([&, first = first, last = last](const auto& lines) {
            for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) {
                double sum = 0;
                for (Index at = lines.start[lines_[k]]; at < lines.start[lines_[k] + 1]; ++at)
                    sum += static_cast<double>(lines.value_of(at)) * static_cast<double>(lines.value_of(at));
                squares[k] = sum;
            }
        });
    });
    return squares;
}

template <class Real>
void ChosenColumns<Real>::copy(int threads, std::vector<Index>& start, AlignedVector<std::int32_t>& row,
                               AlignedVector<Real>& value) const {
    start.assign(1, 0);
    for (const Index line : lines_) start.push_back(start.back() + all_.entries_of_line(line));
    if (ones_) start.push_back(start.back() + samples_);
    row.resize(static_cast<std::size_t>(entries()));
    value.resize(row.size());
    const int parts = parts_of(entries_, threads);
    const auto first_of = [&](int part) {
        return std::lower_bound(start.begin(), start.begin() + std::ssize(lines_), entries_ * part / parts) -
               start.begin();
    };
    parallel(parts, [&](int part) {
        const auto last =
            static_cast<std::size_t>(part + 1 == parts ? std::ssize(lines_) : first_of(part + 1));
        all_.with_lines([&](const auto& lines) {
            for (auto k = static_cast<std::size_t>(first_of(part)); k < last; ++k) {
                auto to = static_cast<std::size_t>(start[k]);
                for (Index at = lines.start[lines_[k]]; at < lines.start[lines_[k] + 1]; ++at, ++to) {
                    row[to] = static_cast<std::int32_t>(lines.index_of(at));
                    value[to] = lines.value_of(at);
                }
            }
        });
    });
    if (!ones_) return;
    std::iota(row.begin() + entries_, row.end(), 0);
    std::fill(value.begin() + entries_, value.end(), Real(1));
}

template <class Real>
SparseFeatures<Real> ChosenColumns<Real>::by_rows() const {
    Buffer<Index> start(static_cast<std::size_t>(samples_ + 1));
    Buffer<std::int32_t> column(static_cast<std::size_t>(entries()));
    Buffer<Real> value(static_cast<std::size_t>(entries()));
    all_.with_lines([&](const auto& lines) {
        // Where the next entry of a row goes; in the end, where the next row begins.
        std::vector<Index> next(static_cast<std::size_t>(samples_) + 1, 0);
        for (const Index line : lines_)
            for (Index at = lines.start[line]; at < lines.start[line + 1]; ++at)
                ++next[static_cast<std::size_t>(lines.index_of(at)) + 1];
        if (ones_)
            for (std::size_t i = 1; i < next.size(); ++i) ++next[i];
        std::partial_sum(next.begin(), next.end(), next.begin());
        std::copy(next.begin(), next.end(), start.data());
        const auto put = [&](Index i, std::size_t k, Real entry) {
            const Index to = next[static_cast<std::size_t>(i)]++;
            column.data()[to] = static_cast<std::int32_t>(k);
            value.data()[to] = entry;
        };
        for (std::size_t k = 0; k < lines_.size(); ++k)
            for (Index at = lines.start[lines_[k]]; at < lines.start[lines_[k] + 1]; ++at)
                put(lines.index_of(at), k, lines.value_of(at));
        if (ones_)
            for (Index i = 0; i < samples_; ++i) put(i, lines_.size(), Real(1));
    });
    return SparseFeatures<Real>{std::move(start), std::move(column), std::move(value), samples_, cols()};
}

template <class Real>
std::unique_ptr<RowEngine<Real>> column_engine(const ChosenColumns<Real>& columns) {
    return std::make_unique<ColumnEngine<Real>>(columns);
}

template class ChosenColumns<float>;
template class ChosenColumns<double>;
template std::unique_ptr<RowEngine<float>> column_engine(const ChosenColumns<float>&);
template std::unique_ptr<RowEngine<double>> column_engine(const ChosenColumns<double>&);

}  // namespace alfcg
