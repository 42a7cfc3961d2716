#include "objective/patch_samples.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "kernels/bytes.hpp"
#include "objective/byte_samples.hpp"

namespace alfcg {

namespace {

using kernels::mask_groups;
using kernels::patch_rows;
using kernels::patch_width;

// Share of the groups that may be stored: beyond, plain bytes are as fast.
constexpr double most_filled = 0.7;

}  // namespace

template <class Real>
PatchSamples<Real>::PatchSamples(Index rows, FeatureGroups groups, double scale)
    : groups_(std::move(groups)), scale_(scale), rows_(static_cast<std::size_t>(rows)) {
    store_.extend(static_cast<std::size_t>(rows * (mask_size() + groups_.count) * patch_width));
}

template <class Real>
std::optional<PatchSamples<Real>> PatchSamples<Real>::of(const DenseFeatures<Real>& features, int threads,
                                                         Index memory) {
    const auto scales = byte_scales(features);
    if (scales.empty()) return std::nullopt;
    const FeatureGroups groups = group_features(features);
    const Index mask = mask_size(groups.count);
    const auto rows = static_cast<double>(features.rows());
    const double patches =
        rows * (static_cast<double>(mask) + groups.filled * static_cast<double>(groups.count));
    if (groups.filled > most_filled ||
        !is_modest(static_cast<Index>(patches * patch_width), features, memory) ||
        features.rows() * (mask + groups.count) > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    for (const double scale : scales) {
        PatchSamples result(features.rows(), groups, scale);
        if (result.take(features, threads)) return result;
    }
    return std::nullopt;
}

template <class Real>
bool PatchSamples<Real>::take(const DenseFeatures<Real>& features, int threads) {
    std::atomic<bool> all = true;
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(features.rows(), part, threads);
        if (!take_rows(features, first, last)) all = false;
    });
    if (!all) return false;
    const Index blocks = (features.rows() + patch_rows - 1) / patch_rows;
    group_rows_.resize(static_cast<std::size_t>(blocks * groups() * kernels::row_words));
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(blocks, part, threads);
        for (Index b = first; b < last; ++b) find_groups(b);
    });
    const Index stored = std::transform_reduce(rows_.begin(), rows_.end(), Index{0}, std::plus(),
                                               [](const RowPlace& row) { return Index{row.patches}; });
    filled_ = static_cast<double>(stored) / static_cast<double>(std::ssize(rows_) * groups());
    return true;
}

template <class Real>
bool PatchSamples<Real>::take_rows(const DenseFeatures<Real>& features, Index first, Index last) {
    RowScratch scratch(groups());
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(kernels::padded_bytes(cols())));
    Index start = first * (mask_size() + groups());
    for (Index i = first; i < last; ++i) {
        if (!kernels::whole_multiples(features.row(i), cols(), scale_, bytes.data())) return false;
        const Index patches = take_row(bytes, start, scratch);
        rows_[static_cast<std::size_t>(i)] = {static_cast<std::uint32_t>(start),
                                              static_cast<std::uint32_t>(patches)};
        start += mask_size() + patches;
    }
    return true;
}

template <class Real>
void PatchSamples<Real>::find_groups(Index block) {
    std::array<kernels::PatchedRow, patch_rows> rows{};
    const Index count = std::min(patch_rows, std::ssize(rows_) - block * patch_rows);
    for (Index i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = row(block * patch_rows + i);
    kernels::find_groups({rows.data(), count, groups()},
                         group_rows_.data() + block * groups() * kernels::row_words);
}

// Returns how many patches the row has.
template <class Real>
Index PatchSamples<Real>::take_row(const std::vector<std::uint8_t>& bytes, Index start, RowScratch& scratch) {
    constexpr Index step = sizeof(std::uint64_t);
    for (Index j = 0; j < std::ssize(bytes); j += step) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + j, sizeof word);
        if (word == 0) continue;
        for (Index k = j; k < std::min(j + step, cols()); ++k) {
            const std::uint8_t byte = bytes[static_cast<std::size_t>(k)];
            const Index group = place(k) / patch_width;
            scratch.spread[static_cast<std::size_t>(place(k))] = byte;
            scratch.mask[static_cast<std::size_t>(group / mask_groups)] |= std::uint64_t{byte != 0}
                                                                           << (group % mask_groups);
        }
    }
    std::uint8_t* to = store_.data() + start * patch_width;
    std::memcpy(to, scratch.mask.data(), scratch.mask.size() * sizeof(std::uint64_t));
    to += mask_size() * patch_width;
    Index patches = 0;
    for (std::size_t w = 0; w < scratch.mask.size(); ++w) {
        for (std::uint64_t& left = scratch.mask[w]; left != 0; left &= left - 1) {
            const Index group = static_cast<Index>(w) * mask_groups + std::countr_zero(left);
            std::uint8_t* from = scratch.spread.data() + group * patch_width;
            to = std::copy_n(from, patch_width, to);
            std::fill_n(from, patch_width, std::uint8_t{0});
            ++patches;
        }
    }
    return patches;
}

template class PatchSamples<float>;
template class PatchSamples<double>;

}  // namespace alfcg
