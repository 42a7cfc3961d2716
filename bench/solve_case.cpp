#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "array_dump.hpp"
#include "problem.hpp"

namespace alfcg::bench {

namespace {

template <class Real>
struct SolveBench {
    explicit SolveBench(Arguments& arguments)
        : problem(arguments),
          objective(problem.objective(problem.threads)),
          region(nuclear_ball<Real>(arguments.number("radius", 10))),
          gap(arguments.number("gap", 1)),
          budget(arguments.number("seconds", 0.2)) {
        if (arguments.has("batch")) parameters.set("batch", arguments.number("batch", 0));
        if (arguments.has("rho")) parameters.set("rho", arguments.number("rho", 0));
    }

    [[nodiscard]] Options options(const std::string& method) const {
        Options result;
        result.method = method;
        result.parameters = own_parameters(method, parameters);
        return result;
    }

    // From one look at a gradient to the next, over `count` iterations of a run: what comes before the first
    // and after the last (allocations, the exact gap) is not in it.
    double seconds_per_iteration(const std::string& method, Index count) {
        using Clock = std::chrono::steady_clock;
        constexpr Index first = 1;  // the one before it touches all memory for the first time
        Options settings = options(method);
        settings.max_iterations = first + count + 1;
        Clock::time_point start;
        Clock::time_point end;
        solve<Real>(*objective, *region, settings, [&](const Snapshot<Real>& snapshot) {
            if (snapshot.iteration == first) start = Clock::now();
            if (snapshot.iteration == first + count) end = Clock::now();
            return Action::proceed;
        });
        return std::chrono::duration<double>(end - start).count() / static_cast<double>(count);
    }

    Timing iteration(const std::string& method) {
        Index& count = counts[method];
        if (count == 0) {
            const double once = seconds_per_iteration(method, 10);
            count = std::clamp<Index>(static_cast<Index>(budget / std::max(once, 1e-7)), 10, 100000);
        }
        return {seconds_per_iteration(method, count), {{"iterations", count}}};
    }

    Timing until_gap(const std::string& method) {
        Options settings = options(method);
        settings.gap = gap;
        settings.max_seconds = 60;
        Result<Real> result;
        const double seconds = seconds_of([&] { result = solve(*objective, *region, settings); });
        return {seconds,
                {{"status", to_text(result.status)},
                 {"iterations", result.iterations},
                 {"objective", result.metrics.objective},
                 {"gap", result.metrics.gap}}};
    }

    // The first iterations with the batches that were drawn, for a peer to repeat.
    nlohmann::json dump_run(const std::string& folder, const std::string& method) {
        constexpr Index steps = 100;
        std::vector<Index> drawn;
        Options settings = options(method);
        settings.max_iterations = steps;
        settings.on_draw = [&](std::span<const Index> rows) {
            drawn.insert(drawn.end(), rows.begin(), rows.end());
        };
        const auto result = solve(*objective, *region, settings);
        dump_array<Real>(folder + "/x.npy", result.x.span(), {result.x.rows(), result.x.cols()});
        if (!drawn.empty()) {
            dump_array<Index>(folder + "/batches.npy", drawn,
                              {steps, static_cast<std::int64_t>(drawn.size()) / steps});
        }
        return {{"steps", steps},
                {"rho", result.scale.value_or(0)},
                {"beta", result.parameters.number("beta").value_or(0)}};
    }

    Problem<Real> problem;
    std::unique_ptr<Objective<Real>> objective;
    std::unique_ptr<Region<Real>> region;
    Parameters parameters;
    double gap;
    double budget;                        // of one measurement, in seconds
    std::map<std::string, Index> counts;  // iterations that fit the budget
};

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        words.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return words;
}

}  // namespace

template <class Real>
Case solve_case(Arguments& arguments) {
    const std::string folder = arguments.text("dump", "");
    const std::vector<std::string> methods = split(arguments.text("methods", "alfcg-d"));
    const auto state = std::make_shared<SolveBench<Real>>(arguments);
    Case result;
    result.facts = state->problem.facts();
    if (!folder.empty()) {
        state->problem.dump(folder);
        result.facts.update(state->dump_run(folder, methods.front()));
    }
    for (const std::string& method : methods) {
        result.measures["iteration:" + method] = [state, method] { return state->iteration(method); };
        result.measures["gap:" + method] = [state, method] { return state->until_gap(method); };
    }
    return result;
}

template Case solve_case<float>(Arguments&);
template Case solve_case<double>(Arguments&);

}  // namespace alfcg::bench
