// Alternating least squares: the lines of one factor that are best for the other.
#include <Eigen/Cholesky>
#include <algorithm>

#include "core/parallel.hpp"
#include "kernels/pattern.hpp"
#include "objective/completion.hpp"

namespace alfcg {

namespace {

// Columns are looked at in blocks with about so many places, and no fewer blocks than this a thread.
constexpr Index places_of_block = Index{1} << 19;
constexpr Index blocks_per_thread = 4;

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
          old_(static_cast<std::size_t>(stride)) {}

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
        kernels::row_normal(places.index, places.count, bends, targets_.data(), other.data(), stride_, size,
                            gram_.data(), right_.data());
        normal_.resize(size, size);
        wanted_.resize(size);
        for (Index a = 0; a < size; ++a) {
            for (Index b = 0; b <= a; ++b)
                normal_(a, b) = static_cast<double>(gram_[static_cast<std::size_t>(a * stride_ + b)]);
            normal_(a, a) += a < width ? penalty : bias_penalty;
            if (!(normal_(a, a) > 0)) normal_(a, a) = 1;
            wanted_(a) = static_cast<double>(right_[static_cast<std::size_t>(a)]);
        }
        factor_.compute(normal_);
        if (factor_.info() != Eigen::Success) return;
        factor_.solveInPlace(wanted_);
        for (Index a = 0; a < width; ++a) line[a] = static_cast<Real>(wanted_(a));
        if (bias != nullptr) *bias = wanted_(width);
    }

  private:
    void solve_by_places(const Line& places, const Real* bends, const Matrix<Real>& other, Index width,
                         double penalty, double bias_penalty, Real* line, double* bias) {
        const Index size = width + (bias != nullptr ? 1 : 0);
        const Index count = places.count;
        normal_.resize(count, count);
        wanted_.resize(count);
        scores_.resize(static_cast<std::size_t>(count));
        std::fill(old_.begin(), old_.end(), Real(0));
        const auto share = [&](Index a) { return a < width ? 1 / penalty : 1 / bias_penalty; };
        for (Index k = 0; k < count; ++k) {
            const Real* there = other.data() + places.index[k] * stride_;
            for (Index a = 0; a < size; ++a)
                old_[static_cast<std::size_t>(a)] =
                    static_cast<Real>(share(a) * static_cast<double>(there[a]));
            kernels::row_dots(places.index, k + 1, old_.data(), other.data(), stride_, size, scores_.data());
            for (Index l = 0; l <= k; ++l)
                normal_(k, l) = static_cast<double>(scores_[static_cast<std::size_t>(l)]);
            const double bend = bends == nullptr ? 1 : static_cast<double>(bends[k]);
            normal_(k, k) += 1 / bend;
            wanted_(k) = static_cast<double>(targets_[static_cast<std::size_t>(k)]) / bend;
        }
        factor_.compute(normal_);
        if (factor_.info() != Eigen::Success) return;
        factor_.solveInPlace(wanted_);
        for (Index a = 0; a < size; ++a) {
            double sum = 0;
            for (Index k = 0; k < count; ++k)
                sum += wanted_(k) * static_cast<double>(other.data()[places.index[k] * stride_ + a]);
            if (a < width)
                line[a] = static_cast<Real>(share(a) * sum);
            else
                *bias = share(a) * sum;
        }
    }

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
    Eigen::MatrixXd normal_;
    Eigen::VectorXd wanted_;
    Eigen::LLT<Eigen::MatrixXd> factor_;
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

// There is no copy of the data by columns: a few columns at a time are picked out of the rows, in which they lie in order.
template <class Real>
void Completion<Real>::solve_columns(TwoFactors<Real>& factors, double penalty) {
    const Pattern& pattern = known_.pattern;
    const Index stride = factors.left.cols();
    std::vector<Index> counts(static_cast<std::size_t>(pattern.shape.cols) + 1);
    for (const std::int32_t column : pattern.columns) ++counts[static_cast<std::size_t>(column) + 1];
    for (std::size_t j = 1; j < counts.size(); ++j) counts[j] += counts[j - 1];
    const Index blocks = std::max(pattern.size() / places_of_block + 1, blocks_per_thread * threads_);
    const bool biased = !factors.column_biases.empty();
    set_column(factors.left, factors.width, Real(factors.fit_biases ? 1 : 0));
    const auto column_at = [&](Index block) {
        const Index wanted = pattern.size() * block / blocks;
        return std::lower_bound(counts.begin(), counts.end(), wanted) - counts.begin();
    };
    const auto work = [&](int /*part*/, int item, int /*next*/) {
        const Index first = column_at(item);
        const Index last = item + 1 == blocks ? pattern.shape.cols : column_at(item + 1);
        if (first >= last) return;
        const Index start = counts[static_cast<std::size_t>(first)];
        const auto places = static_cast<std::size_t>(counts[static_cast<std::size_t>(last)] - start);
        std::vector<std::int32_t> rows(places);
        AlignedVector<Real> values(places);
        AlignedVector<Real> weights(known_.weights.empty() ? 0 : places);
        AlignedVector<Real> offsets(places);
        std::vector<Index> next(counts.begin() + first, counts.begin() + last);
        for (Index i = 0; i < pattern.shape.rows; ++i) {
            const std::int32_t* end = pattern.columns.data() + pattern.end(i);
            const std::int32_t* at = std::lower_bound(pattern.columns.data() + pattern.begin(i), end, first);
            for (; at != end && *at < last; ++at) {
                const auto to =
                    static_cast<std::size_t>(next[static_cast<std::size_t>(*at - first)]++ - start);
                const auto from = static_cast<std::size_t>(at - pattern.columns.data());
                rows[to] = static_cast<std::int32_t>(i);
                values[to] = known_.values[from];
                if (!weights.empty()) weights[to] = known_.weights[from];
                offsets[to] =
                    biased ? static_cast<Real>(biases_.mean + factors.row_biases[static_cast<std::size_t>(i)])
                           : Real(0);
            }
        }
        LineSolver<Real> solver(loss_, parameter_, judge_, stride);
        for (Index j = first; j < last; ++j) {
            const auto from = static_cast<std::size_t>(counts[static_cast<std::size_t>(j)] - start);
            const Index count = counts[static_cast<std::size_t>(j) + 1] - counts[static_cast<std::size_t>(j)];
            double* bias = factors.fit_biases ? &factors.column_biases[static_cast<std::size_t>(j)] : nullptr;
            if (biased && bias == nullptr)
                for (std::size_t k = from; k < from + static_cast<std::size_t>(count); ++k)
                    offsets[k] += static_cast<Real>(factors.column_biases[static_cast<std::size_t>(j)]);
            solver.solve({rows.data() + from, count, values.data() + from,
                          weights.empty() ? nullptr : weights.data() + from, offsets.data() + from},
                         factors.left, factors.width, penalty, factors.bias_penalty.value_or(biases_.penalty),
                         factors.right.data() + j * stride, bias);
        }
    };
    Team::mine().run(threads_, static_cast<int>(blocks), work);
    set_column(factors.left, factors.width, Real(0));
}

template <class Real>
void Completion<Real>::sweep(TwoFactors<Real>& factors, double penalty) {
    const double mean_weight = total_ / static_cast<double>(known_.size());
    solve_rows(factors, penalty * mean_weight);
    solve_columns(factors, penalty * mean_weight);
}

template void Completion<float>::sweep(TwoFactors<float>&, double);
template void Completion<double>::sweep(TwoFactors<double>&, double);

}  // namespace alfcg
