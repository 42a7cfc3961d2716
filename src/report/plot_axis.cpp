#include "report/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace alfcg {

namespace {

/// 10 to the power k, in Unicode.
std::string power_of_ten(int exponent) {
    if (exponent >= 0 && exponent <= 2) return fmt::format("{:.0f}", std::pow(10.0, exponent));
    constexpr const char* digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                      "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string result = "10";
    for (const char letter : std::to_string(exponent))
        result += letter == '-' ? "\u207b" : digits[letter - '0'];
    return result;
}

}  // namespace

PlotAxis::PlotAxis(double low, double high, double from, double to, bool logarithmic)
    : low_(low), high_(high), from_(from), to_(to), logarithmic_(logarithmic) {}

double PlotAxis::place(double value) const {
    if (!logarithmic_) return from_ + (to_ - from_) * (value - low_) / (high_ - low_);
    if (value <= low_) return from_;
    return from_ + (to_ - from_) * std::log(value / low_) / std::log(high_ / low_);
}

std::vector<AxisTick> PlotAxis::ticks(int count) const {
    return logarithmic_ ? decades(count) : linear_ticks(count);
}

std::vector<AxisTick> PlotAxis::linear_ticks(int count) const {
    const double rough = (high_ - low_) / count;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0}) {
        if (factor * power >= 0.999 * rough) step = factor * power;
    }
    std::vector<AxisTick> result;
    for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + 1e-9 * step; ++k) {
        const double value = k == 0 ? 0.0 : k * step;  // never "-0"
        result.push_back({value, fmt::format("{:.6g}", value)});
    }
    return result;
}

std::vector<AxisTick> PlotAxis::decades(int count) const {
    const int first = static_cast<int>(std::ceil(std::log10(low_) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high_) + 1e-9));
    std::vector<AxisTick> result;
    if (last - first < 1) {  // at most one decade: 1, 2 and 5 are labelled too
        for (int k = first - 1; k <= last; ++k) {
            for (const double factor : {1.0, 2.0, 5.0}) {
                const double value = factor * std::pow(10.0, k);
                if (value >= low_ && value <= high_) result.push_back({value, fmt::format("{:.3g}", value)});
            }
        }
        return result.size() >= 2 ? result : linear_ticks(count);
    }
    const int step = (last - first) / count + 1;
    for (int k = first - 1; k <= last; ++k) {
        const double decade = std::pow(10.0, k);
        if (k >= first) result.push_back({decade, k % step == 0 ? power_of_ten(k) : std::string()});
        for (int factor = 2; factor < 10 && step == 1; ++factor) {
            const double value = factor * decade;
            if (value > low_ && value < high_) result.push_back({value, std::string()});
        }
    }
    return result;
}

}  // namespace alfcg
