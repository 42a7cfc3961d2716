#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "case.hpp"
#include "limits.hpp"
#include "region_lines.hpp"

namespace alfcg::bench {

namespace {

// Gradients to be looked at in turn, more of them than caches hold.
template <class Real>
struct Gradients {
    explicit Gradients(Shape shape) {
        std::mt19937_64 generator(1);
        std::normal_distribution<double> normal;
        constexpr int count = 16;
        for (int k = 0; k < count; ++k) {
            each.emplace_back(shape);
            for (Real& entry : each.back().span()) entry = static_cast<Real>(normal(generator));
        }
    }
    const Matrix<Real>& next() { return each[at++ % each.size()]; }

    std::vector<Matrix<Real>> each;
    std::size_t at = 0;
};

}  // namespace

template <class Real>
Case region_case(Arguments& arguments) {
    Case result;
    const std::string name = arguments.text("region", "");
    const int threads = static_cast<int>(arguments.integer("threads", 1));
    if (name.empty()) {
        for (const RegionLine& each : region_lines()) result.facts["regions"].push_back(each.name);
        return result;
    }
    const auto line = std::find_if(region_lines().begin(), region_lines().end(),
                                   [&](const RegionLine& each) { return each.name == name; });
    if (line == region_lines().end())
        throw Error("the region '" + name + "' has no line in region_lines.hpp");
    const auto gradients = std::make_shared<Gradients<Real>>(line->shape);
    const std::shared_ptr<Region<Real>> region = make_region<Real>(
        RegionSpec{name, line->made != nullptr ? line->made() : line->parameters, {}}, {threads});
    region->check(line->shape);
    result.facts = {{"region", region->describe()},
                    {"rows", line->shape.rows},
                    {"cols", line->shape.cols},
                    {"most", line->most},
                    {"threads", threads}};
    const auto bytes = static_cast<Index>(gradients->each.front().span().size_bytes());
    const ReadPlan plan = fastest_read(gradients->each.front().data(), bytes, threads, 1);
    result.measures["read"] = [=] {
        const Matrix<Real>& gradient = gradients->next();
        std::uint64_t sum = 0;
        const double seconds = seconds_of([&] { sum = read_once(gradient.data(), bytes, threads, plan); });
        return Timing{seconds, {{"sum", sum}}};
    };
    const auto vertex = std::make_shared<Vertex<Real>>();
    result.measures["oracle"] = [=] {
        const Matrix<Real>& gradient = gradients->next();
        return Timing{seconds_of([&] { region->minimize(gradient, 0, false, *vertex); })};
    };
    return result;
}

template Case region_case<float>(Arguments&);
template Case region_case<double>(Arguments&);

}  // namespace alfcg::bench
