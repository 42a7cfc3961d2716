#pragma once

#include <string>
#include <vector>

#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// What is wrong with names that a model is to be stored with, or nothing: a run finds out before it begins.
std::string find_fault_in_names(const Classes& classes, const std::vector<std::string>& names,
                                const Reading& reading);

}  // namespace alfcg
