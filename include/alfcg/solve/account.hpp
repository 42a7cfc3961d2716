#pragma once

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// What a run's seconds are.
enum class Clock {
    wall,
    /// CPU time of the thread that runs it. Of a run on one thread: what it takes alone, also in company (but for memory, which all
    /// share); what other threads do for a run is not in it.
    thread
};

/// Seconds spent in each part of the run.
struct Timings {
    double gradient = 0;
    double oracle = 0;
    double step = 0;
    double metrics = 0;  // exact objective, gap and error, where asked for: not charged to the method

    [[nodiscard]] double method() const { return gradient + oracle + step; }
    void archive(Archive& state) { state(gradient, oracle, step, metrics); }
};

struct Counters {
    Index component_gradients = 0;
    Index function_evaluations = 0;  // by the method itself: line searches
    Index oracle_calls = 0;

    void archive(Archive& state) { state(component_gradients, function_evaluations, oracle_calls); }
};

/// What a run has used. Time goes to one part at a time: charging another part interrupts the one before.
class Account {
  public:
    explicit Account(Clock clock = Clock::wall) : clock_(clock) {}

    Timings seconds;
    Counters counters;

    /// Charges time to a part until its end.
    class Charge {
      public:
        Charge(Account& account, double Timings::*part) : account_(account), before_(account.part_) {
            account_.turn_to(part);
        }
        ~Charge() { account_.turn_to(before_); }
        Charge(const Charge&) = delete;
        Charge& operator=(const Charge&) = delete;

      private:
        Account& account_;
        double Timings::*before_;
    };
    [[nodiscard]] Charge charge(double Timings::*part) { return {*this, part}; }

    void archive(Archive& state) { state(seconds, counters); }

  private:
    void turn_to(double Timings::*part);

    Clock clock_;
    double Timings::*part_ = nullptr;
    double since_ = 0;
};

}  // namespace alfcg
