#pragma once

/// alfcg: constrained training without projections and without tuning.
/// An objective, a region, options, one call: see solve().

#include "alfcg/core/error.hpp"
#include "alfcg/core/matrix.hpp"
#include "alfcg/data/dataset.hpp"
#include "alfcg/data/normalize.hpp"
#include "alfcg/data/view.hpp"
#include "alfcg/method/catalogue.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/model/model.hpp"
#include "alfcg/objective/objective.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/solve/solve.hpp"
