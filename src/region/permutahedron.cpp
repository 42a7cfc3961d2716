#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/structured.hpp"
#include "kernels/magnitudes.hpp"
#include "region/order.hpp"
#include "region/rounding.hpp"
#include "region/settings.hpp"
#include "region/with_square.hpp"

namespace alfcg {
namespace {

/// What both sets share: any k entries sum to at most the k largest weights (Edmonds: the greedy answer, largest weights to
/// the most negative entries, minimises over such a set). `down` closes it downwards: entries may be less, but not negative.
template <class Real>
class SortedWeights : public Region<Real> {
  public:
    double composite(const Matrix<Real>& /*x*/) final { return 0; }

    [[nodiscard]] bool has_proximal(Shape /*shape*/) const final { return true; }

    /// y − v, where v is the non-increasing sequence nearest to y − w, both from the largest (Lim and Wright 2016); where
    /// the set is closed downwards, only what is positive of y and of v.
    bool proximal(const Matrix<Real>& point, double /*weight*/, Vertex<Real>& nearest) final {
        const std::vector<double>& weights = weights_for(point.size());
        order_.sort(point.span());
        const std::size_t n = order_.size();
        nearest.kind = Vertex<Real>::Kind::dense;
        nearest.shape = point.shape();
        nearest.dense.reshape(point.shape());
        nearest.composite = 0;
        const auto value = [&](std::size_t k) {
            const double y = static_cast<double>(point.data()[order_[n - 1 - k]]);
            return down_ ? std::max(y, 0.0) : y;
        };
        blocks_.clear();
        for (std::size_t k = 0; k < n; ++k) {
            blocks_.push_back({value(k), 0, radius_ * weights[k], 1});
            while (blocks_.size() > 1 && blocks_[blocks_.size() - 2].is_below(blocks_.back())) {
                const Block last = blocks_.back();
                blocks_.pop_back();
                blocks_.back().take(last);
            }
        }
        std::size_t k = 0;
        for (const Block& block : blocks_) {
            const bool free = down_ && block.first + block.shift() <= 0;
            for (const std::size_t end = k + block.count; k < end; ++k)
                nearest.dense.data()[order_[n - 1 - k]] =
                    static_cast<Real>(free ? value(k) : value(k) - block.first - block.shift());
        }
        return true;
    }

    double violation(const Matrix<Real>& x) final {
        if (std::isnan(kernels::largest_magnitude(x.data(), x.size())))
            return std::numeric_limits<double>::infinity();
        const std::vector<double>& weights = weights_for(x.size());
        order_.sort(x.span());
        const std::size_t n = order_.size();
        double scale = 0;
        for (const double weight : weights) scale += std::abs(weight);
        scale = scale > 0 ? scale * radius_ : radius_;
        double sum = 0;
        double bound = 0;
        double outside = down_ ? -static_cast<double>(x.data()[order_[0]]) / (radius_ * weights[0]) : 0;
        for (std::size_t k = 0; k < n; ++k) {
            sum += static_cast<double>(x.data()[order_[n - 1 - k]]);
            bound += radius_ * weights[k];
            outside = std::max(outside, (sum - bound) / scale);
        }
        if (!down_) outside = std::max(outside, std::abs(sum - bound) / scale);
        return region::beyond_rounding<Real>(outside);
    }

  protected:
    SortedWeights(std::vector<double> weights, double radius, bool down)
        : given_(std::move(weights)), radius_(radius), down_(down) {
        region::verify_range<Real>(radius);
        for (const double weight : given_)
            if (!std::isfinite(weight))
                throw QuantityError("levels", fmt::format("must be finite, not {}", weight));
    }

    /// From the largest, one an entry.
    const std::vector<double>& weights_for(Index n) {
        if (static_cast<Index>(weights_.size()) != n) weights_ = make_weights(n);
        return weights_;
    }
    [[nodiscard]] virtual std::vector<double> make_weights(Index n) const = 0;

    void reject_what_is_not_finite(const Matrix<Real>& gradient) const {
        if (std::isnan(kernels::largest_magnitude(gradient.data(), gradient.size())))
            region::reject_gradient<Real>();
    }

    std::vector<double> given_;
    double radius_;
    region::Order order_;

  private:
    /// Entries whose values less weights have one mean, as it is above the first value: far away from the set, nothing cancels.
    struct Block {
        double first;
        double beyond;  // Σ (value − first)
        double weight;
        std::size_t count;

        [[nodiscard]] double shift() const { return (beyond - weight) / static_cast<double>(count); }
        [[nodiscard]] bool is_below(const Block& next) const {
            return next.first - first > shift() - next.shift();
        }
        void take(const Block& next) {
            beyond += next.beyond + static_cast<double>(next.count) * (next.first - first);
            weight += next.weight;
            count += next.count;
        }
    };

    bool down_;
    std::vector<double> weights_;
    std::vector<Block> blocks_;
};

template <class Real>
class Permutahedron final : public SortedWeights<Real> {
  public:
    Permutahedron(std::vector<double> weights, double radius)
        : SortedWeights<Real>(std::move(weights), radius, false) {
        std::sort(this->given_.rbegin(), this->given_.rend());
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("orders of {} times {}",
                           this->given_.empty() ? "1, 2, …" : fmt::format("{} weights", this->given_.size()),
                           this->radius_);
    }

