// The part of the linear model that draws some of its rows.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/random_stream.hpp"
#include "objective/linear.hpp"

namespace alfcg {

namespace {

// Chance of rows whose loss does not bend, as a share of the mean: elsewhere it may.
constexpr double least_chance = 0.3;

}  // namespace

template <class Real>
void LinearObjective<Real>::keep_bends(RowRange range, const Real* residuals, const Real* raw) {
    const auto layout = engine_->layout(shape_.rows);
    const Truth<Real> truth = loss_.truth(range.first);
    const auto samples = static_cast<Real>(rows_.total);
    Real* bends = row_bends_.data() + range.first;
    const auto weight_of = [&](Index i) { return truth.weights == nullptr ? Real(1) : truth.weights[i]; };
    if (loss_.bends()) {
        for (Index i = 0; i < range.count; ++i)
            bends[i] = static_cast<Real>(
                loss_.bend(static_cast<double>(raw[i]), static_cast<double>(residuals[i] * samples),
                           static_cast<double>(truth.targets[i]), static_cast<double>(weight_of(i))));
        return;
    }
    // Σ p (1 − p) over the shares of the classes; a residual is a share, less 1 for a sample's own class.
    std::fill_n(bends, range.count, Real(0));
    const auto add = [&](Index i, Real residual) {
        const Real size = std::abs(residual) * samples;
        const Real weight = weight_of(i);
        bends[i] += weight > 0 ? size * std::max(1 - size / weight, Real(0)) : 0;
    };
    if (layout.sample_stride == 1) {
        for (Index l = 0; l < shape_.rows; ++l)
            for (Index i = 0; i < range.count; ++i) add(i, residuals[l * layout.output_stride + i]);
    } else {
        for (Index i = 0; i < range.count; ++i)
            for (Index l = 0; l < shape_.rows; ++l) add(i, residuals[i * layout.sample_stride + l]);
    }
}

template <class Real>
DrawnRows<Real> LinearObjective<Real>::draw(const Iterate<Real>& x, Index count, std::uint64_t seed) const {
    std::vector<double> chance(static_cast<std::size_t>(samples_), 1);
    if (rows_.own == 0) chance.front() = 0;  // a row that stands in for none
    const double sum = bends_at_ == x.version()
                           ? sum_over(rows_.ranks, std::accumulate(row_bends_.begin(), row_bends_.end(), 0.0))
                           : 0;
    if (sum > 0 && rows_.own > 0) {
        const double scale = static_cast<double>(rows_.total) / sum;
        for (std::size_t i = 0; i < chance.size(); ++i)
            chance[i] = least_chance + scale * static_cast<double>(row_bends_[i]);
    }
    // Those that are drawn for certain leave more chance to others.
    auto scale = static_cast<double>(count) /
                 sum_over(rows_.ranks, std::accumulate(chance.begin(), chance.end(), 0.0));
    double certain = 0;
    double rest = 0;
    for (const double share : chance) {
        if (share * scale >= 1) {
            ++certain;
        } else {
            rest += share;
        }
    }
    certain = sum_over(rows_.ranks, certain);
    rest = sum_over(rows_.ranks, rest);
    if (rest > 0) scale = std::max(scale, (static_cast<double>(count) - certain) / rest);

    DrawnRows<Real> drawn;
    const Truth<Real> all = loss_.truth();
    RandomStream random(seed, 0);
    for (Index i = 0; i < rows_.first; ++i) static_cast<void>(random.bits());  // those of the ranks before
    for (Index i = 0; i < rows_.own; ++i) {
        const double own = std::min(chance[static_cast<std::size_t>(i)] * scale, 1.0);
        if (static_cast<double>(random.bits() >> 11U) * 0x1p-53 >= own) continue;
        drawn.list.push_back(i);
        drawn.targets.push_back(all.targets[i]);
        const double weight = all.weights == nullptr ? 1 : static_cast<double>(all.weights[i]);
        drawn.weights.push_back(static_cast<Real>(weight / own));
    }
    // Their mean is to be that of the sum over all rows.
    drawn.count = static_cast<Index>(sum_over(rows_.ranks, static_cast<double>(drawn.list.size())));
    const double share = static_cast<double>(drawn.count) / static_cast<double>(rows_.total);
    for (Real& weight : drawn.weights) weight = static_cast<Real>(static_cast<double>(weight) * share);
    if (drawn.list.empty() && drawn.count > 0) {
        // None would be all of them.
        drawn.list.push_back(0);
        drawn.targets.push_back(all.targets[0]);
        drawn.weights.push_back(0);
    }
    // Vectors of samples are read whole.
    drawn.targets.resize(static_cast<std::size_t>(kernels::padded<Real>(std::ssize(drawn.list))));
    drawn.weights.resize(drawn.targets.size());
    return drawn;
}

template <class Real>
std::unique_ptr<Part<Real>> LinearObjective<Real>::sample(const Iterate<Real>& x, Index rows,
                                                          std::uint64_t seed) {
    if (!loss_.bends() && !loss_.relative()) return Objective<Real>::sample(x, rows, seed);
    DrawnRows<Real> drawn;
    if (rows < rows_.total) {
        keeps_bends_ = true;
        row_bends_.resize(static_cast<std::size_t>(samples_));
        drawn = draw(x, rows, seed);
    }
    return std::make_unique<LinearPart<Real>>(features_, *engine_, prepared_at_, std::move(drawn), loss_,
                                              shape_.rows, intercept_ ? &*intercept_ : nullptr, rows_,
                                              threads_);
}

template void LinearObjective<float>::keep_bends(RowRange, const float*, const float*);
template void LinearObjective<double>::keep_bends(RowRange, const double*, const double*);
template std::unique_ptr<Part<float>> LinearObjective<float>::sample(const Iterate<float>&, Index,
                                                                     std::uint64_t);
template std::unique_ptr<Part<double>> LinearObjective<double>::sample(const Iterate<double>&, Index,
                                                                       std::uint64_t);

}  // namespace alfcg
