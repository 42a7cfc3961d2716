#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/combined.hpp"
#include "region/number_list.hpp"
#include "region/parts.hpp"
#include "region/row.hpp"

namespace alfcg::region {

namespace {

constexpr ParameterInfo parts_info{.name = "of",
                                   .meaning = "the regions it is made of, e.g. \"l1 radius=2; l2 radius=1\"",
                                   .text = true,
                                   .only_words = true};
constexpr ParameterInfo shift_info{.name = "shift",
                                   .meaning = "what is added to every entry: a number, or a file of numbers",
                                   .least = -std::numeric_limits<double>::infinity(),
                                   .text = true};
constexpr ParameterInfo cache_info{
    .name = "cache", .meaning = "vertices that are remembered", .least = 1, .most = 1e6, .whole = true};

std::vector<RegionPart> parts_of(const Parameters& given, bool blocks) {
    return parse_parts(given.word("of").value(), blocks);
}

RegionPart only_part(const Parameters& given, std::string_view owner) {
    std::vector<RegionPart> all = parts_of(given, false);
    if (all.size() != 1)
        throw QuantityError("of", fmt::format("must be one region for {}, not {}", owner, all.size()));
    return std::move(all.front());
}

std::vector<std::string> chosen_names(const std::vector<std::string>& names,
                                      const std::vector<Index>& chosen) {
    if (names.empty() || chosen.empty()) return names;
    std::vector<std::string> some;
    for (const Index i : chosen)
        if (i < static_cast<Index>(names.size())) some.push_back(names[static_cast<std::size_t>(i)]);
    return some;
}

template <class Real>
Matrix<Real> read_shift(const Parameters& given) {
    const auto file = given.word("shift");
    const std::vector<double> numbers =
        file ? read_numbers(*file) : std::vector{given.number("shift").value()};
    Matrix<Real> all(1, static_cast<Index>(numbers.size()));
    std::transform(numbers.begin(), numbers.end(), all.data(),
                   [](double number) { return static_cast<Real>(number); });
    return all;
}

}  // namespace

std::vector<RegionRow> combined_rows() {
    return {
        row({"product",
             "blocks of rows or columns, each in a region of its own: of = \"l1 radius=2 columns=1-5; box "
             "columns=6-9\"",
             {unit_radius, {parts_info, {}}},
             {"l1", "l2", "entropy"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                std::vector<Block<Real>> blocks;
                for (const RegionPart& part : parts_of(given, true)) {
                    const RegionSetting own{setting.threads, chosen_names(setting.features, part.columns),
                                            chosen_names(setting.outputs, part.rows)};
                    blocks.push_back(
                        {make_part<Real>(part, size_of(given), h, own), part.rows, part.columns});
                }
                return product<Real>(std::move(blocks));
            }),
        row({"sum",
             "sums of a point of each of several regions (Minkowski sum): of = \"l1 radius=2; l2 radius=1\"",
             {unit_radius, {parts_info, {}}},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/, const RegionSetting& setting) {
                std::vector<std::unique_ptr<Region<Real>>> regions;
                for (const RegionPart& part : parts_of(given, false))
                    regions.push_back(make_part<Real>(part, size_of(given), {}, setting));
                return minkowski_sum<Real>(std::move(regions));
            }),
        row({"shifted",
             "a region moved elsewhere: shift + radius times the points of it",
             {unit_radius, {parts_info, {}}, {shift_info, Default::of(0)}},
             {}},
            []<class Real>(const Parameters& given, const Composite& /*h*/, const RegionSetting& setting) {
                return shifted<Real>(
                    make_part<Real>(only_part(given, "shifted"), size_of(given), {}, setting),
                    read_shift<Real>(given));
            }),
        row({"lazy",
             "a region that remembers its vertices: its oracle is asked only where none of them will do",
             {unit_radius, {parts_info, {}}, {cache_info, Default::of(256)}},
             {"l1", "l2", "nuclear", "norm", "entropy"}},
            []<class Real>(const Parameters& given, const Composite& h, const RegionSetting& setting) {
                return lazy<Real>(make_part<Real>(only_part(given, "lazy"), size_of(given), h, setting),
                                  static_cast<Index>(given.number("cache").value()));
            }),
    };
}

}  // namespace alfcg::region
