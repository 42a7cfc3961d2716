#include "region/row.hpp"

namespace alfcg::region {

std::vector<RegionRow> combined_rows() {
    return {};
}

}  // namespace alfcg::region
