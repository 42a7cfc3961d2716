#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/parameters.hpp"

namespace alfcg::region {

/// For features that must be listed.
inline constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

/// A number for every feature, that is for every column of x: one for all, or one each.
class FeatureValues {
  public:
    FeatureValues(double all) : rest_(all) {}  // NOLINT(google-explicit-constructor): one for all
    /// One each; empty: `all` for all.
    FeatureValues(std::vector<double> each, double all);

    /// What was given under this name: a number, or a CSV file with lines NAME,VALUE. NAME is that of a feature, its position from 0
    /// where they have no names, or * for all that are not listed, which have `rest` otherwise, or must be listed. A first line whose value is no number is a header. Throws InputError when the file is wrong.
    FeatureValues(const Parameters& given, std::string_view name, const std::vector<std::string>& features,
                  double rest);

    /// Throws QuantityError when there are other features than these, or one without a value; `name` is for the message.
    void check(std::string_view name, Index features) const;
    /// The one for all, where no feature has a value of its own.
    [[nodiscard]] std::optional<double> common() const {
        return each_.empty() ? std::optional(rest_) : std::nullopt;
    }
    /// All of them, for so many features.
    [[nodiscard]] std::vector<double> over(Index features) const;

    /// Throws QuantityError where one of the values does not satisfy `good`: "NAME must be WHAT, not -1 (feature 3)".
    template <class Good>
    void demand(std::string_view name, std::string_view what, const Good& good) const {
        for (std::size_t j = 0; j < each_.size(); ++j)
            if (is_listed(j) && !good(each_[j])) refuse(name, what, each_[j], static_cast<Index>(j));
        if (has_rest() && !good(rest_)) refuse(name, what, rest_, -1);
    }
    /// "2", or "by feature".
    [[nodiscard]] std::string describe() const;

  private:
    [[nodiscard]] bool is_listed(std::size_t j) const;
    [[nodiscard]] bool has_rest() const;
    [[noreturn]] static void refuse(std::string_view name, std::string_view what, double value,
                                    Index feature);

    double rest_;
    std::vector<double> each_;  // of the first features; NaN: not listed
    bool all_listed_ = false;   // there are as many features as values
};

}  // namespace alfcg::region
