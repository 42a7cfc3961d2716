#include "objective/factored_move.hpp"

#include "kernels/vector.hpp"

namespace alfcg {

template <class Real>
bool VertexFactors<Real>::take(const Vertex<Real>& vertex) {
    using Kind = typename Vertex<Real>::Kind;
    scale = vertex.kind == Kind::zero ? 0 : vertex.scale;
    switch (vertex.kind) {
        case Kind::zero:
            return true;
        case Kind::one_hot:
            left.assign(static_cast<std::size_t>(vertex.shape.rows), Real(0));
            right.assign(static_cast<std::size_t>(vertex.shape.cols), Real(0));
            left[static_cast<std::size_t>(vertex.index / vertex.shape.cols)] = 1;
            right[static_cast<std::size_t>(vertex.index % vertex.shape.cols)] = 1;
            return true;
        case Kind::rank_one:
            left = vertex.left;
            right = vertex.right;
            return true;
        case Kind::dense:
            break;
    }
    return false;
}

template <class Real>
void VertexFactors<Real>::mix(double step, const Real* projection, Index samples, Index outputs, Real* scores,
                              kernels::ScoreLayout layout) const {
    const double stay = 1 - step;
    const bool by_output = layout.sample_stride == 1;
    const Index runs = by_output ? outputs : samples;
    const Index length = by_output ? samples : outputs;
    const Index stride = by_output ? layout.output_stride : layout.sample_stride;
    const Real* along = by_output ? projection : left.data();
    const Real* across = by_output ? left.data() : projection;
    for (Index k = 0; k < runs; ++k) {
        Real* run = scores + k * stride;
        if (scale == 0) {
            kernels::scale_to(length, stay, run, run);
        } else {
            kernels::axpby(length, step * scale * static_cast<double>(across[k]), along, stay, run);
        }
    }
}

template struct VertexFactors<float>;
template struct VertexFactors<double>;

}  // namespace alfcg
