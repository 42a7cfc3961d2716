#include "region/row.hpp"

namespace alfcg::region {

std::vector<RegionRow> group_rows() {
    return {};
}

}  // namespace alfcg::region
