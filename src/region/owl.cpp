#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "region/top_ball.hpp"
#include "region/top_balls.hpp"

namespace alfcg::region {
namespace {

/// Σ w_i |x|_(i) ≤ radius, where |x|_(1) ≥ |x|_(2) ≥ … are the sorted magnitudes and the weights fall evenly from 1 + slope to 1.
template <class Real>
class Owl final : public TopBall<Real> {
  public:
    Owl(double slope, double radius, const Composite& composite, int threads)
        : TopBall<Real>(radius, composite, threads), slope_(slope) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("sorted l_1 ball of radius {}, weights from {} to 1{}", this->radius_, 1 + slope_,
                           region::describe(this->composite_));
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        double longest = 0;
        for (Index k = 1; k <= shape.size(); ++k)
            longest = std::max(longest, std::sqrt(static_cast<double>(k)) / weights_of(k, shape.size()));
        return 2 * this->radius_ * longest;
    }

    std::optional<double> norm(const Matrix<Real>& x) override {
        const std::vector<double> sizes = largest_magnitudes(x, x.size());
        double sum = 0;
        for (Index i = 0; i < std::ssize(sizes); ++i)
            sum +=
                (weights_of(i + 1, x.size()) - weights_of(i, x.size())) * sizes[static_cast<std::size_t>(i)];
        return sum;
    }

  private:
    /// The dual norm is max_k (Σ_{i≤k} |g|_(i)) / (Σ_{i≤k} w_i): all k entries get the same.
    void best(const Shrunken<Real>& t, Vertex<Real>& vertex) override {
        const Index n = t.size();
        // The last of the best k has at least the ratio that is reached for each unit of its own weight, which is at least 1.
        const double reached = std::max(t.peak() / weights_of(1, n), t.sum() / weights_of(n, n)) * (1 - 1e-9);
        const Best found = best_of(t, std::min(reached, t.peak()));
        const double each = this->radius_ / weights_of(found.count, n);
        vertex.kind = Vertex<Real>::Kind::dense;
        if (2 * found.count > n) vertex.dense.reshape(vertex.shape);
        if (2 * found.count <= n || t.write_signs(found.least, each, vertex.dense) != found.count)
            write_few(t, found, each, vertex);
        vertex.composite = this->composite_.l1 * each * static_cast<double>(found.count);
    }

    void project(std::span<const double> sizes, Index n, double radius, std::vector<double>& to) override {
        project_sorted(
            sizes, [&](std::size_t rank) { return weight_of(static_cast<Index>(rank), n); }, radius, to);
    }

    /// Weight of the largest but k of n, and the sum of the first k.
    [[nodiscard]] double weight_of(Index k, Index n) const {
        return 1 + slope_ * (1 - static_cast<double>(k) / static_cast<double>(std::max<Index>(1, n - 1)));
    }
    [[nodiscard]] double weights_of(Index k, Index n) const {
        const auto count = static_cast<double>(k);
        const double steps = std::max(1.0, static_cast<double>(n - 1));
        return count + slope_ * count * (1 - (count - 1) / (2 * steps));
    }

    struct Best {
        double ratio = 0;
        Index count = 0;
        double least = 0;  // of its entries
        Index equals = 0;  // how many of those that are as small belong to it
    };

    /// Nothing is sorted but a few: sums over buckets of sizes tell the ratio at their ends, and bound it in between.
    Best best_of(const Shrunken<Real>& t, double reached) {
        const Index n = t.size();
        const Index count = n > few ? most_buckets : 1;
        const double width = (t.peak() - reached) / static_cast<double>(count);
        const double per_size = width > 0 ? 1 / width : 0;
        buckets_.assign(static_cast<std::size_t>(count), {});
        t.fill(reached, per_size, buckets_);
        // Between its ends a sum exceeds a straight line by a quarter of count · width at most, and weights only lie above one.
        double highest = 0;
        bounds_.assign(buckets_.size(), 0);
        kernels::Bucket before;
        double ratio = 0;
        for (std::size_t b = buckets_.size(); b-- > 0;) {
            if (buckets_[b].count == 0) continue;
            const double excess =
                static_cast<double>(buckets_[b].count) * width / 4 / weights_of(before.count + 1, n);
            before.count += buckets_[b].count;
            before.sum += buckets_[b].sum;
            const double last = std::exchange(ratio, before.sum / weights_of(before.count, n));
            bounds_[b] = std::max(last, ratio) * (1 + 1e-12) + excess;
            highest = std::max(highest, ratio);
        }
        const auto comes_into_question = [&](double bound) { return bound >= highest; };
        const auto lowest =
            std::find_if(bounds_.begin(), bounds_.end(), comes_into_question) - bounds_.begin();
        const auto last =
            bounds_.rend() - std::find_if(bounds_.rbegin(), bounds_.rend(), comes_into_question);
        near_.clear();
        // A little more on both sides, for rounding.
        t.find(reached + (static_cast<double>(lowest) - 0.5) * width,
               reached + (static_cast<double>(last) + 0.5) * width, near_);
        sizes_.clear();
        for (const Index i : near_) {
            const double size = t(i);
            if (size < reached) continue;
            const auto bucket =
                std::min(static_cast<std::size_t>((size - reached) * per_size), buckets_.size() - 1);
            if (comes_into_question(bounds_[bucket])) sizes_.push_back(size);
        }
        std::sort(sizes_.begin(), sizes_.end(), std::greater<>());
        return best_among(n, highest);
    }

    Best best_among(Index n, double highest) const {
        Best best;
        kernels::Bucket before;
        auto next = sizes_.begin();
        for (std::size_t b = buckets_.size(); b-- > 0;) {
            if (buckets_[b].count == 0) continue;
            if (bounds_[b] < highest) {
                before.count += buckets_[b].count;
                before.sum += buckets_[b].sum;
                continue;
            }
            Index equals = 0;
            for (const auto end = next + buckets_[b].count; next != end; ++next) {
                equals = equals > 0 && next[-1] == *next ? equals + 1 : 1;
                before.sum += *next;
                const double ratio = before.sum / weights_of(++before.count, n);
                if (!(ratio > best.ratio)) continue;
                best = {ratio, before.count, *next, equals};
            }
        }
        return best;
    }

    static void write_few(const Shrunken<Real>& t, const Best& best, double each, Vertex<Real>& vertex) {
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.positions.clear();
        t.find(best.least, vertex.positions);
        std::erase_if(vertex.positions, [&, equals = best.equals](Index i) mutable {
            const double size = t(i);
            return size < best.least || (size == best.least && equals-- <= 0);
        });
        vertex.values.clear();
        for (const Index i : vertex.positions) vertex.values.push_back(t.against(i, each));
    }

    static constexpr Index few = 4096;
    static constexpr Index most_buckets = 4096;

    double slope_;
    std::vector<double> sizes_;
    std::vector<kernels::Bucket> buckets_;  // of sizes
    std::vector<Index> near_;
    std::vector<double> bounds_;  // of the ratio within a bucket
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_owl(double slope, double radius, const Composite& composite, int threads) {
    return std::make_unique<Owl<Real>>(slope, radius, composite, threads);
}

template std::unique_ptr<Region<float>> make_owl(double, double, const Composite&, int);
template std::unique_ptr<Region<double>> make_owl(double, double, const Composite&, int);

}  // namespace alfcg::region
