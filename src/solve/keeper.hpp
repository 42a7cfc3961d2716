#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/ranks.hpp"
#include "alfcg/solve/checkpoints.hpp"

namespace alfcg {

/// What the run of a checkpoint depended on, of this name; empty where there is no such fact. Throws Error for a file that is no checkpoint.
std::string recorded_fact(const std::string& file, std::string_view name);

/// Writes and reads the checkpoints of a run. On several ranks all of them make the same calls; the first has the file, with the state of each
/// rank in it.
class Keeper {
  public:
    /// Whether the file can be written is found out at once.
    Keeper(const Checkpoints& checkpoints, Ranks* ranks);

    [[nodiscard]] bool due() const;
    /// `visit` is the run's own state.
    void write(const std::function<void(Archive&)>& visit);
    /// Throws Error, which says what differs, where the checkpoint is of another run.
    void read(const std::function<void(Archive&)>& visit);
    [[nodiscard]] bool keeps() const { return !checkpoints_.file.empty(); }
    [[nodiscard]] bool resumes() const { return !checkpoints_.resume.empty(); }

  private:
    using Clock = std::chrono::steady_clock;

    void check(const Archive& state, const std::vector<Fact>& theirs) const;
    void visit_others(Archive& state);
    [[nodiscard]] bool leads() const { return ranks_ == nullptr || ranks_->rank() == 0; }
    [[nodiscard]] std::vector<std::string> load() const;

    const Checkpoints& checkpoints_;
    Ranks* ranks_;
    Clock::time_point last_ = Clock::now();
};

}  // namespace alfcg
