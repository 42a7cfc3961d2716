#include "kernels/instruction_sets.hpp"

#include <hwy/targets.h>

namespace alfcg::kernels {

std::int64_t instruction_sets() {
    return hwy::SupportedTargets();
}

void use_instruction_sets(std::int64_t sets) {
    hwy::DisableTargets(~sets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace alfcg::kernels
