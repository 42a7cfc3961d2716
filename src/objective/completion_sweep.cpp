// Alternating least squares: the lines of one factor that are best for the other.
#include <algorithm>

#include "core/parallel.hpp"
#include "kernels/pattern.hpp"
#include "kernels/vector.hpp"
#include "objective/completion.hpp"

namespace alfcg {

namespace {

// Up to so many observations there is a copy of them by columns. Else columns are picked in blocks with about so many places, which the caches hold, and go to the threads in so many shares each.
constexpr Index places_kept = Index{1} << 22;
constexpr Index places_of_block = Index{1} << 16;
constexpr Index shares_per_thread = 4;
// Lines that are brought together before their products are added up.
constexpr Index lines_at_once = 128;

/// One line after the other, from its places: the lines of the other factor there, and what is wanted.
template <class Real>
class LineSolver {
  public:
    LineSolver(const LossRow& loss, double parameter, const JudgeBlock<Real>& judge, Index stride)
        : loss_(loss),
          parameter_(parameter),
          judge_(judge),
          stride_(stride),
          gram_(static_cast<std::size_t>(stride * stride)),
          right_(static_cast<std::size_t>(stride)),
          old_(static_cast<std::size_t>(stride)),
          lines_(static_cast<std::size_t>(lines_at_once * stride)) {}

    struct Line {
        const std::int32_t* index;
        Index count;
        const Real* values;
        const Real* weights;  // null: all 1
        const Real* offsets;  // of the scores
    };

    /// `line` and `bias` (null: none) become those that are best. Zero where there are no places.
    void solve(const Line& places, const Matrix<Real>& other, Index width, double penalty,
               double bias_penalty, Real* line, double* bias) {
        const Index size = width + (bias != nullptr ? 1 : 0);
        targets_.resize(static_cast<std::size_t>(places.count));
        const Real* bends = prepare(places, other, width, line, bias);
        // A line with few places is found among the combinations of the other factor's lines there.
        if (places.count < size && penalty > 0 && (bias == nullptr || bias_penalty > 0))
            return solve_by_places(places, bends, other, width, penalty, bias_penalty, line, bias);
        clear(size);
        for (Index first = 0; first < places.count; first += lines_at_once) {
            const Index count = std::min(lines_at_once, places.count - first);
            kernels::gather_lines(places.index + first, count, other.data(), stride_, lines_.data());
            kernels::gram_of_lines(lines_.data(), count, bends == nullptr ? nullptr : bends + first, stride_,
                                   size, gram_.data());
            kernels::sum_lines(nullptr, count, targets_.data() + first, lines_.data(), stride_, size,
                               right_.data());
            for (Index a = 0; a < size; ++a) {
                const Real* from = gram_.data() + a * stride_;
                double* to = normal_.data() + a * wide_;
                for (Index b = a; b < size; ++b) to[b] += static_cast<double>(from[b]);
                wanted_[static_cast<std::size_t>(a)] +=
                    static_cast<double>(right_[static_cast<std::size_t>(a)]);
            }
        }
        for (Index a = 0; a < size; ++a) {
            normal(a, a) += a < width ? penalty : bias_penalty;
            if (!(normal(a, a) > 0)) normal(a, a) = 1;
        }
        if (!kernels::solve_positive(normal_.data(), size, wide_, wanted_.data())) return;
        for (Index a = 0; a < width; ++a) line[a] = static_cast<Real>(wanted_[static_cast<std::size_t>(a)]);
        if (bias != nullptr) *bias = wanted_[static_cast<std::size_t>(width)];
    }

