#include "alfcg/region/spectral.hpp"
#include "region/row.hpp"

namespace alfcg::region {
namespace {

Index count_of(const Parameters& given) {
    return static_cast<Index>(given.number("k").value());
}

}  // namespace

std::vector<RegionRow> spectral_rows() {
    return {
        row({"nuclear",
             "sum of singular values at most radius: low-rank matrices",
             {usual_radius},
             {"nuclear", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return nuclear_ball<Real>(size_of(given), h, setting.threads);
            }),
        row({"spectral", "largest singular value at most radius", {usual_radius}, {"nuclear", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return spectral_ball<Real>(size_of(given), h, setting.threads);
            }),
        row({"ky-fan",
             "sum of the k largest singular values at most radius",
             {usual_radius, {count_info, {}}},
             {"nuclear", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return ky_fan_ball<Real>(count_of(given), size_of(given), h, setting.threads);
            }),
        row({"schatten",
             "l_p norm of the singular values at most radius, p above 1",
             {usual_radius, {exponent, {}}},
             {"nuclear", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return schatten_ball<Real>(given.number("p").value(), size_of(given), h, setting.threads);
            }),
        row({"spectraplex",
             "symmetric semidefinite matrices with trace radius",
             {usual_radius},
             {"nuclear", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return spectraplex<Real>(size_of(given), h, setting.threads);
            }),
        row({"trace",
             "symmetric semidefinite matrices with trace at most radius",
             {usual_radius},
             {"nuclear", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return bounded_trace<Real>(size_of(given), h, setting.threads);
            }),
        row({"fantope",
             "symmetric matrices with eigenvalues from 0 to radius that add up to k times radius",
             {{radius_info, Default::of(1)}, {count_info, {}}},
             {"nuclear", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return fantope<Real>(count_of(given), size_of(given), h, setting.threads);
            }),
        row({"psd-box",
             "symmetric matrices with eigenvalues from 0 to radius",
             {usual_radius},
             {"nuclear", "l2"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return psd_box<Real>(size_of(given), h, setting.threads);
            }),
    };
}

}  // namespace alfcg::region
