#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/parameters.hpp"
#include "alfcg/region/region.hpp"

namespace alfcg {

/// A region by name, as the command line and saved models describe it.
struct RegionSpec {
    std::string name = "nuclear";  // a name from regions()
    Parameters parameters;         // radius and the like
    Composite composite;

    bool operator==(const RegionSpec&) const = default;
};

/// One row of the table of regions, in words.
struct RegionInfo {
    std::string_view name;
    std::string_view description;
    std::vector<Parameter> parameters;
    std::vector<std::string_view> terms;  // of h that its oracle takes: l1, l2, nuclear, norm, entropy
    std::string_view family = {};         // regions of a kind stand together
};
std::vector<RegionInfo> regions();
/// Throws Error, listing the names, when there is no such region.
RegionInfo region_info(std::string_view name);
/// Every parameter of every region, once.
std::vector<ParameterInfo> region_parameters();

/// The same region under the name that saved models have for it: l1, l2 and linf are lp with their p; without parameters
/// that it does not have. What has a name that is not known stays as it is.
RegionSpec normal_form(RegionSpec spec);

/// Throws Error when the name is unknown, a number is out of range, or no oracle is known for the combination
/// of set and composite terms. Files are not looked at.
void verify(const RegionSpec& spec);

/// What a region may have to know of the problem that it is for.
struct RegionSetting {
    int threads = 0;  // 0: all cores
    std::vector<std::string> features =
        {};  // names of the columns of x, for files that speak of them; empty: none
    std::vector<std::string> outputs = {};  // names of the rows of x
};

/// The region itself. Verifies first; also throws Error when the radius is beyond the range of Real, or a file that a parameter
/// names is wrong.
template <class Real>
std::unique_ptr<Region<Real>> make_region(const RegionSpec& spec, const RegionSetting& setting = {});

}  // namespace alfcg
