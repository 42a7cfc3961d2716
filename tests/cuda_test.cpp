// The GPU's linear model, its kernels run by an emulation on the CPU (tests/cuda_emulation): what it says agrees with the CPU's own, and does not depend
// on the order in which threads run.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/region/spec.hpp"
#include "bridge.hpp"
#include "cuda_emulation/counts.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

const std::vector<std::string> all_losses{"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"};

// A variable of the environment, while it lives.
class Setting {
  public:
    Setting(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;
    ~Setting() { unsetenv(name_); }

  private:
    const char* name_;
};

// A real one where bench/gpu asks for it.
const char* const real_library = std::getenv("ALFCG_TEST_CUDA_LIBRARY");

std::shared_ptr<Device> device() {
    setenv("ALFCG_CUDA_LIBRARY", real_library != nullptr ? real_library : ALFCG_EMULATED_CUDA, 1);
    return open_device("cuda");
}

// The same problem on both.
template <class Real>
struct Both {
    std::unique_ptr<Objective<Real>> cpu;
    std::unique_ptr<Objective<Real>> gpu;

    Both(const reference::Problem& problem, Storage storage, bool intercept = false, bool weighted = false) {
        const Bridge<Real> bridge(problem, storage);
        Targets targets = bridge.targets;
        std::mt19937_64 random(11);
        for (Index i = 0; weighted && i < problem.X.rows(); ++i)
            targets.weights.push_back(static_cast<double>(random() % 3));
        if (weighted) targets.weights.front() = 1;
        cpu = linear_objective(bridge.features, targets, bridge.loss, 1, intercept);
        gpu = linear_objective(bridge.features, targets, bridge.loss, 1, intercept, {}, nullptr, device());
    }
};

template <class Real>
constexpr double tolerance = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-11;

template <class Real>
void expect_near(const Matrix<Real>& ours, const Matrix<Real>& theirs, double scale = 0) {
    const reference::Matrix other = from_matrix(theirs);
    EXPECT_LE((from_matrix(ours) - other).norm(), tolerance<Real> * std::max(other.norm(), scale));
}

template <class Real>
bool same_bits(const Matrix<Real>& one, const Matrix<Real>& other) {
    return std::equal(one.span().begin(), one.span().end(), other.span().begin(), other.span().end());
}

std::vector<Index> drawn(Index rows, int count) {
    std::mt19937_64 random(7);
    std::vector<Index> list;
    for (int k = 0; k < count; ++k)
        list.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(rows)));
    return list;
}

struct Size {
    Index rows;
    Index features;
    int outputs;
};

