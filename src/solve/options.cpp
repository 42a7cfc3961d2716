#include "alfcg/solve/options.hpp"

#include <array>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/solve/solve.hpp"

namespace alfcg {

std::string_view to_text(Status status) {
    constexpr std::array<std::string_view, 5> names{"converged", "max-iterations", "max-epochs",
                                                    "max-seconds", "interrupted"};
    return names[static_cast<std::size_t>(status)];
}

void Options::verify() const {
    if (max_iterations < 0) throw Error("the iteration budget must not be negative");
    if (!(max_epochs >= 0)) throw Error("the epoch budget must not be negative");
    if (!(max_seconds >= 0)) throw Error("the time budget must not be negative");
    if (gap && !(*gap >= 0)) throw Error("the gap to reach must not be negative");
    if (gap_every < 0) throw Error("the distance between gap checks must not be negative");
    if (max_iterations == std::numeric_limits<Index>::max() && std::isinf(max_epochs) &&
        std::isinf(max_seconds) && !gap) {
        throw Error(
            "the run would never stop: give a budget (iterations, epochs, seconds) or a gap to reach");
    }
}

}  // namespace alfcg
