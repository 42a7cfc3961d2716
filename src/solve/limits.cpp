#include "alfcg/solve/limits.hpp"

#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg {

void Limits::verify() const {
    if (max_iterations < 0) throw QuantityError("max-iterations", "must not be negative");
    if (!(max_epochs >= 0)) throw QuantityError("max-epochs", "must not be negative");
    if (!(max_seconds >= 0)) throw QuantityError("max-seconds", "must not be negative");
    if (gap && !(*gap >= 0)) throw QuantityError("gap", "must not be negative");
    if (!(tolerance >= 0 && tolerance < 1))
        throw QuantityError("tol", "must be at least 0 and less than 1, not " + format_number(tolerance));
    if (gap_every < 0) throw Error("the distance between gap checks must not be negative");
    if (max_iterations == std::numeric_limits<Index>::max() && std::isinf(max_epochs) &&
        std::isinf(max_seconds) && !gap && tolerance == 0) {
        throw Error(
            "the run would never stop: give a budget (iterations, epochs, seconds) or a gap to reach");
    }
}

}  // namespace alfcg
