#include "region/pattern_operator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/pattern.hpp"
#include "kernels/vector.hpp"

namespace alfcg::region {

namespace {

constexpr Index block = kernels::pattern_block;
static_assert(block == kernels::block_columns);

// A block of vectors with the numbers of a line side by side, and back.
void to_lines(const Eigen::MatrixXd& x, double* lines) {
    for (Index i = 0; i < x.rows(); ++i)
        for (Index c = 0; c < block; ++c) lines[i * block + c] = x(i, c);
}
void from_lines(const double* lines, double factor, Eigen::MatrixXd& x) {
    for (Index i = 0; i < x.rows(); ++i)
        for (Index c = 0; c < block; ++c) x(i, c) = factor * lines[i * block + c];
}

// Parts with as many places each, and a table for each of them, added up into the first.
template <class Real>
class Shares {
  public:
    Shares(const PatternOperator<Real>& g, AlignedVector<double>& memory, Index before)
        : g_(g),
          parts_(parts_of(g.pattern.size() + g.pattern.shape.rows, Index{1} << 15, g.threads)),
          rows_(balanced_rows(g.pattern, parts_)),
          length_(g.pattern.shape.cols * block) {
        memory.resize(static_cast<std::size_t>(before + parts_ * length_));
        tables_ = memory.data() + before;
    }

    // body(row, its places, how many, its entries, the part's table) for every row.
    template <class Body>
    void for_each_row(const Body& body) {
        parallel(parts_, [&](int part) {
            double* table = tables_ + part * length_;
            std::fill(table, table + length_, 0.0);
            for (Index i = rows_[static_cast<std::size_t>(part)];
                 i < rows_[static_cast<std::size_t>(part) + 1]; ++i) {
                const Index at = g_.pattern.begin(i);
                body(i, g_.pattern.columns.data() + at, g_.pattern.end(i) - at, g_.entries.data() + at,
                     table);
            }
        });
        for (int part = 1; part < parts_; ++part)
            for (Index k = 0; k < length_; ++k) tables_[k] += tables_[part * length_ + k];
    }
    [[nodiscard]] double* table() const { return tables_; }

  private:
    const PatternOperator<Real>& g_;
    int parts_;
    std::vector<Index> rows_;
    Index length_;
    double* tables_;
};

}  // namespace

template <class Real>
void PatternOperator<Real>::normal_product(kernels::Side side, Eigen::MatrixXd& x, Eigen::MatrixXd& y,
                                           AlignedVector<double>& scratch) const {
    const double factor = scale * scale;
    if (side == kernels::Side::right) {
        // A row is multiplied and added up before the next is looked at.
        const Index length = pattern.shape.cols * block;
        Shares<Real> shares(*this, scratch, length);
        to_lines(x, scratch.data());
        shares.for_each_row(
            [&](Index /*row*/, const std::int32_t* index, Index count, const Real* value, double* table) {
                double along[block];
                kernels::row_sums(index, count, value, scratch.data(), along);
                kernels::row_adds(index, count, value, along, table);
            });
        from_lines(shares.table(), factor, y);
        return;
    }
    const Index length = pattern.shape.rows * block;
    Shares<Real> shares(*this, scratch, length);
    to_lines(x, scratch.data());
    shares.for_each_row(
        [&](Index row, const std::int32_t* index, Index count, const Real* value, double* table) {
            kernels::row_adds(index, count, value, scratch.data() + row * block, table);
        });
    const int parts = parts_of(pattern.size() + pattern.shape.rows, Index{1} << 15, threads);
    const auto rows = balanced_rows(pattern, parts);
    parallel(parts, [&](int part) {
        for (Index i = rows[static_cast<std::size_t>(part)]; i < rows[static_cast<std::size_t>(part) + 1];
             ++i) {
            const Index at = pattern.begin(i);
            kernels::row_sums(pattern.columns.data() + at, pattern.end(i) - at, entries.data() + at,
                              shares.table(), scratch.data() + i * block);
        }
    });
    from_lines(scratch.data(), factor, y);
}

template <class Real>
void PatternOperator<Real>::to_other_side(kernels::Side side, const AlignedVector<double>& x,
                                          AlignedVector<double>& y) const {
    const int parts = parts_of(pattern.size() + pattern.shape.rows, threads);
    const auto rows = balanced_rows(pattern, parts);
    std::vector<std::vector<double>> shares(static_cast<std::size_t>(parts));
    parallel(parts, [&](int part) {
        std::vector<double>& share = shares[static_cast<std::size_t>(part)];
        if (side == kernels::Side::left) share.assign(y.size(), 0.0);
        for (Index i = rows[static_cast<std::size_t>(part)]; i < rows[static_cast<std::size_t>(part) + 1];
             ++i) {
            double sum = 0;
            for (Index k = pattern.begin(i); k < pattern.end(i); ++k) {
                const auto column = static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)]);
                const double entry = scale * static_cast<double>(entries.data()[k]);
                if (side == kernels::Side::right)
                    sum += entry * x[column];
                else
                    share[column] += entry * x[static_cast<std::size_t>(i)];
            }
            if (side == kernels::Side::right) y[static_cast<std::size_t>(i)] = sum;
        }
    });
    if (side == kernels::Side::right) return;
    std::fill(y.begin(), y.end(), 0.0);
    for (const std::vector<double>& share : shares)
        for (std::size_t j = 0; j < y.size(); ++j) y[j] += share[j];
}

