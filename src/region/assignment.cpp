#include "region/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace alfcg::region {

namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();
// Rounds of row reduction before paths are searched for.
constexpr int row_reductions = 2;

}  // namespace

template <class Real>
struct Assignment::Costs {
    const Real* entries;
    Index n;
    double scale;

    [[nodiscard]] const Real* row(Index i) const { return entries + i * n; }
    [[nodiscard]] double operator()(Index i, Index j) const {
        return scale * static_cast<double>(entries[i * n + j]);
    }
};

template <class Real>
void Assignment::solve(const Real* costs, Index n, double scale) {
    const Costs<Real> now{costs, n, scale};
    begin(now);
    keep_tight_rows(now);
    for (int round = 0; round < row_reductions && !free_.empty(); ++round) reduce_rows(now);
    for (const Index row : free_) augment(now, row);
}

// Prices in the units of this call. Where there are none, or such that rounding of them would count, least costs of columns.
template <class Real>
void Assignment::begin(const Costs<Real>& costs) {
    const auto size = place(costs.n);
    bool known = price_.size() == size && scale_ > 0;
    if (known && scale_ != costs.scale)
        for (double& price : price_) price *= costs.scale / scale_;
    if (known) {
        // A price more for all columns changes nothing.
        const double most = *std::max_element(price_.begin(), price_.end());
        for (double& price : price_) price -= most;
        known = std::all_of(price_.begin(), price_.end(),
                            [&](double price) { return price >= -4 * static_cast<double>(costs.n); });
    }
    if (!known) {
        price_.assign(size, unreached);
        for (Index i = 0; i < costs.n; ++i)
            for (Index j = 0; j < costs.n; ++j) price_[place(j)] = std::min(price_[place(j)], costs(i, j));
        column_of_.assign(size, -1);
    }
    scale_ = costs.scale;
    distance_.resize(size);
    before_.resize(size);
    columns_.resize(size);
}

template <class Real>
Assignment::Least Assignment::least(const Costs<Real>& costs, Index row) const {
    const Real* c = costs.row(row);
    Least found{-1, -1, unreached, unreached};
    for (Index j = 0; j < costs.n; ++j) {
        const double cost = costs.scale * static_cast<double>(c[j]) - price_[place(j)];
        if (cost >= found.at_second) continue;
        if (cost < found.at_first) {
            found.second = std::exchange(found.first, j);
            found.at_second = std::exchange(found.at_first, cost);
        } else {
            found.second = j;
            found.at_second = cost;
        }
    }
    return found;
}

void Assignment::assign(Index row, Index column) {
    column_of_[place(row)] = column;
    row_of_[place(column)] = row;
}

// Rows whose last column is still their best one keep it; others get their best one if nobody has it.
template <class Real>
void Assignment::keep_tight_rows(const Costs<Real>& costs) {
    row_of_.assign(place(costs.n), -1);
    free_.clear();
    std::vector<Index>& best = before_;
    for (Index i = 0; i < costs.n; ++i) {
        const Least found = least(costs, i);
        best[place(i)] = found.first;
        const Index last = column_of_[place(i)];
        if (last >= 0 && costs(i, last) - price_[place(last)] <= found.at_first)
            assign(i, last);
        else
            column_of_[place(i)] = -1;
    }
    for (Index i = 0; i < costs.n; ++i) {
        if (column_of_[place(i)] >= 0) continue;
        if (row_of_[place(best[place(i)])] < 0)
            assign(i, best[place(i)]);
        else
            free_.push_back(i);
    }
}

// A free row takes its best column from whoever has it, and lowers its price until the second best is as good. Takers
// that cannot lower a price wait for a path.
template <class Real>
void Assignment::reduce_rows(const Costs<Real>& costs) {
    std::vector<Index> waiting = std::exchange(free_, {});
    std::size_t turns =
        8 * waiting.size() + 64;  // prices may fall by little many times: paths are better then
    for (std::size_t k = 0; k < waiting.size(); ++k) {
        Index row = waiting[k];
        while (row >= 0) {
            const Least found = least(costs, row);
            Index column = found.first;
            const bool lowers = found.second >= 0 && found.at_first < found.at_second;
            if (!lowers && row_of_[place(column)] >= 0 && found.second >= 0) column = found.second;
            const Index owner = row_of_[place(column)];
            if (owner >= 0 && (!lowers || turns == 0)) {
                free_.push_back(row);
                break;
            }
            if (lowers) price_[place(column)] -= found.at_second - found.at_first;
            assign(row, column);
            if (owner >= 0) column_of_[place(owner)] = -1;
            row = owner;
            if (turns > 0) --turns;
        }
    }
}

// Dijkstra's search from a free row to the nearest free column, over reduced costs; then everyone on the path moves on.
template <class Real>
void Assignment::augment(const Costs<Real>& costs, Index row) {
    const Index n = costs.n;
    std::iota(columns_.begin(), columns_.end(), Index{0});
    for (Index j = 0; j < n; ++j) {
        distance_[place(j)] = costs(row, j) - price_[place(j)];
        before_[place(j)] = row;
    }
    Index scanned = 0;  // columns_[0, scanned) are done with, [scanned, ready) are as near as can be
    Index ready = 0;
    Index end = -1;
    double nearest = 0;
    while (end < 0) {
        if (scanned == ready) {
            nearest = unreached;
            for (Index k = scanned; k < n; ++k) {
                const Index j = columns_[place(k)];
                const double d = distance_[place(j)];
                if (d > nearest) continue;
                if (d < nearest) {
                    ready = scanned;
                    nearest = d;
                }
                std::swap(columns_[place(k)], columns_[place(ready++)]);
            }
            for (Index k = scanned; k < ready && end < 0; ++k)
                if (row_of_[place(columns_[place(k)])] < 0) end = columns_[place(k)];
            if (end >= 0) break;
        }
        const Index through = columns_[place(scanned++)];
        const Index owner = row_of_[place(through)];
        const double here = costs(owner, through) - price_[place(through)] - nearest;
        for (Index k = ready; k < n; ++k) {
            const Index j = columns_[place(k)];
            const double d = costs(owner, j) - price_[place(j)] - here;
            if (d >= distance_[place(j)]) continue;
            distance_[place(j)] = d;
            before_[place(j)] = owner;
            if (d > nearest) continue;
            if (row_of_[place(j)] < 0) {
                end = j;
                break;
            }
            std::swap(columns_[place(k)], columns_[place(ready++)]);
        }
    }
    for (Index k = 0; k < scanned; ++k) {
        const Index j = columns_[place(k)];
        price_[place(j)] += distance_[place(j)] - nearest;
    }
    for (Index column = end, from = -1; from != row;) {
        from = before_[place(column)];
        std::swap(column, column_of_[place(from)]);
        row_of_[place(column_of_[place(from)])] = from;
    }
}

template void Assignment::solve(const float*, Index, double);
template void Assignment::solve(const double*, Index, double);

}  // namespace alfcg::region
