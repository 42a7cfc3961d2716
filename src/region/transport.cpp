#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/structured.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "region/amounts.hpp"
#include "region/rounding.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

double sum_of(const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

double squares_of(const std::vector<double>& numbers) {
    return std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
}

/// The oracle is a transportation problem: a network simplex on the complete bipartite graph, begun with the last tree.
template <class Real>
class Transport final : public Region<Real> {
  public:
    Transport(std::vector<double> supply, std::vector<double> demand, double radius, int threads)
        : supply_(std::move(supply)),
          demand_(std::move(demand)),
          radius_(radius),
          threads_(resolve_threads(threads)) {
        region::verify_range<Real>(radius);
        verify("supply", supply_);
        verify("demand", demand_);
        if (supply_.empty() || demand_.empty()) return;
        const double supplied = sum_of(supply_);
        const double demanded = sum_of(demand_);
        if (std::abs(supplied - demanded) > region::balance_rounding * std::max(supplied, demanded))
            throw QuantityError(
                "demand",
                fmt::format("adds up to {} and `supply` to {}: both must be the same", demanded, supplied));
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("transport plans from {} to {} times {}",
                           supply_.empty() ? "equal supplies" : fmt::format("{} supplies", supply_.size()),
                           demand_.empty() ? "equal demands" : fmt::format("{} demands", demand_.size()),
                           radius_);
    }

    void check(Shape shape) const override {
        const auto fits = [&](const char* what, const std::vector<double>& amounts, Index points,
                              const char* lines) {
            if (amounts.empty() || static_cast<Index>(amounts.size()) == points) return;
            throw QuantityError(
                what, fmt::format("has {} numbers, but points have {} {}", amounts.size(), points, lines));
        };
        fits("supply", supply_, shape.rows, "rows");
        fits("demand", demand_, shape.cols, "columns");
    }
    void archive(Archive& state) override {
        bool built = network_.has_value();
        Shape shape = shape_;
        state(built, shape);
        if (!built) return;
        if (!network_ || shape_ != shape) build(shape);
        state(*network_);
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(largest)) region::reject_gradient<Real>();
        const double scale = largest > 0 ? kernels::safe_scale(largest) : 1;
        if (!network_ || shape_ != gradient.shape()) build(gradient.shape());
        std::transform(gradient.span().begin(), gradient.span().end(), network_->costs().begin(),
                       [&](Real entry) { return scale * static_cast<double>(entry); });
        network_->minimize();
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.shape = gradient.shape();
        vertex.positions.clear();
        vertex.values.clear();
        for (Index k = 0; k < gradient.size(); ++k) {
            if (network_->flow(k) == 0) continue;
            vertex.positions.push_back(k);
            vertex.values.push_back(static_cast<Real>(radius_ * unit_->amount(network_->flow(k))));
        }
        vertex.composite = 0;
        return 0;
    }

    double composite(const Matrix<Real>& /*x*/) override { return 0; }

    // ‖X − Y‖² ≤ ‖X‖² + ‖Y‖² as entries are not negative, and a row's squares are at most the square of its sum.
    [[nodiscard]] double diameter(Shape shape) const override {
        const auto [supply, demand] = amounts(shape);
        return radius_ * std::sqrt(2 * std::min(squares_of(supply), squares_of(demand)));
    }

    double violation(const Matrix<Real>& x) override {
        auto [rows, columns] = amounts(x.shape());
        const double scale = radius_ * std::max(*std::max_element(rows.begin(), rows.end()),
                                                *std::max_element(columns.begin(), columns.end()));
        double outside = 0;
        for (double& amount : rows) amount *= radius_;
        for (double& amount : columns) amount *= radius_;
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < x.cols(); ++j) {
                const double entry = static_cast<double>(x(i, j));
                if (!std::isfinite(entry)) return std::numeric_limits<double>::infinity();
                outside = std::max(outside, -entry);
                rows[static_cast<std::size_t>(i)] -= entry;
                columns[static_cast<std::size_t>(j)] -= entry;
            }
        for (const std::vector<double>* left : {&rows, &columns})
            for (const double amount : *left) outside = std::max(outside, std::abs(amount));
        return region::beyond_rounding<Real>(outside / scale);
    }

  private:
    static void verify(const char* what, const std::vector<double>& amounts) {
        for (const double amount : amounts)
            if (!(amount >= 0 && std::isfinite(amount)))
                throw QuantityError(what, fmt::format("must be 0 or positive, not {}", amount));
        if (!amounts.empty() && sum_of(amounts) == 0) throw QuantityError(what, "must not be 0 altogether");
    }

    [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> amounts(Shape shape) const {
        std::pair<std::vector<double>, std::vector<double>> both{supply_, demand_};
        const auto spread = [](std::vector<double>& amounts, Index count, double sum) {
            if (amounts.empty())
                amounts.assign(static_cast<std::size_t>(count), sum / static_cast<double>(count));
        };
        const double sum = !supply_.empty() ? sum_of(supply_) : !demand_.empty() ? sum_of(demand_) : 1;
        spread(both.first, shape.rows, sum);
        spread(both.second, shape.cols, sum);
        return both;
    }

    void build(Shape shape) {
        auto [supply, demand] = amounts(shape);
        unit_.emplace(sum_of(supply));
        const auto rows = static_cast<std::int32_t>(shape.rows);
        const auto cols = static_cast<std::int32_t>(shape.cols);
        std::vector<region::NetworkSimplex::Arc> arcs;
        arcs.reserve(static_cast<std::size_t>(shape.size()));
        for (std::int32_t i = 0; i < rows; ++i)
            for (std::int32_t j = 0; j < cols; ++j) arcs.push_back({i, rows + j});
        for (const double amount : demand) supply.push_back(-amount);
        std::vector<region::NetworkSimplex::Amount> capacities(arcs.size(), region::NetworkSimplex::endless);
        network_.emplace(std::move(arcs), std::move(capacities), unit_->balanced(supply));
        shape_ = shape;
    }

    std::vector<double> supply_;
    std::vector<double> demand_;
    double radius_;
    int threads_;
    Shape shape_;
    std::optional<region::AmountUnit> unit_;
    std::optional<region::NetworkSimplex> network_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> transport(std::vector<double> supply, std::vector<double> demand, double radius,
                                        int threads) {
    return std::make_unique<Transport<Real>>(std::move(supply), std::move(demand), radius, threads);
}

template std::unique_ptr<Region<float>> transport(std::vector<double>, std::vector<double>, double, int);
template std::unique_ptr<Region<double>> transport(std::vector<double>, std::vector<double>, double, int);

}  // namespace alfcg
