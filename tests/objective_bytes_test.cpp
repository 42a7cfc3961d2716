#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "bridge.hpp"
#include "objective/byte_samples.hpp"
#include "objective/patch_samples.hpp"
#include "reference/losses.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

template <class Real>
std::optional<ByteSamples<Real>> bytes_of(const reference::Matrix& X, int threads = 1) {
    const auto features = make_features<Real>(X, Storage::dense);
    return ByteSamples<Real>::of(std::get<DenseFeatures<Real>>(features), threads);
}

template <class Real>
void check_recognised(const reference::Matrix& X) {
    for (const int threads : {1, 3}) {
        const auto bytes = bytes_of<Real>(X, threads);
        ASSERT_TRUE(bytes.has_value());
        EXPECT_EQ(bytes->cols(), X.cols());
        for (Index i = 0; i < X.rows(); ++i) {
            for (Index j = 0; j < X.cols(); ++j)
                EXPECT_NEAR(bytes->scale() * bytes->row(i)[j], X(i, j),
                            5 * std::numeric_limits<Real>::epsilon() * X(i, j));
            for (Index j = X.cols(); j < kernels::padded_bytes(X.cols()); ++j) EXPECT_EQ(bytes->row(i)[j], 0);
        }
    }
}

TEST(ByteSamples, AreRecognisedWhateverTheirScale) {
    for (const double scale : {1.0, 1 / 255.0, 0.37 / 255, 1e-7, 3e5})
        for (const Index features : {1, 63, 64, 70}) {
            const auto problem = pixel_problem("squared", 90, features, 1, scale);
            check_recognised<float>(problem.X);
            check_recognised<double>(problem.X);
        }
    const reference::Matrix marks = (reference::gaussian(200, 9, 1).array() > 0).cast<double>() * 0.3;
    check_recognised<float>(marks);
    check_recognised<double>(marks);
}

TEST(ByteSamples, AreNotSeenWhereASingleEntryIsOfAnotherKind) {
    const auto problem = pixel_problem("squared", 5000, 12, 1, 1 / 255.0);
    ASSERT_TRUE(bytes_of<float>(problem.X).has_value());
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double odd : {-1 / 255.0, 0.5 / 255, 1.0001 / 255, 256 / 255.0, 1e30, infinity, std::nan("")})
        for (const Index row : {0, 1, 2501, 4999}) {
            reference::Matrix X = problem.X;
            X(row, 7) = odd;
            EXPECT_FALSE(bytes_of<float>(X, 2).has_value()) << odd << " in row " << row;
            EXPECT_FALSE(bytes_of<double>(X, 2).has_value()) << odd << " in row " << row;
        }
    EXPECT_FALSE(bytes_of<double>(reference::Matrix::Zero(5, 4)).has_value());
    EXPECT_FALSE(bytes_of<double>(reference::gaussian(5, 4, 1)).has_value());
}

using MakeProblem = reference::Problem (*)(const std::string&, Eigen::Index, Eigen::Index, int, double);

template <class Real>
void check_gradients(const reference::Problem& problem, int threads, double tolerance) {
    Bridge<Real> bridge(problem, Storage::dense, threads);
    const Index features = problem.X.cols();
    const reference::Matrix x = reference::gaussian(problem.outputs, features, 9);
    const Iterate<Real> ours = to_matrix<Real>(x);
    const auto close = [&](const Matrix<Real>& gradient, const reference::Matrix& expected) {
        EXPECT_LE((from_matrix(gradient) - expected).norm(), tolerance * expected.norm());
    };
    Matrix<Real> gradient;
    const double expected = reference::full_value(problem, x);
    EXPECT_NEAR(bridge.objective->evaluate(ours, gradient), expected, tolerance * (1 + expected));
    close(gradient, reference::full_gradient(problem, x));

    std::vector<Index> batch;
    reference::Draw draw;
    for (Index k = 0; k < 70; ++k) {
        batch.push_back(k * k % problem.X.rows());
        draw.push_back(batch.back());
    }
    const reference::Matrix held = reference::gaussian(problem.outputs, features, 11);
    gradient = to_matrix<Real>(held);
    Matrix<Real> scratch;
    bridge.objective->blend(batch, {.keep = 0.3, .at_x = 0.7, .x = &ours}, gradient, scratch);
    close(gradient, 0.3 * held + 0.7 * reference::batch_gradient(problem, x, draw));
}

template <class Real>
void check_gradients(MakeProblem make, double tolerance) {
    const std::vector<std::pair<std::string, int>> losses{
        {"multinomial", 2},  {"multinomial", 3}, {"multinomial", 7}, {"multinomial", 10}, {"multinomial", 12},
        {"multinomial", 13}, {"logistic", 1},    {"squared", 1},     {"huber", 1}};
    for (const auto& [loss, outputs] : losses)
        for (const Index features : {16, 17, 32, 48, 131})  // the first that bytes are taken for, and others
            for (const int threads : {1, 2, 3}) {
                SCOPED_TRACE(loss + " c=" + std::to_string(outputs) + " d=" + std::to_string(features));
                check_gradients<Real>(make(loss, 900, features, outputs, 0.004), threads, tolerance);
            }
}

