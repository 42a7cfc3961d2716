#include "alfcg/point/move.hpp"

#include <atomic>

#include "alfcg/core/ranks.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

Version new_version() {
    static std::atomic<std::uint64_t> last = 0;
    return static_cast<Version>(1 + last.fetch_add(1, std::memory_order_relaxed));
}

void archive_value(Archive& state, Version& version) {
    auto number = static_cast<std::uint64_t>(version);
    state.token(number, [] { return static_cast<std::uint64_t>(new_version()); });
    version = static_cast<Version>(number);
}

template <class Real>
void Move<Real>::begin(double along_x, std::size_t atoms, std::array<double, 2> coefficients,
                       double longest) {
    version_ = new_version();
    along_x_ = along_x;
    longest_ = longest;
    atoms_ = atoms;
    coefficient_ = coefficients;
}

template <class Real>
Vertex<Real>& Move<Real>::towards() {
    begin(-1, 1, {1, 0}, 1);
    return atom_[0];
}

template <class Real>
Vertex<Real>& Move<Real>::away(double longest) {
    begin(1, 1, {-1, 0}, longest);
    return atom_[0];
}

template <class Real>
std::array<Vertex<Real>, 2>& Move<Real>::pairwise(double longest) {
    begin(0, 2, {1, -1}, longest);
    return atom_;
}

namespace {

// Calls visit(offset, count, scale, entries) for runs of entries that are together a multiple of an array, or zero
// (entries = nullptr), and entry(position, value) for single ones that lie within a zero run. Runs cover everything
// once: a point of several pairs is written out row by row into `scratch`.
template <class Real, class Visit, class Entry>
void for_each_run(const Vertex<Real>& vertex, AlignedVector<Real>& scratch, const Visit& visit,
                  const Entry& entry) {
    using Kind = typename Vertex<Real>::Kind;
    const Index rows = vertex.shape.rows;
    const Index cols = vertex.shape.cols;
    const auto row_of = [&](const AlignedVector<Real>& entries, Index row) {
        return static_cast<double>(entries[static_cast<std::size_t>(row)]);
    };
    // Zero runs up to the single entries and between them.
    Index next = 0;
    const auto single = [&](Index position, double value) {
        visit(next, position - next, 0.0, static_cast<const Real*>(nullptr));
        entry(position, value);
        next = position + 1;
    };
    switch (vertex.kind) {
        case Kind::zero:
            break;
        case Kind::one_hot:
            single(vertex.index, vertex.scale);
            break;
        case Kind::sparse:
            for (std::size_t k = 0; k < vertex.positions.size(); ++k)
                single(vertex.positions[k], static_cast<double>(vertex.values[k]));
            break;
        case Kind::dense:
            return visit(0, rows * cols, 1.0, vertex.dense.data());
        case Kind::rank_one:
            for (Index i = 0; i < rows; ++i)
                visit(i * cols, cols, vertex.scale * row_of(vertex.left, i), vertex.right.data());
            return;
        case Kind::low_rank:
            scratch.resize(static_cast<std::size_t>(cols));
            for (Index i = 0; i < rows; ++i) {
                std::fill(scratch.begin(), scratch.end(), Real(0));
                for (std::size_t k = 0; k < vertex.scales.size(); ++k) {
                    const auto pair = static_cast<Index>(k);
                    kernels::axpby(cols, vertex.scales[k] * row_of(vertex.left, pair * rows + i),
                                   vertex.right.data() + pair * cols, 1, scratch.data());
                }
                visit(i * cols, cols, 1.0, scratch.data());
            }
            return;
    }
    visit(next, rows * cols - next, 0.0, static_cast<const Real*>(nullptr));
}

template <class Real>
bool goes_towards(const Move<Real>& move) {
    return move.atoms() == 1 && move.along_x() == -1 && move.coefficient() == 1;
}
template <class Real>
bool goes_away(const Move<Real>& move) {
    return move.atoms() == 1 && move.along_x() == 1 && move.coefficient() == -1;
}

}  // namespace

template <class Real>
double inner_product(const Matrix<Real>& gradient, const Vertex<Real>& vertex) {
    double sum = 0;
    AlignedVector<Real> scratch;
    for_each_run(
        vertex, scratch,
        [&](Index offset, Index count, double scale, const Real* entries) {
            if (entries == nullptr) return;
            // From entries to the origin.
            sum -= scale * kernels::direction(count, gradient.data() + offset, entries, 0,
                                              static_cast<const Real*>(nullptr))
                               .slope;
        },
        [&](Index position, double value) { sum += static_cast<double>(gradient.data()[position]) * value; });
    return sum_over(gradient.shared_by(), sum);
}

