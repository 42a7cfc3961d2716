#include "objective/bias_search.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace alfcg {

namespace {

constexpr int most_iterations = 500;

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
}

double over(double number, double bend) {
    return bend > 0 ? number / bend : 0;
}

}  // namespace

template <class Real>
BiasSearch<Real>::BiasSearch(const Pattern& pattern, double penalty, int threads)
    : pattern_(pattern),
      penalty_(penalty),
      threads_(threads),
      row_bends_(rows()),
      column_bends_(columns()),
      row_slopes_(rows()),
      column_slopes_(columns()),
      row_values_(rows()) {}

// row(i, first place, count, this part's share of what comes out for columns); the shares are added up in order.
template <class Real>
template <class Row>
void BiasSearch<Real>::pass(const Row& row, std::vector<double>& result) {
    const int parts = parts_of(pattern_.size() + pattern_.shape.rows, threads_);
    const auto first = balanced_rows(pattern_, parts);
    shares_.assign(static_cast<std::size_t>(parts) * columns(), 0.0);
    parallel(parts, [&](int part) {
        double* share = shares_.data() + static_cast<std::size_t>(part) * columns();
        for (Index i = first[static_cast<std::size_t>(part)]; i < first[static_cast<std::size_t>(part) + 1];
             ++i)
            row(i, pattern_.begin(i), pattern_.end(i), share);
    });
    result.assign(shares_.begin(), shares_.begin() + static_cast<std::ptrdiff_t>(columns()));
    for (int part = 1; part < parts; ++part)
        for (std::size_t j = 0; j < columns(); ++j)
            result[j] += shares_[static_cast<std::size_t>(part) * columns() + j];
}

template <class Real>
void BiasSearch<Real>::take_bends(const Real* bends) {
    bends_ = bends;
    pass(
        [&](Index i, Index first, Index last, double* share) {
            double sum = penalty_;
            for (Index k = first; k < last; ++k) {
                const double bend = bends_ == nullptr ? 1 : static_cast<double>(bends_[k]);
                sum += bend;
                share[pattern_.columns[static_cast<std::size_t>(k)]] += bend;
            }
            row_bends_[static_cast<std::size_t>(i)] = sum;
        },
        column_bends_);
    for (double& bend : column_bends_) bend += penalty_;
}

template <class Real>
void BiasSearch<Real>::take_slopes(const Real* slopes, const std::vector<double>& biases) {
    pass(
        [&](Index i, Index first, Index last, double* share) {
            double sum = 0;
            for (Index k = first; k < last; ++k) {
                const auto slope = static_cast<double>(slopes[k]);
                sum += slope;
                share[pattern_.columns[static_cast<std::size_t>(k)]] += slope;
            }
            row_slopes_[static_cast<std::size_t>(i)] = sum + penalty_ * biases[static_cast<std::size_t>(i)];
        },
        column_slopes_);
    for (std::size_t j = 0; j < columns(); ++j) column_slopes_[j] += penalty_ * biases[rows() + j];
}

template <class Real>
double BiasSearch<Real>::promise() const {
    double sum = 0;
    for (std::size_t i = 0; i < rows(); ++i) sum += row_slopes_[i] * over(row_slopes_[i], row_bends_[i]);
    for (std::size_t j = 0; j < columns(); ++j)
        sum += column_slopes_[j] * over(column_slopes_[j], column_bends_[j]);
    return sum;
}

// Of numbers for the columns: what is left of them after the rows have taken their best.
template <class Real>
void BiasSearch<Real>::eliminate(const std::vector<double>& given, std::vector<double>& result) {
    pass(
        [&](Index i, Index first, Index last, double* share) {
            double sum = 0;
            for (Index k = first; k < last; ++k)
                sum += (bends_ == nullptr ? 1 : static_cast<double>(bends_[k])) *
                       given[static_cast<std::size_t>(pattern_.columns[static_cast<std::size_t>(k)])];
            const double along = over(sum, row_bends_[static_cast<std::size_t>(i)]);
            row_values_[static_cast<std::size_t>(i)] = along;
            for (Index k = first; k < last; ++k)
                share[pattern_.columns[static_cast<std::size_t>(k)]] +=
                    (bends_ == nullptr ? 1 : static_cast<double>(bends_[k])) * along;
        },
        result);
    for (std::size_t j = 0; j < columns(); ++j) result[j] = column_bends_[j] * given[j] - result[j];
}

template <class Real>
double BiasSearch<Real>::solve(double accuracy, std::vector<double>& move) {
    const std::size_t n = columns();
    // −(slopes of the columns, less what rows do about theirs).
    std::vector<double> rest(n);
    pass(
        [&](Index i, Index first, Index last, double* share) {
            const double along =
                over(row_slopes_[static_cast<std::size_t>(i)], row_bends_[static_cast<std::size_t>(i)]);
            for (Index k = first; k < last; ++k)
                share[pattern_.columns[static_cast<std::size_t>(k)]] +=
                    (bends_ == nullptr ? 1 : static_cast<double>(bends_[k])) * along;
        },
        rest);
    for (std::size_t j = 0; j < n; ++j) rest[j] -= column_slopes_[j];
    std::vector<double> found(n);
    std::vector<double> way(n);
    std::vector<double> scaled(n);
    std::vector<double> along(n);
    const auto precondition = [&] {
        for (std::size_t j = 0; j < n; ++j) scaled[j] = over(rest[j], column_bends_[j]);
        return product(rest, scaled);
    };
    double size = precondition();
    const double enough = accuracy * accuracy * std::max(size, promise());
    way = scaled;
    for (int step = 0; step < most_iterations && size > enough; ++step) {
        eliminate(way, along);
        const double bend = product(way, along);
        if (!(bend > 0)) break;
        const double length = size / bend;
        for (std::size_t j = 0; j < n; ++j) {
            found[j] += length * way[j];
            rest[j] -= length * along[j];
        }
        const double next = precondition();
        for (std::size_t j = 0; j < n; ++j) way[j] = scaled[j] + next / size * way[j];
        size = next;
    }
    eliminate(found, along);  // leaves what the rows answer
    move.resize(rows() + n);
    for (std::size_t i = 0; i < rows(); ++i) move[i] = -over(row_slopes_[i], row_bends_[i]) - row_values_[i];
    std::copy(found.begin(), found.end(), move.begin() + static_cast<std::ptrdiff_t>(rows()));
    double gain = 0;
    for (std::size_t i = 0; i < rows(); ++i) gain -= move[i] * row_slopes_[i];
    for (std::size_t j = 0; j < n; ++j) gain -= found[j] * column_slopes_[j];
    return gain;
}

template class BiasSearch<float>;
template class BiasSearch<double>;

}  // namespace alfcg
