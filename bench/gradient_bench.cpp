// The full gradient against the hardware's limit: one streaming read of the same data, same threads, back to
// back.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "core/parallel.hpp"

namespace {

using namespace alfcg;

double seconds(const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Reads every entry; the sum keeps the compiler from leaving it out.
template <class Real>
Real streaming_read(const DenseFeatures<Real>& data, int threads) {
    std::vector<Real> sums(static_cast<std::size_t>(threads));
    parallel(threads, [&](int part) {
        const auto [first, last] = share(data.rows() * data.cols(), part, threads);
        constexpr Index lanes = 64;
        Real lane[lanes] = {};
        Index i = first;
        for (; i + lanes <= last; i += lanes)
            for (Index k = 0; k < lanes; ++k) lane[k] += data.data()[i + k];
        for (; i < last; ++i) lane[0] += data.data()[i];
        Real sum = 0;
        for (const Real value : lane) sum += value;
        sums[static_cast<std::size_t>(part)] = sum;
    });
    Real total = 0;
    for (const Real sum : sums) total += sum;
    return total;
}

template <class Real>
void compare(const std::string& name, const char* precision) {
    const auto data = load_dataset<Real>(name);
    const auto& dense = std::get<DenseFeatures<Real>>(data.features);
    LossOptions loss;
    Classes classes;
    const int threads = resolve_threads(0);
    const auto objective =
        linear_objective(data.features, make_targets(data.labels, loss.kind, classes), loss);
    Matrix<Real> x(objective->shape());
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<Real>(0.01 * static_cast<double>(i % 7));
    Matrix<Real> gradient;
    std::vector<double> read;
    std::vector<double> pass;
    volatile Real sink = 0;
    for (int round = 0; round < 15; ++round) {
        read.push_back(seconds([&] { sink = sink + streaming_read(dense, threads); }));
        pass.push_back(seconds([&] { objective->evaluate(x, gradient); }));
    }
    std::sort(read.begin(), read.end());
    std::sort(pass.begin(), pass.end());
    const double bytes = static_cast<double>(dense.rows() * dense.cols()) * sizeof(Real);
    fmt::print("{:<18} {}  {} threads  read {:7.2f} ms ({:5.1f} GB/s)  gradient {:7.2f} ms  ratio {:.2f}\n",
               name, precision, threads, 1e3 * read[7], bytes / read[7] / 1e9, 1e3 * pass[7],
               pass[7] / read[7]);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> names(argv + 1, argv + argc);
    if (names.empty()) names = {"randn-50000-768", "randn-30000-5000"};
    fmt::print(
        "Full multinomial gradient, 10 classes, against one streaming read of the same data (medians of "
        "15)\n");
    for (const std::string& name : names) {
        compare<float>(name, "f32");
        compare<double>(name, "f64");
    }
    return 0;
}
