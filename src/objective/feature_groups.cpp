#include "objective/feature_groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "kernels/patches.hpp"

namespace alfcg {

namespace {

constexpr Index sampled_rows = 256;
// Features, the next most frequent, among which a group's next one is chosen.
constexpr std::size_t most_candidates = 128;

// The samples looked at in which a feature is not zero.
using Presence = std::array<std::uint64_t, sampled_rows / 64>;

int size(const Presence& rows) {
    return std::transform_reduce(rows.begin(), rows.end(), 0, std::plus(),
                                 [](std::uint64_t word) { return std::popcount(word); });
}

int common(const Presence& a, const Presence& b) {
    return std::transform_reduce(a.begin(), a.end(), b.begin(), 0, std::plus(),
                                 [](std::uint64_t p, std::uint64_t q) { return std::popcount(p & q); });
}

template <class Real>
std::vector<Presence> presences(const DenseFeatures<Real>& features, Index seen) {
    std::vector<Presence> present(static_cast<std::size_t>(features.cols()), Presence{});
    for (Index k = 0; k < seen; ++k) {
        const Real* row = features.row(features.rows() * k / seen);
        for (std::size_t j = 0; j < present.size(); ++j)
            if (row[j] != 0) present[j][static_cast<std::size_t>(k / 64)] |= std::uint64_t{1} << (k % 64);
    }
    return present;
}

}  // namespace

// A group starts with the most frequent feature that is left, and grows by the one that makes it least worse: a sample
// more that is not all zero counts twice a zero that has to be stored.
template <class Real>
FeatureGroups group_features(const DenseFeatures<Real>& features) {
    const Index seen = std::min(features.rows(), sampled_rows);
    const auto present = presences(features, seen);
    std::vector<int> sizes(present.size());
    std::transform(present.begin(), present.end(), sizes.begin(), size);
    std::vector<std::size_t> left(present.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::stable_sort(left.begin(), left.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });

    FeatureGroups result;
    result.count = (features.cols() + kernels::patch_width - 1) / kernels::patch_width;
    result.place.resize(present.size());
    Index filled = 0;
    std::size_t next = 0;  // of `left`; those before have a place
    for (Index group = 0; group < result.count; ++group) {
        Presence together{};
        int together_size = 0;
        for (Index k = 0; k < kernels::patch_width && next < left.size(); ++k) {
            const auto cost = [&](std::size_t feature) {
                const int both = common(together, present[feature]);
                return 2 * (sizes[feature] - both) + (together_size - both);
            };
            std::size_t best = next;
            if (k > 0) {
                int least = cost(left[next]);
                const std::size_t end = std::min(left.size(), next + most_candidates);
                for (std::size_t at = next + 1; at < end; ++at) {
                    const int here = cost(left[at]);
                    if (here < least) {
                        least = here;
                        best = at;
                    }
                }
            }
            const std::size_t feature = left[best];
            std::copy_backward(left.begin() + static_cast<std::ptrdiff_t>(next),
                               left.begin() + static_cast<std::ptrdiff_t>(best),
                               left.begin() + static_cast<std::ptrdiff_t>(best + 1));
            ++next;
            result.place[feature] = group * kernels::patch_width + k;
            std::transform(together.begin(), together.end(), present[feature].begin(), together.begin(),
                           std::bit_or());
            together_size = size(together);
        }
        filled += together_size;
    }
    result.filled =
        static_cast<double>(filled) / static_cast<double>(std::max<Index>(seen * result.count, 1));
    return result;
}

template FeatureGroups group_features(const DenseFeatures<float>&);
template FeatureGroups group_features(const DenseFeatures<double>&);

}  // namespace alfcg
