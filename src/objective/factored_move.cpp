#include "objective/factored_move.hpp"

#include "kernels/vector.hpp"

namespace alfcg {

template <class Real>
bool VertexFactors<Real>::take(const Vertex<Real>& vertex) {
    using Kind = typename Vertex<Real>::Kind;
    const auto take_entry = [&](Index position, double value) {
        scale = value;
        left.assign(static_cast<std::size_t>(vertex.shape.rows), Real(0));
        right.assign(static_cast<std::size_t>(vertex.shape.cols), Real(0));
        left[static_cast<std::size_t>(position / vertex.shape.cols)] = 1;
        right[static_cast<std::size_t>(position % vertex.shape.cols)] = 1;
    };
    if (vertex.rank() < 0 || vertex.rank() > 1) return false;
    scale = 0;
    if (vertex.rank() == 0) return true;
    switch (vertex.kind) {
        case Kind::one_hot:
            take_entry(vertex.index, vertex.scale);
            break;
        case Kind::sparse:
            take_entry(vertex.positions.front(), static_cast<double>(vertex.values.front()));
            break;
        default:
            scale = vertex.kind == Kind::rank_one ? vertex.scale : vertex.scales.front();
            left = vertex.left;
            right = vertex.right;
    }
    return true;
}

template <class Real>
void VertexFactors<Real>::mix(double keep, double coefficient, const Real* projection, Index samples,
                              Index outputs, Real* scores, kernels::ScoreLayout layout) const {
    const bool by_output = layout.sample_stride == 1;
    const Index runs = by_output ? outputs : samples;
    const Index length = by_output ? samples : outputs;
    const Index stride = by_output ? layout.output_stride : layout.sample_stride;
    const Real* along = by_output ? projection : left.data();
    const Real* across = by_output ? left.data() : projection;
    for (Index k = 0; k < runs; ++k) {
        Real* run = scores + k * stride;
        if (scale == 0) {
            kernels::scale_to(length, keep, run, run);
        } else {
            kernels::axpby(length, coefficient * scale * static_cast<double>(across[k]), along, keep, run);
        }
    }
}

template <class Real>
bool FactoredMove<Real>::take(const MadeMove<Real>& made) {
    if (made.atoms != 1 || !vertex.take(made.atom[0])) return false;
    keep = made.keep;
    coefficient = made.coefficient[0];
    return true;
}

template struct VertexFactors<float>;
template struct VertexFactors<double>;
template struct FactoredMove<float>;
template struct FactoredMove<double>;

}  // namespace alfcg
