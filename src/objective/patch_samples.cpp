#include "objective/patch_samples.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "kernels/bytes.hpp"
#include "objective/byte_samples.hpp"

namespace alfcg {

namespace {

using kernels::patch_rows;
using kernels::patch_width;

// Share of the groups that may be stored: beyond, plain bytes are as fast.
constexpr double most_filled = 0.7;
// So that lists of a block's patches stay small.
constexpr Index most_groups = 4096;
constexpr Index patch_bytes = patch_width + sizeof(std::uint16_t) + sizeof(kernels::PatchPlace);

}  // namespace

template <class Real>
PatchSamples<Real>::PatchSamples(Index rows, FeatureGroups groups, double scale)
    : groups_(std::move(groups)), scale_(scale), rows_(static_cast<std::size_t>(rows)) {
    const Index blocks = (rows + patch_rows - 1) / patch_rows;
    store_.extend(static_cast<std::size_t>(rows * row_size(groups_.count) * patch_width));
    places_.extend(static_cast<std::size_t>(rows * groups_.count));
    bounds_.extend(static_cast<std::size_t>(blocks * (groups_.count + 1)));
    first_.resize(static_cast<std::size_t>(blocks));
}

template <class Real>
std::optional<PatchSamples<Real>> PatchSamples<Real>::of(const DenseFeatures<Real>& features, int threads) {
    const auto scales = byte_scales(features);
    if (scales.empty() || features.cols() > most_groups * patch_width) return std::nullopt;
    const FeatureGroups groups = group_features(features);
    if (features.rows() * row_size(groups.count) > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    const double patches = groups.filled * static_cast<double>(features.rows() * groups.count);
    if (groups.filled > most_filled || !is_modest(static_cast<Index>(patches * patch_bytes), features))
        return std::nullopt;
    for (const double scale : scales) {
        PatchSamples result(features.rows(), groups, scale);
        if (result.take(features, threads)) return result;
    }
    return std::nullopt;
}

template <class Real>
kernels::PatchOrder PatchSamples<Real>::order(Index b) const {
    const std::uint32_t* bounds = bounds_.data() + b * (groups() + 1);
    return {places_.data() + first_[static_cast<std::size_t>(b)], bounds, bounds + 1, groups()};
}

template <class Real>
bool PatchSamples<Real>::take(const DenseFeatures<Real>& features, int threads) {
    std::atomic<bool> all = true;
    parallel(threads, [&](int part) {
        const auto [first, last] = alfcg::share(static_cast<Index>(first_.size()), part, threads);
        if (!take_blocks(features, first, last)) all = false;
    });
    if (!all) return false;
    const Index stored = std::transform_reduce(rows_.begin(), rows_.end(), Index{0}, std::plus(),
                                               [](const RowPlace& row) { return Index{row.patches}; });
    filled_ = static_cast<double>(stored) / static_cast<double>(std::ssize(rows_) * groups());
    return true;
}

template <class Real>
bool PatchSamples<Real>::take_blocks(const DenseFeatures<Real>& features, Index first, Index last) {
    RowScratch scratch(groups());
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(kernels::padded_bytes(cols())));
    Index start = first * patch_rows * row_size(groups());
    Index place_of_block = first * patch_rows * groups();
    for (Index b = first; b < last; ++b) {
        const Index end = std::min((b + 1) * patch_rows, features.rows());
        first_[static_cast<std::size_t>(b)] = place_of_block;
        for (Index i = b * patch_rows; i < end; ++i) {
            if (!kernels::whole_multiples(features.row(i), cols(), scale_, bytes.data())) return false;
            const Index patches = take_row(bytes, start, scratch);
            rows_[static_cast<std::size_t>(i)] = {static_cast<std::uint32_t>(start),
                                                  static_cast<std::uint32_t>(patches)};
            start += row_size(patches);
            place_of_block += patches;
        }
        put_in_order(b, end - b * patch_rows);
    }
    return true;
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
            const auto to = static_cast<std::size_t>(place(k));
            scratch.spread[to] = bytes[static_cast<std::size_t>(k)];
            scratch.used[to / patch_width] |= scratch.spread[to];
        }
    }
    scratch.numbers.clear();
    for (std::size_t g = 0; g < scratch.used.size(); ++g)
        if (scratch.used[g] != 0) scratch.numbers.push_back(static_cast<std::uint16_t>(g));
    const Index patches = std::ssize(scratch.numbers);
    std::uint8_t* to = store_.data() + start * patch_width;
    std::memcpy(to, scratch.numbers.data(), scratch.numbers.size() * sizeof(std::uint16_t));
    to += (row_size(patches) - patches) * patch_width;
    for (const std::uint16_t g : scratch.numbers) {
        std::uint8_t* from = scratch.spread.data() + g * patch_width;
        to = std::copy_n(from, patch_width, to);
        std::fill_n(from, patch_width, std::uint8_t{0});
        scratch.used[g] = 0;
    }
    return patches;
}

template <class Real>
void PatchSamples<Real>::put_in_order(Index block, Index count) {
    const auto row_of_block = [&](Index i) { return row(block * patch_rows + i); };
    std::uint32_t* bounds = bounds_.data() + block * (groups() + 1);
    std::fill_n(bounds, groups() + 1, 0);
    for (Index i = 0; i < count; ++i) {
        const kernels::PatchedRow row = row_of_block(i);
        for (Index k = 0; k < row.patches; ++k) ++bounds[row.groups[k] + 1];
    }
    std::partial_sum(bounds, bounds + groups() + 1, bounds);
    kernels::PatchPlace* places = places_.data() + first_[static_cast<std::size_t>(block)];
    for (Index i = 0; i < count; ++i) {
        const kernels::PatchedRow row = row_of_block(i);
        for (Index k = 0; k < row.patches; ++k)
            places[bounds[row.groups[k]]++] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(k)};
    }
    // Every bound has moved up to the next one.
    std::copy_backward(bounds, bounds + groups(), bounds + groups() + 1);
    bounds[0] = 0;
}

template class PatchSamples<float>;
template class PatchSamples<double>;

}  // namespace alfcg
