#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "alfcg/region/region.hpp"

namespace alfcg {

/// A region by name, as the command line and saved models describe it.
struct RegionSpec {
    std::string name = "nuclear";  // nuclear, lp, l1, l2 or linf
    double p = 0;                  // lp only: at least 1, or infinity; ignored by the others
    double radius = 1;
    Composite composite;
};

/// Throws Error when the name is unknown, a number is out of range, or no oracle is known for the combination
/// of set and composite term. Speaks of the command line's options.
void verify(const RegionSpec& spec);

/// The region itself. Verifies first; also throws Error when the radius is beyond the range of Real.
/// threads = 0: all cores.
template <class Real>
std::unique_ptr<Region<Real>> make_region(const RegionSpec& spec, int threads = 0);

/// One line of the catalogue.
struct RegionInfo {
    std::string_view name;
    std::string_view description;
    std::string_view composite;  // the options for h that it takes
};
std::span<const RegionInfo> region_catalogue();

}  // namespace alfcg
