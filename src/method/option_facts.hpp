#pragma once

#include <string_view>
#include <vector>

#include "alfcg/method/options.hpp"
#include "alfcg/solve/checkpoints.hpp"

namespace alfcg {

/// How a run is made, but for its budget: what a checkpoint is told by.
std::vector<Fact> option_facts(const Options& options, std::string_view method, const Parameters& parameters);
/// Its budget, where that counts too.
std::vector<Fact> budget_facts(const Limits& limits);

}  // namespace alfcg
