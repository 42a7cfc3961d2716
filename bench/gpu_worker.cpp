// One case of bench/gpu: rows made on the spot, on a device and on the CPU. Prints how far the two are apart, and how long passes and iterations take.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "alfcg/region/spec.hpp"

namespace alfcg::bench {
namespace {

struct Case {
    std::string device = "cuda";
    Index rows = 1000;
    Index features = 50;
    int classes = 10;
    Index row_entries = 0;  // of sparse rows; 0: dense
    Index batch = 32;
    int repeats = 20;
    bool check = true;
};

std::uint64_t mixed(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15U;
    number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
    return number ^ (number >> 31U);
}
template <class Real>
Real number_at(std::uint64_t place) {
    return static_cast<Real>(static_cast<double>(mixed(place) >> 11U) * 0x1p-52 - 1);
}

template <class Real>
Features<Real> make_features(const Case& given) {
    if (given.row_entries == 0) {
        Buffer<Real> entries(static_cast<std::size_t>(given.rows * given.features));
        for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = number_at<Real>(k);
        return DenseFeatures<Real>(std::move(entries), given.rows, given.features);
    }
    // Few columns have most of the entries, as words do.
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    std::vector<std::int32_t> places;
    for (Index i = 0; i < given.rows; ++i) {
        places.clear();
        for (Index k = 0; k < given.row_entries; ++k) {
            const double share =
                std::abs(number_at<double>(static_cast<std::uint64_t>(i * given.row_entries + k)));
            places.push_back(static_cast<std::int32_t>(share * share * static_cast<double>(given.features)));
        }
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        for (const std::int32_t place : places) {
            column.push_back(place);
            value.push_back(number_at<Real>(static_cast<std::uint64_t>(i + place)));
        }
        start.push_back(static_cast<Index>(value.size()));
    }
    return SparseFeatures<Real>{std::move(start), std::move(column), std::move(value), given.rows,
                                given.features};
}

template <class Body>
double median_seconds(int repeats, const Body& body) {
    std::vector<double> seconds;
    body();
    for (int k = 0; k < repeats; ++k) {
        const auto began = std::chrono::steady_clock::now();
        body();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    }
    std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
    return seconds[static_cast<std::size_t>(repeats / 2)];
}

// Of one iteration: what so many more of them take.
template <class Real>
double iteration_seconds(Objective<Real>& objective, const std::string& method, const std::string& region,
                         int count) {
    const auto run = [&](int iterations) {
        RegionSpec spec{region, {{"radius", 10}}, {}};
        if (region == "lp") spec.parameters.set("p", 3);
        const auto set = make_region<Real>(spec, {});
        Options options;
        options.method = method;
        options.max_iterations = iterations;
        options.tolerance = 0;
        options.parameters.set("rho", 1e-3);
        const auto began = std::chrono::steady_clock::now();
        static_cast<void>(solve<Real>(objective, *set, options));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    run(count);
    const double some = run(count);
    return std::max(run(3 * count) - some, 0.0) / (2 * count);
}

template <class Real>
double distance(const Matrix<Real>& ours, const Matrix<Real>& theirs) {
    double apart = 0;
    double size = 0;
    for (Index k = 0; k < ours.size(); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto other = static_cast<double>(theirs.span()[at]);
        apart += std::pow(static_cast<double>(ours.span()[at]) - other, 2);
        size += other * other;
    }
    return std::sqrt(apart / size);
}

template <class Real>
nlohmann::json measure(const Case& given) {
    const Features<Real> features = make_features<Real>(given);
    Targets targets;
    targets.outputs = given.classes;
    for (Index i = 0; i < given.rows; ++i)
        targets.classes.push_back(static_cast<std::int32_t>(mixed(static_cast<std::uint64_t>(i)) %
                                                            static_cast<std::uint64_t>(given.classes)));
    const auto device = open_device(given.device);
    const auto objective =
        linear_objective<Real>(features, targets, LossSpec{}, 0, false, {}, nullptr, device);
    Matrix<Real> point(objective->shape());
    for (Index k = 0; k < point.size(); ++k)
        point.span()[static_cast<std::size_t>(k)] = number_at<Real>(static_cast<std::uint64_t>(k)) / 10;
    Iterate<Real> x(point);
    const Iterate<Real> y{Matrix<Real>(objective->shape())};
    std::vector<Index> batch;
    for (Index k = 0; k < given.batch; ++k)
        batch.push_back(static_cast<Index>(mixed(static_cast<std::uint64_t>(k)) %
                                           static_cast<std::uint64_t>(given.rows)));
    Matrix<Real> gradient(objective->shape());
    Matrix<Real> scratch;
    nlohmann::json out;
    out["device"] = device == nullptr ? "cpu" : device->name();
    out["device_name"] = device == nullptr ? "cpu" : device->description();
    out["bytes"] = bytes_of(features);
    const auto pass = [&] {
        x.look_again();  // another point: weights go up
        objective->evaluate(x, gradient);
    };
    out["gradient_seconds"] = median_seconds(given.repeats, pass);
    out["batch_seconds"] = median_seconds(given.repeats, [&] {
        x.look_again();
        objective->batch_gradient(batch, x, gradient);
    });
    out["two_point_batch_seconds"] = median_seconds(given.repeats, [&] {
        x.look_again();
        objective->blend(batch, {0, 1, &x, -1, &y}, gradient, scratch);
    });
    for (const char* region : {"lp", "nuclear"})
        for (const char* method : {"alfcg-d", "alfcg-mvr1"})
            out[fmt::format("{}_{}_iteration_seconds", method, region)] =
                iteration_seconds(*objective, method, region, given.repeats);
    if (!given.check) return out;
    const auto cpu = linear_objective<Real>(features, targets, LossSpec{}, 0);
    Matrix<Real> theirs(objective->shape());
    const Iterate<Real> same(x.matrix());
    const double value = objective->evaluate(x, gradient);
    const double expected = cpu->evaluate(same, theirs);
    out["value_error"] = std::abs(value - expected) / std::abs(expected);
    out["gradient_error"] = distance(gradient, theirs);
    Matrix<Real> again(objective->shape());
    objective->evaluate(x, again);
    out["same_bits"] = std::equal(again.span().begin(), again.span().end(), gradient.span().begin());
    objective->blend(batch, {0, 1, &x, -1, &y}, gradient, scratch);
    const Iterate<Real> zero{Matrix<Real>(objective->shape())};
    cpu->blend(batch, {0, 1, &same, -1, &zero}, theirs, scratch);
    out["batch_error"] = distance(gradient, theirs);
    return out;
}

int main(int count, char** words) {
    Case given;
    bool is_double = false;
    for (int k = 1; k + 1 < count; k += 2) {
        const std::string name = words[k];
        const std::string value = words[k + 1];
        if (name == "--device") given.device = value;
        if (name == "--rows") given.rows = std::stoll(value);
        if (name == "--features") given.features = std::stoll(value);
        if (name == "--classes") given.classes = std::stoi(value);
        if (name == "--row-entries") given.row_entries = std::stoll(value);
        if (name == "--batch") given.batch = std::stoll(value);
        if (name == "--repeats") given.repeats = std::stoi(value);
        if (name == "--check") given.check = value == "yes";
        if (name == "--precision") is_double = value == "f64";
    }
    fmt::print("{}\n", (is_double ? measure<double>(given) : measure<float>(given)).dump());
    return 0;
}

}  // namespace
}  // namespace alfcg::bench

int main(int count, char** words) {
    try {
        return alfcg::bench::main(count, words);
    } catch (const std::exception& error) {
        fmt::print(stderr, "alfcg-gpu: {}\n", error.what());
        return 2;
    }
}
