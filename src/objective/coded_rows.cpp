#include "objective/coded_rows.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace alfcg {

namespace {

// Numbers values by their bits, in the order in which they come up.
template <class Real>
class Numbering {
    using Bits = std::conditional_t<sizeof(Real) == sizeof(float), std::uint32_t, std::uint64_t>;
    static constexpr Index most = kernels::CodedLines<Real>::most_values;

  public:
    // None when there are too many.
    std::optional<std::uint32_t> number(Real value) {
        const auto bits = std::bit_cast<Bits>(value);
        for (std::size_t at = slot(bits);; at = (at + 1) % slots) {
            const std::int32_t found = numbers_[at];
            if (found < 0) {
                if (static_cast<Index>(values_.size()) == most) return std::nullopt;
                numbers_[at] = static_cast<std::int32_t>(values_.size());
                values_.push_back(value);
                return static_cast<std::uint32_t>(numbers_[at]);
            }
            if (std::bit_cast<Bits>(values_[static_cast<std::size_t>(found)]) == bits)
                return static_cast<std::uint32_t>(found);
        }
    }
    std::vector<Real> values() && { return std::move(values_); }

  private:
    static constexpr std::size_t slots = 4 * most;  // never full
    static std::size_t slot(Bits bits) {
        return static_cast<std::size_t>((std::uint64_t{bits} * 0x9E3779B97F4A7C15u) >> 32) % slots;
    }
    std::vector<std::int32_t> numbers_ = std::vector<std::int32_t>(slots, -1);  // of the value in a slot
    std::vector<Real> values_;
};

}  // namespace

template <class Real>
std::optional<CodedRows<Real>> CodedRows<Real>::of(const SparseFeatures<Real>& features) {
    using Lines = kernels::CodedLines<Real>;
    if (std::max(features.rows(), features.cols()) > Lines::most_indices) return std::nullopt;
    CodedRows coded(features);
    Numbering<Real> numbering;
    for (std::size_t k = 0; k < features.value.size(); ++k) {
        const auto number = numbering.number(features.value[k]);
        if (!number) return std::nullopt;
        if (k == 0) coded.entries_.resize(features.value.size());
        coded.entries_[k] = static_cast<std::uint32_t>(features.column[k]) << Lines::code_bits | *number;
    }
    coded.values_ = std::move(numbering).values();
    return coded;
}

template class CodedRows<float>;
template class CodedRows<double>;

}  // namespace alfcg
