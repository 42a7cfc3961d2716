#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "alfcg/region/groups.hpp"
#include "core/parallel.hpp"

namespace alfcg::region {

/// Throws Error when a list of groups speaks of features that points of so many of them do not have.
void check_groups(const Groups& groups, Index features);
/// Throws Error when a feature is in two groups.
void check_disjoint(const Groups& groups);

/// The groups of points of one shape, numbered: those of a list in its order, then the features that it leaves out.
class GroupMap {
  public:
    GroupMap() = default;
    GroupMap(const Groups& groups, Shape shape);

    [[nodiscard]] Shape shape() const { return shape_; }
    [[nodiscard]] Index count() const { return count_; }
    [[nodiscard]] Index size(Index group) const;  // entries
    [[nodiscard]] double weight(Index group) const {
        return weights_.empty() ? 1 : weights_[static_cast<std::size_t>(group)];
    }

    /// Whether groups are made of features, each with all its entries, by a list.
    [[nodiscard]] bool listed() const { return kind_ == Groups::Kind::listed; }
    /// take(feature) for the features of such a group, increasing.
    template <class Take>
    void each_feature(Index group, const Take& take) const {
        if (kind_ == Groups::Kind::features) {
            take(group);
            return;
        }
        const auto g = static_cast<std::size_t>(group);
        for (std::size_t k = begins_[g]; k < begins_[g + 1]; ++k) take(members_[k]);
    }

    /// take(position) for the row-major positions of a group, increasing.
    template <class Take>
    void visit(Index group, const Take& take) const {
        if (kind_ == Groups::Kind::outputs) {
            for (Index j = 0; j < shape_.cols; ++j) take(group * shape_.cols + j);
            return;
        }
        for (Index i = 0; i < shape_.rows; ++i)
            each_feature(group, [&](Index j) { take(i * shape_.cols + j); });
    }

    /// take(group, total) for the groups first .. last-1 in order, with the total of value(x_i) over the entries of a group, put
    /// together by merge(a, b), which begins with 0.
    template <class Real, class Value, class Merge, class Take>
    void scan(const Matrix<Real>& x, Index first, Index last, const Value& value, const Merge& merge,
              const Take& take) const {
        if (kind_ == Groups::Kind::features) {
            scan_columns(x, first, last, value, merge, take);
            return;
        }
        for (Index group = first; group < last; ++group) {
            double total = 0;
            if (kind_ == Groups::Kind::outputs)
                total = row_total(x.data() + group * shape_.cols, value, merge);
            else
                visit(group, [&](Index k) { total = merge(total, value(x.data()[k])); });
            take(group, total);
        }
    }

    /// The same for all groups, into an array.
    template <class Real, class Value, class Merge>
    void totals(const Matrix<Real>& x, int threads, const Value& value, const Merge& merge,
                AlignedVector<double>& result) const {
        result.resize(static_cast<std::size_t>(count_));
        in_parts(threads, [&](Index first, Index last, std::size_t) {
            scan(x, first, last, value, merge,
                 [&](Index group, double total) { result[static_cast<std::size_t>(group)] = total; });
        });
    }

    struct Peak {
        double value = 0;  // NaN when one of the values is
        Index group = 0;   // the first that has it
    };
    /// The largest of finish(group, total).
    template <class Real, class Value, class Merge, class Finish>
    [[nodiscard]] Peak peak(const Matrix<Real>& x, int threads, const Value& value, const Merge& merge,
                            const Finish& finish) const {
        return peak_of_parts(threads, [&](Index first, Index last) {
            Peak best;
            scan(x, first, last, value, merge, [&](Index group, double total) {
                best = higher(best, Peak{finish(group, total), group});
            });
            return best;
        });
    }

    /// The highest peak of parts of the groups, each found by part(first, last).
    template <class Part>
    [[nodiscard]] Peak peak_of_parts(int threads, const Part& part) const {
        std::vector<Peak> peaks(static_cast<std::size_t>(parts(threads)));
        in_parts(threads, [&](Index first, Index last, std::size_t k) { peaks[k] = part(first, last); });
        Peak best;
        for (const Peak& peak : peaks) best = higher(best, peak);
        return best;
    }

