#include "objective/byte_samples.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "kernels/bytes.hpp"

namespace alfcg {

namespace {

// Memory that a copy may always take; beyond, it may add this share to what the data take.
constexpr Index modest_bytes = Index{96} << 20;
constexpr double modest_share = 0.15;
// Rows, spread over all, that give the scale; they also tell soon that data are of another kind.
constexpr Index sampled_rows = 64;

}  // namespace

template <class Real>
std::vector<double> byte_scales(const DenseFeatures<Real>& features) {
    const Index rows = features.rows();
    const Index cols = features.cols();
    const Index seen = std::min(rows, sampled_rows);
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (Index k = 0; k < seen; ++k) {
        const Real* row = features.row(rows * k / seen);
        for (Index j = 0; j < cols; ++j) {
            if (!(row[j] >= 0) || !std::isfinite(row[j])) return {};
            const auto value = static_cast<double>(row[j]);
            if (value > 0) smallest = std::min(smallest, value);
            largest = std::max(largest, value);
        }
    }
    std::vector<double> scales;
    std::vector<std::uint8_t> tried(static_cast<std::size_t>(kernels::padded_bytes(cols)));
    for (const double scale : {smallest, largest / 255}) {
        bool fits = largest > 0 && std::isnormal(scale);
        for (Index k = 0; k < seen && fits; ++k)
            fits = kernels::whole_multiples(features.row(rows * k / seen), cols, scale, tried.data());
        if (fits) scales.push_back(scale);
    }
    return scales;
}

template <class Real>
bool is_modest(Index bytes, const DenseFeatures<Real>& features, Index memory) {
    const double data_bytes = static_cast<double>(features.rows() * features.cols()) * sizeof(Real);
    return bytes <= memory &&
           (bytes <= modest_bytes || static_cast<double>(bytes) <= modest_share * data_bytes);
}

template <class Real>
ByteSamples<Real>::ByteSamples(Index rows, Index cols, double scale)
    : cols_(cols), stride_(kernels::padded_bytes(cols)), scale_(scale) {
    bytes_.extend(static_cast<std::size_t>(rows * stride_));
}

template <class Real>
std::optional<ByteSamples<Real>> ByteSamples<Real>::of(const DenseFeatures<Real>& features, int threads,
                                                       Index memory) {
    const Index rows = features.rows();
    const Index cols = features.cols();
    if (!is_modest(rows * kernels::padded_bytes(cols), features, memory)) return std::nullopt;
    for (const double scale : byte_scales(features)) {
        ByteSamples result(rows, cols, scale);
        std::atomic<bool> all = true;
        parallel(threads, [&](int part) {
            const auto [first, last] = range_of_part(rows, part, threads);
            for (Index i = first; i < last && all; ++i) {
                Sample* to = result.bytes_.data() + i * result.stride_;
                if (!kernels::whole_multiples(features.row(i), cols, scale, to)) all = false;
            }
        });
        if (all) return result;
    }
    return std::nullopt;
}

template std::vector<double> byte_scales(const DenseFeatures<float>&);
template std::vector<double> byte_scales(const DenseFeatures<double>&);
template bool is_modest(Index, const DenseFeatures<float>&, Index);
template bool is_modest(Index, const DenseFeatures<double>&, Index);
template class ByteSamples<float>;
template class ByteSamples<double>;

}  // namespace alfcg