template <class Real>
void PatternOperator<Real>::times(const Matrix<Real>& right, Index width, Matrix<Real>& left) const {
    const int parts = parts_of(pattern.size() * width, Index{1} << 18, threads);
    const auto rows = balanced_rows(pattern, parts);
    const Index stride = right.cols();
    left.reshape({pattern.shape.rows, stride});
    parallel(parts, [&](int part) {
        for (Index i = rows[static_cast<std::size_t>(part)]; i < rows[static_cast<std::size_t>(part) + 1];
             ++i) {
            const Index at = pattern.begin(i);
            kernels::sum_lines(pattern.columns.data() + at, pattern.end(i) - at, entries.data() + at,
                               right.data(), stride, stride, left.data() + i * stride);
        }
    });
    kernels::scale_to(left.size(), scale, left.data(), left.data());
}

template <class Real>
void PatternOperator<Real>::transposed_times(const Matrix<Real>& left, Index width,
                                             Matrix<Real>& right) const {
    const int parts = parts_of(pattern.size() * width, Index{1} << 18, threads);
    const auto rows = balanced_rows(pattern, parts);
    const Index stride = left.cols();
    std::vector<Matrix<Real>> shares(static_cast<std::size_t>(parts));
    parallel(parts, [&](int part) {
        Matrix<Real>& share = shares[static_cast<std::size_t>(part)];
        share = Matrix<Real>(pattern.shape.cols, stride);
        for (Index i = rows[static_cast<std::size_t>(part)]; i < rows[static_cast<std::size_t>(part) + 1];
             ++i) {
            const Index at = pattern.begin(i);
            kernels::add_lines(pattern.columns.data() + at, pattern.end(i) - at, entries.data() + at,
                               left.data() + i * stride, stride, width, share.data());
        }
    });
    right = std::move(shares.front());
    for (int part = 1; part < parts; ++part)
        kernels::axpby(right.size(), 1, shares[static_cast<std::size_t>(part)].data(), 1, right.data());
    kernels::scale_to(right.size(), scale, right.data(), right.data());
}

template <class Real>
void PatternOperator<Real>::gram(Eigen::MatrixXd& result, AlignedVector<double>& /*scratch*/) const {
    result.setZero();
    // Lines of the longer side: as they lie, or picked out.
    std::vector<Index> first(static_cast<std::size_t>(std::max(pattern.shape.rows, pattern.shape.cols)) + 1);
    std::vector<std::pair<Index, double>> places(static_cast<std::size_t>(pattern.size()));
    const bool right = pattern.shape.cols <= pattern.shape.rows;
    const auto for_each_place = [&](const auto& visit) {
        for (Index i = 0; i < pattern.shape.rows; ++i)
            for (Index k = pattern.begin(i); k < pattern.end(i); ++k) {
                const Index j = pattern.columns[static_cast<std::size_t>(k)];
                visit(static_cast<std::size_t>(right ? i : j), right ? j : i,
                      scale * static_cast<double>(entries.data()[k]));
            }
    };
    for_each_place([&](std::size_t line, Index, double) { ++first[line + 1]; });
    for (std::size_t line = 1; line < first.size(); ++line) first[line] += first[line - 1];
    std::vector<Index> next(first.begin(), first.end() - 1);
    for_each_place([&](std::size_t line, Index at, double entry) {
        places[static_cast<std::size_t>(next[line]++)] = {at, entry};
    });
    for (std::size_t line = 0; line + 1 < first.size(); ++line)
        for (Index a = first[line]; a < first[line + 1]; ++a)
            for (Index b = a; b < first[line + 1]; ++b) {
                const auto& one = places[static_cast<std::size_t>(a)];
                const auto& other = places[static_cast<std::size_t>(b)];
                result(other.first, one.first) += one.second * other.second;
            }
    result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
}

template <class Real>
double PatternOperator<Real>::frobenius_squared() const {
    return kernels::sums(entries.data(), entries.size(), scale, threads).squares;
}

template struct PatternOperator<float>;
template struct PatternOperator<double>;

}  // namespace alfcg::region
