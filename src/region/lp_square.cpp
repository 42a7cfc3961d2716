#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "region/l1_projection.hpp"
#include "region/lp_oracle.hpp"
#include "region/projection_root.hpp"

namespace alfcg::region {

template <class Real>
void lp_square(const Magnitudes<Real>& t, double p, double radius, double weight, int threads,
               AlignedVector<double>& scratch, Vertex<Real>& vertex) {
    // Without the ball: t / weight, wherever that is.
    const auto free = [&](Index i) { return t(i) / weight; };
    if (std::isinf(p))
        return write_dense(
            t, [&](Index i) { return std::min(free(i), radius); }, vertex);
    // Extended range: no product of the three overflows early.
    const double tightness = static_cast<double>(static_cast<long double>(weight) * radius / t.largest());
    if (relative_norm(t, p, threads) <= tightness) return write_dense(t, free, vertex);
    if (p == 1) {
        const L1Projection projection = project_l1(t.size(), t, t.largest(), tightness, scratch);
        return write_dense(
            t, [&](Index i) { return radius * projection(t(i)); }, vertex);
    }
    if (p == 2 || tightness == 0) return lp_linear(t, p, radius, threads, scratch, vertex);

    const auto n = static_cast<std::size_t>(t.size());
    scratch.resize(2 * n);
    const std::span<double> shape(scratch.data(), n);
    const std::span<double> sizes(scratch.data() + n, n);
    for (Index i = 0; i < t.size(); ++i) sizes[static_cast<std::size_t>(i)] = t(i);
    const double factor = radius / project_lp(p, tightness, t.largest(), sizes, shape);
    write_dense(
        t, [&](Index i) { return factor * shape[static_cast<std::size_t>(i)]; }, vertex);
}

template void lp_square(const Magnitudes<float>&, double, double, double, int, AlignedVector<double>&,
                        Vertex<float>&);
template void lp_square(const Magnitudes<double>&, double, double, double, int, AlignedVector<double>&,
                        Vertex<double>&);

}  // namespace alfcg::region
