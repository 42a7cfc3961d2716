#pragma once

#include <cstdio>
#include <string>

#include "alfcg/fit/path.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

/// Prints a path as it goes: a row for every radius, and at the end which one was chosen.
class RadiusTable {
  public:
    /// out = nullptr: says nothing.
    explicit RadiusTable(std::FILE* out) : out_(out) {}

    void add(const PathPoint& point);
    template <class Real>
    void close(const Path<Real>& path);

  private:
    std::FILE* out_;
    bool begun_ = false;
};

/// "84.95 ± 0.21 %", or "0.3512 ± 0.0042".
std::string score_text(const PathPoint& point);
/// "5 folds", or "rows held out".
std::string judged_on(Index folds);

}  // namespace alfcg::cli
