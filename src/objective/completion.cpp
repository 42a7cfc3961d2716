#include "objective/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "core/threads.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Places that are judged at a time.
constexpr Index places_at_once = 4096;
// What biases are found to, as a share of f, and the looks that this may take.
template <class Real>
constexpr double bias_accuracy = std::is_same_v<Real, float> ? 1e-9 : 1e-15;
// The squares of values up to here can be added up.
template <class Real>
constexpr Real largest_value = static_cast<Real>(std::is_same_v<Real, float> ? 1e30 : 1e150);
template <class Real>
constexpr double step_accuracy = std::is_same_v<Real, float> ? 1e-4 : 1e-8;
constexpr int most_looks = 30;

/// Slopes of the observations, as they were when they were last looked at.
template <class Real>
class ObservationTable final : public GradientTable<Real> {
  public:
    explicit ObservationTable(Completion<Real>& objective) : objective_(objective) {}

    double fill(const Iterate<Real>& x, Matrix<Real>& mean) override {
        const double value = objective_.evaluate(x, mean);
        table_.resize(static_cast<std::size_t>(mean.size()));
        const auto samples = static_cast<double>(mean.size());
        for (Index k = 0; k < mean.size(); ++k)
            table_[static_cast<std::size_t>(k)] =
                static_cast<Real>(samples * static_cast<double>(mean.data()[k]));
        return value;
    }

    void exchange(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& batch_change,
                  Matrix<Real>& mean_change) override {
        batch_change.reshape({1, objective_.samples()});
        mean_change.reshape({1, objective_.samples()});
        batch_change.fill(0);
        mean_change.fill(0);
        objective_.slopes_at(rows, x, slopes_);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const auto at = static_cast<std::size_t>(rows[k]);
            const double change = slopes_[k] - static_cast<double>(table_[at]);
            batch_change.span()[at] += static_cast<Real>(change / static_cast<double>(rows.size()));
            mean_change.span()[at] = static_cast<Real>(change / static_cast<double>(objective_.samples()));
        }
        for (std::size_t k = 0; k < rows.size(); ++k)
            table_[static_cast<std::size_t>(rows[k])] = static_cast<Real>(slopes_[k]);
    }
    void archive(Archive& state) override { state(table_); }

  private:
    Completion<Real>& objective_;
    AlignedVector<Real> table_;
    std::vector<double> slopes_;
};

}  // namespace

template <class Real>
Completion<Real>::Completion(const Observations<Real>& known, const LossSpec& loss, const BiasSpec& biases,
                             int threads)
    : known_(known),
      loss_(find_loss(loss.name)),
      parameter_(loss_.parameter(loss.parameters)),
      judge_(loss_.make<Real>(loss.parameters)),
      parabola_(loss.name == "squared"),
      biases_(biases),
      threads_(resolve_threads(threads)),
      search_(known_.pattern, biases.penalty, threads_) {
    if (known_.size() == 0) throw Error("there are no observations");
    if (loss_.target == TargetKind::classes)
        throw QuantityError("loss",
                            fmt::format("must be one for numbers or for -1 and 1, not {}", loss.name));
    if (loss_.classifies() &&
        !std::all_of(known_.values.begin(), known_.values.end(), [](Real y) { return y == 1 || y == -1; }))
        throw Error(fmt::format("the {} loss needs values that are -1 or 1", loss.name));
    for (const Real value : known_.values)
        if (!(std::abs(value) <= largest_value<Real>))
            throw Error(
                fmt::format("a value is {}; values are numbers of at most {:g}", value, largest_value<Real>));
    if (!(biases.penalty >= 0)) throw QuantityError("bias-penalty", "must be at least 0");
    if (biases.used && loss_.classifies() && biases.penalty == 0)
        throw QuantityError(
            "bias-penalty",
            fmt::format("must be above 0 with the {} loss: the bias of a row whose values are all "
                        "alike would be infinite",
                        loss.name));
    for (Index k = 0; k < known_.size(); ++k) total_ += known_.weight(k);
    if (biases_.used && parabola_)
        search_.take_bends(known_.weights.empty() ? nullptr : known_.weights.data());
}

