#include <string>

#include "alfcg/region/groups.hpp"
#include "region/own_norm.hpp"
#include "region/row.hpp"

namespace alfcg::region {
namespace {

constexpr ParameterInfo grouping{.name = "group-by",
                                 .meaning =
                                     "which features belong together: each for all outputs (features), all "
                                     "of an output (outputs), or a file with "
                                     "a line for each group",
                                 .words = "features|outputs",
                                 .text = true,
                                 .only_words = true};
constexpr ParameterInfo group_weighting{
    .name = "group-weights",
    .meaning = "groups count the same (equal), or as the square root of their size (root)",
    .words = "equal|root",
    .only_words = true};
constexpr ParameterInfo l1_share{
    .name = "l1-ratio",
    .meaning = "share of the l_1 norm in the norm of sparse groups, between 0 and 1",
    .least = 0,
    .most = 1,
    .open = true};
constexpr Parameter usual_grouping{grouping, Default::named("features")};
constexpr Parameter usual_weighting{group_weighting, Default::named("equal")};

Groups groups_of(const Parameters& given, const RegionSetting& setting) {
    const std::string text = given.word("group-by").value();
    Groups groups;
    if (text == "outputs")
        groups.kind = Groups::Kind::outputs;
    else if (text != "features")
        groups = read_groups(text, setting.features);
    if (given.word("group-weights").value() == "root") groups.weights = Groups::Weights::root;
    return groups;
}

}  // namespace

std::vector<RegionRow> group_rows() {
    const std::vector<Parameter> parameters{usual_radius, usual_grouping, usual_weighting};
    return {
        row({"group-l12",
             "sum of the groups' Euclidean norms at most radius: few groups (group lasso)",
             parameters,
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return group_l12_ball<Real>(groups_of(given, setting), size_of(given), h, setting.threads);
            }),
        row({"group-l1inf",
             "sum of the groups' largest magnitudes at most radius: few groups, even in themselves",
             parameters,
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return group_l1inf_ball<Real>(groups_of(given, setting), size_of(given), h, setting.threads);
            }),
        row({"group-linf2", "every group's Euclidean norm at most radius", parameters, {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return group_linf2_ball<Real>(groups_of(given, setting), size_of(given), h, setting.threads);
            }),
        row({"sparse-group",
             "l1-ratio times the l_1 norm and the rest times that of group-l12 at most radius: few groups, "
             "few in each",
             {usual_radius, usual_grouping, usual_weighting, {l1_share, Default::of(0.5)}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return sparse_group_ball<Real>(groups_of(given, setting), given.number("l1-ratio").value(),
                                               size_of(given), h, setting.threads);
            }),
        row({"latent-groups",
             "sums of parts, each in one of the groups, which may overlap; their Euclidean norms together at "
             "most radius",
             parameters,
             {"l1", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return latent_group_ball<Real>(groups_of(given, setting), size_of(given), h, setting.threads);
            }),
        row({"rows-lp",
             "the l_p norm of every output's weights at most radius",
             {usual_radius, {exponent, {}}},
             {"l1", "l2", "norm"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                Composite of_rows = h;
                of_rows.norm = 0;
                return with_own_norm(row_product(lp_ball<Real>(given.number("p").value(), size_of(given),
                                                               of_rows, setting.threads)),
                                     size_of(given), h.norm);
            }),
    };
}

}  // namespace alfcg::region
