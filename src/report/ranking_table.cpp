#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/comparison.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

json finite(double value) {
    return std::isfinite(value) ? json(value) : json();
}

// A table of the page, put together column by column.
class RankingTable {
  public:
    explicit RankingTable(const std::vector<Ranked>& ranking) : ranking_(ranking), rows_(ranking.size()) {}

    // `cell` of every entry; a column in which there is nothing is left out.
    template <class Cell>
    void add(json column, const Cell& cell) {
        std::vector<json> cells;
        for (const Ranked& entry : ranking_) cells.push_back(cell(entry));
        if (std::all_of(cells.begin(), cells.end(), [](const json& one) { return one.is_null(); })) return;
        columns_.push_back(std::move(column));
        for (std::size_t k = 0; k < cells.size(); ++k) rows_[k].push_back(std::move(cells[k]));
    }
    template <class Cell>
    void add_number(const std::string& name, int digits, const Cell& cell, const char* best = nullptr) {
        json column{{"name", name}, {"type", "number"}, {"digits", digits}};
        if (best != nullptr) column["best"] = best;
        add(std::move(column), cell);
    }

    [[nodiscard]] json take(const std::string& title, const std::string& note) && {
        return {
            {"title", title}, {"columns", std::move(columns_)}, {"rows", std::move(rows_)}, {"note", note}};
    }

  private:
    const std::vector<Ranked>& ranking_;
    json columns_ = json::array();
    std::vector<json> rows_;
};

void add_learned_columns(RankingTable& table, bool classification) {
    const char* best = classification ? "max" : "min";
    const auto score = [classification](double value) {
        return classification ? json{{"text", fmt::format("{:.2f}%", 100 * value)}, {"value", value}}
                              : finite(value);
    };
    table.add_number(
        classification ? "accuracy" : "squared error", 4,
        [&](const Ranked& entry) { return score(entry.learned->training); }, best);
    table.add_number(
        "test", 4,
        [&](const Ranked& entry) {
            return entry.learned->held_out ? score(*entry.learned->held_out) : json();
        },
        best);
    table.add_number("rank", 3, [](const Ranked& entry) {
        return entry.learned->rank ? json(*entry.learned->rank) : json();
    });
    table.add_number("non-zeros", 6, [](const Ranked& entry) { return std::round(entry.learned->nonzeros); });
}

}  // namespace

json ranking_table(const std::vector<RunRecord>& runs) {
    const std::vector<Ranked> ranking = rank_runs(runs);
    RankingTable table(ranking);
    int place = 0;
    int seeds = 1;
    for (const Ranked& entry : ranking) seeds = std::max(seeds, entry.runs);
    const bool learned = !ranking.empty() && ranking.front().learned.has_value();
    const bool tested = learned && ranking.front().learned->held_out.has_value();

    table.add({{"name", "#"}, {"type", "number"}}, [&](const Ranked&) { return ++place; });
    table.add({{"name", "method"}, {"type", "method"}}, [](const Ranked& entry) { return entry.method; });
    table.add({{"name", "setting"}, {"type", "text"}}, [](const Ranked& entry) { return entry.setting; });
    table.add_number(
        "objective", 7, [](const Ranked& entry) { return finite(entry.objective); }, "min");
    table.add_number("± seeds", 2,
                     [](const Ranked& entry) { return entry.runs > 1 ? finite(entry.spread) : json(); });
    table.add_number(
        "gap", 4, [](const Ranked& entry) { return finite(entry.gap); }, "min");
    if (learned) add_learned_columns(table, ranking.front().learned->classification);
    table.add_number("iterations", 6, [](const Ranked& entry) { return std::round(entry.iterations); });
    table.add_number("epochs", 4, [](const Ranked& entry) { return entry.epochs; });
    table.add_number("seconds", 3, [](const Ranked& entry) { return entry.seconds; });
    table.add_number("ρ", 3, [](const Ranked& entry) { return entry.rho ? finite(*entry.rho) : json(); });
    return std::move(table).take(
        "Result at the end of the budget",
        fmt::format(
            "{}Epochs count component gradients over N; function values are not in them. Seconds are the "
            "method's own time, metrics excluded. ρ is the scale of ALFCG's curvature: as given, or the "
            "last one that the method found.{}",
            seeds > 1 ? fmt::format("Means over {} seeds of the stochastic methods. ", seeds) : "",
            tested ? " The test is on the rows that were held out; nothing else has seen them." : ""));
}

}  // namespace alfcg