// All that goes through rows, at one point and at two.
template <class Real>
void compare(const reference::Problem& problem, Storage storage, bool intercept, bool weighted) {
    Both<Real> both(problem, storage, intercept, weighted);
    const Index rows = problem.X.rows();
    const Shape shape = both.cpu->shape();
    EXPECT_EQ(both.gpu->shape(), shape);
    EXPECT_EQ(both.gpu->samples(), rows);
    EXPECT_EQ(both.gpu->entries(), both.cpu->entries());
    const Iterate<Real> x(to_matrix<Real>(reference::gaussian(shape.rows, shape.cols, 9) * 0.3));
    const Iterate<Real> y(to_matrix<Real>(reference::gaussian(shape.rows, shape.cols, 10) * 0.3));
    const Iterate<Real> x_too(x.matrix());
    const Iterate<Real> y_too(y.matrix());
    Matrix<Real> ours;
    Matrix<Real> theirs;
    Matrix<Real> scratch;

    const std::vector<Index> batch = drawn(rows, 9);
    both.gpu->batch_gradient(batch, x, ours);
    both.cpu->batch_gradient(batch, x_too, theirs);
    expect_near(ours, theirs);
    const double scale = from_matrix(theirs).norm();

    Slopes our_slopes;
    Slopes their_slopes;
    both.gpu->blend(batch, {0.25, 1.5, &x, -0.75, &y, &our_slopes}, ours, scratch);
    both.cpu->blend(batch, {0.25, 1.5, &x_too, -0.75, &y_too, &their_slopes}, theirs, scratch);
    expect_near(ours, theirs, scale);
    const double slope = std::abs(their_slopes.at_x) + std::abs(their_slopes.at_y);
    EXPECT_NEAR(our_slopes.at_x, their_slopes.at_x, 10 * tolerance<Real> * slope);
    EXPECT_NEAR(our_slopes.at_y, their_slopes.at_y, 10 * tolerance<Real> * slope);

    // SAGA's memory.
    const auto our_table = both.gpu->gradient_table();
    const auto their_table = both.cpu->gradient_table();
    Matrix<Real> our_mean;
    Matrix<Real> their_mean;
    our_table->fill(y, ours);
    their_table->fill(y_too, theirs);
    our_table->exchange(batch, x, ours, our_mean);
    their_table->exchange(batch, x_too, theirs, their_mean);
    expect_near(ours, theirs, scale);
    expect_near(our_mean, their_mean, scale);

    // Looked at in full last: that is when intercepts are at their best.
    const double value = both.gpu->evaluate(x, ours);
    const double expected = both.cpu->evaluate(x_too, theirs);
    const double near = tolerance<Real> * (intercept ? 10 : 1);  // searches end at a tolerance of theirs
    EXPECT_NEAR(value, expected, near * (1 + std::abs(expected)));
    EXPECT_LE((from_matrix(ours) - from_matrix(theirs)).norm(),
              near * std::max(from_matrix(theirs).norm(), scale));
    EXPECT_NEAR(both.gpu->value(x), value, near * (1 + std::abs(value)));
    const std::vector<double> our_intercept = both.gpu->intercept(x);
    const std::vector<double> their_intercept = both.cpu->intercept(x_too);
    ASSERT_EQ(our_intercept.size(), their_intercept.size());
    // Where a class has next to no rows, f is flat far out: intercepts may end anywhere there.
    for (std::size_t l = 0; l < our_intercept.size() && rows >= 8 * shape.rows; ++l)
        EXPECT_NEAR(our_intercept[l], their_intercept[l],
                    (sizeof(Real) == 4 ? 1e-3 : 1e-8) * (1 + std::abs(their_intercept[l])));

    // The same calls give the same bits, in whatever order threads run.
    for (const char* order : {"", "backward", "shuffled"}) {
        const Setting another("ALFCG_EMULATION_ORDER", order);
        Matrix<Real> again;
        both.gpu->evaluate(x, again);
        if (!intercept) {
            EXPECT_TRUE(same_bits(again, ours)) << order;
        }
        Matrix<Real> batch_again;
        both.gpu->blend(batch, {0, 1.5, &x, -0.75, &y}, again, scratch);
        if (*order == '\0') {
            theirs = again;
        } else {
            EXPECT_TRUE(same_bits(again, theirs)) << order;
        }
    }
}

template <class Real>
void compare_all(const std::vector<std::string>& losses, const std::vector<Size>& sizes) {
    for (const std::string& loss : losses)
        for (const Size& size : sizes)
            for (const Storage storage : {Storage::dense, Storage::sparse})
                for (const bool intercept : {false, true}) {
                    SCOPED_TRACE(loss + " " + std::to_string(size.rows) + "x" +
                                 std::to_string(size.features) + " c=" + std::to_string(size.outputs) +
                                 (storage == Storage::dense ? " dense" : " sparse") +
                                 (intercept ? " with an intercept" : "") +
                                 (sizeof(Real) == 4 ? " f32" : " f64"));
                    const auto problem = sized_problem(loss, size.rows, size.features, size.outputs);
                    compare<Real>(problem, storage, intercept, size.rows % 2 == 0);
                    if (testing::Test::HasFailure()) return;
                }
}

TEST(Cuda, AgreesWithTheCpuOnAllLosses) {
    compare_all<float>(all_losses, {{41, 19, 5}, {130, 70, 3}});
    compare_all<double>(all_losses, {{40, 19, 5}, {131, 70, 3}});
}

// Few outputs in one fused pass, of each capacity; more of them, and longer rows, tile by tile and in pieces; up to a thousand classes.
TEST(Cuda, AgreesWithTheCpuOnAllSizes) {
    compare_all<float>(
        {"multinomial"},
        {{1, 1, 2}, {7, 3, 4}, {150, 35, 2}, {61, 33, 8}, {37, 64, 10}, {33, 700, 2}, {45, 19, 300}});
    compare_all<double>({"multinomial"},
                        {{3, 2, 2}, {70, 123, 13}, {30, 1300, 3}, {29, 70, 16}, {600, 21, 3}});
    compare<float>(sized_problem("multinomial", 45, 19, 1000), Storage::dense, false, false);
    compare<double>(sized_problem("multinomial", 45, 19, 1000), Storage::sparse, false, false);
}

