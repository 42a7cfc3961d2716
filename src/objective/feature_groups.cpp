#include "objective/feature_groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "kernels/patches.hpp"

namespace alfcg {

namespace {

constexpr Index seen_rows = 256;
// Features, the next most frequent, among which a group's next one is chosen.
constexpr std::ptrdiff_t most_candidates = 128;

// The samples looked at in which a feature is not zero.
using Presence = std::array<std::uint64_t, seen_rows / 64>;

int count(const Presence& rows) {
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

// Features that are in one group.
struct Group {
    Presence rows{};
    int size = 0;

    // How much worse it gets with another feature: a sample more that is not all zero counts twice a zero that has to be
    // stored.
    [[nodiscard]] int cost(const Presence& feature, int feature_size) const {
        const int both = common(rows, feature);
        return 2 * (feature_size - both) + (size - both);
    }
    void add(const Presence& feature) {
        std::transform(rows.begin(), rows.end(), feature.begin(), rows.begin(), std::bit_or());
        size = count(rows);
    }
};

}  // namespace

// A group starts with the most frequent feature that is left, and grows by the one that makes it least worse.
template <class Real>
FeatureGroups group_features(const DenseFeatures<Real>& features) {
    const Index seen = std::min(features.rows(), seen_rows);
    const auto present = presences(features, seen);
    std::vector<int> sizes(present.size());
    std::transform(present.begin(), present.end(), sizes.begin(), count);
    std::vector<std::size_t> left(present.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::stable_sort(left.begin(), left.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });

    FeatureGroups result;
    result.count = (features.cols() + kernels::patch_width - 1) / kernels::patch_width;
    result.place.resize(present.size());
    result.feature.reserve(present.size());
    Index filled = 0;
    std::size_t next = 0;  // of `left`; those before have a place
    for (Index group = 0; group < result.count; ++group) {
        Group together;
        for (Index k = 0; k < kernels::patch_width && next < left.size(); ++k) {
            // The first in any case, so that groups start with what is frequent.
            const auto begin = left.begin() + static_cast<std::ptrdiff_t>(next);
            const auto end =
                k == 0 ? begin + 1 : begin + std::min<std::ptrdiff_t>(most_candidates, left.end() - begin);
            const auto best = std::min_element(begin, end, [&](std::size_t a, std::size_t b) {
                return together.cost(present[a], sizes[a]) < together.cost(present[b], sizes[b]);
            });
            together.add(present[*best]);
            result.place[*best] = group * kernels::patch_width + k;
            result.feature.push_back(static_cast<std::int32_t>(*best));
            std::rotate(begin, best, best + 1);
            ++next;
        }
        filled += together.size;
    }
    result.filled =
        static_cast<double>(filled) / static_cast<double>(std::max<Index>(seen * result.count, 1));
    return result;
}

template FeatureGroups group_features(const DenseFeatures<float>&);
template FeatureGroups group_features(const DenseFeatures<double>&);

}  // namespace alfcg
