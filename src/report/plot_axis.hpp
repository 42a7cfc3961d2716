// One axis of a plot: where values lie and where the ticks are.
#pragma once

#include <string>
#include <vector>

namespace alfcg {

struct AxisTick {
    double value;
    std::string label;  // empty for a minor tick
};

class PlotAxis {
  public:
    /// Maps [low, high] to [from, to]. On a log axis low is positive, and what lies below it, zero and
    /// negative values among it, is put on its edge.
    PlotAxis(double low, double high, double from, double to, bool logarithmic);

    [[nodiscard]] double place(double value) const;
    [[nodiscard]] std::vector<AxisTick> ticks(int count) const;
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }

  private:
    [[nodiscard]] std::vector<AxisTick> linear_ticks(int count) const;
    [[nodiscard]] std::vector<AxisTick> decades(int count) const;

    double low_;
    double high_;
    double from_;
    double to_;
    bool logarithmic_;
};

}  // namespace alfcg
