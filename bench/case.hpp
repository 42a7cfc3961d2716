#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "arguments.hpp"

namespace alfcg::bench {

/// One repetition.
struct Timing {
    double seconds = 0;
    nlohmann::json notes = nlohmann::json::object();  // what else is worth knowing about it
};

/// Something to be measured, set up and ready: each measure does its work once and says how long it took.
struct Case {
    nlohmann::json facts = nlohmann::json::object();  // sizes, and whatever a peer needs to do the same
    std::map<std::string, std::function<Timing()>> measures;
};

template <class Work>
double seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The full gradient of the multinomial loss and the hardware's limits: `gradient`, `gradient-1` on a single
/// thread; for dense data `read`, one streaming read of them, and `read-fastest`, the same as several streams
/// side by side; `peak`, multiply-adds in registers.
template <class Real>
Case gradient_case(Arguments& arguments);

/// Whole runs on the multinomial loss, for every method in `methods`: `iteration:METHOD` is the mean cost of
/// an iteration, `gap:METHOD` the time until the gap is reached.
template <class Real>
Case solve_case(Arguments& arguments);

/// The nuclear ball's oracle inside a running solve whose gradients are large and dense: `oracle`.
template <class Real>
Case oracle_case(Arguments& arguments);

/// The oracle of `region` on a large gradient: `oracle`, and `read`, one streaming read of it. Without a region: the names of those that
/// can be measured, as a fact.
template <class Real>
Case region_case(Arguments& arguments);

/// A data file from its first byte to a matrix in memory: `read`.
template <class Real>
Case reading_case(Arguments& arguments);

}  // namespace alfcg::bench
