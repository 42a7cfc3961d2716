#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "alfcg/core/parameters.hpp"

namespace alfcg {

/// Adds those whose names are not there yet: rows of a table may share a parameter.
inline void add_once(std::vector<ParameterInfo>& all, std::span<const Parameter> parameters) {
    for (const Parameter& parameter : parameters)
        if (std::none_of(all.begin(), all.end(),
                         [&](const ParameterInfo& info) { return info.name == parameter.info.name; }))
            all.push_back(parameter.info);
}

}  // namespace alfcg