  private:
    void solve_by_places(const Line& places, const Real* bends, const Matrix<Real>& other, Index width,
                         double penalty, double bias_penalty, Real* line, double* bias) {
        const Index size = width + (bias != nullptr ? 1 : 0);
        const Index count = places.count;
        clear(count);
        lines_.resize(static_cast<std::size_t>(std::max(count, lines_at_once) * stride_));
        kernels::gather_lines(places.index, count, other.data(), stride_, lines_.data());
        scores_.resize(static_cast<std::size_t>(count));
        std::fill(old_.begin(), old_.end(), Real(0));
        const auto share = [&](Index a) { return a < width ? 1 / penalty : 1 / bias_penalty; };
        for (Index k = 0; k < count; ++k) {
            const Real* there = lines_.data() + k * stride_;
            for (Index a = 0; a < size; ++a)
                old_[static_cast<std::size_t>(a)] =
                    static_cast<Real>(share(a) * static_cast<double>(there[a]));
            kernels::row_dots(nullptr, k + 1, old_.data(), lines_.data(), stride_, size, scores_.data());
            for (Index l = 0; l <= k; ++l)
                normal(l, k) = static_cast<double>(scores_[static_cast<std::size_t>(l)]);
            const double bend = bends == nullptr ? 1 : static_cast<double>(bends[k]);
            normal(k, k) += 1 / bend;
            wanted_[static_cast<std::size_t>(k)] =
                static_cast<double>(targets_[static_cast<std::size_t>(k)]) / bend;
        }
        if (!kernels::solve_positive(normal_.data(), count, wide_, wanted_.data())) return;
        for (Index k = 0; k < count; ++k)
            targets_[static_cast<std::size_t>(k)] = static_cast<Real>(wanted_[static_cast<std::size_t>(k)]);
        kernels::sum_lines(nullptr, count, targets_.data(), lines_.data(), stride_, size, right_.data());
        for (Index a = 0; a < size; ++a) {
            const double found = share(a) * static_cast<double>(right_[static_cast<std::size_t>(a)]);
            if (a < width)
                line[a] = static_cast<Real>(found);
            else
                *bias = found;
        }
    }

    // Of so many unknowns, in rows of whole vectors.
    void clear(Index size) {
        wide_ = (size + 7) / 8 * 8;
        normal_.assign(static_cast<std::size_t>(size * wide_), 0.0);
        wanted_.assign(static_cast<std::size_t>(size), 0.0);
    }
    double& normal(Index a, Index b) { return normal_[static_cast<std::size_t>(a * wide_ + b)]; }

    // Targets times bends into targets_; returns the bends.
    const Real* prepare(const Line& places, const Matrix<Real>& other, Index width, const Real* line,
                        const double* bias) {
        if (loss_.name == "squared") {
            for (Index k = 0; k < places.count; ++k)
                targets_[static_cast<std::size_t>(k)] =
                    (places.values[k] - places.offsets[k]) *
                    (places.weights == nullptr ? Real(1) : places.weights[k]);
            return places.weights;
        }
        // A parabola that touches the loss at the score.
        std::copy_n(line, stride_, old_.data());
        old_[static_cast<std::size_t>(width)] = bias != nullptr ? static_cast<Real>(*bias) : Real(0);
        scores_.resize(targets_.size());
        bends_.resize(targets_.size());
        kernels::row_dots(places.index, places.count, old_.data(), other.data(), stride_, width + 1,
                          scores_.data());
        for (Index k = 0; k < places.count; ++k)
            targets_[static_cast<std::size_t>(k)] = scores_[static_cast<std::size_t>(k)] + places.offsets[k];
        judge_({targets_.data(), places.count, 1, {1, 1}, places.values, {1.0, nullptr}});
        for (Index k = 0; k < places.count; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const double weight = places.weights == nullptr ? 1 : static_cast<double>(places.weights[k]);
            const auto score = static_cast<double>(scores_[at]);
            const auto slope = static_cast<double>(targets_[at]);
            const double bend = std::max(loss_.bend(score + static_cast<double>(places.offsets[k]), slope,
                                                    static_cast<double>(places.values[k]), parameter_),
                                         least_bend * loss_.most_bend);
            bends_[at] = static_cast<Real>(weight * bend);
            targets_[at] = static_cast<Real>(weight * (bend * score - slope));
        }
        return bends_.data();
    }

    // Far out a loss hardly bends at all, and a parabola there would lead too far.
    static constexpr double least_bend = 0.1;

