#pragma once

#include <fmt/format.h>

#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// Throws InputError when another number of features is asked for.
inline void check_feature_count(const std::string& source, Index line, Index found,
                                const ReadOptions& options) {
    if (options.features > 0 && found != options.features)
        throw InputError(
            source, line,
            fmt::format("{} features, but {}", found,
                        options.labels_required ? fmt::format("{} are asked for", options.features)
                                                : fmt::format("the model has {}", options.features)));
}

}  // namespace alfcg
