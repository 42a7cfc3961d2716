#include "objective/followed_intercept.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "core/parallel.hpp"
#include "data/row_access.hpp"

namespace alfcg {

namespace {

// Derivatives by an intercept are zero where they are below this share of what they are made from.
template <class Real>
constexpr double intercept_tolerance = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-10;

// Of a mean of losses.
template <class Real>
constexpr double loss_rounding = sizeof(Real) == sizeof(float) ? 1e-6 : 1e-13;

// The mean of the rows, weighted as they are.
template <class AnyFeatures>
std::vector<double> mean_row(const AnyFeatures& features, std::span<const double> weights, Ranks* ranks,
                             int threads) {
    threads = useful_threads(features, threads);
    const auto width = static_cast<std::size_t>(features.cols());
    std::vector<std::vector<double>> sums(static_cast<std::size_t>(threads));
    std::vector<double> total(sums.size());
    parallel(threads, [&](int thread) {
        std::vector<double>& sum = sums[static_cast<std::size_t>(thread)];
        sum.assign(width, 0);
        const auto [first, last] = range_of_part(features.rows(), thread, threads);
        for (Index i = first; i < last; ++i) {
            const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
            row_add(features, i, weight, sum.data());
            total[static_cast<std::size_t>(thread)] += weight;
        }
    });
    double all = std::accumulate(total.begin(), total.end(), 0.0);
    std::vector<double> mean(width);
    for (const std::vector<double>& sum : sums)
        for (std::size_t j = 0; j < width; ++j) mean[j] += sum[j];
    sum_over<double>(ranks, mean, std::span(&all, 1));
    for (double& entry : mean) entry /= all;
    return mean;
}

}  // namespace

template <class Real>
void FollowedIntercept<Real>::find_centre(const Features<Real>& features, std::span<const double> weights,
                                          int threads) {
    centre_ = std::visit([&](const auto& f) { return mean_row(f, weights, rows_.ranks, threads); }, features);
}

template <class Real>
InterceptFound FollowedIntercept<Real>::best(InterceptLoss loss, std::vector<double>& at,
                                             const Iterate<Real>* x,
                                             const std::function<double()>& largest_score) {
    const MadeMove<Real>* made = x != nullptr ? x->last_move() : nullptr;
    std::vector<double> inverse;
    if (made != nullptr && made->from == inverse_at_) {
        inverse.swap(inverse_);
    } else {
        inverse = this->inverse();
    }
    const double most = x != nullptr && x->intercept().best ? 0 : reach();
    const InterceptAccuracy accuracy{intercept_tolerance<Real> * scale_, loss_rounding<Real>};
    InterceptFound found = search_intercept(loss, at, inverse, accuracy, most);
    const auto try_again = [&](auto find) {
        std::vector<double> other = start();
        std::vector<double> other_inverse = this->inverse();
        const InterceptFound again = find(other, other_inverse);
        if (again.loss >= found.loss) return;
        found = again;
        at.swap(other);
        inverse.swap(other_inverse);
    };
    // The way from the last point's may be long and flat.
    if (!found.certain && std::isinf(most))
        try_again([&](auto& other, auto& other_inverse) {
            return search_intercept(loss, other, other_inverse, accuracy, most);
        });
    if (found.lost && std::isinf(most) && at.size() > 1 && largest_score) {
        const double size = largest_score();
        if (std::isfinite(size))
            try_again([&](auto& other, auto& other_inverse) {
                return follow_intercept(loss, *this, other, other_inverse, accuracy, size);
            });
    }
    if (made != nullptr) {
        inverse_.swap(inverse);
        inverse_at_ = x->version();
    }
    return found;
}

// A stochastic Newton step, with the curvature of a model without features: b follows the weights at the pace at which
// rows are seen, as a mean over the last quarter of them, and a tenth of all rows at least.
template <class Real>
void FollowedIntercept<Real>::move(const Iterate<Real>& x, Index rows, std::span<const double> sums,
                                   double weight) const {
    Intercept& own = x.intercept();
    if (own.best) return;
    own.at = at(x);
    own.next = own.at;
    const auto count = static_cast<double>(rows);
    const double gain = count / (count + static_cast<double>(rows_.total) / 10 + own.seen / 4);
    own.seen += count;
    for (std::size_t l = 0; l < sums.size(); ++l) own.next[l] -= gain * pace()[l] * sums[l] / weight;
}

// Residuals r should add up to 0, and do so to the tolerance of the search. The gradient is the same for features
// less any constant then; their own distance from 0 (years, prices) must not multiply what is left: Σ r (x - centre).
template <class Real>
void FollowedIntercept<Real>::take_off(const InterceptFound& found, Matrix<Real>& gradient) const {
    for (Index l = 0; l < gradient.rows(); ++l)
        for (Index j = 0; j < gradient.cols(); ++j)
            gradient(l, j) -= static_cast<Real>(found.derivative[static_cast<std::size_t>(l)] *
                                                centre_[static_cast<std::size_t>(j)]);
}

template class FollowedIntercept<float>;
template class FollowedIntercept<double>;

}  // namespace alfcg
