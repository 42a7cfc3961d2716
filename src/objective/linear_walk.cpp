// Coordinate descent on a model of a part.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "objective/linear_part.hpp"

namespace alfcg {

namespace {

// Entries at zero whose slopes are this near to the multiplier of the norm are walked through again.
constexpr double near_level = 0.8;
// So near to the sphere a walk may end.
constexpr double near_sphere = 0.05;
// Columns up to which a matrix of second derivatives is made for walks over several ranks.
constexpr Index most_walked_columns = 1024;

}  // namespace

template <class Real>
void LinearPart<Real>::lay_out_columns() {
    if (!start_.empty()) return;
    const Index cols = shape_.cols;
    // visit(row, column, value) for the entries of some rows.
    const auto for_each = [&](std::pair<Index, Index> range, const auto& visit) {
        const auto [first, last] = range;
        if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&products_)) {
            for (Index i = first; i < last; ++i)
                for (Index at = sparse->start.data()[i]; at < sparse->start.data()[i + 1]; ++at)
                    visit(i, sparse->column.data()[at], sparse->value.data()[at]);
        } else {
            const auto& dense = std::get<DenseFeatures<Real>>(products_);
            for (Index i = first; i < last; ++i)
                for (Index j = 0; j < cols; ++j) visit(i, j, dense.row(i)[j]);
        }
    };
    // Every part has a stretch of each column for its rows.
    const int parts = parts_of(entries_of(products_), threads_);
    std::vector<std::vector<Index>> next(static_cast<std::size_t>(parts));
    for (auto& own : next) own.resize(static_cast<std::size_t>(cols));
    parallel(parts, [&](int part) {
        Index* count = next[static_cast<std::size_t>(part)].data();
        for_each(range_of_part(samples_, part, parts),
                 [&](Index /*i*/, Index j, Real /*value*/) { ++count[j]; });
    });
    start_.resize(static_cast<std::size_t>(cols) + 1);
    Index end = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(cols); ++j) {
        start_[j] = end;
        for (auto& own : next) end += std::exchange(own[j], end);
    }
    start_.back() = end;
    row_.extend(static_cast<std::size_t>(end));
    value_.extend(static_cast<std::size_t>(end));
    parallel(parts, [&](int part) {
        Index* to = next[static_cast<std::size_t>(part)].data();
        for_each(range_of_part(samples_, part, parts), [&](Index i, Index j, Real value) {
            const auto at = static_cast<std::size_t>(to[j]++);
            row_[at] = static_cast<std::int32_t>(i);
            value_[at] = value;
        });
    });
}

// What a walk keeps of every sample's scores, whose second derivatives are those of a loss of one score: the slope and the second derivative
// side by side, as whoever has fetched one needs the other next.
template <class Real>
class LinearPart<Real>::OneScore {
  public:
    explicit OneScore(LinearPart& part) {
        part.walked_.resize(2 * static_cast<std::size_t>(part.samples_));
        own_ = part.walked_.data();
        for (Index i = 0; i < part.samples_; ++i) {
            own_[2 * i] = 0;
            own_[2 * i + 1] = static_cast<double>(part.bends_[static_cast<std::size_t>(i)]);
        }
    }
    [[nodiscard]] double bend(Index /*output*/, std::size_t i) const { return own_[2 * i + 1]; }
    void move(Index /*output*/, std::size_t i, double by) { own_[2 * i] += own_[2 * i + 1] * by; }
    [[nodiscard]] double slope(Index /*output*/, std::size_t i) const { return own_[2 * i]; }

  private:
    double* own_;
};

// The same of softmax: the way of every score, and of a sample their mean by the shares of the classes, and the plain one. All lie
// output by output, as columns are walked through.
template <class Real>
class LinearPart<Real>::Softmax {
  public:
    explicit Softmax(LinearPart& part)
        : samples_(static_cast<std::size_t>(part.samples_)),
          outputs_(static_cast<std::size_t>(part.shape_.rows)),
          weights_(part.loss_.truth().weights),
          stiff_(part.stiffness_ * part.loss_.most_bend()),
          own_(1 - part.stiffness_) {
        part.walked_.assign(samples_ * (outputs_ + 2), 0);
        ways_ = part.walked_.data();
        means_ = ways_ + samples_ * outputs_;
        plain_ = means_ + samples_;
        if (part.diagonal_.empty()) {
            part.shares_.resize(samples_ * outputs_);
            for (std::size_t i = 0; i < samples_; ++i)
                for (std::size_t l = 0; l < outputs_; ++l)
                    part.shares_[l * samples_ + i] =
                        *part.bends_of(static_cast<Index>(i), static_cast<Index>(l));
        }
        shares_ = part.shares_.data();
    }
    [[nodiscard]] double bend(Index output, std::size_t i) const {
        const double share = share_of(output, i);
        return weight(i) * (own_ * share * (1 - share) + stiff_ * (1 - 1 / static_cast<double>(outputs_)));
    }
    void move(Index output, std::size_t i, double by) {
        ways_[place(output, i)] += by;
        means_[i] += share_of(output, i) * by;
        plain_[i] += by / static_cast<double>(outputs_);
    }
    [[nodiscard]] double slope(Index output, std::size_t i) const {
        const double way = ways_[place(output, i)];
        return weight(i) * (own_ * share_of(output, i) * (way - means_[i]) + stiff_ * (way - plain_[i]));
    }

