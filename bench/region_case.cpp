#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "case.hpp"
#include "core/thread_time.hpp"
#include "limits.hpp"
#include "region_lines.hpp"

namespace alfcg::bench {

namespace {

// Gradients to be looked at in turn, more of them than caches hold, those of a machine's neighbours included: one, and what it is with
// its entries moved around.
template <class Real>
struct Gradients {
    explicit Gradients(Shape shape) {
        std::mt19937_64 generator(1);
        std::normal_distribution<double> normal;
        constexpr Index bytes = Index{384} << 20;
        const Index count = bytes / (shape.size() * static_cast<Index>(sizeof(Real)));
        Matrix<Real> first(shape);
        for (Real& entry : first.span()) entry = static_cast<Real>(normal(generator));
        for (Index k = 0; k < count; ++k) {
            each.emplace_back(shape);
            std::rotate_copy(first.data(), first.data() + k * (shape.size() / count),
                             first.data() + shape.size(), each.back().data());
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
    // What a single thread has had of a CPU: company does not count.
    const auto timed = [=](const auto& work) {
        if (threads > 1) return seconds_of(work);
        const auto start = thread_time();
        work();
        return std::chrono::duration<double>(thread_time() - start).count();
    };
    result.measures["read"] = [=] {
        const Matrix<Real>& gradient = gradients->next();
        std::uint64_t sum = 0;
        const double seconds = timed([&] { sum = read_once(gradient.data(), bytes, threads, plan); });
        return Timing{seconds, {{"sum", sum}}};
    };
    const auto vertex = std::make_shared<Vertex<Real>>();
    result.measures["oracle"] = [=] {
        const Matrix<Real>& gradient = gradients->next();
        return Timing{timed([&] { region->minimize(gradient, 0, false, *vertex); })};
    };
    return result;
}

template Case region_case<float>(Arguments&);
template Case region_case<double>(Arguments&);

}  // namespace alfcg::bench
