#pragma once

#include <cmath>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "kernels/entries.hpp"

namespace alfcg::region {

/// The sum of a row from some column to its end.
struct Suffix {
    double sum = 0;
    Index from = 0;
};

/// Finds the best of these sums: gain(sum) changes by no more than sum does, and is 0 for none at all. Runs of entries that cannot have
/// it, whatever their order, are passed over.
class SuffixSums {
  public:
    /// Of equals the one from the lowest column, or the shortest. The sum is that of scale · row.
    template <class Real, class Gain>
    Suffix best(const Real* row, Index n, double scale, const Gain& gain, bool lowest) {
        constexpr Index block = kernels::block_entries;
        const Index blocks = (n + block - 1) / block;
        sums_.resize(static_cast<std::size_t>(blocks));
        magnitudes_.resize(static_cast<std::size_t>(blocks));
        kernels::block_sums(row, n, scale, sums_.data(), magnitudes_.data());
        constexpr double rounding = 1 + 1e-12;
        Suffix best{0, n};
        double most = 0;
        double after = 0;  // all that comes after a run
        for (Index k = blocks - 1; k >= 0; --k) {
            const auto at = static_cast<std::size_t>(k);
            if (!(gain(after) + magnitudes_[at] * rounding < most)) {
                double sum = after;
                for (Index j = std::min(n, (k + 1) * block) - 1; j >= k * block; --j) {
                    sum += scale * static_cast<double>(row[j]);
                    const double here = gain(sum);
                    if (!(lowest ? here >= most : here > most)) continue;
                    most = here;
                    best = {sum, j};
                }
            }
            after += sums_[at];
        }
        return best;
    }

  private:
    std::vector<double> sums_;
    std::vector<double> magnitudes_;
};

}  // namespace alfcg::region
