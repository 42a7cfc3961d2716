#pragma once

#include <string_view>
#include <vector>

#include "alfcg/region/spec.hpp"

namespace alfcg::region {

/// One region of those that another is made of, and the rows and columns of x that are its own, counted from 0 (empty: all).
struct RegionPart {
    RegionSpec spec;
    std::vector<Index> rows;
    std::vector<Index> columns;
};

/// "l1 radius=2 columns=1-100; box lower=0 upper=1 columns=101,103-123": names with their parameters, between semicolons;
/// `rows` and `columns`, if `blocks`, are numbers and ranges from 1. What stands in quotes, '' or "", is taken as it is. Throws
/// QuantityError about `of`.
std::vector<RegionPart> parse_parts(std::string_view text, bool blocks);

/// A part of a region, `factor` times as large, with h.
template <class Real>
std::unique_ptr<Region<Real>> make_part(const RegionPart& part, double factor, const Composite& composite,
                                        const RegionSetting& setting);

}  // namespace alfcg::region