TEST(Cuda, LongRowsOfOneOutput) {
    // 48 KiB of shared memory, as the emulation has, hold no four of these.
    compare_all<float>({"logistic"}, {{20, 3000, 1}});
    compare_all<double>({"squared"}, {{600, 1025, 1}});
}

TEST(Cuda, LongColumnsAreSharedAmongWarps) {
    auto problem = sized_problem("logistic", 3000, 3, 1);
    problem.X.col(1).setConstant(0.5);
    compare<double>(problem, Storage::sparse, false, false);
    problem.X.col(0).setZero();  // and some have no entries at all
    compare<float>(problem, Storage::sparse, false, false);
}

// Moves towards points that are short to say go to the device in their place, and round as the host does where that has a fused multiply-add.
template <class Real>
void follow_moves(Storage storage) {
    const auto problem = sized_problem("multinomial", 60, 37, 5);
    const Both<Real> both(problem, storage);
    const Shape shape = both.gpu->shape();
    Iterate<Real> x(to_matrix<Real>(reference::gaussian(shape.rows, shape.cols, 9)));
    Iterate<Real> y = x;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    Matrix<Real> ours;
    Matrix<Real> theirs;
    Matrix<Real> scratch;
    const std::vector<Index> batch = drawn(60, 9);
    for (int k = 0; k < 150; ++k) {
        Move<Real> move;
        Vertex<Real>& vertex = move.towards();
        vertex.shape = shape;
        vertex.scale = normal(random);
        switch (k % 4) {
            case 0:
                vertex.kind = Vertex<Real>::Kind::one_hot;
                vertex.index = static_cast<Index>(random() % static_cast<std::uint64_t>(shape.size()));
                break;
            case 1:
                vertex.kind = Vertex<Real>::Kind::rank_one;
                for (Index i = 0; i < shape.rows; ++i)
                    vertex.left.push_back(static_cast<Real>(normal(random)));
                for (Index j = 0; j < shape.cols; ++j)
                    vertex.right.push_back(static_cast<Real>(normal(random)));
                break;
            case 2:
                vertex.kind = Vertex<Real>::Kind::sparse;
                vertex.positions = {3, 40, shape.size() - 1};
                for (int entry = 0; entry < 3; ++entry)
                    vertex.values.push_back(static_cast<Real>(normal(random)));
                break;
            default:
                break;  // the origin
        }
        x.make(move, k % 29 == 21 ? 1 : 0.2);
        if (k % 3 > 0) {  // as STORM does, at the point before too, or the other way round
            both.gpu->blend(batch, {0, 1, k % 3 == 1 ? &x : &y, -1, k % 3 == 1 ? &y : &x}, ours, scratch);
            const Iterate<Real> x_anew(x.matrix());
            const Iterate<Real> y_anew(y.matrix());
            Both<Real>(problem, storage)
                .gpu->blend(batch, {0, 1, k % 3 == 1 ? &x_anew : &y_anew, -1, k % 3 == 1 ? &y_anew : &x_anew},
                            theirs, scratch);
        } else {
            both.gpu->evaluate(x, ours);
            Both<Real>(problem, storage).gpu->evaluate(Iterate<Real>(x.matrix()), theirs);
        }
        expect_near(ours, theirs);
        if (__builtin_cpu_supports("fma")) {
            EXPECT_TRUE(same_bits(ours, theirs)) << k;
        }
        if (testing::Test::HasFailure()) return;
        y = x;
    }
}

TEST(Cuda, PointsFollowTheirMoves) {
    follow_moves<float>(Storage::dense);
    follow_moves<double>(Storage::dense);
    follow_moves<float>(Storage::sparse);
    follow_moves<double>(Storage::sparse);
}

// What a run asks of the device an iteration, once it is under way.
struct Asked {
    double launches;
    double synchronisations;
    double allocations;
    double copied;
};

