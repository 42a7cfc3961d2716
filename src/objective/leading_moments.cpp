#include "objective/leading_moments.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/threads.hpp"
#include "data/random_stream.hpp"
#include "data/row_access.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

namespace {

// Rows that are looked at.
constexpr Index most_rows = 2048;
// Features, up to which all directions are found.
constexpr Index few_directions = 128;
// Directions beyond; and more that are looked at so that these are found.
constexpr Index most_directions = 96;
constexpr Index spare_directions = 8;
constexpr int rounds = 3;
// A product with one direction costs as much as this many entries of the data; fewer directions than these are none.
constexpr Index entries_per_direction = 4;
constexpr Index least_directions = 8;
// What is left of the spectrum is at least this share of its mean.
constexpr double least_rest = 1e-2;

using Columns = Eigen::MatrixXd;  // one direction each

/// Products with the second moments of some rows.
template <class Real>
class Moments {
  public:
    Moments(const Features<Real>& features, const Real* weights, const std::vector<double>& centre,
            Index directions, int threads)
        : weights_(weights),
          centre_(Eigen::Map<const Eigen::VectorXd>(centre.data(), std::ssize(centre))),
          directions_(directions),
          threads_(resolve_threads(threads)),
          engine_(row_engine(features, directions, threads_, Use::once)),
          in_(directions, cols(features)),
          out_(directions, cols(features)) {
        const Index all = alfcg::rows(features);
        const Index count = std::min(all, most_rows);
        rows_.reserve(static_cast<std::size_t>(count));
        for (Index i = 0; i < count; ++i) rows_.push_back(all * i / count);
        double sum = 0;
        std::visit(
            [&](const auto& own) {
                for (const Index i : rows_) {
                    total_ += weight(i);
                    for_each_entry(own, i, [&](Index /*column*/, Real value) {
                        sum += weight(i) * static_cast<double>(value) * static_cast<double>(value);
                    });
                }
            },
            features);
        if (total_ > 0) trace_ = std::max(sum / total_ - centre_.squaredNorm(), 0.0);
    }

    [[nodiscard]] double trace() const { return trace_; }

    [[nodiscard]] Columns times(const Columns& in) {
        Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>>(in_.data(), in.rows(), in.cols()) =
            in.cast<Real>();
        const Selection selection{rows_.data(), std::ssize(rows_)};
        const int threads = engine_->begin(selection, {directions_}, threads_);
        engine_->prepare(0, in_.data(), directions_);
        engine_->open_gradient(out_.data(), 0);
        const auto layout = engine_->layout(directions_);
        std::vector<AlignedVector<Real>> blocks(static_cast<std::size_t>(threads));
        for (auto& block : blocks) block.resize(static_cast<std::size_t>(engine_->score_size(directions_)));
        engine_->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
            Real* block = blocks[static_cast<std::size_t>(part)].data();
            engine_->open_partial_sum(part, piece);
            const auto [first, last] = engine_->piece(piece);
            for (Index begin = first; begin < last; begin += engine_->block()) {
                const RowRange range{begin, std::min(engine_->block(), last - begin)};
                engine_->score(part, 0, range, block);
                for (Index i = 0; i < range.count; ++i) {
                    const auto factor = static_cast<Real>(weight(selection.row(begin + i)) / total_);
                    for (Index l = 0; l < directions_; ++l)
                        block[i * layout.sample_stride + l * layout.output_stride] *= factor;
                }
                engine_->add(part, range, block, layout, {last, 0});
            }
        });
        engine_->close_gradient();
        Columns out = Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>>(
                          out_.data(), in.rows(), in.cols())
                          .template cast<double>();
        if (centre_.size() > 0) out -= centre_ * (centre_.transpose() * in);
        return out;
    }

  private:
    [[nodiscard]] double weight(Index row) const {
        return weights_ == nullptr ? 1 : static_cast<double>(weights_[row]);
    }

    const Real* weights_;
    Eigen::VectorXd centre_;
    Index directions_;
    int threads_;
    std::unique_ptr<RowEngine<Real>> engine_;
    std::vector<Index> rows_;
    double total_ = 0;
    double trace_ = 0;
    Matrix<Real> in_;
    Matrix<Real> out_;
};

Columns orthonormal(const Columns& columns) {
    return Eigen::HouseholderQR<Columns>(columns).householderQ() *
           Columns::Identity(columns.rows(), columns.cols());
}

}  // namespace

template <class Real>
std::optional<SecondMoments<Real>> leading_moments(const Features<Real>& features, const Real* weights,
                                                   const std::vector<double>& centre, int threads) {
    const Index width = cols(features);
    const bool whole = width <= few_directions;
    const Index kept =
        whole ? width : std::min(most_directions, entries_of(features) / (entries_per_direction * width));
    if (!whole && kept < least_directions) return std::nullopt;
    const Index looked_at = whole ? width : kept + spare_directions;
    Moments<Real> moments(features, weights, centre, looked_at, threads);
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
            basis = orthonormal(products);
            products = moments.times(basis);
        }
    }
    const Columns projected = basis.transpose() * products;
    const Eigen::SelfAdjointEigenSolver<Columns> pairs((projected + projected.transpose()) / 2);
    if (pairs.info() != Eigen::Success || !pairs.eigenvalues().allFinite()) return std::nullopt;

    SecondMoments<Real> found;
    found.vectors.reshape({kept, width});
    Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>>(found.vectors.data(), width, kept) =
        (basis * pairs.eigenvectors().rightCols(kept)).template cast<Real>();
    const Eigen::VectorXd values = pairs.eigenvalues().tail(kept);
    const double left = moments.trace() - values.sum();
    found.rest = std::max(whole ? 0 : left / static_cast<double>(width - kept), least_rest * mean);
    for (const double value : values) found.values.push_back(std::max(value, found.rest));
    return found;
}

template std::optional<SecondMoments<float>> leading_moments(const Features<float>&, const float*,
                                                             const std::vector<double>&, int);
template std::optional<SecondMoments<double>> leading_moments(const Features<double>&, const double*,
                                                              const std::vector<double>&, int);

}  // namespace alfcg
