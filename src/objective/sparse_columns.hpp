#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "alfcg/data/features.hpp"
#include "kernels/sparse.hpp"
#include "objective/coded_rows.hpp"

namespace alfcg {

/// The same data by columns: for each feature the samples that have it.
template <class Real>
class SparseColumns {
  public:
    /// With the samples in a coded form, which must stay, columns are coded as well.
    SparseColumns(const SparseFeatures<Real>& features, const std::optional<CodedRows<Real>>& coded);

    /// gradient[l * cols + j] = Σ_i residual(i, l) x_ij; residuals are a table of samples x outputs.
    void gather(int threads, kernels::Table<const Real> residuals, Index outputs, Real* gradient);

  private:
    // Columns whose sums are gathered before they are written to the rows of the gradient.
    static constexpr Index tile_columns = 256;

    Index cols_;
    // Tile by tile, the shortest columns of a tile first: those of a length come one after the other, so that the CPU
    // can tell where they end.
    std::vector<std::uint16_t> place_;  // in its tile, of the column that a line is
    Buffer<Index> start_;               // cols + 1 entries
    Buffer<std::int32_t> row_;
    Buffer<Real> value_;
    Buffer<std::uint32_t> coded_;            // in place of both
    const Real* values_ = nullptr;           // that are coded
    std::vector<AlignedVector<Real>> sums_;  // of some columns, one per thread
};

}  // namespace alfcg
