#pragma once

#include <cstdint>

#include "alfcg/core/matrix.hpp"

namespace alfcg::kernels {

/// Whether all n entries are, but for rounding, whole multiples of `scale` from 0 to 255; if so, bytes[j] is which one
/// entry j is. A few more bytes are set to zero, up to padded_bytes(n).
bool whole_multiples(const float* entries, Index n, double scale, std::uint8_t* bytes);
bool whole_multiples(const double* entries, Index n, double scale, std::uint8_t* bytes);

}  // namespace alfcg::kernels