  private:
    [[nodiscard]] std::size_t place(Index output, std::size_t i) const {
        return static_cast<std::size_t>(output) * samples_ + i;
    }
    [[nodiscard]] double share_of(Index output, std::size_t i) const {
        return static_cast<double>(shares_[place(output, i)]);
    }
    [[nodiscard]] double weight(std::size_t i) const {
        return weights_ == nullptr ? 1 : static_cast<double>(weights_[i]);
    }

    std::size_t samples_;
    std::size_t outputs_;
    const Real* weights_;
    double stiff_;
    double own_;
    double* ways_;
    double* means_;
    double* plain_;
    const Real* shares_;
};

template <class Real>
std::optional<double> LinearPart<Real>::walk(const Walk& walk, const Matrix<Real>& s, std::span<double> u) {
    if (!is_whole()) return std::nullopt;
    // Samples that are not here cannot be walked through: the matrix of second derivatives stands for them, which takes one message.
    const bool gathers = rows_.ranks != nullptr;
    if (gathers && (!loss_.bends() || shape_.cols > most_walked_columns)) return std::nullopt;
    if (walk.turns == 0) return walk.multiplier;
    if (gathers) {
        if (walked_matrix_.empty()) {
            Matrix<double> matrix;
            if (curvature_matrix(all_, true, matrix) == 0) return walk.multiplier;  // products overflow
            walked_matrix_.assign(1, std::move(matrix));
        }
        return walk_through(OneScore(*this), walked_matrix_.data(), walk, s, u);
    }
    lay_out_columns();
    if (loss_.bends()) return walk_through(OneScore(*this), nullptr, walk, s, u);
    return walk_through(Softmax(*this), nullptr, walk, s, u);
}

