#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/memory.hpp"
#include "objective/linear_model.hpp"

namespace alfcg {

namespace {

// SAGA's memory for a linear model: N x outputs residuals instead of N gradients.
template <class Real>
class ResidualTable final : public GradientTable<Real> {
  public:
    explicit ResidualTable(LinearModel<Real>& objective)
        : objective_(objective), outputs_(objective.shape().rows) {
        const RowShare& share = objective.share();
        agree(share.ranks, [&] {
            check_memory(
                "saga", static_cast<double>(share.own) * static_cast<double>(outputs_), sizeof(Real),
                fmt::format("what the method remembers of {} rows and {} outputs takes", share.own, outputs_),
                "other methods need less (`method`)");
        });
    }

    double fill(const Iterate<Real>& x, Matrix<Real>& mean) override {
        const double value = objective_.evaluate(x, mean);
        const Index samples = objective_.share().own;
        table_.resize(static_cast<std::size_t>(samples * outputs_));
        constexpr Index block = 256;
        for (Index first = 0; first < samples; first += block) {
            order_.resize(static_cast<std::size_t>(std::min(block, samples - first)));
            std::iota(order_.begin(), order_.end(), first);
            objective_.own_residuals(order_, x, table_.data() + first * outputs_);
        }
        return value;
    }

    void exchange(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& batch_change,
                  Matrix<Real>& mean_change) override {
        // Distinct rows, each with the number of times it was drawn.
        order_.assign(rows.begin(), rows.end());
        std::sort(order_.begin(), order_.end());
        counts_.clear();
        std::size_t distinct = 0;
        for (const Index row : order_) {
            if (distinct > 0 && order_[distinct - 1] == row) {
                ++counts_.back();
            } else {
                order_[distinct++] = row;
                counts_.push_back(1);
            }
        }
        order_.resize(distinct);
        const auto all = static_cast<Index>(distinct);
        keep_own();
        distinct = order_.size();
        const auto size = distinct * static_cast<std::size_t>(outputs_);
        fresh_.resize(size);
        weighted_.resize(size);
        objective_.residuals(order_, x, all, fresh_.data());
        for (std::size_t k = 0; k < distinct; ++k) {
            const double times = counts_[k] / static_cast<double>(rows.size());
            for (Index l = 0; l < outputs_; ++l) {
                const std::size_t at = k * static_cast<std::size_t>(outputs_) + static_cast<std::size_t>(l);
                Real& old = table_[static_cast<std::size_t>(order_[k] * outputs_ + l)];
                const Real change = fresh_[at] - old;
                old = fresh_[at];
                weighted_[at] = static_cast<Real>(times * static_cast<double>(change));
                fresh_[at] = static_cast<Real>(static_cast<double>(change) /
                                               static_cast<double>(objective_.samples()));
            }
        }
        objective_.combine(order_, weighted_.data(), batch_change);
        objective_.combine(order_, fresh_.data(), mean_change);
    }
    void archive(Archive& state) override { state(table_); }

  private:
    // Of the rows in order_, those that are here.
    void keep_own() {
        const RowShare& share = objective_.share();
        std::size_t kept = 0;
        for (std::size_t k = 0; k < order_.size(); ++k) {
            if (order_[k] < share.first || order_[k] >= share.first + share.own) continue;
            counts_[kept] = counts_[k];
            order_[kept++] = order_[k] - share.first;
        }
        order_.resize(kept);
        counts_.resize(kept);
    }

    LinearModel<Real>& objective_;
    Index outputs_;
    AlignedVector<Real> table_;
    AlignedVector<Real> fresh_;
    AlignedVector<Real> weighted_;
    std::vector<Index> order_;
    std::vector<double> counts_;
};

}  // namespace

template <class Real>
std::unique_ptr<GradientTable<Real>> LinearModel<Real>::gradient_table() {
    return std::make_unique<ResidualTable<Real>>(*this);
}

template std::unique_ptr<GradientTable<float>> LinearModel<float>::gradient_table();
template std::unique_ptr<GradientTable<double>> LinearModel<double>::gradient_table();

}  // namespace alfcg