    void check(Shape shape) const override {
        if (this->given_.empty() || static_cast<Index>(this->given_.size()) == shape.size()) return;
        throw QuantityError("levels", fmt::format("has {} numbers, but points have {} entries",
                                                  this->given_.size(), shape.size()));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        this->reject_what_is_not_finite(gradient);
        const std::vector<double>& weights = this->weights_for(gradient.size());
        this->order_.sort(gradient.span());
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.shape = gradient.shape();
        vertex.dense.reshape(gradient.shape());
        for (std::size_t k = 0; k < weights.size(); ++k)
            vertex.dense.data()[this->order_[k]] = static_cast<Real>(this->radius_ * weights[k]);
        vertex.composite = 0;
        return 0;
    }

    // The orders that are furthest apart are the reverse of each other.
    [[nodiscard]] double diameter(Shape shape) const override {
        const std::vector<double> weights = make_weights(shape.size());
        double squares = 0;
        for (std::size_t k = 0; k < weights.size(); ++k)
            squares += std::pow(weights[k] - weights[weights.size() - 1 - k], 2);
        return this->radius_ * std::sqrt(squares);
    }

  private:
    [[nodiscard]] std::vector<double> make_weights(Index n) const override {
        if (!this->given_.empty()) return this->given_;
        std::vector<double> weights(static_cast<std::size_t>(n));
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<double>(weights.size() - k);
        return weights;
    }
};

template <class Real>
class Polymatroid final : public SortedWeights<Real> {
  public:
    Polymatroid(std::vector<double> weights, double radius)
        : SortedWeights<Real>(std::move(weights), radius, true) {
        for (std::size_t k = 0; k < this->given_.size(); ++k) {
            const double weight = this->given_[k];
            if (weight < 0)
                throw QuantityError("levels", fmt::format("must be 0 or positive, not {}", weight));
            if (k > 0 && weight > this->given_[k - 1])
                throw QuantityError("levels", fmt::format("must not increase: {} comes before {}",
                                                          this->given_[k - 1], weight));
        }
        if (!this->given_.empty() && this->given_.front() == 0)
            throw QuantityError("levels", "must begin with a positive number");
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format(
            "entries not negative, sums of k at most {} times {}",
            this->given_.empty() ? "√k" : fmt::format("the first k of {} weights", this->given_.size()),
            this->radius_);
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        this->reject_what_is_not_finite(gradient);
        const std::vector<double>& weights = this->weights_for(gradient.size());
        this->order_.sort(gradient.span());
        std::size_t taken = 0;
        while (taken < weights.size() && weights[taken] > 0 && gradient.data()[this->order_[taken]] < 0)
            ++taken;
        const auto weight = [&](std::size_t k) { return static_cast<Real>(this->radius_ * weights[k]); };
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (2 * taken < weights.size()) {
            // A mark for each, so that they come in order without another sort.
            marks_.assign(weights.size(), Real(0));
            for (std::size_t k = 0; k < taken; ++k)
                marks_[static_cast<std::size_t>(this->order_[k])] = weight(k);
            vertex.kind = Vertex<Real>::Kind::sparse;
            vertex.positions.clear();
            vertex.values.clear();
            for (std::size_t i = 0; i < marks_.size(); ++i) {
                if (marks_[i] == 0) continue;
                vertex.positions.push_back(static_cast<Index>(i));
                vertex.values.push_back(marks_[i]);
            }
        } else {
            vertex.kind = Vertex<Real>::Kind::dense;
            vertex.dense.reshape(gradient.shape());
            vertex.dense.fill(0);
            for (std::size_t k = 0; k < taken; ++k) vertex.dense.data()[this->order_[k]] = weight(k);
        }
        return 0;
    }

    // Entries are not negative, and no vertex is longer than all weights together.
    [[nodiscard]] double diameter(Shape shape) const override {
        double squares = 0;
        for (const double weight : make_weights(shape.size())) squares += weight * weight;
        return this->radius_ * std::sqrt(shape.size() > 1 ? 2 * squares : squares);
    }

  private:
    [[nodiscard]] std::vector<double> make_weights(Index n) const override {
        std::vector<double> weights = this->given_;
        weights.resize(static_cast<std::size_t>(n), 0);
        for (std::size_t k = 0; this->given_.empty() && k < weights.size(); ++k)  // √(k+1) − √k
            weights[k] = 1 / (std::sqrt(static_cast<double>(k + 1)) + std::sqrt(static_cast<double>(k)));
        return weights;
    }

    std::vector<Real> marks_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> permutahedron(std::vector<double> weights, double radius,
                                            const Composite& composite) {
    region::verify_terms("permutahedron", composite);
    return region::with_square<Real>(std::make_unique<Permutahedron<Real>>(std::move(weights), radius),
                                     composite.l2);
}

template <class Real>
std::unique_ptr<Region<Real>> polymatroid(std::vector<double> weights, double radius,
                                          const Composite& composite) {
    region::verify_terms("polymatroid", composite);
    return region::with_square<Real>(std::make_unique<Polymatroid<Real>>(std::move(weights), radius),
                                     composite.l2);
}

template std::unique_ptr<Region<float>> permutahedron(std::vector<double>, double, const Composite&);
template std::unique_ptr<Region<double>> permutahedron(std::vector<double>, double, const Composite&);
template std::unique_ptr<Region<float>> polymatroid(std::vector<double>, double, const Composite&);
template std::unique_ptr<Region<double>> polymatroid(std::vector<double>, double, const Composite&);

}  // namespace alfcg
