#pragma once

#include <optional>
#include <vector>

#include "alfcg/core/buffer.hpp"
#include "alfcg/data/features.hpp"
#include "kernels/patches.hpp"
#include "objective/feature_groups.hpp"

namespace alfcg {

/// A copy of data as ByteSamples takes them, for those with many zeros (a drawing on an empty page): patches of
/// features that tend to be zero together, where they are not.
template <class Real>
class PatchSamples {
  public:
    /// Nothing if zeros are few or scattered, the entries are of another kind, or the copy would be large.
    static std::optional<PatchSamples> of(const DenseFeatures<Real>& features, int threads);

    [[nodiscard]] Index cols() const { return static_cast<Index>(groups_.place.size()); }
    [[nodiscard]] Index groups() const { return groups_.count; }
    /// Of feature j: group * patch_width + which of its features.
    [[nodiscard]] Index place(Index j) const { return groups_.place[static_cast<std::size_t>(j)]; }
    /// The feature at each place from 0 on.
    [[nodiscard]] const std::vector<std::int32_t>& features() const { return groups_.feature; }
    /// The features are scale() times the bytes.
    [[nodiscard]] double scale() const { return scale_; }
    [[nodiscard]] kernels::PatchedRow row(Index i) const {
        const RowPlace& at = rows_[static_cast<std::size_t>(i)];
        const std::uint8_t* numbers = store_.data() + Index{at.start} * kernels::patch_width;
        return {numbers + (row_size(at.patches) - at.patches) * kernels::patch_width,
                reinterpret_cast<const std::uint16_t*>(numbers), at.patches};
    }
    /// The patches of rows b * patch_rows and on by groups.
    [[nodiscard]] kernels::PatchOrder order(Index b) const;
    /// The share of patches that are stored.
    [[nodiscard]] double filled() const { return filled_; }

  private:
    // Of a row in store_: the numbers of its groups, and its patches, patch_width bytes each.
    struct RowPlace {
        std::uint32_t start;  // in patches
        std::uint32_t patches;
    };

    // What so many patches and the numbers of their groups take, in patches.
    static Index row_size(Index patches) {
        constexpr Index numbers = kernels::patch_width / static_cast<Index>(sizeof(std::uint16_t));
        return patches + (patches + numbers - 1) / numbers;
    }
    // A row by groups; empty between one row and the next.
    struct RowScratch {
        explicit RowScratch(Index groups)
            : spread(static_cast<std::size_t>(groups * kernels::patch_width)),
              used(static_cast<std::size_t>(groups)) {
            numbers.reserve(used.size());
        }
        std::vector<std::uint8_t> spread;
        std::vector<std::uint8_t> used;      // whether a group has anything
        std::vector<std::uint16_t> numbers;  // of those that have
    };

    PatchSamples(Index rows, FeatureGroups groups, double scale);
    [[nodiscard]] bool take(const DenseFeatures<Real>& features, int threads);
    [[nodiscard]] bool take_blocks(const DenseFeatures<Real>& features, Index first, Index last);
    Index take_row(const std::vector<std::uint8_t>& bytes, Index start, RowScratch& scratch);
    void put_in_order(Index block, Index count);

    FeatureGroups groups_;
    double scale_;
    double filled_ = 0;
    // Threads write to places of their own, as many as rows could need; pages that stay untouched cost nothing.
    Buffer<std::uint8_t> store_;
    Buffer<kernels::PatchPlace> places_;
    Buffer<std::uint32_t> bounds_;  // in places_ of a block, groups + 1 for each
    std::vector<Index> first_;      // of places_, for each block
    std::vector<RowPlace> rows_;
};

}  // namespace alfcg