template <class Real>
double Completion<Real>::judge_entries(Entries entries, const std::vector<double>& biases,
                                       Real* slopes) const {
    const Pattern& pattern = known_.pattern;
    const int parts = parts_of(pattern.size() + pattern.shape.rows, threads_);
    const auto rows = balanced_rows(pattern, parts);
    std::vector<double> sums(static_cast<std::size_t>(parts));
    const auto count = static_cast<std::size_t>(pattern.shape.rows);
    parallel(parts, [&](int part) {
        const Index last_row = rows[static_cast<std::size_t>(part) + 1];
        double sum = 0;
        for (Index row = rows[static_cast<std::size_t>(part)]; row < last_row;) {
            const Index first = pattern.begin(row);
            Index last = first;
            const Index begin = row;
            while (row < last_row && last - first < places_at_once) last = pattern.end(row++);
            entries(first, last, slopes + first);
            if (!biases.empty()) {
                for (Index i = begin; i < row; ++i) {
                    const double own = biases_.mean + biases[static_cast<std::size_t>(i)];
                    for (Index k = pattern.begin(i); k < pattern.end(i); ++k)
                        slopes[k] += static_cast<Real>(
                            own + biases[count + static_cast<std::size_t>(
                                                     pattern.columns[static_cast<std::size_t>(k)])]);
                }
            }
            sum += judge_({slopes + first,
                           last - first,
                           1,
                           {1, 1},
                           known_.values.data() + first,
                           {1.0, known_.weights.empty() ? nullptr : known_.weights.data() + first}});
        }
        sums[static_cast<std::size_t>(part)] = sum;
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template <class Real>
double Completion<Real>::penalty_at(const std::vector<double>& biases) const {
    if (biases_.penalty == 0) return 0;
    return biases_.penalty / 2 * std::inner_product(biases.begin(), biases.end(), biases.begin(), 0.0);
}

template <class Real>
void Completion<Real>::take_bends(Entries entries, const std::vector<double>& biases, const Real* slopes) {
    if (parabola_) return;
    bends_.reshape({1, known_.size()});
    const Pattern& pattern = known_.pattern;
    entries(0, pattern.size(), bends_.data());
    const auto count = static_cast<std::size_t>(pattern.shape.rows);
    for (Index i = 0; i < pattern.shape.rows; ++i)
        for (Index k = pattern.begin(i); k < pattern.end(i); ++k) {
            const double score =
                static_cast<double>(bends_.data()[k]) + biases_.mean + biases[static_cast<std::size_t>(i)] +
                biases[count + static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])];
            const double weight = known_.weight(k);
            bends_.data()[k] = static_cast<Real>(
                weight * loss_.bend(score, static_cast<double>(slopes[k]) / weight,
                                    static_cast<double>(known_.values[static_cast<std::size_t>(k)]),
                                    parameter_));
        }
    search_.take_bends(bends_.data());
}

template <class Real>
double Completion<Real>::settle(Entries entries, std::vector<double>& biases, Real* slopes) {
    double sum = judge_entries(entries, biases, slopes) + penalty_at(biases);
    if (!biases_.used) return sum;
    std::vector<double> move;
    std::vector<double> next;
    for (int look = 0; look < most_looks; ++look) {
        take_bends(entries, biases, slopes);
        search_.take_slopes(slopes, biases);
        if (search_.promise() <= bias_accuracy<Real> * sum) break;
        const double gain = search_.solve(step_accuracy<Real>, move);
        if (!(gain > 0)) break;
        double share = 1;
        double reached = sum;
        // A parabola's best is best; another loss may bend less further on.
        for (int trial = 0; trial < most_looks; ++trial, share /= 2) {
            next = biases;
            for (std::size_t k = 0; k < next.size(); ++k) next[k] += share * move[k];
            reached = judge_entries(entries, next, slopes) + penalty_at(next);
            if (reached <= sum) break;
        }
        if (!(reached <= sum)) {
            judge_entries(entries, biases, slopes);
            break;
        }
        biases.swap(next);
        const double gained = sum - reached;
        sum = reached;
        if (gained <= bias_accuracy<Real> * sum) break;
    }
    return sum;
}

template <class Real>
std::vector<double> Completion<Real>::first_biases(const Iterate<Real>& x) const {
    if (!biases_.used) return {};
    if (!x.intercept().at.empty()) return x.intercept().at;
    return std::vector<double>(static_cast<std::size_t>(shape().rows + shape().cols));
}

template <class Real>
double Completion<Real>::evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) {
    gradient.reshape({1, known_.size()});
    const Matrix<Real>& seen = x.seen();
    const auto entries = [&](Index first, Index last, Real* to) {
        std::copy(seen.data() + first, seen.data() + last, to);
    };
    std::vector<double> biases = first_biases(x);
    const double sum = x.intercept().best
                           ? judge_entries(entries, biases, gradient.data()) + penalty_at(biases)
                           : settle(entries, biases, gradient.data());
    if (biases_.used) {
        x.intercept().at = std::move(biases);
        x.intercept().best = true;
    }
    kernels::scale_to(gradient.size(), 1 / total_, gradient.data(), gradient.data());
    evaluated_ = x.version();
    value_ = sum / total_;
    return value_;
}

