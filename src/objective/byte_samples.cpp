#include "objective/byte_samples.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/bytes.hpp"

namespace alfcg {

namespace {

// Memory that the copy may always take; beyond, it may add this share to what the data take.
constexpr Index modest_bytes = Index{96} << 20;
constexpr double modest_share = 0.15;
// Rows, spread over all, that give the scale; they also tell soon that data are of another kind.
constexpr Index sampled_rows = 64;

}  // namespace

template <class Real>
ByteSamples<Real>::ByteSamples(Index rows, Index cols, double scale)
    : bytes_(static_cast<std::size_t>(rows * kernels::padded_bytes(cols))),
      cols_(cols),
      stride_(kernels::padded_bytes(cols)),
      scale_(scale) {}

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
    std::vector<Sample> tried(static_cast<std::size_t>(kernels::padded_bytes(cols)));
    for (const double scale : {smallest, largest / 255}) {
        bool fits = std::isnormal(scale);
        for (Index k = 0; k < seen && fits; ++k)
            fits = kernels::whole_multiples(features.row(rows * k / seen), cols, scale, tried.data());
        if (!fits) continue;
        ByteSamples result(rows, cols, scale);
        std::atomic<bool> all = true;
        parallel(threads, [&](int part) {
            const auto [first, last] = alfcg::share(rows, part, threads);
            for (Index i = first; i < last && all; ++i) {
                Sample* to = result.bytes_.data() + i * result.stride_;
                if (!kernels::whole_multiples(features.row(i), cols, scale, to)) all = false;
            }
        });
        if (all) return result;
    }
    return std::nullopt;
}

template class ByteSamples<float>;
template class ByteSamples<double>;

}  // namespace alfcg
