#include "region/group_ball.hpp"

#include "alfcg/core/error.hpp"
#include "alfcg/region/groups.hpp"
#include "region/group_norms.hpp"
#include "region/row.hpp"

namespace alfcg {
namespace {

template <class Real, class Norm>
std::unique_ptr<Region<Real>> group_ball(std::string_view name, const Groups& groups, Norm norm,
                                         double radius, const Composite& composite, int threads) {
    check(region::radius_info, radius);
    region::verify_range<Real>(radius);
    region::verify_terms(name, composite);
    return std::make_unique<region::GroupBall<Real, Norm>>(groups, std::move(norm), radius, composite,
                                                           threads);
}

template <class Real, class Norm>
std::unique_ptr<Region<Real>> disjoint_ball(std::string_view name, const Groups& groups, Norm norm,
                                            double radius, const Composite& composite, int threads) {
    region::check_disjoint(groups);
    return group_ball<Real>(name, groups, std::move(norm), radius, composite, threads);
}

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> group_l12_ball(const Groups& groups, double radius, const Composite& composite,
                                             int threads) {
    return disjoint_ball<Real>("group-l12", groups, region::SumOfLengths(), radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> group_l1inf_ball(const Groups& groups, double radius,
                                               const Composite& composite, int threads) {
    return disjoint_ball<Real>("group-l1inf", groups, region::SumOfPeaks(), radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> group_linf2_ball(const Groups& groups, double radius,
                                               const Composite& composite, int threads) {
    return disjoint_ball<Real>("group-linf2", groups, region::LargestLength(), radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> sparse_group_ball(const Groups& groups, double l1_ratio, double radius,
                                                const Composite& composite, int threads) {
    if (!(l1_ratio > 0 && l1_ratio < 1))
        throw QuantityError("l1-ratio", fmt::format("must be between 0 and 1, not {}", l1_ratio));
    return disjoint_ball<Real>("sparse-group", groups, region::SparseGroupNorm(l1_ratio), radius, composite,
                               threads);
}

template <class Real>
std::unique_ptr<Region<Real>> latent_group_ball(const Groups& groups, double radius,
                                                const Composite& composite, int threads) {
    return group_ball<Real>("latent-groups", groups, region::LatentNorm(), radius, composite, threads);
}

template std::unique_ptr<Region<float>> group_l12_ball(const Groups&, double, const Composite&, int);
template std::unique_ptr<Region<double>> group_l12_ball(const Groups&, double, const Composite&, int);
template std::unique_ptr<Region<float>> group_l1inf_ball(const Groups&, double, const Composite&, int);
template std::unique_ptr<Region<double>> group_l1inf_ball(const Groups&, double, const Composite&, int);
template std::unique_ptr<Region<float>> group_linf2_ball(const Groups&, double, const Composite&, int);
template std::unique_ptr<Region<double>> group_linf2_ball(const Groups&, double, const Composite&, int);
template std::unique_ptr<Region<float>> sparse_group_ball(const Groups&, double, double, const Composite&,
                                                          int);
template std::unique_ptr<Region<double>> sparse_group_ball(const Groups&, double, double, const Composite&,
                                                           int);
template std::unique_ptr<Region<float>> latent_group_ball(const Groups&, double, const Composite&, int);
template std::unique_ptr<Region<double>> latent_group_ball(const Groups&, double, const Composite&, int);

}  // namespace alfcg