template <class Real>
void Completion<Real>::look_along(const Iterate<Real>& x, const Move<Real>& move) {
    if (line_.x == x.version() && line_.move == move.version()) return;
    line_.x = x.version();
    line_.move = move.version();
    if (evaluated_ != x.version() || (biases_.used && !x.intercept().best)) evaluate(x, trial_);
    line_.value = value_;
    const Pattern& pattern = known_.pattern;
    if (!parabola_) {
        way_.reshape({1, known_.size()});
        alfcg::look_along<Real>(move, x, [&](int /*part*/, Index row, std::span<const Real> way) {
            std::copy(way.begin(), way.end(), way_.data() + pattern.begin(row));
        });
        return;
    }
    // Of a parabola the slope and the bend of the way are enough; biases take their share of the bend.
    const Matrix<Real>& seen = x.seen();
    const std::vector<double>& biases = x.intercept().at;
    const auto count = static_cast<std::size_t>(pattern.shape.rows);
    if (biases_.used) trial_.reshape({1, known_.size()});
    std::vector<double> slopes(static_cast<std::size_t>(x.threads()));
    std::vector<double> bends(slopes.size());
    alfcg::look_along<Real>(move, x, [&](int part, Index row, std::span<const Real> way) {
        double slope = 0;
        double bend = 0;
        Index k = pattern.begin(row);
        const double own = biases_.used ? biases_.mean + biases[static_cast<std::size_t>(row)] : 0;
        for (const Real along : way) {
            const auto at = static_cast<std::size_t>(k);
            const auto d = static_cast<double>(along);
            const double weighted = known_.weight(k) * d;
            double rest = static_cast<double>(seen.data()[k]) - static_cast<double>(known_.values[at]) + own;
            if (biases_.used) {
                rest += biases[count + static_cast<std::size_t>(pattern.columns[at])];
                trial_.data()[k] = static_cast<Real>(weighted);
            }
            slope += weighted * rest;
            bend += weighted * d;
            ++k;
        }
        slopes[static_cast<std::size_t>(part)] += slope;
        bends[static_cast<std::size_t>(part)] += bend;
    });
    double bend = std::accumulate(bends.begin(), bends.end(), 0.0);
    if (biases_.used) {
        std::vector<double> move_of_biases;
        search_.take_slopes(trial_.data(), std::vector<double>(biases.size()));
        bend -= search_.solve(step_accuracy<Real>, move_of_biases);
    }
    line_.slope = std::accumulate(slopes.begin(), slopes.end(), 0.0) / total_;
    line_.bend = bend / total_;
}

