// Whether the paper's claims held on one panel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/comparison.hpp"

namespace alfcg {

/// What became of the paper's claim for a setting (its section "Results and Discussions") on one panel.
struct Verdict {
    enum class Outcome { held, partly, tied, failed };
    Outcome outcome = Outcome::failed;
    int rank = 0;        // of the best ALFCG method, 1 is best
    int methods = 0;     // that took part
    std::string ours;    // that ALFCG method
    std::string best;    // the method with the lowest final objective
    double score = 0;    // of ours: (F_end − F_best)/(F_0 − F_best)
    std::string reason;  // in words
};
std::string_view to_text(Verdict::Outcome outcome);

/// deterministic: alfcg-d comparable to both searches (score at most 0.05 above the better one) and below the four other
/// baselines. finite-sum: alfcg-fs best, or within 0.01 of it in score. expectation: alfcg-mvr1 and -mvr2 below every rival.
/// Everything within 0.01 in score is a tie: the panel cannot tell.
Verdict judge(const std::string& setting, const std::vector<RunRecord>& runs);

/// The runs up to the moment when the first of them ends, by their own seconds: what each had by then, on the straight line between the
/// two rows of its trace around that moment. Judged, they are compared at equal time; the seconds are those of their last rows.
std::vector<RunRecord> at_equal_time(std::vector<RunRecord> runs);

}  // namespace alfcg
