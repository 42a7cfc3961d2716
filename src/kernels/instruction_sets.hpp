#pragma once

#include <cstdint>

/// Which instruction sets the hot loops are run with: results differ between them by rounding.
namespace alfcg::kernels {

/// Those that this CPU has, a bit each.
std::int64_t instruction_sets();
/// From now on no other than these.
void use_instruction_sets(std::int64_t sets);

}  // namespace alfcg::kernels
