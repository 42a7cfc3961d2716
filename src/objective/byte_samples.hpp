#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "alfcg/core/buffer.hpp"
#include "alfcg/data/features.hpp"
#include "kernels/dense.hpp"

namespace alfcg {

/// Numbers of which all entries may be whole multiples, up to 255 times, as far as some of the rows tell.
template <class Real>
std::vector<double> byte_scales(const DenseFeatures<Real>& features);

/// Whether a copy of that many bytes beside the data is little enough, and no more than `memory`.
template <class Real>
bool is_modest(Index bytes, const DenseFeatures<Real>& features, Index memory);

/// A copy of dense data whose entries are all whole multiples, up to 255, of one number (pixels, counts, marks of
/// categories): a byte each, so that passes that wait for memory wait a quarter, or an eighth, as long.
template <class Real>
class ByteSamples {
  public:
    using Sample = std::uint8_t;

    /// Nothing if the entries are of another kind, or the copy would be large, or take more than `memory`.
    static std::optional<ByteSamples> of(const DenseFeatures<Real>& features, int threads,
                                         Index memory = std::numeric_limits<Index>::max());

    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] const Sample* row(Index i) const { return bytes_.data() + i * stride_; }
    /// Feature j of sample i is scale() * row(i)[j].
    [[nodiscard]] double scale() const { return scale_; }

  private:
    ByteSamples(Index rows, Index cols, double scale);

    Buffer<Sample> bytes_;
    Index cols_;
    Index stride_;
    double scale_;
};

}  // namespace alfcg
