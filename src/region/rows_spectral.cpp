#include "region/row.hpp"

namespace alfcg::region {

std::vector<RegionRow> spectral_rows() {
    return {
        row({"nuclear",
             "sum of singular values at most radius: low-rank matrices",
             {usual_radius},
             {"nuclear", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return nuclear_ball<Real>(given.number("radius").value(), h, setting.threads);
            }),
    };
}

}  // namespace alfcg::region
