// The matrix of second derivatives of a part, from all samples or from some.
#include <Eigen/Core>
#include <cmath>
#include <numeric>
#include <span>

#include "core/parallel.hpp"
#include "data/random_stream.hpp"
#include "kernels/vector.hpp"
#include "objective/linear_part.hpp"

namespace alfcg {

namespace {

// Directions up to which the matrix of second derivatives is worth its making.
constexpr Index most_gram_columns = 1024;
// Up to so many it always is; beyond, where it has at most so many entries for each of the part's.
constexpr Index few_gram_columns = 384;
constexpr Index most_gram_entries = 2;
// Samples whose products are added up in the precision of the data.
constexpr std::size_t gram_rows = 512;
// Entries of a sample up to which its products with itself cost hardly more than the passes that a step makes anyway.
constexpr Index short_row = 16;

template <class Real>
using Rows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The upper triangle of Σ weight · row ⊗ row over the rows listed.
template <class Real, class Listed>
void make_gram(const DenseFeatures<Real>& rows, std::span<const Listed> list, int threads,
               Matrix<double>& sum) {
    const Index cols = rows.cols();
    threads = parts_of(std::ssize(list) * cols * cols, Index{1} << 20, threads);
    std::vector<Matrix<double>> sums(static_cast<std::size_t>(threads), Matrix<double>(cols, cols));
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(std::ssize(list), part, threads);
        const auto own =
            list.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        Rows<Real> scaled(gram_rows, cols);
        Rows<Real> product(cols, cols);
        Eigen::Map<Rows<double>> total(sums[static_cast<std::size_t>(part)].data(), cols, cols);
        for (std::size_t begin = 0; begin < own.size(); begin += gram_rows) {
            const auto block = own.subspan(begin, std::min(gram_rows, own.size() - begin));
            Index count = 0;
            for (const Listed& one : block)
                kernels::scale_to(cols, std::sqrt(one.weight), rows.row(one.row), scaled.row(count++).data());
            product.setZero();
            product.template selfadjointView<Eigen::Upper>().rankUpdate(scaled.topRows(count).transpose());
            for (Index a = 0; a < cols; ++a)
                total.row(a).tail(cols - a) += product.row(a).tail(cols - a).template cast<double>();
        }
    });
    sum = std::move(sums.front());
    for (std::size_t part = 1; part < sums.size(); ++part)
        kernels::axpby(sum.size(), 1, sums[part].data(), 1, sum.data());
}

// Every part makes some of the lines, and goes through all rows for them.
template <class Real, class Listed, class Columns>
void make_gram(const SparseFeatures<Real>& rows, Columns column, std::span<const Listed> list, int threads,
               Matrix<double>& sum) {
    const Index cols = sum.cols();
    const Index* start = rows.start.data();
    const Real* value = rows.value.data();
    // What a line costs, and those before it, as a few of the rows have it.
    constexpr std::size_t looked_at = 16;
    std::vector<Index> work(static_cast<std::size_t>(cols) + 1);
    for (std::size_t k = 0; k < list.size(); k += looked_at) {
        const Index end = start[list[k].row + 1];
        for (Index at = start[list[k].row]; at < end; ++at)
            work[static_cast<std::size_t>(column[at]) + 1] += end - at;
    }
    std::partial_sum(work.begin(), work.end(), work.begin());
    const int parts = parts_of(work.back() * static_cast<Index>(looked_at), threads);
    const auto first_line = [&](int part) {
        return std::lower_bound(work.begin(), work.end(), work.back() * part / parts) - work.begin();
    };
    parallel(parts, [&](int part) {
        const Index first = part == 0 ? 0 : first_line(part);
        const Index last = part + 1 == parts ? cols : first_line(part + 1);
        std::fill(sum.data() + first * cols, sum.data() + last * cols, 0.0);
        for (const Listed& one : list) {
            const Index end = start[one.row + 1];
            Index a = start[one.row];
            while (a < end && column[a] < first) ++a;
            for (; a < end && column[a] < last; ++a) {
                const double factor = one.weight * static_cast<double>(value[a]);
                double* line = sum.data() + column[a] * cols;
                for (Index b = a; b < end; ++b) line[column[b]] += factor * static_cast<double>(value[b]);
            }
        }
    });
}
template <class Real, class Listed>
void make_gram(const SparseFeatures<Real>& rows, std::span<const Listed> list, int threads,
               Matrix<double>& sum) {
    rows.column.data().with_width([&](auto column) { make_gram(rows, column, list, threads, sum); });
}

