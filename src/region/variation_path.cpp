#include "region/variation_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>

namespace alfcg::region {

namespace {

/// Neighbours that have the same value.
struct Run {
    double mean = 0;   // of what is projected
    double count = 1;  // infinite for what stands before a row, which stays 0
    int left = 0;      // whether it lies above (1) or below (−1) the one before it,
    int right = 0;     // and the one after it above or below it
    Index before = -1;
    Index after = -1;
    std::uint32_t version = 0;  // of one that is no more there: 0

    [[nodiscard]] double speed() const { return -static_cast<double>(left - right) / count; }
    [[nodiscard]] double value(double multiplier) const { return mean + multiplier * speed(); }
    /// What the total variation changes by with the multiplier, as far as this run moves.
    [[nodiscard]] double slope() const { return speed() * static_cast<double>(left - right); }
};

/// Two runs meet.
struct Meeting {
    double multiplier = 0;
    Index run = 0;  // and the one after it
    std::uint32_t version = 0;
    std::uint32_t version_after = 0;

    bool operator>(const Meeting& other) const { return multiplier > other.multiplier; }
};

/// argmin ½ ‖u − x‖² + λ · (total variation), for λ from 0 on: runs move towards their neighbours at constant speeds and never part again once they have
/// met (Friedman, Hastie, Höfling and Tibshirani 2007).
class VariationPath {
  public:
    VariationPath(std::span<const double> x, Index cols) : cols_(cols) {
        const auto size = static_cast<Index>(x.size());
        runs_.resize(x.size() + static_cast<std::size_t>(size / cols));
        for (Index i = 0, at = 0; i < size / cols; ++i)
            for (Index j = -1; j < cols; ++j, ++at) {
                Run& run = runs_[static_cast<std::size_t>(at)];
                run.version = 1;
                run.mean = j < 0 ? 0 : x[static_cast<std::size_t>(i * cols + j)];
                if (j < 0) {
                    run.count = std::numeric_limits<double>::infinity();
                    continue;
                }
                Run& last = runs_[static_cast<std::size_t>(at - 1)];
                run.before = at - 1;
                last.after = at;
                run.left = last.right = run.mean > last.mean ? 1 : run.mean < last.mean ? -1 : 0;
                variation_ += std::abs(run.mean - last.mean);
            }
        for (const Run& run : runs_) slope_ += run.slope();
        for (Index at = 0; at < std::ssize(runs_); ++at) expect(at);
    }

    /// Until no more is left of the total variation.
    void follow(double radius) {
        while (!meetings_.empty()) {
            const Meeting next = meetings_.top();
            meetings_.pop();
            const Run& run = runs_[static_cast<std::size_t>(next.run)];
            if (run.version != next.version || run.after < 0 || after(run).version != next.version_after)
                continue;
            const double ahead = std::max(next.multiplier - multiplier_, 0.0);
            if (variation_ + slope_ * ahead <= radius) break;
            variation_ += slope_ * ahead;
            multiplier_ += ahead;
            join(next.run);
        }
        if (slope_ < 0) multiplier_ += std::max(variation_ - radius, 0.0) / -slope_;
    }

    void write(std::span<double> x) const {
        std::size_t k = 0;
        double value = 0;
        for (std::size_t at = 0; at < runs_.size(); ++at) {
            if (runs_[at].version > 0) value = runs_[at].value(multiplier_);
            if (at % static_cast<std::size_t>(cols_ + 1) != 0) x[k++] = value;
        }
    }

  private:
    Run& after(const Run& run) { return runs_[static_cast<std::size_t>(run.after)]; }

    // When a run and the one after it will meet.
    void expect(Index at) {
        const Run& run = runs_[static_cast<std::size_t>(at)];
        if (run.after < 0) return;
        const Run& next = after(run);
        const double gap = run.right * (next.value(multiplier_) - run.value(multiplier_));
        const double closing = run.right * (run.speed() - next.speed());
        // Where rounding has led one past the other, they have met.
        if (gap <= 0)
            meetings_.push({multiplier_, at, run.version, next.version});
        else if (closing > 0)
            meetings_.push({multiplier_ + gap / closing, at, run.version, next.version});
    }

    void join(Index at) {
        Run& run = runs_[static_cast<std::size_t>(at)];
        Run& next = after(run);
        slope_ -= run.slope() + next.slope();
        if (std::isfinite(run.count)) {
            const double count = run.count + next.count;
            run.mean += (next.mean - run.mean) * (next.count / count);
            run.count = count;
        }
        run.right = next.right;
        run.after = next.after;
        next.version = 0;
        ++run.version;
        if (run.after >= 0) after(run).before = at;
        slope_ += run.slope();
        expect(at);
        if (run.before >= 0) expect(run.before);
    }

    Index cols_;
    std::vector<Run> runs_;
    std::priority_queue<Meeting, std::vector<Meeting>, std::greater<>> meetings_;
    double multiplier_ = 0;
    double variation_ = 0;
    double slope_ = 0;
};

}  // namespace

double total_variation_of(std::span<const double> x, Index cols) {
    double sum = 0;
    double last = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (k % static_cast<std::size_t>(cols) == 0) last = 0;
        sum += std::abs(x[k] - last);
        last = x[k];
    }
    return sum;
}

void project_variation(std::span<double> x, Index cols, double radius) {
    const auto scale = [x](double factor) {
        for (double& entry : x) entry *= factor;
    };
    const double before = total_variation_of(x, cols);
    if (before <= radius) return;
    // From further away the nearest point is the same, but for rounding.
    constexpr double furthest = 1e12;
    if (before > furthest * radius) scale(furthest * radius / before);
    VariationPath path(x, cols);
    path.follow(radius);
    path.write(x);
    if (const double now = total_variation_of(x, cols); now > 0) scale(radius / now);
}

}  // namespace alfcg::region
