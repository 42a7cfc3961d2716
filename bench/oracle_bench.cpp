// How long one answer of a region's oracle takes, against a streaming copy of the same bytes (the gradient read,
// the vertex written), and the leading singular pair of a large dense gradient inside a running solve.
//
//   oracle_bench [FOLDER]    with a folder: writes the large gradients there (raw, row-major, gradient-N.f32 and
//                            .f64), so that another program can be timed on the same sequence

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "alfcg/region/spec.hpp"
#include "core/parallel.hpp"

namespace {

using namespace alfcg;

constexpr int rounds = 15;

double seconds(const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <class Real>
Matrix<Real> gaussian(Shape shape, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    Matrix<Real> x(shape);
    for (Real& entry : x.span()) entry = static_cast<Real>(normal(generator));
    return x;
}

template <class Real>
constexpr const char* precision = sizeof(Real) == 4 ? "f32" : "f64";

/// The gradients of a run differ from one iteration to the next: calls take turns.
template <class Real>
std::vector<Matrix<Real>> drifting_gradients(Shape shape) {
    const auto drift = gaussian<Real>(shape, 2);
    std::vector<Matrix<Real>> gradients;
    for (int k = 0; k < 3; ++k) {
        auto gradient = gaussian<Real>(shape, 1);
        for (Index i = 0; i < gradient.size(); ++i)
            gradient.data()[i] += static_cast<Real>(0.02 * k) * drift.data()[i];
        gradients.push_back(std::move(gradient));
    }
    return gradients;
}

template <class Real>
void streaming_copy(const Matrix<Real>& from, Matrix<Real>& to, int threads) {
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(from.size(), part, threads);
        std::copy(from.data() + first, from.data() + last, to.data() + first);
    });
}

template <class Real>
void compare_with_copy(Shape shape, const std::vector<RegionSpec>& specs) {
    const int threads = shape.size() > 100000 ? resolve_threads(0) : 1;
    const int calls = static_cast<int>(std::max<Index>(1, 1000000 / shape.size()));
    const auto gradients = drifting_gradients<Real>(shape);
    Matrix<Real> target(shape);
    std::vector<std::unique_ptr<Region<Real>>> regions;
    for (const RegionSpec& spec : specs) regions.push_back(make_region<Real>(spec));
    std::vector<std::vector<double>> times(specs.size() + 1);
    Vertex<Real> vertex;
    for (int round = 0; round < rounds; ++round) {
        const auto measure = [&](std::size_t row, const auto& call) {
            times[row].push_back(seconds([&] {
                                     for (int k = 0; k < calls; ++k)
                                         call(gradients[static_cast<std::size_t>(round + k) % 3]);
                                 }) /
                                 calls);
        };
        measure(0, [&](const Matrix<Real>& gradient) { streaming_copy(gradient, target, threads); });
        for (std::size_t k = 0; k < regions.size(); ++k)
            measure(k + 1,
                    [&](const Matrix<Real>& gradient) { regions[k]->minimize(gradient, 0, false, vertex); });
    }
    const auto best = [](const std::vector<double>& values) {
        return *std::min_element(values.begin(), values.end());
    };
    const double copy = best(times[0]);
    fmt::print("{} x {} {}: copy {:.4f} ms\n", shape.rows, shape.cols, precision<Real>, 1e3 * copy);
    for (std::size_t k = 0; k < specs.size(); ++k) {
        const double time = best(times[k + 1]);
        fmt::print("    {:<40} {:9.4f} ms   {:7.2f} copies\n", regions[k]->describe(), 1e3 * time,
                   time / copy);
    }
}

/// f(x) = ½ Σ (x_ij - a_ij)² over the observed half of the entries, a of rank 10 plus noise.
template <class Real>
class Completion {
  public:
    explicit Completion(Shape shape) : target_(shape), observed_(static_cast<std::size_t>(shape.size())) {
        constexpr Index rank = 10;
        const auto left = gaussian<double>({shape.rows, rank}, 3);
        const auto right = gaussian<double>({shape.cols, rank}, 4);
        std::mt19937 generator(5);
        std::normal_distribution<double> noise;
        for (Index i = 0; i < shape.rows; ++i) {
            for (Index j = 0; j < shape.cols; ++j) {
                double sum = noise(generator);
                for (Index k = 0; k < rank; ++k)
                    sum += left(i, k) * right(j, k) / (1 + 0.2 * static_cast<double>(k));
                target_(i, j) = static_cast<Real>(sum);
                observed_[static_cast<std::size_t>(i * shape.cols + j)] = generator() % 2 == 0;
            }
        }
    }
    void gradient(const Matrix<Real>& x, Matrix<Real>& g) const {
        for (Index i = 0; i < x.size(); ++i)
            g.data()[i] = observed_[static_cast<std::size_t>(i)] ? x.data()[i] - target_.data()[i] : Real(0);
    }

  private:
    Matrix<Real> target_;
    std::vector<bool> observed_;
};

template <class Real>
void write(const std::string& folder, int number, const Matrix<Real>& gradient) {
    const std::string name = fmt::format("{}/gradient-{}.{}", folder, number, precision<Real>);
    std::FILE* file = std::fopen(name.c_str(), "wb");
    if (file == nullptr) return;
    std::fwrite(gradient.data(), sizeof(Real), static_cast<std::size_t>(gradient.size()), file);
    std::fclose(file);
}

/// Conditional gradient steps with the loop's rule for the oracle's accuracy: a hundredth of the last gap.
template <class Real>
void running_solve(Shape shape, const std::string& folder) {
    constexpr int iterations = 20;
    const Completion<Real> problem(shape);
    const auto region = make_region<Real>({"nuclear", {{"radius", 2e4}}, {}});
    Matrix<Real> x(shape);
    Matrix<Real> g(shape);
    Vertex<Real> vertex;
    double gap = 0;
    std::vector<double> times;
    fmt::print("{} x {} {}: matrix completion over the nuclear ball, ms per oracle call:", shape.rows,
               shape.cols, precision<Real>);
    for (int t = 0; t < iterations; ++t) {
        problem.gradient(x, g);
        if (!folder.empty()) write(folder, t, g);
        times.push_back(seconds([&] { region->minimize(g, 1e-2 * gap, false, vertex); }));
        fmt::print(" {:.1f}", 1e3 * times.back());
        const auto direction = direction_to(vertex, g, x);
        gap = -direction.slope;
        move_towards(vertex, std::min(1.0, gap / direction.length_squared), x);
    }
    fmt::print("\n    gap {:.3g} at the end; first call {:.2f} ms, median of the others {:.2f} ms\n", gap,
               1e3 * times.front(), 1e3 * median({times.begin() + 1, times.end()}));
}

template <class Real>
void all(const std::string& folder) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Parameters unit{{"radius", 1}};
    std::vector<RegionSpec> lp{{"l1", unit, {}}, {"l2", unit, {}}};
    for (const double p : {1.5, 2.5, 3.0, 4.0, infinity}) lp.push_back({"lp", {{"p", p}, {"radius", 1}}, {}});
    auto with_nuclear = lp;
    with_nuclear.push_back({"nuclear", unit, {}});
    compare_with_copy<Real>({10, 768}, with_nuclear);
    compare_with_copy<Real>({20, 62061}, with_nuclear);
    compare_with_copy<Real>({2000, 3000}, lp);
    running_solve<Real>({2000, 3000}, folder);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string folder = argc > 1 ? argv[1] : "";
    fmt::print("Oracles, {} threads (best of {} interleaved rounds)\n", resolve_threads(0), rounds);
    all<float>(folder);
    all<double>(folder);
    return 0;
}
