#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "alfcg/data/features.hpp"
#include "core/memory.hpp"

namespace alfcg {

/// Rows of a mapped file, read ahead of those who walk through them in order: each part of a pass goes on from row to row, and the
/// system is asked for what it will come to a few megabytes later, so that nobody waits for the disk.
template <class Real>
class RowsAhead {
  public:
    RowsAhead() = default;
    /// Does nothing for data in memory, nor, unless this is the first look at them, where all of their pages can stay in what is
    /// free of it. The features must outlast it.
    RowsAhead(const Features<Real>& features, int parts, bool first_look = false) {
        const bool on_disk = std::visit([](const auto& f) { return f.on_disk(); }, features);
        if (!on_disk || !(first_look || static_cast<double>(bytes_of(features)) > free_memory())) return;
        features_ = &features;
        const Index row_bytes = std::max<Index>(bytes_of(features) / std::max<Index>(rows(features), 1), 1);
        step_ = std::max<Index>(step_bytes / row_bytes, 1);
        parts_.resize(static_cast<std::size_t>(parts));
    }

    [[nodiscard]] bool on() const { return features_ != nullptr; }

    /// This part is at `row`, and will go on to `last`.
    void reach(int part, Index row, Index last) {
        if (!on()) return;
        Place& at = parts_[static_cast<std::size_t>(part)];
        if (row >= at.first && row < at.next) return;
        if (row < at.first || row > at.asked) at = {row, row, row};
        const Index to = std::min(row + steps * step_, last);
        if (to > at.asked) ask(at.asked, to);
        at.asked = std::max(at.asked, to);
        at.first = row;
        at.next = row + step_;
    }
    /// These rows will be looked at soon.
    void ask(Index first, Index last) const {
        std::visit([&](const auto& features) { ask(features, first, last); }, *features_);
    }

  private:
    static constexpr Index step_bytes = Index{2} << 20;
    static constexpr Index steps = 8;

    // No two share a cache line.
    struct alignas(128) Place {
        Index first = 0;  // nothing is to be done until a row outside of this range
        Index next = 0;
        Index asked = 0;
    };

    static void ask(const DenseFeatures<Real>& features, Index first, Index last) {
        read_soon(features.row(first), features.row(last - 1) + features.cols());
    }
    static void ask(const SparseFeatures<Real>& features, Index first, Index last) {
        const Index begin = features.start.data()[first];
        const Index end = features.start.data()[last];
        if (begin == end) return;
        read_soon(features.column.data() + begin, features.column.data() + end);
        read_soon(features.value.data() + begin, features.value.data() + end);
    }

    const Features<Real>* features_ = nullptr;
    Index step_ = 1;
    std::vector<Place> parts_;
};

}  // namespace alfcg
