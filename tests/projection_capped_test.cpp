// The nearest vector with its entries between 0 and a cap, and a given sum.
#include "region/spectral_gauge.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace alfcg {
namespace {

// Of caps that are nothing beside t, with entries that are equal, or nearly: all of the total is there, no cap is exceeded, and nothing would be
// better elsewhere by more than the rounding of t.
TEST(ProjectionWithCaps, AddsUpHoweverSmallTheCapIs) {
    for (const std::vector<double>& entries : {std::vector<double>{1, 0.7, 0.7, 0.2, -3},
                                               {0.5, 0.5, 0.5, 0.5, 0.5},
                                               {1, 1 - 1e-13, 1 - 2e-13, 0.3, 0.3},
                                               {0, -1, -1, -1, -1},
                                               {1e-3, 4, 1e-3 - 1e-15, 2, 1e-3}}) {
        const Eigen::VectorXd t = Eigen::Map<const Eigen::VectorXd>(entries.data(), std::ssize(entries));
        for (double cap = 4; cap > 1e-19; cap /= 8)
            for (const double count : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0}) {
                const Eigen::VectorXd x = region::project_capped(t, cap, count * cap);
                EXPECT_NEAR(x.sum(), count * cap, 1e-14 * count * cap) << "cap " << cap << ", " << count;
                EXPECT_GE(x.minCoeff(), 0.0);
                EXPECT_LE(x.maxCoeff(), cap);
                for (Index i = 0; i < t.size(); ++i)
                    for (Index j = 0; j < t.size(); ++j)
                        if (x(i) > 0 && x(j) < cap) {
                            EXPECT_GE(t(i) - x(i), t(j) - x(j) - 4e-15 * t.cwiseAbs().maxCoeff())
                                << "cap " << cap << ", " << count << ": " << i << " and " << j;
                        }
            }
    }
}

}  // namespace
}  // namespace alfcg
