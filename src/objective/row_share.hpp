#pragma once

#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/ranks.hpp"

namespace alfcg {

/// Which rows of a problem are here: all of them, or those of one rank, which come after those of the ranks before it.
struct RowShare {
    /// To be made on all ranks; throws Error where none has a row. `has_weights`: of its rows.
    RowShare(Ranks* among, Index rows, bool has_weights);

    /// Whether what is there once only is to be counted here.
    [[nodiscard]] bool leads() const { return ranks == nullptr || ranks->rank() == 0; }
    /// The number that exactly k of all ranks' are to stand before, in order.
    [[nodiscard]] double smallest(Index k, std::vector<double> values) const;

    Ranks* ranks;
    Index first = 0;
    Index own;
    Index total;
    bool weighted;  // rows, on some rank at least
};

}  // namespace alfcg
