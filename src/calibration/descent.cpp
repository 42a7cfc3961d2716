#include "calibration/descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alfcg {

namespace {

constexpr std::size_t most_slopes = 12;

// A slope of f on the way, `at` of it from its start.
struct Slope {
    double at;
    double along;
};

// Where to look between two slopes. Scales are tried, not shares: what falls steeply may do so on a
// billionth of the way only. Nearer to the start than `nearest` a look could not decide anything.
double between(const Slope& left, const Slope& right, double nearest) {
    const double middle = (left.at + right.at) / 2;
    return std::min(middle, std::sqrt(std::max(left.at, std::min(nearest, middle)) * right.at));
}

}  // namespace

template <class Real>
bool Descent<Real>::proven(Run<Real>& run, const Checkpoint<Real>& known, const Iterate<Real>& x,
                           double composite) {
    run.full_gradient(x, at_x_);
    return proven(run, known, x, at_x_, composite);
}

template <class Real>
bool Descent<Real>::proven(Run<Real>& run, const Checkpoint<Real>& known, const Iterate<Real>& x,
                           const Matrix<Real>& gradient_at_x, double composite) {
    const auto ends = known.bounds(x, gradient_at_x, composite);
    const double rise = composite - known.point.composite;
    std::vector<Slope> slopes{{0, ends.least - rise}, {1, ends.most - rise}};
    for (;;) {
        double least = rise;
        double most = rise;
        double worst = 0;
        std::size_t widest = 1;  // right end of the part that the bounds differ on most
        for (std::size_t k = 1; k < slopes.size(); ++k) {
            const double length = slopes[k].at - slopes[k - 1].at;
            least += length * slopes[k - 1].along;
            most += length * slopes[k].along;
            const double doubt = length * (slopes[k].along - slopes[k - 1].along);
            if (doubt > worst) widest = k;
            worst = std::max(worst, doubt);
        }
        if (most <= 0) return true;
        if (least >= 0 || slopes.size() > most_slopes) return false;
        const double steepest = -slopes.front().along;
        const double nearest = steepest > 0 ? most / steepest : 1;
        const double at = between(slopes[widest - 1], slopes[widest], nearest);
        middle_.stand_at(x);
        middle_.go_towards(known.point, 1 - at);
        run.full_gradient(middle_, at_middle_);
        const double along = -direction_to(known.point, at_middle_, middle_).slope / at;
        slopes.insert(slopes.begin() + static_cast<std::ptrdiff_t>(widest), {at, along});
    }
}

template class Descent<float>;
template class Descent<double>;

}  // namespace alfcg
