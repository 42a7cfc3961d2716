#pragma once

#include <limits>
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
    static std::optional<PatchSamples> of(const DenseFeatures<Real>& features, int threads,
                                          Index memory = std::numeric_limits<Index>::max());

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
        const std::uint8_t* mask = store_.data() + Index{at.start} * kernels::patch_width;
        return {reinterpret_cast<const std::uint64_t*>(mask), mask + mask_size() * kernels::patch_width,
                at.patches};
    }
    /// Which of the rows from b * patch_rows on have a group, as find_groups tells it.
    [[nodiscard]] const std::uint64_t* rows_with_groups(Index b) const {
        return group_rows_.data() + b * groups() * kernels::row_words;
    }
    /// The share of patches that are stored.
    [[nodiscard]] double filled() const { return filled_; }

  private:
    // Of a row in store_: the mask of its groups, and its patches, patch_width bytes each.
    struct RowPlace {
        std::uint32_t start;  // in patches
        std::uint32_t patches;
    };

    // What a mask takes, in patches.
    static Index mask_size(Index groups) {
        constexpr Index words = kernels::patch_width / static_cast<Index>(sizeof(std::uint64_t));
        return (kernels::mask_words(groups) + words - 1) / words;
    }
    [[nodiscard]] Index mask_size() const { return mask_size(groups()); }
    // A row by groups; empty between one row and the next.
    struct RowScratch {
        explicit RowScratch(Index groups)
            : spread(static_cast<std::size_t>(groups * kernels::patch_width)),
              mask(static_cast<std::size_t>(kernels::mask_words(groups))) {}
        std::vector<std::uint8_t> spread;
        std::vector<std::uint64_t> mask;
    };

    PatchSamples(Index rows, FeatureGroups groups, double scale);
    [[nodiscard]] bool take(const DenseFeatures<Real>& features, int threads);
    [[nodiscard]] bool take_rows(const DenseFeatures<Real>& features, Index first, Index last);
    void find_groups(Index block);
    Index take_row(const std::vector<std::uint8_t>& bytes, Index start, RowScratch& scratch);

    FeatureGroups groups_;
    double scale_;
    double filled_ = 0;
    // Threads write to places of their own, as many as rows could need; pages that stay untouched cost nothing.
    Buffer<std::uint8_t> store_;
    std::vector<RowPlace> rows_;
    std::vector<std::uint64_t> group_rows_;
};

}  // namespace alfcg
