#pragma once

#include <string>

#include "alfcg/solve/solve.hpp"

namespace alfcg {

inline constexpr std::string_view trace_header =
    "iteration,epochs,seconds,objective,gap,step,curvature,alpha,error\n";

/// The snapshot as one line of a trace file, numbers in seventeen significant digits, empty where there is
/// none.
template <class Real>
std::string trace_row(const Snapshot<Real>& snapshot);

}  // namespace alfcg
