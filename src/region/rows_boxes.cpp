#include "region/row.hpp"

namespace alfcg::region {

std::vector<RegionRow> box_rows() {
    return {};
}

}  // namespace alfcg::region