TEST(ByteSamples, GiveTheReferencesGradients) {
    check_gradients<double>(pixel_problem, 1e-12);
    check_gradients<float>(pixel_problem, 2e-5);
}

template <class Real>
std::optional<PatchSamples<Real>> patches_of(const reference::Matrix& X, int threads = 1) {
    const auto features = make_features<Real>(X, Storage::dense);
    return PatchSamples<Real>::of(std::get<DenseFeatures<Real>>(features), threads);
}

template <class Real>
void check_patches(const reference::Matrix& X, int threads) {
    const auto patches = patches_of<Real>(X, threads);
    ASSERT_TRUE(patches.has_value());
    ASSERT_EQ(patches->cols(), X.cols());
    std::set<Index> places;
    for (Index j = 0; j < X.cols(); ++j) {
        places.insert(patches->place(j));
        EXPECT_LT(patches->place(j), patches->groups() * kernels::patch_width);
    }
    EXPECT_EQ(std::ssize(places), X.cols());

    Index stored = 0;
    for (Index i = 0; i < X.rows(); ++i) {
        const kernels::PatchedRow row = patches->row(i);
        reference::Vector placed = reference::Vector::Zero(patches->groups() * kernels::patch_width);
        Index k = 0;
        for (Index g = 0; g < kernels::mask_words(patches->groups()) * kernels::mask_groups; ++g) {
            if ((row.mask[g / kernels::mask_groups] >> (g % kernels::mask_groups) & 1) == 0) continue;
            ASSERT_LT(g, patches->groups());
            int most = 0;
            for (Index f = 0; f < kernels::patch_width; ++f) {
                const int byte = row.bytes[k * kernels::patch_width + f];
                placed(g * kernels::patch_width + f) = patches->scale() * byte;
                most = std::max(most, byte);
            }
            EXPECT_GT(most, 0);  // nothing is stored in vain
            ++k;
        }
        EXPECT_EQ(k, row.patches);
        stored += k;
        for (Index j = 0; j < X.cols(); ++j)
            EXPECT_NEAR(placed(patches->place(j)), X(i, j),
                        5 * std::numeric_limits<Real>::epsilon() * X(i, j));
        EXPECT_NEAR(placed.sum(), X.row(i).sum(), 1e-6 * (1 + X.row(i).sum()));
    }
    EXPECT_NEAR(patches->filled() * static_cast<double>(X.rows() * patches->groups()),
                static_cast<double>(stored), 1e-6);
}

TEST(PatchSamples, HoldEverythingThatIsNotZeroOnce) {
    for (const Index features : {16, 17, 70, 400, 1024, 1025, 2500})
        for (const Index rows : {40, 255, 256, 700})
            for (const int threads : {1, 3}) {
                SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(features));
                const auto problem = drawing_problem("squared", rows, features, 1, 1 / 255.0);
                check_patches<float>(problem.X, threads);
                check_patches<double>(problem.X, threads);
            }
}

TEST(PatchSamples, FeaturesThatAreZeroTogetherShareAPatch) {
    const auto problem = drawing_problem("squared", 2000, 16 * 9, 1, 0.5);
    const auto patches = patches_of<double>(problem.X);
    ASSERT_TRUE(patches.has_value());
    // As many patches as there are sets that a row has something of: a quarter of nine in ten of eleven rows.
    Index stored = 0;
    for (Index i = 0; i < 2000; ++i) stored += patches->row(i).patches;
    EXPECT_NEAR(static_cast<double>(stored), 2000 * 9 * 0.25 * 10 / 11, 150);
}

TEST(PatchSamples, AreNotMadeOfDataWithFewZerosOrOfOtherNumbers) {
    EXPECT_FALSE(patches_of<float>(pixel_problem("squared", 900, 64, 1, 1).X).has_value());
    auto X = drawing_problem("squared", 5000, 64, 1, 1).X;
    ASSERT_TRUE(patches_of<float>(X, 2).has_value());
    X(4999, 63) = 0.5;
    EXPECT_FALSE(patches_of<float>(X, 2).has_value());
    EXPECT_FALSE(patches_of<double>(reference::Matrix::Zero(900, 64)).has_value());
}

TEST(PatchSamples, GiveTheReferencesGradients) {
    check_gradients<double>(drawing_problem, 1e-12);
    check_gradients<float>(drawing_problem, 2e-5);
}

// More groups than a word of a mask has bits, and than two have.
TEST(PatchSamples, MayHaveAnyNumberOfGroups) {
    for (const Index features : {64 * 16, 64 * 16 + 1, 2100}) {
        const auto problem = drawing_problem("multinomial", 300, features, 4, 0.004);
        ASSERT_TRUE(patches_of<float>(problem.X).has_value());
        check_gradients<double>(problem, 2, 1e-12);
        check_gradients<float>(problem, 2, 2e-5);
    }
}

}  // namespace
}  // namespace alfcg
