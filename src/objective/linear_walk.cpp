// Coordinate descent on a model of a part.
#include <algorithm>
#include <cmath>

#include "objective/linear_part.hpp"

namespace alfcg {

template <class Real>
void LinearPart<Real>::lay_out_columns() {
    if (!start_.empty()) return;
    const Index cols = shape_.cols;
    start_.assign(static_cast<std::size_t>(cols) + 1, 0);
    const auto for_each = [&](const auto& visit) {
        if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&products_)) {
            for (Index i = 0; i < samples_; ++i)
                for (Index at = sparse->start.data()[i]; at < sparse->start.data()[i + 1]; ++at)
                    visit(i, sparse->column.data()[at], sparse->value.data()[at]);
        } else {
            const auto& dense = std::get<DenseFeatures<Real>>(products_);
            for (Index i = 0; i < samples_; ++i)
                for (Index j = 0; j < cols; ++j) visit(i, j, dense.row(i)[j]);
        }
    };
    for_each([&](Index /*i*/, Index j, Real /*value*/) { ++start_[static_cast<std::size_t>(j) + 1]; });
    for (Index j = 0; j < cols; ++j)
        start_[static_cast<std::size_t>(j) + 1] += start_[static_cast<std::size_t>(j)];
    row_.resize(static_cast<std::size_t>(start_.back()));
    value_.resize(row_.size());
    std::vector<Index> next(start_.begin(), start_.end() - 1);
    for_each([&](Index i, Index j, Real value) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(j)]++);
        row_[at] = static_cast<std::int32_t>(i);
        value_[at] = value;
    });
}

// What a walk keeps of every sample's scores, whose second derivatives are those of a loss of one score.
template <class Real>
class LinearPart<Real>::OneScore {
  public:
    explicit OneScore(LinearPart& part) : part_(part) {
        part.walked_.assign(static_cast<std::size_t>(part.samples_), 0);
    }
    [[nodiscard]] double bend(Index /*output*/, std::size_t i) const {
        return static_cast<double>(part_.bends_[i]);
    }
    void move(Index /*output*/, std::size_t i, double by) { part_.walked_[i] += bend(0, i) * by; }
    [[nodiscard]] double slope(Index /*output*/, std::size_t i) const { return part_.walked_[i]; }

  private:
    LinearPart& part_;
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
bool LinearPart<Real>::walk(const Walk& walk, const Matrix<Real>& s, std::span<double> u) {
    if (own_engine_ == nullptr) return false;
    lay_out_columns();
    if (loss_.bends()) {
        walk_through(OneScore(*this), walk, s, u);
    } else {
        walk_through(Softmax(*this), walk, s, u);
    }
    return true;
}

template <class Real>
template <class Scores>
void LinearPart<Real>::walk_through(Scores scores, const Walk& walk, const Matrix<Real>& s,
                                    std::span<double> u) {
    const double mean = 1 / static_cast<double>(samples_);
    // Calls visit(row, value) for the samples that have the feature.
    const auto column = [&](Index j, const auto& visit) {
        const Index last = start_[static_cast<std::size_t>(j) + 1];
        for (Index at = start_[static_cast<std::size_t>(j)]; at < last; ++at)
            visit(static_cast<std::size_t>(row_[static_cast<std::size_t>(at)]),
                  static_cast<double>(value_[static_cast<std::size_t>(at)]));
    };
    const Index cols = shape_.cols;
    if (diagonal_.empty()) {
        for (Index e = 0; e < shape_.size(); ++e) {
            double sum = 0;
            column(e % cols,
                   [&](std::size_t i, double value) { sum += value * value * scores.bend(e / cols, i); });
            diagonal_.push_back(sum * mean);
        }
    }
    const auto move = [&](Index e, double by) {
        column(e % cols, [&](std::size_t i, double value) { scores.move(e / cols, i, by * value); });
    };
    for (Index e = 0; e < shape_.size(); ++e)
        if (const double way = u[static_cast<std::size_t>(e)] - static_cast<double>(s.data()[e]); way != 0)
            move(e, way);
    const Index minded = cols - free_columns();
    for (int turn = 0; turn < walk.turns; ++turn) {
        for (const Index e : walk.entries) {
            const auto at = static_cast<std::size_t>(e);
            const double l1 = e % cols < minded ? walk.l1 : 0;
            const double l2 = e % cols < minded ? walk.l2 : 0;
            const double curvature = diagonal_[at] + l2;
            if (!(curvature > 0)) continue;
            double slope = 0;
            column(e % cols,
                   [&](std::size_t i, double value) { slope += value * scores.slope(e / cols, i); });
            slope = slope * mean + walk.slopes[at] + l2 * (u[at] - static_cast<double>(s.data()[e]));
            const double free = u[at] - slope / curvature;
            const double next = std::copysign(std::max(std::abs(free) - l1 / curvature, 0.0), free);
            if (next == u[at]) continue;
            move(e, next - u[at]);
            u[at] = next;
        }
    }
}

template void LinearPart<float>::lay_out_columns();
template void LinearPart<double>::lay_out_columns();
template bool LinearPart<float>::walk(const LinearPart<float>::Walk&, const Matrix<float>&,
                                      std::span<double>);
template bool LinearPart<double>::walk(const LinearPart<double>::Walk&, const Matrix<double>&,
                                       std::span<double>);

}  // namespace alfcg
