#include <gtest/gtest.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "alfcg/region/region.hpp"
#include "counted_allocations.hpp"
#include "region_reference.hpp"

// Where no sanitizer owns it, malloc itself is counted as well.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define ALFCG_COUNTS_MALLOC
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) {
    ++alfcg::allocations;
    return __libc_malloc(bytes);
}
#endif

namespace alfcg {
namespace {

using namespace alfcg::testing;

/// Allocations of a few calls with new gradients, after one call of the same shape.
template <class Real>
long allocations_after_the_first_call(Region<Real>& region, Shape shape) {
    std::vector<Matrix<Real>> gradients;
    for (unsigned seed = 0; seed < 4; ++seed) gradients.push_back(random_matrix<Real>(shape, seed));
    Vertex<Real> vertex;
    region.minimize(gradients[0], 0, false, vertex);
    const long before = allocations;
    for (const auto& gradient : gradients) region.minimize(gradient, 0, false, vertex);
    return allocations - before;
}

template <class Real>
class Allocation : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Allocation, Precisions);

TYPED_TEST(Allocation, CountsWhatItShould) {
    const long before = allocations;
    const auto number = std::make_unique<double>(1);
    const Matrix<TypeParam> matrix(3, 4);
    EXPECT_GE(allocations - before, 2);
#ifdef ALFCG_COUNTS_MALLOC
    const long between = allocations;
    const Eigen::MatrixXd workspace(3, 4);
    EXPECT_EQ(allocations - between, 1) << "Eigen goes to malloc directly";
    EXPECT_EQ(workspace.size(), 12);
#endif
}

TYPED_TEST(Allocation, PlainLpOraclesAllocateNothing) {
    for (const double p : {1.0, 1.1, 1.5, 2.0, 3.0, 10.0, infinity}) {
        for (const double l1 : {0.0, 0.1}) {
            const auto region = lp_ball<TypeParam>(p, 1, {l1, 0, 0});
            EXPECT_EQ(allocations_after_the_first_call(*region, {10, 100}), 0) << p;
        }
    }
}

TYPED_TEST(Allocation, LpOraclesWithASquareAllocateNothingEither) {
    for (const double p : {1.1, 1.5, 2.0, 3.0, 10.0, infinity}) {
        const auto region = lp_ball<TypeParam>(p, 1, {0.1, 0.1, 0});
        EXPECT_EQ(allocations_after_the_first_call(*region, {10, 100}), 0) << p;
    }
}

TYPED_TEST(Allocation, TheNuclearOracleOfAShortSideAllocatesNothing) {
    for (const Shape shape :
         {Shape{1, 50}, Shape{2, 500}, Shape{10, 768}, Shape{300, 20}, Shape{100, 100}, Shape{128, 130}}) {
        const auto region = nuclear_ball<TypeParam>(1, {0, 0, 0.1});
        EXPECT_EQ(allocations_after_the_first_call(*region, shape), 0) << shape.rows << 'x' << shape.cols;
    }
}

}  // namespace
}  // namespace alfcg
