#pragma once

#include <span>
#include <string>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// Batches to replay: one line of row numbers, from 0 to samples - 1, per draw. Throws Error with file and line.
std::vector<std::vector<Index>> read_batches(const std::string& path, Index samples);

/// One draw as a line of such a file.
std::string batch_line(std::span<const Index> batch);

}  // namespace alfcg
