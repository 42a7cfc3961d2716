#pragma once

#include <memory>
#include <string>
#include <vector>

#include "alfcg/region/region.hpp"

namespace alfcg {

/// Which entries of a point, outputs x features, belong together.
struct Groups {
    enum class Kind {
        features,  // every feature is a group: its entries for all outputs
        outputs,   // every output is a group: its entries for all features
        listed     // the groups below; a feature that is in none of them is one of its own
    };
    enum class Weights {
        equal,  // every group counts the same
        root    // as much as the square root of its number of entries
    };

    Kind kind = Kind::features;
    Weights weights = Weights::equal;
    std::vector<std::vector<Index>>
        listed;  // features, numbered from 0; each with its entries for all outputs

    // Where the list comes from, for messages; empty: from the caller.
    std::string file;
    std::vector<Index> lines;
};

/// Groups from a file with a line for each: features by name, or by number from 0 (also ranges, 3-7), separated by blanks or
/// commas; "in quotes" what has blanks or commas itself. A name that is no feature's stands for the features NAME=... that
/// were made of the words of a column. Throws InputError.
Groups read_groups(const std::string& file, const std::vector<std::string>& features);

/// Σ_g w_g ‖x_g‖₂ ≤ radius, over groups that do not overlap. Composite terms, here and below: l1, l2, norm. threads = 0: all
/// cores.
template <class Real>
std::unique_ptr<Region<Real>> group_l12_ball(const Groups& groups, double radius,
                                             const Composite& composite = {}, int threads = 0);

/// Σ_g w_g ‖x_g‖_∞ ≤ radius.
template <class Real>
std::unique_ptr<Region<Real>> group_l1inf_ball(const Groups& groups, double radius,
                                               const Composite& composite = {}, int threads = 0);

/// w_g ‖x_g‖₂ ≤ radius for every group.
template <class Real>
std::unique_ptr<Region<Real>> group_linf2_ball(const Groups& groups, double radius,
                                               const Composite& composite = {}, int threads = 0);

/// l1_ratio ‖x‖₁ + (1 − l1_ratio) Σ_g w_g ‖x_g‖₂ ≤ radius, 0 < l1_ratio < 1.
template <class Real>
std::unique_ptr<Region<Real>> sparse_group_ball(const Groups& groups, double l1_ratio, double radius,
                                                const Composite& composite = {}, int threads = 0);

/// Sums of z_g, each zero outside its group, with Σ_g w_g ‖z_g‖₂ ≤ radius, over groups that may overlap. Composite terms: l1
/// or norm.
template <class Real>
std::unique_ptr<Region<Real>> latent_group_ball(const Groups& groups, double radius,
                                                const Composite& composite = {}, int threads = 0);

/// Every row of a point (the weights of an output) in the same region, with the same h.
template <class Real>
std::unique_ptr<Region<Real>> row_product(std::unique_ptr<Region<Real>> each);

}  // namespace alfcg
