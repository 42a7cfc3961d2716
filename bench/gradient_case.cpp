#include <memory>
#include <utility>

#include "array_dump.hpp"
#include "limits.hpp"
#include "problem.hpp"

namespace alfcg::bench {

namespace {

// What is measured again and again: everything is allocated once.
template <class Real>
struct GradientBench {
    explicit GradientBench(Arguments& arguments)
        : problem(arguments), objective(problem.objective(problem.threads)), alone(problem.objective(1)) {
        // Two points in turn: the same one twice might be remembered.
        const double size = arguments.number("size", 0.02);
        for (int number = 0; number < 2; ++number)
            points[number] = some_point<Real>(objective->shape(), size, number);
    }

    Timing gradient_of(Objective<Real>& function) {
        turn = 1 - turn;
        return {seconds_of([&] { value = function.evaluate(points[turn], gradient); })};
    }

    Problem<Real> problem;
    std::unique_ptr<Objective<Real>> objective;
    std::unique_ptr<Objective<Real>> alone;  // one thread
    Iterate<Real> points[2];
    Matrix<Real> gradient;
    double value = 0;
    int turn = 0;
};

struct Stretch {
    const void* data;
    Index bytes;
};

std::function<Timing()> read_measure(Stretch stretch, int threads, int most_streams) {
    const ReadPlan plan = fastest_read(stretch.data, stretch.bytes, threads, most_streams);
    return [=] {
        volatile std::uint64_t sink = 0;
        const double seconds =
            seconds_of([&] { sink = read_once(stretch.data, stretch.bytes, threads, plan); });
        return Timing{seconds, {{"streams", plan.streams}, {"ahead", plan.ahead}}};
    };
}

}  // namespace

template <class Real>
Case gradient_case(Arguments& arguments) {
    const std::string folder = arguments.text("dump", "");
    const auto state = std::make_shared<GradientBench<Real>>(arguments);
    const int threads = state->problem.threads;
    Case result;
    result.facts = state->problem.facts();
    if (!folder.empty()) {
        state->problem.dump(folder);
        const Matrix<Real>& x = state->points[0].matrix();
        result.facts["value"] = state->objective->evaluate(state->points[0], state->gradient);
        dump_array<Real>(folder + "/x.npy", x.span(), {x.rows(), x.cols()});
        dump_array<Real>(folder + "/gradient.npy", state->gradient.span(), {x.rows(), x.cols()});
    }
    result.measures["gradient"] = [state] { return state->gradient_of(*state->objective); };
    result.measures["gradient-1"] = [state] { return state->gradient_of(*state->alone); };
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&state->problem.data.features)) {
        const Stretch stretch{dense->data(),
                              dense->rows() * dense->cols() * static_cast<Index>(sizeof(Real))};
        result.measures["read"] = read_measure(stretch, threads, 1);
        result.measures["read-fastest"] = read_measure(stretch, threads, 8);
    }
    constexpr Index peak_rounds = 1 << 20;
    result.facts["peak_flops"] = multiply_adds<Real>(peak_rounds, threads);
    result.measures["peak"] = [threads] {
        return Timing{seconds_of([&] { multiply_adds<Real>(peak_rounds, threads); })};
    };
    return result;
}

template Case gradient_case<float>(Arguments&);
template Case gradient_case<double>(Arguments&);

}  // namespace alfcg::bench
