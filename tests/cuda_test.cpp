// The GPU's linear model, its kernels run by an emulation on the CPU (tests/cuda_emulation): what it says agrees with the CPU's own, and does not depend
// on the order in which threads run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "bridge.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

const std::vector<std::string> all_losses{"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"};

// Runs the threads of blocks in another order while it lives.
class Order {
  public:
    explicit Order(const char* name) { setenv("ALFCG_EMULATION_ORDER", name, 1); }
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;
    ~Order() { unsetenv("ALFCG_EMULATION_ORDER"); }
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
        const Order another(order);
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

TEST(Cuda, DataThatDoNotFitAreRefused) {
    if (real_library != nullptr) GTEST_SKIP() << "of the emulation";
    setenv("ALFCG_EMULATED_MEMORY", "10000", 1);
    const auto problem = sized_problem("logistic", 200, 100, 1);
    EXPECT_THROW(Both<double>(problem, Storage::dense), QuantityError);
    unsetenv("ALFCG_EMULATED_MEMORY");
}

}  // namespace
}  // namespace alfcg
