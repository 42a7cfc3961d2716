#include "corrective/l1_homotopy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Added to the diagonal, as a share of it: columns that are mixes of others then have a place on the way as well.
constexpr double ridge = 1e-8;
// A share of the level by which nothing has changed.
constexpr double just_now = 1e-9;
// Pivots below this share of the diagonal are nothing but rounding.
constexpr double least_pivot = 1e-11;

/// L Lᵀ = H on the entries in use, which come and go one at a time.
class Factor {
  public:
    explicit Factor(const Matrix<double>& h) : h_(h), lower_(h.shape()) {}

    [[nodiscard]] const std::vector<Index>& used() const { return used_; }

    /// False, and nothing happens, where the entry's column is a twin of another one, or rounding leaves nothing of it.
    bool add(Index entry) {
        const auto count = static_cast<Index>(used_.size());
        for (const Index other : used_) {
            const double both = h_(entry, entry) * h_(other, other);
            if (h_(entry, other) * h_(entry, other) >= (1 - ridge) * both) return false;
        }
        double* last = lower_.data() + count * lower_.cols();
        double pivot = (1 + ridge) * h_(entry, entry);
        for (Index i = 0; i < count; ++i) {
            const double* line = lower_.data() + i * lower_.cols();
            double sum = h_(entry, used_[static_cast<std::size_t>(i)]);
#pragma omp simd reduction(- : sum)
            for (Index j = 0; j < i; ++j) sum -= line[j] * last[j];
            last[i] = sum / line[i];
            pivot -= last[i] * last[i];
        }
        if (!(pivot > least_pivot * h_(entry, entry))) return false;
        last[count] = std::sqrt(pivot);
        used_.push_back(entry);
        return true;
    }
    /// Without the one at a place: what was below its pivot is turned back to triangular form.
    void remove(Index place) {
        const auto count = static_cast<Index>(used_.size());
        used_.erase(used_.begin() + place);
        for (Index i = place; i + 1 < count; ++i) {
            std::copy_n(&lower_(i + 1, 0), i + 2, &lower_(i, 0));
        }
        for (Index i = place; i + 1 < count; ++i) {
            const double a = lower_(i, i);
            const double b = lower_(i, i + 1);
            const double length = std::hypot(a, b);
            const double cosine = a / length;
            const double sine = b / length;
            for (Index k = i; k + 1 < count; ++k) {
                const double left = lower_(k, i);
                const double right = lower_(k, i + 1);
                lower_(k, i) = cosine * left + sine * right;
                lower_(k, i + 1) = cosine * right - sine * left;
            }
        }
    }
    /// y ← (L Lᵀ)⁻¹ y.
    void solve(std::vector<double>& y) const {
        const auto count = static_cast<Index>(used_.size());
        for (Index i = 0; i < count; ++i) {
            const double* line = lower_.data() + i * lower_.cols();
            double sum = y[static_cast<std::size_t>(i)];
#pragma omp simd reduction(- : sum)
            for (Index j = 0; j < i; ++j) sum -= line[j] * y[static_cast<std::size_t>(j)];
            y[static_cast<std::size_t>(i)] = sum / line[i];
        }
        for (Index i = count - 1; i >= 0; --i) {
            const double* line = lower_.data() + i * lower_.cols();
            const double own = y[static_cast<std::size_t>(i)] /= line[i];
            for (Index j = 0; j < i; ++j) y[static_cast<std::size_t>(j)] -= line[j] * own;
        }
    }

  private:
    const Matrix<double>& h_;
    Matrix<double> lower_;
    std::vector<Index> used_;
};

}  // namespace

std::vector<double> l1_minimum(const Matrix<double>& h, const std::vector<double>& b, double l1,
                               double radius) {
    const auto n = static_cast<Index>(b.size());
    std::vector<double> u(b.size());
    std::vector<double> slopes = b;  // b − H u
    enum Use : char { idle, used, mixed };
    std::vector<char> use(b.size(), idle);
    Factor factor(h);
    std::vector<double> way;
    std::vector<kernels::LineFactor> lines;
    std::vector<double> change(b.size());
    double level = 0;  // |slope| of the entries in use, which no other exceeds
    Index joins = 0;
    for (Index i = 0; i < n; ++i) {
        if (std::abs(slopes[static_cast<std::size_t>(i)]) <= level) continue;
        level = std::abs(slopes[static_cast<std::size_t>(i)]);
        joins = i;
    }
    double norm = 0;
    std::vector<double> left(b.size(),
                             std::numeric_limits<double>::infinity());  // level at which one became zero
    const Index most_turns = 8 * n + 64;
    for (Index turn = 0; turn < most_turns && level > l1; ++turn) {
        if (joins >= 0) {
            auto& state = use[static_cast<std::size_t>(joins)];
            state = factor.add(joins) ? used : mixed;
        }
        way.clear();
        for (const Index i : factor.used())
            way.push_back(std::copysign(1.0, slopes[static_cast<std::size_t>(i)]));
        const std::vector<double> signs = way;
        factor.solve(way);
        lines.clear();
        double growth = 0;
        for (std::size_t k = 0; k < way.size(); ++k) {
            growth += signs[k] * way[k];
            lines.push_back({factor.used()[k], way[k]});
        }
        kernels::add_lines(n, lines, h.data(), change.data());
        // The level falls by `fall`: to l1, to the sphere, to where another entry joins or one in use becomes zero.
        double fall = level - l1;
        if (growth > 0) fall = std::min(fall, (radius - norm) / growth);
        const double end = fall;
        joins = -1;
        Index leaves = -1;
        for (Index j = 0; j < n; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (use[at] != idle) continue;
            // One that has just left does not come back for rounding's sake.
            const double soonest = left[at] <= level * (1 + just_now) ? just_now * level : -level;
            for (const double side : {1.0, -1.0}) {
                const double rate = 1 - side * change[at];
                const double until = (level - side * slopes[at]) / rate;
                if (rate > 0 && until < fall && until > soonest) {
                    fall = std::max(until, 0.0);
                    joins = j;
                }
            }
        }
        for (std::size_t k = 0; k < way.size(); ++k) {
            const double own = u[static_cast<std::size_t>(factor.used()[k])];
            // Also one that came in and would go the wrong way.
            const bool wrong = own == 0 && way[k] * signs[k] < 0;
            if (!wrong && (own * way[k] >= 0 || -own / way[k] >= fall)) continue;
            fall = wrong ? 0 : -own / way[k];
            leaves = static_cast<Index>(k);
            joins = -1;
        }
        norm += fall * growth;
        level -= fall;
        for (std::size_t k = 0; k < way.size(); ++k) {
            const auto at = static_cast<std::size_t>(factor.used()[k]);
            u[at] += fall * way[k];
            slopes[at] = std::copysign(level, signs[k]);
        }
        for (Index j = 0; j < n; ++j)
            if (use[static_cast<std::size_t>(j)] != used)
                slopes[static_cast<std::size_t>(j)] -= fall * change[static_cast<std::size_t>(j)];
        if (leaves >= 0) {
            const auto at = static_cast<std::size_t>(factor.used()[static_cast<std::size_t>(leaves)]);
            u[at] = 0;
            use[at] = idle;
            left[at] = level;
            factor.remove(leaves);
        } else if (fall == end) {
            break;
        }
    }
    return u;
}

}  // namespace alfcg
