#include "solve/iterate.hpp"

namespace alfcg {

namespace {

// Calls visit(offset, count, scale, entries) for stretches of the vertex that are a multiple of an array, or
// the origin (entries = nullptr). A one-hot vertex is the origin here: its one entry is the caller's
// business.
template <class Real, class Visit>
void for_each_stretch(const Vertex<Real>& vertex, const Visit& visit) {
    const Index rows = vertex.shape.rows;
    const Index cols = vertex.shape.cols;
    switch (vertex.kind) {
        case Vertex<Real>::Kind::zero:
        case Vertex<Real>::Kind::one_hot:
            visit(0, rows * cols, 0.0, static_cast<const Real*>(nullptr));
            break;
        case Vertex<Real>::Kind::dense:
            visit(0, rows * cols, 1.0, vertex.dense.data());
            break;
        case Vertex<Real>::Kind::rank_one:
            for (Index i = 0; i < rows; ++i) {
                const double factor =
                    vertex.scale * static_cast<double>(vertex.left[static_cast<std::size_t>(i)]);
                visit(i * cols, cols, factor, vertex.right.data());
            }
            break;
    }
}

}  // namespace

template <class Real>
kernels::Direction direction_to(const Vertex<Real>& vertex, const Matrix<Real>& gradient,
                                const Matrix<Real>& x) {
    kernels::Direction total;
    const auto add = [&](Index offset, Index count, double scale, const Real* entries) {
        const auto part =
            kernels::direction(count, gradient.data() + offset, x.data() + offset, scale, entries);
        total.slope += part.slope;
        total.length_squared += part.length_squared;
    };
    if (vertex.kind == Vertex<Real>::Kind::one_hot) {
        // The stretches before and after the one entry, and the entry itself: no cancellation in ‖v − x‖².
        const Index k = vertex.index;
        add(0, k, 0, nullptr);
        add(k + 1, x.size() - k - 1, 0, nullptr);
        const double d = vertex.scale - static_cast<double>(x.data()[k]);
        total.slope += static_cast<double>(gradient.data()[k]) * d;
        total.length_squared += d * d;
        return total;
    }
    for_each_stretch(vertex, add);
    return total;
}

template <class Real>
void move_towards(const Vertex<Real>& vertex, double step, Matrix<Real>& x) {
    if (step == 0) return;
    for_each_stretch(vertex, [&](Index offset, Index count, double scale, const Real* entries) {
        kernels::move_towards(count, step, scale, entries, x.data() + offset);
    });
    if (vertex.kind == Vertex<Real>::Kind::one_hot)
        x.data()[vertex.index] += static_cast<Real>(step * vertex.scale);
}

template kernels::Direction direction_to(const Vertex<float>&, const Matrix<float>&, const Matrix<float>&);
template kernels::Direction direction_to(const Vertex<double>&, const Matrix<double>&, const Matrix<double>&);
template void move_towards(const Vertex<float>&, double, Matrix<float>&);
template void move_towards(const Vertex<double>&, double, Matrix<double>&);

}  // namespace alfcg
