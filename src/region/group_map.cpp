#include "region/group_map.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string>

#include "alfcg/core/error.hpp"

namespace alfcg {
namespace region {
namespace {

[[noreturn]] void reject_group(const Groups& groups, std::size_t group, const std::string& what) {
    if (!groups.file.empty()) throw InputError(groups.file, groups.lines[group], what);
    throw Error(fmt::format("group {}: {}", group, what));
}

// The place of a group as its author knows it.
std::string place(const Groups& groups, std::size_t group) {
    return groups.file.empty() ? fmt::format("group {}", group)
                               : fmt::format("the group of line {}", groups.lines[group]);
}

}  // namespace

void check_groups(const Groups& groups, Index features) {
    for (std::size_t g = 0; g < groups.listed.size(); ++g) {
        if (groups.listed[g].empty()) reject_group(groups, g, "a group needs a feature");
        for (const Index j : groups.listed[g])
            if (j < 0 || j >= features)
                reject_group(
                    groups, g,
                    fmt::format("there is no feature {}; the {} features are numbered from 0", j, features));
    }
}

void check_disjoint(const Groups& groups) {
    std::vector<std::size_t> owner;  // the number of a feature's group, plus 1
    for (std::size_t g = 0; g < groups.listed.size(); ++g)
        for (const Index j : groups.listed[g]) {
            if (j < 0) continue;  // said elsewhere
            const auto feature = static_cast<std::size_t>(j);
            if (feature >= owner.size()) owner.resize(feature + 1);
            if (owner[feature] != 0 && owner[feature] != g + 1)
                reject_group(groups, g,
                             fmt::format("feature {} is in {} already; groups that overlap are for the "
                                         "region latent-groups",
                                         j, place(groups, owner[feature] - 1)));
            owner[feature] = g + 1;
        }
}

GroupMap::GroupMap(const Groups& groups, Shape shape) : kind_(groups.kind), shape_(shape) {
    if (kind_ == Groups::Kind::listed) {
        std::vector<bool> listed(static_cast<std::size_t>(shape.cols));
        begins_.push_back(0);
        for (const auto& group : groups.listed) {
            const auto first = static_cast<std::ptrdiff_t>(members_.size());
            members_.insert(members_.end(), group.begin(), group.end());
            std::sort(members_.begin() + first, members_.end());
            members_.erase(std::unique(members_.begin() + first, members_.end()), members_.end());
            begins_.push_back(members_.size());
            for (const Index j : group) listed[static_cast<std::size_t>(j)] = true;
        }
        for (Index j = 0; j < shape.cols; ++j) {
            if (listed[static_cast<std::size_t>(j)]) continue;
            members_.push_back(j);
            begins_.push_back(members_.size());
        }
        count_ = static_cast<Index>(begins_.size()) - 1;
    } else {
        count_ = kind_ == Groups::Kind::features ? shape.cols : shape.rows;
    }
    if (groups.weights == Groups::Weights::equal) return;
    for (Index g = 0; g < count_; ++g) weights_.push_back(std::sqrt(static_cast<double>(size(g))));
}

Index GroupMap::size(Index group) const {
    if (kind_ == Groups::Kind::features) return shape_.rows;
    if (kind_ == Groups::Kind::outputs) return shape_.cols;
    const auto g = static_cast<std::size_t>(group);
    return shape_.rows * static_cast<Index>(begins_[g + 1] - begins_[g]);
}

}  // namespace region
}  // namespace alfcg