template <class Real>
double Completion<Real>::value_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    look_along(x, move);
    if (parabola_) return line_.value + step * (line_.slope + step / 2 * line_.bend);
    const Matrix<Real>& from = x.seen();
    const auto entries = [&](Index first, Index last, Real* out) {
        for (Index k = first; k < last; ++k)
            *out++ = static_cast<Real>(static_cast<double>(from.data()[k]) +
                                       step * static_cast<double>(way_.data()[k]));
    };
    trial_.reshape({1, known_.size()});
    std::vector<double> biases = first_biases(x);
    return settle(entries, biases, trial_.data()) / total_;
}

template <class Real>
double Completion<Real>::slope_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    look_along(x, move);
    if (parabola_) return line_.slope + step * line_.bend;
    static_cast<void>(value_after(x, move, step));
    return kernels::direction(known_.size(), trial_.data(), way_.data(), 0, static_cast<const Real*>(nullptr))
               .slope /
           -total_;
}

template <class Real>
Index Completion<Real>::row_of(Index place) const {
    const SharedArray<Index>& starts = known_.pattern.starts;
    return std::upper_bound(starts.begin(), starts.end(), place) - starts.begin() - 1;
}

template <class Real>
void Completion<Real>::slopes_at(std::span<const Index> places, const Iterate<Real>& x,
                                 std::vector<double>& slopes) {
    if (biases_.used && !x.intercept().best) evaluate(x, trial_);
    const std::vector<double> biases = first_biases(x);
    slopes.resize(places.size());
    const auto count = static_cast<std::size_t>(shape().rows);
    const double factor = static_cast<double>(known_.size()) / total_;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto at = static_cast<std::size_t>(places[k]);
        const Index row = row_of(places[k]);
        const Index column = known_.pattern.columns[at];
        double score = x.factors()->at(row, column);
        if (!biases.empty())
            score += biases_.mean + biases[static_cast<std::size_t>(row)] +
                     biases[count + static_cast<std::size_t>(column)];
        auto slope = static_cast<Real>(score);
        judge_({&slope,
                1,
                1,
                {1, 1},
                known_.values.data() + at,
                {factor, known_.weights.empty() ? nullptr : known_.weights.data() + at}});
        slopes[k] = static_cast<double>(slope);
    }
}

template <class Real>
void Completion<Real>::batch_gradient(std::span<const Index> rows, const Iterate<Real>& x,
                                      Matrix<Real>& gradient) {
    std::vector<double> slopes;
    slopes_at(rows, x, slopes);
    gradient.reshape({1, known_.size()});
    gradient.fill(0);
    for (std::size_t k = 0; k < rows.size(); ++k)
        gradient.span()[static_cast<std::size_t>(rows[k])] +=
            static_cast<Real>(slopes[k] / static_cast<double>(rows.size()));
}

template <class Real>
std::unique_ptr<GradientTable<Real>> Completion<Real>::gradient_table() {
    return std::make_unique<ObservationTable<Real>>(*this);
}

template <class Real>
std::vector<double> Completion<Real>::intercept(const Iterate<Real>& x) {
    if (biases_.used && !x.intercept().best) evaluate(x, trial_);
    return x.intercept().at;
}

// What is known of a line does not outlive its move.
template <class Real>
void Completion<Real>::archive(Archive& state) {
    state(evaluated_, value_);
    if (state.loading()) line_.x = Version::none;
}

template <class Real>
std::unique_ptr<Objective<Real>> completion_objective(const Observations<Real>& known, const LossSpec& loss,
                                                      const BiasSpec& biases, int threads) {
    verify(loss);
    return std::make_unique<Completion<Real>>(known, loss, biases, threads);
}

template class Completion<float>;
template class Completion<double>;
template std::unique_ptr<Objective<float>> completion_objective(const Observations<float>&, const LossSpec&,
                                                                const BiasSpec&, int);
template std::unique_ptr<Objective<double>> completion_objective(const Observations<double>&, const LossSpec&,
                                                                 const BiasSpec&, int);

}  // namespace alfcg
