#include "corrective/nuclear_point.hpp"

#include <algorithm>
#include <cmath>

#include "core/decompositions.hpp"

namespace alfcg::faces {

namespace {

// Of the largest singular value: what rounding leaves of others in a Gram matrix.
constexpr double least_share = 1e-7;

}  // namespace

void lower(double radius, Eigen::VectorXd& values) {
    const double top = values(0);
    double depths = 0;
    double left = 0;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        depths += top - values(i);
        const double wanted = (radius + depths) / static_cast<double>(i + 1);
        if (wanted <= top - values(i)) break;
        left = wanted;
    }
    values = (left - (top - values.array())).max(0);
    if (const double sum = values.sum(); sum > radius) values *= radius / sum;
}

double largest_singular_value(const Dense& g) {
    if (g.size() == 0) return 0;
    const auto gram = product<Eigen::MatrixXd>(g, g.transpose());
    return std::sqrt(std::max(symmetric_values(gram).tail(1)(0), 0.0));
}

Spectrum shrink(double threshold, double radius, Eigen::Index rank, Dense& w) {
    const auto gram = product<Eigen::MatrixXd>(w, w.transpose());
    const SymmetricPairs solver(gram);
    const Eigen::VectorXd found = solver.eigenvalues().reverse().cwiseMax(0).cwiseSqrt();
    Eigen::VectorXd values = (found.array() - threshold).max(0);
    values.tail(std::max<Eigen::Index>(values.size() - rank, 0)).setZero();
    if (values.sum() > radius) lower(radius, values);
    const double least = least_share * found(0);
    Eigen::Index count = 0;
    while (count < values.size() && values(count) > 0 && found(count) > least) ++count;

    Spectrum spectrum;
    spectrum.values = values.head(count);
    spectrum.left = solver.eigenvectors().rowwise().reverse().leftCols(count);
    if (count == w.rows() && values == found) return spectrum;
    const Eigen::VectorXd factors = spectrum.values.cwiseQuotient(found.head(count));
    const Dense scaled = spectrum.left * factors.asDiagonal();
    w = product<Dense>(product<Dense>(scaled, spectrum.left.transpose()), w);
    return spectrum;
}

}  // namespace alfcg::faces
