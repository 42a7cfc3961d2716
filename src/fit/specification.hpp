#pragma once

#include <string>

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// The loss with its parameters; throws QuantityError when one is given that it does not have.
LossOptions resolve_loss(const Specification& specification, Loss kind);

/// The region of this name; throws Error when it cannot be.
RegionSpec resolve_region(const Specification& specification, const std::string& name);

}  // namespace alfcg