Asked asked_for_iteration(Objective<float>& objective, const std::string& method, const std::string& region) {
    const auto counts = reinterpret_cast<EmulationCounts* (*)()>(
        dlsym(dlopen(ALFCG_EMULATED_CUDA, RTLD_NOW | RTLD_NOLOAD), "alfcg_emulation_counts"));
    const auto run = [&](int iterations) {
        RegionSpec spec{region, {{"radius", 3}}, {}};
        if (region == "lp") spec.parameters.set("p", 3);
        const auto set = make_region<float>(spec, {});
        Options options;
        options.method = method;
        options.max_iterations = iterations;
        options.tolerance = 0;
        const EmulationCounts before = *counts();
        static_cast<void>(solve<float>(objective, *set, options));
        const EmulationCounts now = *counts();
        return Asked{static_cast<double>(now.launches - before.launches),
                     static_cast<double>(now.synchronisations - before.synchronisations),
                     static_cast<double>(now.allocations - before.allocations), now.copied - before.copied};
    };
    run(20);
    const Asked some = run(10);
    const Asked more = run(20);
    return {(more.launches - some.launches) / 10, (more.synchronisations - some.synchronisations) / 10,
            more.allocations, (more.copied - some.copied) / 10};
}

// A wait for every look at rows, of which calibrated methods take a further one now and then. A gradient comes down; up goes a vertex, or weights where
// it is as long as they are, and the list of a batch.
TEST(Cuda, IterationsAllocateNothingAndWaitOnce) {
    if (real_library != nullptr) GTEST_SKIP() << "of the emulation";
    const auto problem = sized_problem("multinomial", 200, 60, 8);
    const double weights = 8 * 60 * sizeof(float);
    for (const Storage storage : {Storage::dense, Storage::sparse}) {
        const Both<float> both(problem, storage);
        for (const std::string region : {"l1", "nuclear", "lp"})
            for (const char* method : {"alfcg-d", "alfcg-mvr2"}) {
                SCOPED_TRACE(method + (" over " + region));
                const Asked asked = asked_for_iteration(*both.gpu, method, region);
                EXPECT_EQ(asked.allocations, 0);
                EXPECT_LE(asked.synchronisations, 1.25);
                EXPECT_LE(asked.launches, storage == Storage::dense ? 6 : 8);
                EXPECT_LE(asked.copied, (region == "lp" ? 2.6 : 1.5) * weights);
            }
    }
}

TEST(Cuda, StridesAreTheCallers) {
    const auto problem = sized_problem("multinomial", 40, 21, 3);
    const Bridge<double> bridge(problem);
    Buffer<double> wide(40 * 30);
    std::fill_n(wide.data(), wide.size(), std::nan(""));
    for (Index i = 0; i < 40; ++i)
        for (Index j = 0; j < 21; ++j) wide[static_cast<std::size_t>(i * 30 + j)] = problem.X(i, j);
    const DenseFeatures<double> features(wide.data(), 40, 21, 30);
    const auto gpu =
        linear_objective<double>(features, bridge.targets, bridge.loss, 1, false, {}, nullptr, device());
    const Iterate<double> x(to_matrix<double>(reference::gaussian(3, 21, 9)));
    Matrix<double> ours;
    Matrix<double> theirs;
    gpu->evaluate(x, ours);
    bridge.objective->evaluate(x, theirs);
    expect_near(ours, theirs);
}

TEST(Cuda, PartsAreTheCpus) {
    const auto problem = sized_problem("logistic", 50, 12, 1);
    Both<double> both(problem, Storage::dense);
    const std::vector<Index> columns{1, 4, 7};
    const auto ours = both.gpu->part(columns);
    const auto theirs = both.cpu->part(columns);
    const Matrix<double> s = to_matrix<double>(reference::gaussian(1, 3, 2));
    Matrix<double> our_gradient(ours->shape());
    Matrix<double> their_gradient(theirs->shape());
    EXPECT_DOUBLE_EQ(ours->evaluate(s, our_gradient), theirs->evaluate(s, their_gradient));
    EXPECT_TRUE(same_bits(our_gradient, their_gradient));
}

