// Runs of the calibration grid on one data set.
//
//   alfcg-calibration data=SOURCE [normalize=KIND] [distortion=KIND] [loss=NAME] [rows=N] [data-dir=FOLDER]
//
// loads the data and prints its size as one line of JSON. Then each line on standard input is a job,
//
//   {"region": "l3", "radius": 10, "method": "alfcg-fs", "seed": 1}
//
// with, where wanted, "epochs" (30), "rho" (a number, or "probe"; absent: the method's default) and "trace"
// (true: time and objective of every iterate). It is answered with the same object and an "answer" in it.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "alfcg/data/planted.hpp"
#include "arguments.hpp"
#include "distortion.hpp"

namespace alfcg::bench {

namespace {

using Json = nlohmann::json;
using Real = float;

// Several workers share the machine.
constexpr int threads = 1;

Dataset<Real> load(Arguments& arguments) {
    const std::string source = arguments.text("data", "");
    ReadOptions read;
    read.threads = threads;
    read.rows = arguments.integer("rows", 0);
    read.data_dir = arguments.text("data-dir", "");
    Dataset<Real> data =
        source == "planted" ? planted_low_rank<Real>().data : load_dataset<Real>(source, read);
    if (auto* sparse = std::get_if<SparseFeatures<Real>>(&data.features)) drop_empty_columns(*sparse);
    distort(data, arguments.text("distortion", "none"));
    const Normalization kind = parse_normalization(arguments.text("normalize", "none"));
    const Scaling scaling = measure_scaling(data.features, kind, threads);
    data.features = scaled(std::move(data.features), scaling, threads);
    return data;
}

std::unique_ptr<Objective<Real>> make_objective(const Dataset<Real>& data, const std::string& kind) {
    LossSpec loss;
    loss.name = kind;
    Classes classes;
    return linear_objective<Real>(data.features, make_targets(data.labels, kind, classes), loss, threads);
}

std::unique_ptr<Region<Real>> make_region(const std::string& name, double radius) {
    if (name == "nuclear") return nuclear_ball<Real>(radius, {}, threads);
    if (name == "l3") return lp_ball<Real>(3, radius, {}, threads);
    if (name == "l1") return lp_ball<Real>(1, radius, {}, threads);
    throw Error("unknown region '" + name + "': expected nuclear, l3 or l1");
}

Options make_options(const Json& job) {
    Options options;
    options.method = job.at("method");
    options.seed = job.value("seed", std::uint64_t{1});
    options.max_epochs = job.value("epochs", 30.0);
    if (job.contains("rho")) {
        const Json& rho = job.at("rho");
        if (rho == "probe") {
            options.parameters.set("rho", "probe");
        } else if (rho.is_number()) {
            options.parameters.set("rho", rho.get<double>());
        } else {
            throw Error("rho: " + rho.dump() + ": expected a number or \"probe\"");
        }
    }
    return options;
}

Json run(Objective<Real>& objective, const Json& job) {
    const auto region = make_region(job.at("region"), job.at("radius"));
    const bool traced = job.value("trace", false);
    double first = 0;
    double curvature = 0;
    std::vector<double> seconds;
    std::vector<double> objectives;
    const auto result = solve<Real>(objective, *region, make_options(job), [&](const Snapshot<Real>& at) {
        if (at.iteration == 0) first = at.metrics().objective;
        if (at.curvature) curvature = *at.curvature;
        if (traced) {
            seconds.push_back(at.seconds);
            objectives.push_back(at.metrics().objective);
        }
        return Action::proceed;
    });
    Json answer{{"first", first},
                {"last", result.metrics.objective},
                {"gap", result.metrics.gap},
                {"iterations", result.iterations},
                {"epochs", result.epochs},
                {"seconds", result.seconds.method()},
                {"curvature", curvature}};
    if (result.scale) answer["rho"] = *result.scale;
    if (traced) answer["trace"] = {{"seconds", seconds}, {"objective", objectives}};
    return answer;
}

void print(const Json& line) {
    std::cout << line.dump() << '\n' << std::flush;
}

void serve(Arguments& arguments) {
    const Dataset<Real> data = load(arguments);
    const auto objective = make_objective(data, arguments.text("loss", "multinomial"));
    arguments.verify();
    print({{"rows", objective->samples()},
           {"outputs", objective->shape().rows},
           {"features", objective->shape().cols}});
    for (std::string line; std::getline(std::cin, line);) {
        Json job = Json::parse(line);
        Json answer;
        try {
            answer = run(*objective, job);
        } catch (const Error& error) {
            answer = {{"error", error.what()}};
        }
        job["answer"] = std::move(answer);
        print(job);
    }
}

}  // namespace

}  // namespace alfcg::bench

int main(int argc, char** argv) {
    try {
        alfcg::bench::Arguments arguments(std::span<char* const>(argv + 1, argv + argc));
        alfcg::bench::serve(arguments);
    } catch (const std::exception& error) {
        fmt::print(stderr, "alfcg-calibration: {}\n", error.what());
        return 2;
    }
    return 0;
}