template <class Real>
template <class Scores>
double LinearPart<Real>::walk_through(Scores scores, const Matrix<double>* gram, const Walk& walk,
                                      const Matrix<Real>& s, std::span<double> u) {
    const double mean = 1 / static_cast<double>(all_);
    std::vector<double> along(gram == nullptr ? 0 : static_cast<std::size_t>(shape_.cols));  // ∇²f(S) (u − S)
    // Calls visit(row, value) for the samples that have the feature.
    const auto column = [&](Index j, const auto& visit) {
        const Index last = start_[static_cast<std::size_t>(j) + 1];
        for (Index at = start_[static_cast<std::size_t>(j)]; at < last; ++at)
            visit(static_cast<std::size_t>(row_[static_cast<std::size_t>(at)]),
                  static_cast<double>(value_[static_cast<std::size_t>(at)]));
    };
    // Σ value · of(row): four sums side by side do not wait for each other.
    const auto sum_of = [&](Index j, const auto& of) {
        const auto term = [&](Index at) {
            return static_cast<double>(value_[static_cast<std::size_t>(at)]) *
                   of(static_cast<std::size_t>(row_[static_cast<std::size_t>(at)]));
        };
        const Index last = start_[static_cast<std::size_t>(j) + 1];
        Index at = start_[static_cast<std::size_t>(j)];
        double sum = 0;
        double second = 0;
        double third = 0;
        double fourth = 0;
        for (; at + 4 <= last; at += 4) {
            sum += term(at);
            second += term(at + 1);
            third += term(at + 2);
            fourth += term(at + 3);
        }
        for (; at < last; ++at) sum += term(at);
        return (sum + second) + (third + fourth);
    };
    const Index cols = shape_.cols;
    if (diagonal_.empty()) {
        for (Index e = 0; e < shape_.size(); ++e) {
            if (gram != nullptr) {
                diagonal_.push_back((*gram)(e, e));
                continue;
            }
            double sum = 0;
            column(e % cols,
                   [&](std::size_t i, double value) { sum += value * value * scores.bend(e / cols, i); });
            diagonal_.push_back(sum * mean);
        }
    }
    const auto move = [&](Index e, double by) {
        if (gram != nullptr) {
            for (std::size_t k = 0; k < along.size(); ++k) along[k] += by * (*gram)(e, static_cast<Index>(k));
            return;
        }
        column(e % cols, [&](std::size_t i, double value) { scores.move(e / cols, i, by * value); });
    };
    const Index minded = cols - free_columns();
    // Where samples are far from where their losses bend, a step by the second derivative is too long for the model.
    const auto curvature_of = [&](Index e) {
        const auto at = static_cast<std::size_t>(e);
        return std::max(diagonal_[at], walk.least[at]) + (e % cols < minded ? walk.l2 : 0);
    };
    std::vector<Index> listed;
    double norm = 0;
    double steepest = 0;
    for (Index e = 0; e < shape_.size(); ++e) {
        const auto at = static_cast<std::size_t>(e);
        if (const double way = u[at] - static_cast<double>(s.data()[e]); way != 0) move(e, way);
        if (!(curvature_of(e) > 0)) continue;
        listed.push_back(e);
        if (e % cols >= minded) continue;
        norm += std::abs(u[at]);
        steepest = std::max(steepest, std::abs(walk.slopes[at]));
    }
    // Above the steepest slope there is no way out of zero, and nothing would bring it down.
    double multiplier = norm > 0 ? walk.multiplier : std::min(walk.multiplier, near_level * steepest);
    multiplier = std::max(multiplier, walk.l1);
    double give = 0;  // of the norm, when the multiplier rises by 1: as much at most
    for (const Index e : listed) {
        const auto at = static_cast<std::size_t>(e);
        if (e % cols < minded && (u[at] != 0 || std::abs(walk.slopes[at]) > multiplier))
            give += 1 / curvature_of(e);
    }
    double sum = 0;
    for (int turn = 0; turn < walk.turns; ++turn) {
        const double stiffness = give > 0 ? 1 / give : 0;
        double brought = 0;
        give = 0;
        std::size_t kept = 0;
        for (const Index e : listed) {
            const auto at = static_cast<std::size_t>(e);
            double slope = gram != nullptr ? along[at] : mean * sum_of(e % cols, [&](std::size_t i) {
                                                             return scores.slope(e / cols, i);
                                                         });
            slope += walk.slopes[at];
            const double old = u[at];
            const double curvature = curvature_of(e);
            double next = 0;
            if (e % cols >= minded) {
                next = old - slope / curvature;
                listed[kept++] = e;
            } else {
                slope += walk.l2 * (old - static_cast<double>(s.data()[e]));
                // The multiplier rises with the norm from what it is where the entry is zero, but is nowhere below l1.
                const double others = multiplier + stiffness * (norm - std::abs(old) - walk.radius);
                const double pull = curvature * old - slope;
                double size = std::max(std::abs(pull) - others, 0.0) / (curvature + stiffness);
                if (others + stiffness * size < walk.l1)
                    size = std::max(std::abs(pull) - walk.l1, 0.0) / curvature;
                const double l1 = std::max(walk.l1, others + stiffness * size);
                next = std::copysign(size, pull);
                norm += std::abs(next) - std::abs(old);
                if (next != 0) give += 1 / curvature;
                if (next != 0 || std::abs(pull) > near_level * l1) listed[kept++] = e;
            }
            if (next == old) continue;
            move(e, next - old);
            brought += curvature * (next - old) * (next - old);
            u[at] = next;
        }
        listed.resize(kept);
        sum += brought;
        multiplier = std::max(walk.l1, multiplier + stiffness * (norm - walk.radius));
        const bool on_sphere = std::abs(norm - walk.radius) <= near_sphere * walk.radius;
        if (brought <= walk.share * sum && (on_sphere || (multiplier == walk.l1 && norm < walk.radius)))
            break;
    }
    return multiplier;
}

template void LinearPart<float>::lay_out_columns();
template void LinearPart<double>::lay_out_columns();
template std::optional<double> LinearPart<float>::walk(const LinearPart<float>::Walk&, const Matrix<float>&,
                                                       std::span<double>);
template std::optional<double> LinearPart<double>::walk(const LinearPart<double>::Walk&,
                                                        const Matrix<double>&, std::span<double>);

}  // namespace alfcg