TEST(Cuda, IsRefusedWhereItCannotBeHad) {
    const auto complaint = [](const char* name) {
        try {
            static_cast<void>(open_device(name));
        } catch (const QuantityError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    if (real_library != nullptr) GTEST_SKIP() << "of the emulation";
    setenv("ALFCG_CUDA_LIBRARY", "/nowhere/libalfcg_cuda.so", 1);
    EXPECT_NE(complaint("cuda").find("cannot be opened"), std::string::npos);
    EXPECT_EQ(open_device("auto"), nullptr);
    EXPECT_EQ(open_device("cpu"), nullptr);
    EXPECT_NE(device(), nullptr);
    EXPECT_EQ(open_device("cuda:1")->name(), "cuda:1");
    EXPECT_NE(complaint("cuda:2").find("numbered from 0 to 1"), std::string::npos);
    for (const char* name : {"gpu", "cuda:", "cuda:-1", "cuda:1x", ""})
        EXPECT_NE(complaint(name).find("must be cpu, cuda, cuda:N or auto"), std::string::npos) << name;
}

// With less and less memory on the device more of the rows come from the host, in the end all of them, until nothing fits: what is said with the most, the
// least and some between. Copies that are made at once find whatever they overwrite too soon.
template <class Real>
void compare_streamed(const reference::Problem& problem, Storage storage, bool intercept) {
    SCOPED_TRACE(storage == Storage::dense ? "dense" : "sparse");
    std::vector<std::string> limits;
    std::vector<double> streamed;
    for (double bytes = 1e6;; bytes *= 0.9) {
        const std::string limit = std::to_string(static_cast<long>(bytes));
        const Setting memory("ALFCG_CUDA_MEMORY", limit);
        try {
            const Both<Real> both(problem, storage, intercept);
            if (both.gpu->streamed() == 0) continue;
            limits.push_back(limit);
            streamed.push_back(both.gpu->streamed());
        } catch (const QuantityError& error) {
            EXPECT_NE(std::string(error.what()).find("take fewer rows"), std::string::npos) << error.what();
            break;
        }
    }
    ASSERT_GE(limits.size(), 2U);
    EXPECT_GT(streamed.back(), streamed.front());
    for (const std::size_t k : {std::size_t{0}, limits.size() / 2, limits.size() - 1}) {
        SCOPED_TRACE(limits[k] + " bytes");
        const Setting memory("ALFCG_CUDA_MEMORY", limits[k]);
        const Setting copies("ALFCG_EMULATION_COPIES", k > 0 ? "soon" : "");
        const Setting pinning("ALFCG_EMULATION_PINNING", k == limits.size() / 2 ? "none" : "");
        compare<Real>(problem, storage, intercept, true);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(Cuda, RowsThatDoNotFitAreStreamed) {
    for (const Storage storage : {Storage::dense, Storage::sparse})
        for (const bool intercept : {false, true}) {
            compare_streamed<double>(sized_problem("multinomial", 300, 40, 3), storage, intercept);
            compare_streamed<float>(sized_problem("multinomial", 200, 30, 20), storage, intercept);
        }
    compare_streamed<float>(sized_problem("logistic", 1200, 17, 1), Storage::dense, false);
    compare_streamed<double>(sized_problem("huber", 1200, 17, 1), Storage::sparse, true);
}

// Parts are whole pieces where there is room: sums are made as they are where all rows stay.
TEST(Cuda, StreamedRowsGiveTheSameSums) {
    if (real_library != nullptr) GTEST_SKIP() << "sized for the emulation";
    const auto problem = sized_problem("multinomial", 6000, 6, 17);
    const Iterate<double> x(to_matrix<double>(reference::gaussian(17, 6, 9)));
    Matrix<double> whole;
    Matrix<double> streamed;
    Both<double>(problem, Storage::dense).gpu->evaluate(x, whole);
    const Setting memory("ALFCG_CUDA_MEMORY", std::to_string(6000 * (36 * 8 + 50)));
    const Both<double> both(problem, Storage::dense);
    EXPECT_GT(both.gpu->streamed(), 0);
    EXPECT_LT(both.gpu->streamed(), 6000 * 6 * 8);
    both.gpu->evaluate(x, streamed);
    EXPECT_TRUE(same_bits(streamed, whole));
}

}  // namespace
}  // namespace alfcg
