#include "objective/byte_samples.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"

namespace alfcg {

namespace {

constexpr double most = 255;
// Memory that the copy may always take; beyond, it may add this share to what the data take.
constexpr Index modest_bytes = Index{96} << 20;
constexpr double modest_share = 0.15;
// Rows, spread over all, that give the scale; they also tell soon that data are of another kind.
constexpr Index sampled_rows = 64;

// Which multiple of `scale` x is, up to 255, and whether it is one at all, but for rounding. Without a branch, so that a
// row can be looked at in vectors.
template <class Real>
struct Multiple {
    Multiple(Real x, double scale, double inverse) {
        const auto value = static_cast<double>(x);
        const double bounded = value * inverse < most ? value * inverse : most;
        number = static_cast<std::int32_t>((bounded > 0 ? bounded : 0) + 0.5);
        const double nearest = number * scale;
        whole = std::abs(value - nearest) <= 4 * std::numeric_limits<Real>::epsilon() * nearest;
    }
    std::int32_t number;
    bool whole;
};

}  // namespace

template <class Real>
ByteSamples<Real>::ByteSamples(Index rows, Index cols, double scale)
    : bytes_(static_cast<std::size_t>(rows * kernels::padded_bytes(cols))),
      cols_(cols),
      stride_(kernels::padded_bytes(cols)),
      scale_(scale) {}

template <class Real>
bool ByteSamples<Real>::take(Index i, const Real* row) {
    Sample* to = bytes_.data() + i * stride_;
    const double inverse = 1 / scale_;
    std::int32_t others = 0;
    for (Index j = 0; j < cols_; ++j) {
        const Multiple<Real> multiple(row[j], scale_, inverse);
        to[j] = static_cast<Sample>(multiple.number);
        others += multiple.whole ? 0 : 1;
    }
    std::fill(to + cols_, to + stride_, Sample{0});
    return others == 0;
}

template <class Real>
std::optional<ByteSamples<Real>> ByteSamples<Real>::of(const DenseFeatures<Real>& features, int threads) {
    const Index rows = features.rows();
    const Index cols = features.cols();
    const Index bytes = rows * kernels::padded_bytes(cols);
    const double data_bytes = static_cast<double>(rows * cols) * sizeof(Real);
    if (bytes > modest_bytes && static_cast<double>(bytes) > modest_share * data_bytes) return std::nullopt;
    const Index seen = std::min(rows, sampled_rows);
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (Index k = 0; k < seen; ++k) {
        const Real* row = features.row(rows * k / seen);
        for (Index j = 0; j < cols; ++j) {
            if (!(row[j] >= 0) || !std::isfinite(row[j])) return std::nullopt;
            const auto value = static_cast<double>(row[j]);
            if (value > 0) smallest = std::min(smallest, value);
            largest = std::max(largest, value);
        }
    }
    if (largest == 0) return std::nullopt;
    for (const double scale : {smallest, largest / most}) {
        bool fits = std::isnormal(scale);
        for (Index k = 0; k < seen && fits; ++k) {
            const Real* row = features.row(rows * k / seen);
            fits = std::all_of(row, row + cols,
                               [&](Real x) { return Multiple<Real>(x, scale, 1 / scale).whole; });
        }
        if (!fits) continue;
        ByteSamples result(rows, cols, scale);
        std::atomic<bool> all = true;
        parallel(threads, [&](int part) {
            const auto [first, last] = alfcg::share(rows, part, threads);
            for (Index i = first; i < last && all; ++i)
                if (!result.take(i, features.row(i))) all = false;
        });
        if (all) return result;
    }
    return std::nullopt;
}

template class ByteSamples<float>;
template class ByteSamples<double>;

}  // namespace alfcg