// The lower triangle is the upper one, turned.
void mirror(Matrix<double>& matrix) {
    constexpr Index side = 32;
    const Index k = matrix.cols();
    for (Index first = 0; first < k; first += side)
        for (Index beside = first; beside < k; beside += side)
            for (Index a = first; a < std::min(first + side, k); ++a)
                for (Index b = std::max(a + 1, beside); b < std::min(beside + side, k); ++b)
                    matrix(b, a) = matrix(a, b);
}

}  // namespace

template <class Real>
std::vector<typename LinearPart<Real>::WeighedRow> LinearPart<Real>::weighed_rows(Index rows) {
    std::vector<WeighedRow> list;
    list.reserve(static_cast<std::size_t>(std::min(rows, samples_)));
    const auto bend = [&](Index i) { return static_cast<double>(bends_[static_cast<std::size_t>(i)]); };
    if (rows >= all_) {
        for (Index i = 0; i < samples_; ++i)
            if (bend(i) > 0) list.push_back({i, bend(i)});
        return list;
    }
    // The bends laid end to end are cut into pieces as long as one draw stands for; a point of each piece is drawn, so that all
    // ranges of the samples have their share. Samples that are longer than a piece stand for themselves. Those of several ranks lie one after
    // the other, so that it does not matter where they are.
    double sum = 0;
    for (Index i = 0; i < samples_; ++i) sum += bend(i);
    sum = sum_over(rows_.ranks, sum);
    const double piece = sum / static_cast<double>(rows);
    RandomStream random(draws_++, 0);
    const auto chance = [&] { return static_cast<double>(random.bits() >> 11U) * 0x1p-53; };
    double end = 0;
    if (rows_.ranks != nullptr) {
        double own = 0;
        for (Index i = 0; i < samples_; ++i)
            if (bend(i) < piece) own += bend(i);
        const std::vector<double> lengths = rows_.ranks->gather(own);
        end = std::accumulate(lengths.begin(), lengths.begin() + rows_.ranks->rank(), 0.0);
    }
    double number = 0;
    double point = chance() * piece;
    while (point < end) point = (++number + chance()) * piece;
    for (Index i = 0; i < samples_; ++i) {
        if (bend(i) >= piece) {
            if (bend(i) > 0) list.push_back({i, bend(i)});
            continue;
        }
        end += bend(i);
        double weight = 0;
        for (; point < end; point = (++number + chance()) * piece) weight += piece;
        if (weight > 0) list.push_back({i, weight});
    }
    return list;
}

template <class Real>
Index LinearPart<Real>::curvature_matrix(Index rows, bool dear, Matrix<double>& matrix) {
    if (!loss_.bends() || shape_.cols > most_gram_columns || !is_whole()) return 0;
    const Index k = shape_.cols;
    if (!dear && k > few_gram_columns && k * k > most_gram_entries * entries()) return 0;
    // Half of them cost nearly as much as all.
    if (rows > all_ / 2 || entries() <= short_row * all_) rows = all_;
    std::vector<WeighedRow> list = weighed_rows(rows);
    for (WeighedRow& one : list) one.weight /= static_cast<double>(all_);
    matrix.reshape({k, k});
    std::visit(
        [&](const auto& from) { make_gram(from, std::span<const WeighedRow>(list), threads_, matrix); },
        products_);
    if (rows_.ranks != nullptr) {
        // The triangle, entry after entry.
        std::vector<double> triangle;
        for (Index a = 0; a < k; ++a) triangle.insert(triangle.end(), &matrix(a, a), &matrix(a, 0) + k);
        sum_over<double>(rows_.ranks, triangle);
        const double* entry = triangle.data();
        for (Index a = 0; a < k; ++a, entry += k - a + 1) std::copy_n(entry, k - a, &matrix(a, a));
    }
    for (Index a = 0; a < k; ++a)
        if (!std::isfinite(matrix(a, a))) return 0;  // products of large features overflow
    mirror(matrix);
    return rows;
}

template std::vector<LinearPart<float>::WeighedRow> LinearPart<float>::weighed_rows(Index);
template std::vector<LinearPart<double>::WeighedRow> LinearPart<double>::weighed_rows(Index);
template Index LinearPart<float>::curvature_matrix(Index, bool, Matrix<double>&);
template Index LinearPart<double>::curvature_matrix(Index, bool, Matrix<double>&);

}  // namespace alfcg
