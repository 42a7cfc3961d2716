// Oracles of every region on gradients of every kind (zero, denormal, equal, clustered, huge): the answer is in the region, no known point
// of it is better by more than the bound that comes with the answer, and where the minimum is known in closed form, the bound is never
// below the distance to it.
#include <Eigen/SVD>
#include <algorithm>
#include <memory>

#include "../region_examples.hpp"
#include "../region_reference.hpp"
#include "alfcg/core/error.hpp"
#include "fuzz.hpp"

namespace alfcg::fuzz {
namespace {

using Wide = long double;

struct Case {
    RegionSpec spec;
    Shape shape;
    std::vector<std::pair<std::vector<Wide>, Wide>> points;  // with h, once they are needed
};

std::vector<Case>& cases() {
    static std::vector<Case> all = [] {
        std::vector<Case> list;
        for (const RegionInfo& info : regions()) {
            const auto found = testing::region_examples().find(info.name);
            require(found != testing::region_examples().end(), "{} has no example", info.name);
            for (const Parameters& parameters : found->second.parameters)
                for (const Composite& composite : testing::composites(info, &parameters))
                    for (const Shape shape : found->second.shapes)
                        list.push_back({{std::string(info.name), parameters, composite}, shape, {}});
        }
        return list;
    }();
    return all;
}

// Extreme points, and points between them.
void find_points(Case& one) {
    if (!one.points.empty()) return;
    RegionSpec bare = one.spec;
    bare.composite = {};
    const auto corners = make_region<double>(bare);
    const auto region = make_region<double>(one.spec);
    std::mt19937_64 random(7);
    std::vector<Matrix<double>> found;
    Vertex<double> vertex;
    for (unsigned seed = 0; seed < 30; ++seed) {
        corners->minimize(testing::random_matrix<double>(one.shape, 1000 + seed), 0, true, vertex);
        found.push_back(vertex.to_matrix());
    }
    found.push_back(region->start(one.shape));
    for (std::size_t k = 0; k < 40; ++k) {
        Matrix<double> between(one.shape);
        const auto& a = found[random() % 31];
        const auto& b = found[random() % 31];
        const double share = static_cast<double>(random() % 8) / 8;
        for (std::size_t i = 0; i < between.span().size(); ++i)
            between.span()[i] = share * a.span()[i] + (1 - share) * b.span()[i];
        found.push_back(between);
    }
    for (const auto& point : found)
        one.points.emplace_back(testing::entries(point), region->composite(point));
}

// min <g, v> + h(v), where it is known.
std::optional<Wide> least(const Case& one, const std::vector<Wide>& g) {
    if (one.spec.composite.l2 != 0 || one.spec.composite.norm != 0) return std::nullopt;
    const Wide radius = one.spec.parameters.number("radius").value_or(1);
    const std::string& name = one.spec.name;
    const bool ball = name == "l1" || name == "l2" || name == "linf" || name == "lp";
    if (ball) {
        const Wide p = name == "l1"     ? 1
                       : name == "l2"   ? 2
                       : name == "linf" ? std::numeric_limits<Wide>::infinity()
                                        : static_cast<Wide>(one.spec.parameters.number("p").value_or(2));
        return -radius * testing::norm(testing::soft_threshold(g, one.spec.composite.l1), testing::dual(p));
    }
    if (name != "nuclear") return std::nullopt;
    Eigen::MatrixXd matrix(one.shape.rows, one.shape.cols);
    const Wide largest = testing::norm(g, std::numeric_limits<Wide>::infinity());
    if (largest == 0) return 0;
    for (Index i = 0; i < one.shape.rows; ++i)
        for (Index j = 0; j < one.shape.cols; ++j)
            matrix(i, j) = static_cast<double>(g[static_cast<std::size_t>(i * one.shape.cols + j)] / largest);
    const Wide top =
        largest * static_cast<Wide>(Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues()(0));
    return -radius * std::max(top - static_cast<Wide>(one.spec.composite.nuclear), Wide(0));
}

template <class Real>
void check(Input& input) {
    Case& one = cases()[static_cast<std::size_t>(input.below(std::ssize(cases())))];
    find_points(one);
    const auto region = make_region<Real>(one.spec, {.threads = 1});  // others have nothing to do
    region->check(one.shape);
    Numbers<Real> from(input);
    Matrix<Real> gradient(one.shape);
    Wide largest = 0;
    for (Real& entry : gradient.span()) {
        entry = from.next();
        if (!std::isfinite(entry)) entry = 1;
        largest = std::max(largest, std::abs(static_cast<Wide>(entry)));
    }
    Vertex<Real> vertex;
    const bool certify = input.below(4) != 0;
    const double slack = region->minimize(gradient, input.flag() ? 0 : 1e-3, certify, vertex);
    const Matrix<Real> answer = vertex.to_matrix();
    const auto told = [&] {
        return fmt::format("{} on {} x {}", region->describe(), one.shape.rows, one.shape.cols);
    };
    for (const Real entry : answer.span())
        require(std::isfinite(entry), "{}: an entry is not finite", told());
    const double rounding = std::is_same_v<Real, float> ? 2e-5 : 1e-12;
    require(region->violation(answer) <= rounding, "{}: the answer lies outside by {}", told(),
            region->violation(answer));
    require(slack >= 0, "{}: a bound of {}", told(), slack);
    if (!certify) return;
    const auto g = testing::entries(gradient);
    const auto v = testing::entries(answer);
    const Wide h = vertex.composite;
    const Wide best = testing::dot(g, v) + h;
    const auto tolerance = [&](const std::vector<Wide>& point, Wide term) {
        Wide size = std::abs(h) + std::abs(term);
        for (std::size_t i = 0; i < g.size(); ++i)
            size += std::abs(g[i]) * (std::abs(v[i]) + std::abs(point[i]));
        return static_cast<Wide>(rounding) * (size + largest) +
               static_cast<Wide>(std::numeric_limits<Real>::min()) * static_cast<Wide>(g.size());
    };
    for (const auto& [point, term] : one.points)
        require(best <= testing::dot(g, point) + term + static_cast<Wide>(slack) + tolerance(point, term),
                "{}: the answer is worth {}, another point {}, the bound is {}", told(),
                static_cast<double>(best), static_cast<double>(testing::dot(g, point) + term), slack);
    if (const auto minimum = least(one, g))
        require(best - *minimum <= static_cast<Wide>(slack) + tolerance(v, h),
                "{}: the answer is {} above the minimum, the bound is {}", told(),
                static_cast<double>(best - *minimum), slack);
}

}  // namespace
}  // namespace alfcg::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace alfcg;
    fuzz::Input input(data, size);
    if (input.flag())
        fuzz::check<double>(input);
    else
        fuzz::check<float>(input);
    return 0;
}
