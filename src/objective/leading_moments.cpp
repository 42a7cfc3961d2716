#include "objective/leading_moments.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/decompositions.hpp"
#include "data/random_stream.hpp"
#include "data/row_access.hpp"
#include "objective/row_moments.hpp"

namespace alfcg {

namespace {

// Rows that are looked at.
constexpr Index most_rows = 1024;
// Features, up to which all directions are found.
constexpr Index few_directions = 128;
// Directions beyond; and more that are looked at so that these are found.
constexpr Index most_directions = 96;
constexpr Index spare_directions = 8;
constexpr int rounds = 2;
// A product with one direction costs as much as this many entries of the data; fewer directions than these are none.
constexpr Index entries_per_direction = 4;
constexpr Index least_directions = 8;
// Numbers for each entry of a direction, while they are found.
constexpr Index copies = 6;
// What is left of the spectrum is at least this share of its mean.
constexpr double least_rest = 1e-2;

using Columns = Eigen::MatrixXd;  // one direction each
// A matrix with one direction a row, as Eigen sees it: by columns.
template <class Real>
using Directions = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// Products with the second moments of some rows.
template <class Real>
class Moments {
  public:
    Moments(const Features<Real>& features, const Real* weights, const std::vector<double>& centre,
            Index directions, const RowShare& here, int threads)
        : ranks_(here.ranks),
          centre_(Eigen::Map<const Eigen::VectorXd>(centre.data(), std::ssize(centre))),
          in_(directions, cols(features)) {
        const Index count = std::min(here.total, most_rows);
        std::vector<Index> rows;
        std::vector<double> shares;
        for (Index k = 0; k < count; ++k) {
            const Index row = here.total * k / count - here.first;
            if (row < 0 || row >= here.own) continue;
            rows.push_back(row);
            shares.push_back(weights == nullptr ? 1 : static_cast<double>(weights[row]));
        }
        const double total = sum_over(ranks_, std::accumulate(shares.begin(), shares.end(), 0.0));
        if (!(total > 0)) return;
        for (double& share : shares) share /= total;
        std::visit(
            [&](const auto& own) {
                for (std::size_t k = 0; k < rows.size(); ++k)
                    for_each_entry(own, rows[k], [&](Index /*column*/, Real value) {
                        trace_ += shares[k] * static_cast<double>(value) * static_cast<double>(value);
                    });
            },
            features);
        trace_ = sum_over(ranks_, trace_) - centre_.squaredNorm();
        if (!rows.empty()) rows_.emplace(features, std::move(rows), std::move(shares), directions, threads);
    }

    [[nodiscard]] double trace() const { return trace_; }

    [[nodiscard]] Columns times(const Columns& in) {
        Eigen::Map<Directions<Real>>(in_.data(), in.rows(), in.cols()) = in.cast<Real>();
        if (rows_) {
            rows_->times(in_, out_);
        } else {
            out_.reshape(in_.shape());
            out_.fill(0);
        }
        sum_over(ranks_, out_.span());
        Columns out =
            Eigen::Map<const Directions<Real>>(out_.data(), in.rows(), in.cols()).template cast<double>();
        if (centre_.size() > 0) out -= centre_ * (centre_.transpose() * in);
        return out;
    }

  private:
    Ranks* ranks_;
    Eigen::VectorXd centre_;
    double trace_ = 0;
    std::optional<RowMoments<Real>> rows_;
    Matrix<Real> in_;
    Matrix<Real> out_;
};

}  // namespace

template <class Real>
std::optional<SecondMoments<Real>> leading_moments(const Features<Real>& features, const Real* weights,
                                                   const std::vector<double>& centre, Index entries,
                                                   const RowShare& rows, int threads, Index memory) {
    const Index width = cols(features);
    const bool whole = width <= few_directions;
    const Index kept = whole ? width
                             : std::min({most_directions, entries / (entries_per_direction * width),
                                         memory / (copies * static_cast<Index>(sizeof(double)) * width)});
    if (!whole && kept < least_directions) return std::nullopt;
    const Index looked_at = whole ? width : kept + spare_directions;
    Moments<Real> moments(features, weights, centre, looked_at, rows, threads);
    if (!(moments.trace() > 0 && std::isfinite(moments.trace()))) return std::nullopt;
    const double mean = moments.trace() / static_cast<double>(width);

    Columns basis = Columns::Identity(width, looked_at);
    Columns products;
    if (whole) {
        products = moments.times(basis);
    } else {
        // Subspace iteration from a fixed random start: the answer is a function of the data.
        RandomStream stream(0, 0);
        for (double& entry : basis.reshaped()) entry = stream.normal_pair().first;
        products = basis;
        for (int round = 0; round < rounds; ++round) {
            basis = orthonormal_columns(products);
            products = moments.times(basis);
        }
    }
    const Columns projected = basis.transpose() * products;
    const SymmetricPairs pairs((projected + projected.transpose()) / 2);
    if (!pairs.converged() || !pairs.eigenvalues().allFinite()) return std::nullopt;

    SecondMoments<Real> found;
    found.vectors.reshape({kept, width});
    Eigen::Map<Directions<Real>>(found.vectors.data(), width, kept) =
        (basis * pairs.eigenvectors().rightCols(kept)).template cast<Real>();
    const Eigen::VectorXd values = pairs.eigenvalues().tail(kept);
    const double left = moments.trace() - values.sum();
    found.rest = std::max(whole ? 0 : left / static_cast<double>(width - kept), least_rest * mean);
    for (const double value : values) found.values.push_back(std::max(value, found.rest));
    return found;
}

template std::optional<SecondMoments<float>> leading_moments(const Features<float>&, const float*,
                                                             const std::vector<double>&, Index,
                                                             const RowShare&, int, Index);
template std::optional<SecondMoments<double>> leading_moments(const Features<double>&, const double*,
                                                              const std::vector<double>&, Index,
                                                              const RowShare&, int, Index);

}  // namespace alfcg
