#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace alfcg::cli {

/// When a gap will have fallen to some number, from how it has fallen so far: by how much while the time doubled last, and how much that
/// was more than while it doubled before. Gaps that fall like a power of the time lose the same each time, gaps that fall by a factor a
/// second twice as much as the time before.
class GapForecast {
  public:
    void see(double seconds, double gap);
    /// None where that cannot be told: at first, and where gaps do not fall.
    [[nodiscard]] std::optional<double> seconds_to(double gap) const;

  private:
    static constexpr double least_growth = 1.05;     // of the time, from one that is remembered to the next
    static constexpr double least_drop = 0.05;       // of a logarithm, while the time doubles
    static constexpr double clearly_more = 1.6;      // of a drop, against the one before
    static constexpr double longest_forecast = 1e3;  // times as long as so far

    // The logarithm of the least gap that had been seen by then.
    [[nodiscard]] double at(double seconds) const;

    std::vector<std::pair<double, double>>
        seen_;  // seconds, increasing by a share; the logarithm of the least gap
};

inline void GapForecast::see(double seconds, double gap) {
    if (!(seconds > 0) || !(gap > 0)) return;
    const double least = seen_.empty() ? std::log(gap) : std::min(std::log(gap), seen_.back().second);
    // The last one is of now; it stays when time has grown beyond the one before.
    if (seen_.size() > 1 && seconds < least_growth * seen_[seen_.size() - 2].first)
        seen_.back() = {seconds, least};
    else
        seen_.emplace_back(seconds, least);
}

inline double GapForecast::at(double seconds) const {
    const auto after = std::lower_bound(seen_.begin(), seen_.end(), seconds,
                                        [](const auto& one, double wanted) { return one.first < wanted; });
    if (after == seen_.begin()) return after->second;
    if (after == seen_.end()) return seen_.back().second;
    const auto before = after - 1;
    const double share = std::log(seconds / before->first) / std::log(after->first / before->first);
    return before->second + share * (after->second - before->second);
}

inline std::optional<double> GapForecast::seconds_to(double gap) const {
    if (!(gap > 0) || seen_.empty()) return std::nullopt;
    const auto [now, here] = seen_.back();
    double wanted = here - std::log(gap);
    if (wanted <= 0) return 0;
    if (seen_.front().first > now / 4) return std::nullopt;
    const double half = at(now / 2);
    double drop = half - here;
    if (!(drop > least_drop)) return std::nullopt;
    // Gaps go up and down: what is little more than before counts as the same.
    const double ratio = drop / std::max(at(now / 4) - half, least_drop);
    const double growth = ratio > clearly_more ? std::min(ratio, 2.0) : 1;
    double time = now;
    for (; time < longest_forecast * now; time *= 2) {
        drop *= growth;
        if (drop < wanted) {
            wanted -= drop;
            continue;
        }
        const double share = wanted / drop;
        return time * (growth > 1 ? 1 + share : std::exp2(share)) - now;
    }
    return std::nullopt;
}

}  // namespace alfcg::cli
