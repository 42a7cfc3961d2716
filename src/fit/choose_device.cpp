#include "fit/choose_device.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "method/table.hpp"
#include "solve/keeper.hpp"

namespace alfcg {

namespace {

// The least of some calls, which are few where they take long; what the first one makes for the others does not count.
template <class Body>
double least_seconds(const Body& body) {
    using Clock = std::chrono::steady_clock;
    constexpr int fewest = 2;
    constexpr int most = 20;
    constexpr double enough = 0.01;
    body();
    double least = std::numeric_limits<double>::infinity();
    double sum = 0;
    for (int calls = 0; calls < fewest || (calls < most && sum < enough); ++calls) {
        const auto began = Clock::now();
        body();
        const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
        least = std::min(least, seconds);
        sum += seconds;
    }
    return least;
}

}  // namespace

template <class Real>
double epoch_seconds(Objective<Real>& objective, Region<Real>& region, const Options& options) {
    Iterate<Real> x(region.start(objective.shape()));
    Matrix<Real> gradient;
    const double pass = least_seconds([&] {
        x.look_again();  // nobody remembers anything about a new point
        objective.evaluate(x, gradient);
    });
    const MethodRow& method = find_method(choose_method(objective, region, options).name);
    if (method.setting != "finite-sum" && method.setting != "expectation") return pass;
    const Index rows = objective.samples();
    const auto parameters = resolve(method.name, method.parameters, options.parameters, rows);
    const auto given = parameters.number("batch");
    const double size =
        std::min(given.value_or(std::sqrt(static_cast<double>(rows))), static_cast<double>(rows));
    std::vector<Index> batch(static_cast<std::size_t>(std::max(size, 1.0)));
    // Here and there, as they are drawn.
    constexpr Index prime = 1000003;
    for (std::size_t k = 0; k < batch.size(); ++k) batch[k] = static_cast<Index>(k + 1) * prime % rows;
    const double seconds = least_seconds([&] {
        x.look_again();
        objective.batch_gradient(batch, x, gradient);
    });
    return pass + seconds * static_cast<double>(rows) / static_cast<double>(batch.size());
}

template <class Real>
void choose_device(
    Problem<Real>& problem, const Options& options,
    const std::function<std::unique_ptr<Objective<Real>>(const std::shared_ptr<Device>&)>& make) {
    if (!options.checkpoints.resume.empty()) {
        if (recorded_fact(options.checkpoints.resume, "device") == "cpu") problem.device = nullptr;
        return;
    }
    const auto measure = [&](const std::shared_ptr<Device>& device) {
        const auto region = problem.new_region();
        const auto objective = make(device);
        problem.device_times.push_back(
            {device == nullptr ? "cpu" : device->name(), epoch_seconds(*objective, *region, options)});
        return problem.device_times.back().seconds;
    };
    try {
        const double here = measure(nullptr);
        if (here <= measure(problem.device)) problem.device = nullptr;
    } catch (const QuantityError&) {  // it has no room, or does not know the loss
        problem.device = nullptr;
        problem.device_times.clear();
    }
}

template double epoch_seconds(Objective<float>&, Region<float>&, const Options&);
template double epoch_seconds(Objective<double>&, Region<double>&, const Options&);
template void choose_device(
    Problem<float>&, const Options&,
    const std::function<std::unique_ptr<Objective<float>>(const std::shared_ptr<Device>&)>&);
template void choose_device(
    Problem<double>&, const Options&,
    const std::function<std::unique_ptr<Objective<double>>(const std::shared_ptr<Device>&)>&);

}  // namespace alfcg