    /// The first of two in order unless the other is higher; NaN is the highest.
    static Peak higher(const Peak& a, const Peak& b) {
        return std::isnan(a.value) || b.value <= a.value ? a : b;
    }

    /// to_i = value(group, x_i) for every entry, of groups that do not overlap.
    template <class Real, class Value>
    void write(const Matrix<Real>& x, int threads, const Value& value, Matrix<Real>& to) const {
        to.reshape(shape_);
        in_parts(threads, [&](Index first, Index last, std::size_t) {
            if (kind_ == Groups::Kind::features) {
                for (Index begin = first; begin < last; begin += tile)
                    for (Index i = 0; i < shape_.rows; ++i)
                        for (Index j = begin; j < std::min(begin + tile, last); ++j)
                            to(i, j) = value(j, x(i, j));
                return;
            }
            for (Index group = first; group < last; ++group)
                visit(group, [&](Index k) { to.data()[k] = value(group, x.data()[k]); });
        });
    }

  private:
    static constexpr Index tile = 1024;  // columns whose totals stay in the nearest cache

    /// Several totals side by side, so that none has to wait for the one before.
    template <class Real, class Value, class Merge>
    double row_total(const Real* row, const Value& value, const Merge& merge) const {
        std::array<double, 8> totals{};
        const Index whole = shape_.cols - shape_.cols % static_cast<Index>(totals.size());
        for (Index j = 0; j < whole; j += static_cast<Index>(totals.size()))
            for (std::size_t k = 0; k < totals.size(); ++k)
                totals[k] = merge(totals[k], value(row[j + static_cast<Index>(k)]));
        for (Index j = whole; j < shape_.cols; ++j) totals[0] = merge(totals[0], value(row[j]));
        for (std::size_t k = 1; k < totals.size(); ++k) totals[0] = merge(totals[0], totals[k]);
        return totals[0];
    }

    template <class Real, class Value, class Merge, class Take>
    void scan_columns(const Matrix<Real>& x, Index first, Index last, const Value& value, const Merge& merge,
                      const Take& take) const {
        std::array<double, tile> totals{};
        for (Index begin = first; begin < last; begin += tile) {
            const Index width = std::min(tile, last - begin);
            const Real* row = x.data() + begin;
            for (Index j = 0; j < width; ++j) totals[static_cast<std::size_t>(j)] = value(row[j]);
            for (Index i = 1; i < shape_.rows; ++i) {
                row += shape_.cols;
                for (Index j = 0; j < width; ++j) {
                    double& total = totals[static_cast<std::size_t>(j)];
                    total = merge(total, value(row[j]));
                }
            }
            for (Index j = 0; j < width; ++j) take(begin + j, totals[static_cast<std::size_t>(j)]);
        }
    }

    [[nodiscard]] int parts(int threads) const {
        return static_cast<int>(std::clamp<Index>(count_, 1, parts_of(shape_.size(), threads)));
    }

    /// body(first, last, part) for parts of the groups, on as many threads as are worth it.
    template <class Body>
    void in_parts(int threads, const Body& body) const {
        const int count = parts(threads);
        parallel(count, [&](int part) {
            const auto [first, last] = range_of_part(count_, part, count);
            body(first, last, static_cast<std::size_t>(part));
        });
    }

    Groups::Kind kind_ = Groups::Kind::features;
    Shape shape_;
    Index count_ = 0;
    std::vector<double> weights_;  // empty: all 1
    // Features of the groups of a list, one group after the other, increasing in each.
    std::vector<std::size_t> begins_;
    std::vector<Index> members_;
};

/// The entries as an oracle sees them: scale · max(|x| − threshold, 0), the threshold being what an l1 term does to the gradient.
struct Sizes {
    double threshold = 0;
    double scale = 1;

    [[nodiscard]] double operator()(double x) const {
        return scale * std::max(std::abs(x) - threshold, 0.0);  // NaN stays NaN
    }
};

}  // namespace alfcg::region
