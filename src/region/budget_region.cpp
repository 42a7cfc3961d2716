#include "region/budget_region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/threads.hpp"
#include "kernels/entries.hpp"
#include "kernels/magnitudes.hpp"
#include "region/budget.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

template <class Real>
class BudgetRegion final : public Region<Real> {
  public:
    BudgetRegion(BudgetSpec spec, const Composite& composite, int threads)
        : spec_(std::move(spec)), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override { return spec_.text + region::describe(composite_); }

    void check(Shape shape) const override {
        spec_.lower.check(spec_.whose_lower, shape.cols);
        spec_.upper.check(spec_.whose_upper, shape.cols);
        spec_.cost.check("costs", shape.cols);
        if (!spec_.exactly) return;
        double most = 0;
        for (const double upper : spec_.upper.over(shape.cols)) most += upper;
        most *= static_cast<double>(shape.rows);
        if (most < spec_.budget)
            throw QuantityError(std::string(spec_.whose_budget),
                                fmt::format("is too large: {} entries cannot sum to more than {}, and must "
                                            "sum to {}",
                                            shape.size(), most, spec_.budget));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        expand(gradient.cols());
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (composite_.entropy > 0)
            softmax(gradient, vertex);
        else if (composite_.l2 > 0)
            even(gradient, -1, composite_.l1, composite_.l2, vertex);
        else if (capped_)
            best_first(gradient, vertex);
        else
            best_entry(gradient, vertex);
        return 0;
    }

