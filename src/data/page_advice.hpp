#pragma once

#include <algorithm>
#include <variant>

#include "alfcg/data/features.hpp"
#include "core/memory.hpp"

namespace alfcg {

/// Tells the system how rows of a mapped file are about to be looked at, which decides what it reads beyond the page that somebody waits
/// for. Does nothing for data in memory, nor, unless this is the first look at them, where all of their pages can stay there.
template <class Real>
class PageAdvice {
  public:
    PageAdvice() = default;
    /// The features must outlast it.
    explicit PageAdvice(const Features<Real>& features, bool first_look = false) {
        const bool on_disk = std::visit([](const auto& f) { return f.on_disk(); }, features);
        if (on_disk && (first_look || static_cast<double>(bytes_of(features)) > free_memory()))
            features_ = &features;
    }

    [[nodiscard]] bool on() const { return features_ != nullptr; }

    /// All rows, by each thread in order.
    void in_order() { advise(PageReading::in_order); }
    /// These rows, one after the other: here and there, unless they increase and are so close together that most pages are looked at.
    void listed(const Index* list, Index count) {
        constexpr Index close = Index{64} << 10;
        if (!on()) return;
        const bool near = count >= bytes_of(*features_) / close && std::is_sorted(list, list + count);
        advise(near ? PageReading::in_order : PageReading::scattered);
    }
    void usual() { advise(PageReading::usual); }
    /// These rows, soon: they are read meanwhile.
    void soon(Index first, Index last) const {
        for_each_range(first, last, [](const void* begin, const void* end) { read_soon(begin, end); });
    }

  private:
    void advise(PageReading reading) {
        if (!on() || reading == reading_) return;
        reading_ = reading;
        for_each_range(0, rows(*features_),
                       [&](const void* begin, const void* end) { advise_reading(begin, end, reading); });
    }
    // The pieces of the file in which these rows lie.
    template <class Visit>
    void for_each_range(Index first, Index last, const Visit& visit) const {
        if (const auto* dense = std::get_if<DenseFeatures<Real>>(features_))
            return visit(dense->row(first), dense->row(last - 1) + dense->cols());
        const auto& sparse = std::get<SparseFeatures<Real>>(*features_);
        const Index begin = sparse.start.data()[first];
        const Index end = sparse.start.data()[last];
        if (begin == end) return;
        visit(sparse.column.data().place(begin), sparse.column.data().place(end));
        visit(sparse.value.data() + begin, sparse.value.data() + end);
    }

    const Features<Real>* features_ = nullptr;
    PageReading reading_ = PageReading::usual;
};

}  // namespace alfcg