template <class Real>
void add(double factor, const Vertex<Real>& vertex, Matrix<Real>& to) {
    AlignedVector<Real> scratch;
    for_each_run(
        vertex, scratch,
        [&](Index offset, Index count, double scale, const Real* entries) {
            if (entries != nullptr) kernels::axpby(count, factor * scale, entries, 1, to.data() + offset);
        },
        [&](Index position, double value) { to.data()[position] += static_cast<Real>(factor * value); });
}

template <class Real>
Direction direction_to(const Vertex<Real>& vertex, const Matrix<Real>& gradient, const Matrix<Real>& x) {
    Direction total;
    AlignedVector<Real> scratch;
    for_each_run(
        vertex, scratch,
        [&](Index offset, Index count, double scale, const Real* entries) {
            const auto part =
                kernels::direction(count, gradient.data() + offset, x.data() + offset, scale, entries);
            total.slope += part.slope;
            total.length_squared += part.length_squared;
        },
        [&](Index position, double value) {
            const double d = value - static_cast<double>(x.data()[position]);
            total.slope += static_cast<double>(gradient.data()[position]) * d;
            total.length_squared += d * d;
        });
    total.slope = sum_over(gradient.shared_by(), total.slope);
    return total;
}

template <class Real>
Direction direction(const Move<Real>& move, const Matrix<Real>& gradient, const Matrix<Real>& x) {
    if (goes_towards(move)) return direction_to(move.atom(), gradient, x);
    if (goes_away(move)) {
        const Direction to = direction_to(move.atom(), gradient, x);
        return {-to.slope, to.length_squared};
    }
    Matrix<Real> d(x.shape());
    if (move.along_x() != 0) kernels::scale_to(x.size(), move.along_x(), x.data(), d.data());
    for (std::size_t k = 0; k < move.atoms(); ++k) add(move.coefficient(k), move.atom(k), d);
    const auto from_zero = kernels::direction(d.size(), gradient.data(), d.data(), 0, nullptr);
    return {-sum_over(gradient.shared_by(), from_zero.slope), from_zero.length_squared};
}

template <class Real>
void move_towards(const Vertex<Real>& vertex, double step, Matrix<Real>& x) {
    if (step == 0) return;
    AlignedVector<Real> scratch;
    for_each_run(
        vertex, scratch,
        [&](Index offset, Index count, double scale, const Real* entries) {
            kernels::move_towards(count, step, scale, entries, x.data() + offset);
        },
        [&](Index position, double value) {
            Real& entry = x.data()[position];
            kernels::move_towards(1, step, 0, static_cast<const Real*>(nullptr), &entry);
            entry += static_cast<Real>(step * value);
        });
}

template <class Real>
void apply(const Move<Real>& move, double step, Matrix<Real>& x) {
    if (goes_towards(move)) return move_towards(move.atom(), step, x);
    if (move.along_x() != 0) kernels::scale_to(x.size(), move.keep(step), x.data(), x.data());
    for (std::size_t k = 0; k < move.atoms(); ++k) add(step * move.coefficient(k), move.atom(k), x);
}

template class Move<float>;
template class Move<double>;
template double inner_product(const Matrix<float>&, const Vertex<float>&);
template double inner_product(const Matrix<double>&, const Vertex<double>&);
template void add(double, const Vertex<float>&, Matrix<float>&);
template void add(double, const Vertex<double>&, Matrix<double>&);
template Direction direction_to(const Vertex<float>&, const Matrix<float>&, const Matrix<float>&);
template Direction direction_to(const Vertex<double>&, const Matrix<double>&, const Matrix<double>&);
template Direction direction(const Move<float>&, const Matrix<float>&, const Matrix<float>&);
template Direction direction(const Move<double>&, const Matrix<double>&, const Matrix<double>&);
template void move_towards(const Vertex<float>&, double, Matrix<float>&);
template void move_towards(const Vertex<double>&, double, Matrix<double>&);
template void apply(const Move<float>&, double, Matrix<float>&);
template void apply(const Move<double>&, double, Matrix<double>&);

}  // namespace alfcg