    /// All terms over the weight: the oracle's answer to −point with a square more.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (composite_.entropy > 0) return false;
        expand(point.cols());
        nearest.shape = point.shape();
        even(point, 1, composite_.l1 / weight, 1 + composite_.l2 / weight, nearest);
        return true;
    }
    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return composite_.entropy == 0; }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        const kernels::Sums sums = kernels::sums(x.data(), x.size(), 1, threads_);
        double value = composite_.l1 * sums.magnitudes + composite_.l2 / 2 * sums.squares;
        if (composite_.entropy == 0) return value;
        for (const Real entry : x.span())
            if (entry > 0) value += composite_.entropy * static_cast<double>(entry) * std::log(entry);
        return value;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        // ‖x‖² ≤ (largest entry) · Σ |x|; points without a sign of two kinds are at most √2 as far apart as they are from 0.
        const std::vector<double> lower = spec_.lower.over(shape.cols);
        const std::vector<double> upper = spec_.upper.over(shape.cols);
        const std::vector<double> cost = spec_.cost.over(shape.cols);
        double largest = 0;
        double sum = 0;
        double diagonal = 0;
        bool both_signs = false;
        for (std::size_t j = 0; j < lower.size(); ++j) {
            const double most = spec_.budget / cost[j];
            const double up = std::min(upper[j], most);
            const double down = std::min(-lower[j], most);
            largest = std::max({largest, up, down});
            if (up > 0 || down > 0) sum = std::max(sum, most);
            both_signs |= up > 0 && down > 0;
            diagonal += (up + down) * (up + down);
        }
        const double round = (both_signs ? 2 : std::numbers::sqrt2) * std::sqrt(largest) * std::sqrt(sum);
        return std::min(round, std::sqrt(diagonal * static_cast<double>(shape.rows)));
    }

    double violation(const Matrix<Real>& x) override {
        expand(x.cols());
        double sum = 0;
        double beyond = 0;
        for_each_entry(x, [&](Index /*i*/, std::size_t j, double entry) {
            sum += cost_[j] * std::abs(entry);
            const double excess = std::max(entry - spec_upper_[j], spec_lower_[j] - entry);
            if (excess > 0) beyond = std::max(beyond, excess / most_);
            if (std::isnan(entry)) sum = std::numeric_limits<double>::infinity();
        });
        const double rounding = 8 * static_cast<double>(std::numeric_limits<Real>::epsilon());
        double missed = sum / spec_.budget - 1;
        if (spec_.exactly) missed = std::abs(missed) <= rounding ? 0 : std::abs(missed);
        return std::max({0.0, missed, beyond});
    }

    /// Of its two kinds of bounds, the one that is nearer.
    std::optional<double> norm(const Matrix<Real>& x) override {
        if (!spec_.norm_unit) return std::nullopt;
        expand(x.cols());
        double sum = 0;
        double largest = 0;
        for_each_entry(x, [&](Index /*i*/, std::size_t j, double entry) {
            sum += cost_[j] * std::abs(entry);
            largest = std::max(largest, std::abs(entry) / spec_upper_[j]);
        });
        return std::max(sum / spec_.budget, largest) * (spec_.budget / *spec_.norm_unit);
    }

  private:
    /// What is known of each column, for so many of them.
    void expand(Index cols) {
        if (std::ssize(cost_) == cols) return;
        cost_ = spec_.cost.over(cols);
        spec_lower_ = spec_.lower.over(cols);
        spec_upper_ = spec_.upper.over(cols);
        up_.clear();
        down_.clear();
        worth_up_.clear();
        worth_down_.clear();
        capped_ = rises_ = falls_ = false;
        equal_costs_ = alike_ = true;
        most_ = std::numeric_limits<double>::min();
        plain_ = true;
        for (std::size_t j = 0; j < cost_.size(); ++j) {
            const double most = spec_.budget / cost_[j];
            up_.push_back(std::min(spec_upper_[j], most));
            down_.push_back(std::min(-spec_lower_[j], most));
            worth_up_.push_back(up_[j] > 0 ? 1 / cost_[j] : 0);
            worth_down_.push_back(down_[j] > 0 ? 1 / cost_[j] : 0);
            for (const double cap : {up_[j], down_[j]}) {
                capped_ |= cap > 0 && cap < most;
                most_ = std::max(most_, cap);
            }
            rises_ |= up_[j] > 0;
            falls_ |= down_[j] > 0;
            equal_costs_ &= cost_[j] == cost_[0];
            alike_ &= up_[j] == most && down_[j] == most && equal_costs_;
            plain_ &= cost_[j] == 1 && up_[j] == most && down_[j] == 0;
        }
    }

    template <class Visit>
    static void for_each_entry(const Matrix<Real>& x, const Visit& visit) {
        Index i = 0;
        for (Index row = 0; row < x.rows(); ++row)
            for (Index j = 0; j < x.cols(); ++j, ++i)
                visit(i, static_cast<std::size_t>(j), static_cast<double>(x.data()[i]));
    }

    void set_zero(Vertex<Real>& vertex) const { vertex.kind = Vertex<Real>::Kind::zero; }

    void set_entry(Index index, double value, Vertex<Real>& vertex) const {
        vertex.kind = Vertex<Real>::Kind::one_hot;
        vertex.index = index;
        vertex.scale = value;
        vertex.composite = composite_.l1 * std::abs(value);
    }

    /// Without bounds that the budget does not imply: all of it on the entry that is worth most, the first of equals.
    void best_entry(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        if (plain_) {
            const kernels::Least least = kernels::first_least(gradient.data(), gradient.size(), threads_);
            if (std::isnan(least.value)) reject_gradient<Real>();
            if (!spec_.exactly && least.value + composite_.l1 >= 0) return set_zero(vertex);
            return set_entry(least.index, spec_.budget, vertex);
        }
        if (alike_) {
            const kernels::Peak peak = kernels::first_peak(gradient.data(), gradient.size(), threads_);
            if (std::isnan(peak.magnitude)) reject_gradient<Real>();
            if (peak.magnitude - composite_.l1 <= 0) return set_zero(vertex);
            const double size = spec_.budget / cost_.front();
            return set_entry(peak.index, gradient.data()[peak.index] > 0 ? -size : size, vertex);
        }
        if (std::isnan(kernels::largest_magnitude(gradient.data(), gradient.size(), threads_)))
            reject_gradient<Real>();
        const double threshold = composite_.l1;
        double best = 0;
        Index row_of_best = 0;
        for (Index row = 0; row < gradient.rows(); ++row) {
            const Real* g = gradient.data() + row * gradient.cols();
            double most = 0;
            const double* up = worth_up_.data();
            const double* down = worth_down_.data();
#pragma omp simd reduction(max : most)
            for (Index j = 0; j < gradient.cols(); ++j)
                most = std::max(most, worth(g[j], up[j], down[j], threshold));
            if (!(most > best)) continue;
            best = most;
            row_of_best = row;
        }
        if (best == 0) return set_zero(vertex);
        const Real* g = gradient.data() + row_of_best * gradient.cols();
        std::size_t j = 0;
        while (worth(g[j], worth_up_[j], worth_down_[j], threshold) != best) ++j;
        set_entry(row_of_best * gradient.cols() + static_cast<Index>(j),
                  g[j] > 0 ? -spec_.budget / cost_[j] : spec_.budget / cost_[j], vertex);
    }

    /// What a unit of the budget wins at an entry.
    static double worth(Real g, double up, double down, double threshold) {
        const double entry = static_cast<double>(g);
        const double higher = (-entry - threshold) * up;
        const double lower = (entry - threshold) * down;
        return higher > lower ? higher : lower;
    }

    /// With bounds: the entries that are worth most, up to their bounds, until the budget is spent.
    void best_first(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        if (std::isnan(kernels::largest_magnitude(gradient.data(), gradient.size(), threads_)))
            reject_gradient<Real>();
        const Index cols = gradient.cols();
        const auto offer = [&](Index i) {
            const auto j = static_cast<std::size_t>(cols == gradient.size() ? i : i % cols);
            const double g = static_cast<double>(gradient.data()[i]);
            if (spec_.exactly) return Offer{-g, up_[j]};
            const double gain = std::abs(g) - composite_.l1;
            const double cap = g < 0 ? up_[j] : down_[j];
            return gain > 0 ? Offer{gain / cost_[j], cap * cost_[j]} : Offer{};
        };
        const auto find = [&](double least, std::vector<Index>& positions) {
            if (!equal_costs_) {
                for (Index i = 0; i < gradient.size(); ++i)
                    if (offer(i).worth >= least) positions.push_back(i);
                return;
            }
            const double none = std::numeric_limits<double>::infinity();
            if (spec_.exactly)
                return kernels::find_outside(gradient.data(), gradient.size(), -least, none, positions);
            const double bound = (std::max(least, 0.0) * cost_.front() + composite_.l1) * (1 - 1e-15);
            kernels::find_outside(gradient.data(), gradient.size(), rises_ ? -bound : -none,
                                  falls_ ? bound : none, positions);
        };
        Cut cut = find_cut(gradient.size(), offer, find, spec_.budget, scratch_);
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.positions.clear();
        vertex.values.clear();
        double sum = 0;
        for (const Index i : scratch_.positions) {
            const Offer each = offer(i);
            const double share = cut.share(each);
            if (share == 0) continue;
            const auto j = static_cast<std::size_t>(i % cols);
            const double size = share * each.cost / cost_[j];
            sum += size;
            vertex.positions.push_back(i);
            vertex.values.push_back(
                static_cast<Real>(!spec_.exactly && gradient.data()[i] > 0 ? -size : size));
        }
        vertex.composite = composite_.l1 * sum;
        if (vertex.positions.empty()) set_zero(vertex);
    }

    /// The point that minimises −<sign·a, x> + threshold ‖x‖₁ + (weight/2) ‖x‖²: magnitudes lose the same amount for each unit of
    /// cost, until they fit the budget. It is told through how far each is below the largest, so that nothing cancels when
    /// the weight is small.
    void even(const Matrix<Real>& a, double sign, double threshold, double weight, Vertex<Real>& vertex) {
        if (std::isnan(kernels::largest_magnitude(a.data(), a.size(), threads_))) reject_gradient<Real>();
        const auto pull = [&](std::size_t j, double entry) {
            if (spec_.exactly) return Pull{true, sign * entry, up_[j]};
            const bool up = sign * entry >= 0;
            return Pull{up, std::abs(entry) - threshold, up ? up_[j] : down_[j]};
        };
        double spent = 0;
        double peak = -std::numeric_limits<double>::infinity();
        for_each_entry(a, [&](Index /*i*/, std::size_t j, double entry) {
            const Pull each = pull(j, entry);
            if (each.cap == 0) return;
            peak = std::max(peak, each.size / cost_[j]);
            spent += cost_[j] * std::clamp(each.size / weight, 0.0, each.cap);
        });
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(a.shape());
        const bool fits = !spec_.exactly && spent <= spec_.budget;
        const WaterLevel level = fits ? WaterLevel() : level_of(a, pull, peak, weight);
        for_each_entry(a, [&](Index i, std::size_t j, double entry) {
            const Pull each = pull(j, entry);
            const double size = fits ? std::clamp(each.size / weight, 0.0, each.cap)
                                     : basin_of(each, j, peak, weight).volume(level) / cost_[j];
            vertex.dense.data()[i] = static_cast<Real>(each.up ? size : -size + 0.0);
        });
        vertex.composite = composite(vertex.dense);
    }

    struct Pull {
        bool up = true;
        double size = 0;  // how much a unit more wins, at zero
        double cap = 0;
    };

    /// How far below the largest it begins to count, and what it can take.
    [[nodiscard]] Basin basin_of(const Pull& each, std::size_t j, double peak, double weight) const {
        const double cost = cost_[j];
        return {(peak - each.size / cost) / weight, cost * cost, cost * each.cap};
    }

    template <class MakePull>
    WaterLevel level_of(const Matrix<Real>& a, const MakePull& pull, double peak, double weight) {
        // Some of the basins alone stand higher: those that begin above need not be looked at.
        constexpr Index every = 32;
        double bound = std::numeric_limits<double>::infinity();
        const auto collect = [&](Index stride) {
            basins_.clear();
            Index next = 0;
            for_each_entry(a, [&](Index i, std::size_t j, double entry) {
                if (i < next) return;
                next = i + stride;
                const Basin basin = basin_of(pull(j, entry), j, peak, weight);
                if (basin.capacity > 0 && basin.bottom <= bound) basins_.push_back(basin);
            });
        };
        if (a.size() > 64 * every) {
            collect(every);
            double holds = 0;
            for (const Basin& basin : basins_) holds += basin.capacity;
            if (holds > spec_.budget) {
                const WaterLevel level = fill_level(basins_, spec_.budget);
                bound = level.low + level.rise;
            }
        }
        collect(1);
        return fill_level(basins_, spec_.budget);
    }

    /// With `exactly` and entropy: shares e^{−g/entropy} of the budget.
    void softmax(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        const kernels::Least least = kernels::first_least(gradient.data(), gradient.size(), threads_);
        if (std::isnan(least.value)) reject_gradient<Real>();
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(gradient.shape());
        const auto power = [&](Real entry) {
            return std::exp((least.value - static_cast<double>(entry)) / composite_.entropy);
        };
        double sum = 0;
        for (const Real entry : gradient.span()) sum += power(entry);
        for (Index i = 0; i < gradient.size(); ++i)
            vertex.dense.data()[i] = static_cast<Real>(spec_.budget / sum * power(gradient.data()[i]));
        vertex.composite = composite(vertex.dense);
    }

    BudgetSpec spec_;
    Composite composite_;
    int threads_;
    // By column: what one costs, the bounds as they were given and as far as the budget goes, and what a unit of the budget moves; 0
    // where the bound is.
    std::vector<double> cost_, spec_lower_, spec_upper_, up_, down_, worth_up_, worth_down_;
    bool capped_ = false;  // some bound is nearer than the budget goes
    bool rises_ = false;   // some entry may be positive,
    bool falls_ = false;   // or negative
    bool equal_costs_ = false;
    bool alike_ = false;  // of one cost, no bounds
    bool plain_ = false;  // not negative, of cost 1, no bounds
    double most_ = 1;     // the largest entry of any point
    CutScratch scratch_;
    std::vector<Basin> basins_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> budget_region(BudgetSpec spec, const Composite& composite, int threads) {
    verify_range<Real>(spec.budget);
    spec.cost.demand("costs", "positive and finite", [](double c) { return c > 0 && std::isfinite(c); });
    spec.lower.demand(spec.whose_lower, "at most 0, so that the origin is a point of the region",
                      [](double bound) { return bound <= 0; });
    spec.upper.demand(spec.whose_upper, "at least 0, so that the origin is a point of the region",
                      [](double bound) { return bound >= 0; });
    return std::make_unique<BudgetRegion<Real>>(std::move(spec), composite, threads);
}

template std::unique_ptr<Region<float>> budget_region(BudgetSpec, const Composite&, int);
template std::unique_ptr<Region<double>> budget_region(BudgetSpec, const Composite&, int);

}  // namespace alfcg::region