    const LossRow& loss_;
    double parameter_;
    const JudgeBlock<Real>& judge_;
    Index stride_;
    AlignedVector<Real> gram_;
    AlignedVector<Real> right_;
    AlignedVector<Real> old_;
    AlignedVector<Real> targets_;
    AlignedVector<Real> scores_;
    AlignedVector<Real> bends_;
    AlignedVector<Real> lines_;
    AlignedVector<double> normal_;  // its upper half
    std::vector<double> wanted_;
    Index wide_ = 0;
};

// The column behind the factors is 1 for a bias to multiply, or nothing.
template <class Real>
void set_column(Matrix<Real>& table, Index column, Real value) {
    for (Index i = 0; i < table.rows(); ++i) table(i, column) = value;
}

}  // namespace

template <class Real>
void Completion<Real>::solve_rows(TwoFactors<Real>& factors, double penalty) {
    const Pattern& pattern = known_.pattern;
    const Index stride = factors.right.cols();
    const int parts = parts_of(pattern.size() * factors.width, Index{1} << 16, threads_);
    const auto rows = balanced_rows(pattern, parts);
    const bool biased = !factors.row_biases.empty();
    set_column(factors.right, factors.width, Real(factors.fit_biases ? 1 : 0));
    parallel(parts, [&](int part) {
        LineSolver<Real> solver(loss_, parameter_, judge_, stride);
        std::vector<Real> offsets;
        for (Index i = rows[static_cast<std::size_t>(part)]; i < rows[static_cast<std::size_t>(part) + 1];
             ++i) {
            const Index first = pattern.begin(i);
            const Index count = pattern.end(i) - first;
            offsets.assign(static_cast<std::size_t>(count), Real(0));
            double* bias = factors.fit_biases ? &factors.row_biases[static_cast<std::size_t>(i)] : nullptr;
            if (biased) {
                const double own =
                    biases_.mean + (bias == nullptr ? factors.row_biases[static_cast<std::size_t>(i)] : 0);
                for (Index k = 0; k < count; ++k)
                    offsets[static_cast<std::size_t>(k)] =
                        static_cast<Real>(own + factors.column_biases[static_cast<std::size_t>(
                                                    pattern.columns[static_cast<std::size_t>(first + k)])]);
            }
            solver.solve({pattern.columns.data() + first, count, known_.values.data() + first,
                          known_.weights.empty() ? nullptr : known_.weights.data() + first, offsets.data()},
                         factors.right, factors.width, penalty,
                         factors.bias_penalty.value_or(biases_.penalty), factors.left.data() + i * stride,
                         bias);
        }
    });
    set_column(factors.right, factors.width, Real(0));
}

// Picks the columns first .. last − 1 out of the rows, in which they lie in order and have come to some place.
template <class Real>
void Completion<Real>::pick(const std::vector<Index>& starts, std::vector<Index>& come_to,
                            Columns& columns) const {
    const Pattern& pattern = known_.pattern;
    const Index start = starts[static_cast<std::size_t>(columns.first)];
    const auto places = static_cast<std::size_t>(starts[static_cast<std::size_t>(columns.last)] - start);
    columns.rows.resize(places);
    columns.values.resize(places);
    columns.weights.resize(known_.weights.empty() ? 0 : places);
    std::vector<Index> next(starts.begin() + columns.first, starts.begin() + columns.last);
    for (Index i = 0; i < pattern.shape.rows; ++i) {
        auto from = static_cast<std::size_t>(come_to[static_cast<std::size_t>(i)]);
        const auto end = static_cast<std::size_t>(pattern.end(i));
        for (; from < end && pattern.columns[from] < columns.last; ++from) {
            const auto to = static_cast<std::size_t>(
                next[static_cast<std::size_t>(pattern.columns[from] - columns.first)]++ - start);
            columns.rows[to] = static_cast<std::int32_t>(i);
            columns.values[to] = known_.values[from];
            if (!columns.weights.empty()) columns.weights[to] = known_.weights[from];
        }
        come_to[static_cast<std::size_t>(i)] = static_cast<Index>(from);
    }
}

template <class Real>
void Completion<Real>::solve_columns(TwoFactors<Real>& factors, double penalty) {
    const Pattern& pattern = known_.pattern;
    const Index stride = factors.left.cols();
    std::vector<Index>& starts = column_starts_;
    const auto begins = [&](Index column) {
        std::vector<Index> come_to(static_cast<std::size_t>(pattern.shape.rows));
        const std::int32_t* line = pattern.columns.data();
        for (Index i = 0; i < pattern.shape.rows; ++i)
            come_to[static_cast<std::size_t>(i)] =
                std::lower_bound(line + pattern.begin(i), line + pattern.end(i), column) - line;
        return come_to;
    };
    if (starts.empty()) {
        starts.resize(static_cast<std::size_t>(pattern.shape.cols) + 1);
        for (const std::int32_t column : pattern.columns) ++starts[static_cast<std::size_t>(column) + 1];
        for (std::size_t j = 1; j < starts.size(); ++j) starts[j] += starts[j - 1];
        if (pattern.size() <= places_kept) {
            all_columns_.last = pattern.shape.cols;
            std::vector<Index> come_to = begins(0);
            pick(starts, come_to, all_columns_);
        }
    }
    const bool kept = all_columns_.last > 0;
    const int shares = static_cast<int>(shares_per_thread) * threads_;
    const bool biased = !factors.column_biases.empty();
    set_column(factors.left, factors.width, Real(factors.fit_biases ? 1 : 0));
    const auto column_at = [&](Index places) {
        return std::lower_bound(starts.begin(), starts.end(), places) - starts.begin();
    };
    const auto work = [&](int /*part*/, int share, int /*next*/) {
        const Index end_of_share =
            share + 1 == shares ? pattern.shape.cols : column_at(pattern.size() * (share + 1) / shares);
        const Index first = column_at(pattern.size() * share / shares);
        if (first >= end_of_share) return;
        LineSolver<Real> solver(loss_, parameter_, judge_, stride);
        AlignedVector<Real> offsets;
        const auto solve = [&](const Columns& columns, Index j) {
            const Index start = starts[static_cast<std::size_t>(columns.first)];
            const Index from = starts[static_cast<std::size_t>(j)] - start;
            const Index count = starts[static_cast<std::size_t>(j) + 1] - starts[static_cast<std::size_t>(j)];
            double* bias = factors.fit_biases ? &factors.column_biases[static_cast<std::size_t>(j)] : nullptr;
            const double own =
                biases_.mean +
                (biased && bias == nullptr ? factors.column_biases[static_cast<std::size_t>(j)] : 0);
            offsets.assign(static_cast<std::size_t>(count), Real(0));
            if (biased)
                for (Index k = 0; k < count; ++k)
                    offsets[static_cast<std::size_t>(k)] =
                        static_cast<Real>(own + factors.row_biases[static_cast<std::size_t>(
                                                    columns.rows[static_cast<std::size_t>(from + k)])]);
            solver.solve({columns.rows.data() + from, count, columns.values.data() + from,
                          columns.weights.empty() ? nullptr : columns.weights.data() + from, offsets.data()},
                         factors.left, factors.width, penalty, factors.bias_penalty.value_or(biases_.penalty),
                         factors.right.data() + j * stride, bias);
        };
        if (kept) {
            for (Index j = first; j < end_of_share; ++j) solve(all_columns_, j);
            return;
        }
        // A share goes through the rows once for each of its blocks, and remembers where it has come to in every row.
        std::vector<Index> come_to = begins(first);
        Columns block;
        for (block.first = first; block.first < end_of_share; block.first = block.last) {
            block.last =
                std::clamp(column_at(starts[static_cast<std::size_t>(block.first)] + places_of_block),
                           block.first + 1, end_of_share);
            pick(starts, come_to, block);
            for (Index j = block.first; j < block.last; ++j) solve(block, j);
        }
    };
    Team::mine().run(threads_, shares, work);
    set_column(factors.left, factors.width, Real(0));
}

template <class Real>
void Completion<Real>::sweep(TwoFactors<Real>& factors, double penalty) {
    const double mean_weight = total_ / static_cast<double>(known_.size());
    solve_rows(factors, penalty * mean_weight);
    solve_columns(factors, penalty * mean_weight);
}

template <class Real>
double Completion<Real>::evaluate_product(const TwoFactors<Real>& factors, Matrix<Real>& gradient) {
    const Pattern& pattern = known_.pattern;
    gradient.reshape({1, known_.size()});
    std::vector<double> biases = factors.row_biases;
    biases.insert(biases.end(), factors.column_biases.begin(), factors.column_biases.end());
    const auto entries = [&](Index first, Index last, Real* to) {
        for (Index row = row_of(first); first < last; ++row) {
            const Index count = pattern.end(row) - first;
            kernels::row_dots(pattern.columns.data() + first, count,
                              factors.left.data() + row * factors.left.cols(), factors.right.data(),
                              factors.right.cols(), factors.width, to);
            to += count;
            first += count;
        }
    };
    const double sum = judge_entries(entries, biases, gradient.data()) + penalty_at(biases);
    kernels::scale_to(gradient.size(), 1 / total_, gradient.data(), gradient.data());
    return sum / total_;
}

template double Completion<float>::evaluate_product(const TwoFactors<float>&, Matrix<float>&);
template double Completion<double>::evaluate_product(const TwoFactors<double>&, Matrix<double>&);
template void Completion<float>::sweep(TwoFactors<float>&, double);
template void Completion<double>::sweep(TwoFactors<double>&, double);

}  // namespace alfcg
