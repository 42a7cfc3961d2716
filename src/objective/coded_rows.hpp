#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "alfcg/data/features.hpp"
#include "kernels/sparse.hpp"

namespace alfcg {

/// Sparse samples with few values (counts, marks of what is there): entries of half the size.
template <class Real>
class CodedRows {
  public:
    /// None where there are too many values, samples or features.
    static std::optional<CodedRows> of(const SparseFeatures<Real>& features);

    [[nodiscard]] kernels::CodedLines<Real> lines() const {
        return {start_, entries_.data(), values_.data()};
    }

  private:
    explicit CodedRows(const SparseFeatures<Real>& features) : start_(features.start.data()) {}

    const Index* start_;  // of the samples themselves
    Buffer<std::uint32_t> entries_;
    std::vector<Real> values_;
};

}  // namespace alfcg
