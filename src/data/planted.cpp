#include "alfcg/data/planted.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace alfcg {

template <class Real>
Planted<Real> planted_low_rank(const PlantedOptions& options) {
    std::mt19937_64 generator(options.seed);
    std::normal_distribution<double> normal;
    const auto draw = [&](Index rows, Index cols) {
        Matrix<double> result(rows, cols);
        for (double& entry : result.span()) entry = normal(generator);
        return result;
    };
    const Matrix<double> left = draw(options.classes, options.rank);
    const Matrix<double> right = draw(options.rank, options.features);
    // Scores of standard deviation 1.
    const double unit = 1 / std::sqrt(static_cast<double>(options.rank * options.features));
    Planted<Real> planted{{}, Matrix<Real>(options.classes, options.features)};
    for (Index l = 0; l < options.classes; ++l)
        for (Index j = 0; j < options.features; ++j) {
            double weight = 0;
            for (Index k = 0; k < options.rank; ++k) weight += unit * left(l, k) * right(k, j);
            planted.truth(l, j) = static_cast<Real>(weight);
        }

    Buffer<Real> entries(static_cast<std::size_t>(options.rows * options.features));
    std::vector<double> scores(static_cast<std::size_t>(options.classes));
    for (Index i = 0; i < options.rows; ++i) {
        Real* x = entries.data() + i * options.features;
        for (Index j = 0; j < options.features; ++j) x[j] = static_cast<Real>(normal(generator));
        for (Index l = 0; l < options.classes; ++l) {
            double score = options.noise * normal(generator);
            for (Index j = 0; j < options.features; ++j) {
                score += static_cast<double>(planted.truth(l, j)) * static_cast<double>(x[j]);
            }
            scores[static_cast<std::size_t>(l)] = score;
        }
        planted.data.labels.push(
            static_cast<double>(std::max_element(scores.begin(), scores.end()) - scores.begin()));
    }
    planted.data.name = "planted low-rank data";
    planted.data.features = DenseFeatures<Real>(std::move(entries), options.rows, options.features);
    return planted;
}

template Planted<float> planted_low_rank(const PlantedOptions&);
template Planted<double> planted_low_rank(const PlantedOptions&);

}  // namespace alfcg
