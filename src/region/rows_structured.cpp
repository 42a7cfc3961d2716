#include "region/row.hpp"

namespace alfcg::region {

std::vector<RegionRow> structured_rows() {
    return {};
}

}  // namespace alfcg::region
