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

// upper triangle += Σ weight · row ⊗ row over the rows listed.
template <class Real, class Listed>
void add_gram(const DenseFeatures<Real>& rows, std::span<const Listed> list, Matrix<double>& sum) {
    const Index cols = rows.cols();
    Rows<Real> scaled(gram_rows, cols);
    Rows<Real> product(cols, cols);
    Eigen::Map<Rows<double>> total(sum.data(), cols, cols);
    for (std::size_t begin = 0; begin < list.size(); begin += gram_rows) {
        const auto block = list.subspan(begin, std::min(gram_rows, list.size() - begin));
        Index count = 0;
        for (const Listed& one : block)
            kernels::scale_to(cols, std::sqrt(one.weight), rows.row(one.row), scaled.row(count++).data());
        product.setZero();
        product.template selfadjointView<Eigen::Upper>().rankUpdate(scaled.topRows(count).transpose());
        for (Index a = 0; a < cols; ++a)
            total.row(a).tail(cols - a) += product.row(a).tail(cols - a).template cast<double>();
    }
}

template <class Real, class Listed>
void add_gram(const SparseFeatures<Real>& rows, std::span<const Listed> list, Matrix<double>& sum) {
    for (const Listed& one : list) {
        const Index end = rows.start.data()[one.row + 1];
        for (Index a = rows.start.data()[one.row]; a < end; ++a) {
            const double factor = one.weight * static_cast<double>(rows.value.data()[a]);
            double* line = sum.data() + rows.column.data()[a] * sum.cols();
            for (Index b = a; b < end; ++b)
                line[rows.column.data()[b]] += factor * static_cast<double>(rows.value.data()[b]);
        }
    }
}

}  // namespace

template <class Real>
std::vector<typename LinearPart<Real>::WeighedRow> LinearPart<Real>::weighed_rows(Index rows) {
    std::vector<WeighedRow> list;
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
    const std::vector<WeighedRow> list = weighed_rows(rows);
    const auto share = static_cast<double>(list.size()) / static_cast<double>(samples_);
    const auto work = static_cast<Index>(share * static_cast<double>(own_entries()));
    const int threads = parts_of(work * k, Index{1} << 20, threads_);
    const Features<Real>& products = this->products();
    std::vector<Matrix<double>> sums(static_cast<std::size_t>(threads), Matrix<double>(k, k));
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(std::ssize(list), part, threads);
        const auto own =
            std::span(list).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        Matrix<double>& sum = sums[static_cast<std::size_t>(part)];
        std::visit([&](const auto& from) { add_gram(from, own, sum); }, products);
    });
    matrix.reshape({k, k});
    const double mean = 1 / static_cast<double>(all_);
    // The triangle, entry after entry.
    std::vector<double> triangle;
    for (Index a = 0; a < k; ++a) {
        for (Index b = a; b < k; ++b) {
            double entry = 0;
            for (const Matrix<double>& sum : sums) entry += sum(a, b);
            triangle.push_back(entry);
        }
    }
    sum_over<double>(rows_.ranks, triangle);
    const double* entry = triangle.data();
    for (Index a = 0; a < k; ++a) {
        for (Index b = a; b < k; ++b) matrix(a, b) = matrix(b, a) = *entry++ * mean;
        if (!std::isfinite(matrix(a, a))) return 0;  // products of large features overflow
    }
    return rows;
}

template std::vector<LinearPart<float>::WeighedRow> LinearPart<float>::weighed_rows(Index);
template std::vector<LinearPart<double>::WeighedRow> LinearPart<double>::weighed_rows(Index);
template Index LinearPart<float>::curvature_matrix(Index, bool, Matrix<double>&);
template Index LinearPart<double>::curvature_matrix(Index, bool, Matrix<double>&);

}  // namespace alfcg
