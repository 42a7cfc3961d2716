#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/parameter_list.hpp"
#include "objective/loss_table.hpp"

namespace alfcg {

namespace {

struct Traits {
    bool relative = false;
    bool saturates = false;
    double (*bend)(double score, double slope, double target, double parameter) = nullptr;
    double most_bend = 0;
    std::optional<DeviceLoss> device = {};
};

// Far on the wrong side the loss is all but straight, and its second derivative knows nothing of where it bends: half of what the parabola
// bends that touches it there and at −score, and lies above it everywhere.
double logistic_bend(double score, double slope, double /*target*/, double /*parameter*/) {
    constexpr double straight = 0.998;
    if (std::abs(slope) > straight) return 1 / (4 * std::abs(score));
    return std::abs(slope) * (1 - std::abs(slope));
}

double squared_bend(double /*score*/, double /*slope*/, double /*target*/, double /*parameter*/) {
    return 1;
}

double huber_bend(double score, double /*slope*/, double target, double threshold) {
    return std::abs(score - target) < threshold ? 1 : 0;
}

// With s the loss, the slope is −t s (1 − s), and the second derivative s (1 − s) (1 − 2 s): positive on the right side.
double sigmoid_bend(double score, double slope, double target, double /*parameter*/) {
    return score * target > 0 ? std::abs(slope) * std::sqrt(std::max(1 - 4 * std::abs(slope), 0.0)) : 0;
}

double welsch_bend(double score, double /*slope*/, double target, double width) {
    const double square = std::pow((score - target) / width, 2);
    return std::max(1 - 2 * square, 0.0) * std::exp(-square);
}

// judge(block, parameter) for both precisions.
template <class Judge>
LossRow row(LossInfo info, Judge judge, Traits traits = {}) {
    const auto make = [judge]<class Real>(const Parameters& parameters) -> JudgeBlock<Real> {
        // The only parameter, if there is one: a look-up by name would take longer than a small block.
        const auto& all = parameters.all();
        const double parameter = all.empty() ? 0 : std::get<double>(all.begin()->second);
        return [judge, parameter](const ScoreBlock<Real>& block) { return judge(block, parameter); };
    };
    return {std::move(info),
            traits.relative,
            traits.saturates,
            traits.bend,
            traits.most_bend,
            traits.device,
            [make](const Parameters& p) { return make.template operator()<float>(p); },
            [make](const Parameters& p) { return make.template operator()<double>(p); }};
}

constexpr ParameterInfo threshold{
    .name = "threshold", .meaning = "huber: where the loss becomes linear", .open = true};
constexpr ParameterInfo width{.name = "width", .meaning = "welsch: width of the loss", .open = true};

const std::vector<LossRow>& table() {
    using enum TargetKind;
    static const std::vector<LossRow> rows{
        row({"multinomial", "classes, one row of weights each: log sum_l exp(z_l - z_y)", classes, {}},
            [](const auto& b, double /*parameter*/) {
                return kernels::softmax_loss(b.scores, b.count, b.outputs, b.layout, b.targets, b.weight);
            },
            {.relative = true, .most_bend = 0.5, .device = DeviceLoss::softmax}),
        row({"logistic", "two classes: log(1 + exp(-y z)), y = -1 for the smaller label", two_classes, {}},
            [](const auto& b, double /*parameter*/) {
                return kernels::logistic_loss(b.scores, b.count, b.targets, b.weight);
            },
            {.bend = logistic_bend, .most_bend = 0.25, .device = DeviceLoss::logistic}),
        row({"squared", "numbers: (z - y)^2 / 2", numbers, {}},
            [](const auto& b, double /*parameter*/) {
                return kernels::squared_loss(b.scores, b.count, b.targets, b.weight);
            },
            {.bend = squared_bend, .most_bend = 1, .device = DeviceLoss::squared}),
        row({"huber",
             "numbers, with outliers: squared within threshold of y, linear beyond",
             numbers,
             {{threshold, Default::of(1)}}},
            [](const auto& b, double limit) {
                return kernels::huber_loss(b.scores, b.count, b.targets, b.weight, limit);
            },
            {.bend = huber_bend, .most_bend = 1, .device = DeviceLoss::huber}),
        row({"sigmoid", "two classes, nonconvex: 1 / (1 + exp(y z))", two_classes, {}, false},
            [](const auto& b, double /*parameter*/) {
                return kernels::sigmoid_loss(b.scores, b.count, b.targets, b.weight);
            },
            {.saturates = true,
             .bend = sigmoid_bend,
             .most_bend = 1 / (6 * std::sqrt(3.0)),
             .device = DeviceLoss::sigmoid}),
        row({"welsch",
             "numbers, nonconvex: (w^2/2) (1 - exp(-(z - y)^2 / w^2)) with w = width",
             numbers,
             {{width, Default::of(1)}},
             false},
            [](const auto& b, double w) {
                return kernels::welsch_loss(b.scores, b.count, b.targets, b.weight, w);
            },
            {.bend = welsch_bend, .most_bend = 1, .device = DeviceLoss::welsch}),
    };
    return rows;
}

}  // namespace

const LossRow& find_loss(std::string_view name) {
    std::vector<std::string> names;
    for (const LossRow& row : table()) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw QuantityError("loss", fmt::format("must be one of {}, not '{}'{}", fmt::join(names, ", "), name,
                                            suggestion(name, names)));
}

std::vector<LossInfo> losses() {
    return {table().begin(), table().end()};
}

LossInfo loss_info(std::string_view name) {
    return find_loss(name);
}

std::vector<ParameterInfo> loss_parameters() {
    std::vector<ParameterInfo> all;
    for (const LossRow& row : table()) add_once(all, row.parameters);
    return all;
}

void verify(const LossSpec& loss) {
    const LossRow& row = find_loss(loss.name);
    static_cast<void>(resolve("the loss " + loss.name, row.parameters, loss.parameters));
}

namespace {

// Classes as programs number them, from 0 or 1 without a gap, each with several rows and none with ten times as many as
// another. Measurements (ages, years, counts, prices) have gaps, begin elsewhere, or have rare values at their ends.
bool look_numbered(const Classes& classes, const Labels& labels, Ranks* ranks) {
    constexpr double fewest_rows = 5;
    constexpr double most_uneven = 10;
    const double first = classes.values.front();
    if (first != 0 && first != 1) return false;
    if (classes.values.back() - first != static_cast<double>(classes.size() - 1)) return false;
    std::vector<double> count(static_cast<std::size_t>(classes.size()));
    for (const std::int32_t code : classes.encode(labels)) ++count[static_cast<std::size_t>(code)];
    sum_over<double>(ranks, count);
    const auto [fewest, most] = std::minmax_element(count.begin(), count.end());
    return *fewest >= fewest_rows && *most <= most_uneven * *fewest;
}

// Whole numbers are classes when they are few, or look like numbers of classes.
bool are_measurements(const Classes& classes, const Labels& labels, Ranks* ranks) {
    constexpr Index few = 10;
    constexpr Index many = 20;
    if (classes.size() <= few) return false;
    const double rows = sum_over(ranks, static_cast<double>(labels.size()));
    if (2 * static_cast<double>(classes.size()) > rows) return true;  // they hardly repeat
    return classes.size() > many && !look_numbered(classes, labels, ranks);
}

}  // namespace

LossChoice choose_loss(const Labels& labels, bool certain, Ranks* ranks) {
    const bool whole = ranks == nullptr ? labels.integers() : ranks->all(labels.integers());
    if (!certain && labels.numeric() && !whole) return {"squared", "regression: the labels are numbers"};
    const Classes classes = find_classes(labels, ranks);
    const std::string count = std::to_string(classes.size());
    if (!certain && labels.numeric() && are_measurements(classes, labels, ranks))
        return {"squared", "regression: " + count + " whole-number targets; `loss` multinomial for classes"};
    if (classes.size() == 2) return {"logistic", "from the labels"};
    constexpr Index doubtful = 5;
    if (!certain && labels.numeric() && classes.size() > doubtful)
        return {"multinomial", count + " whole numbers as classes; `loss` squared for regression"};
    return {"multinomial", "from the labels"};
}

std::string default_loss(const Labels& labels) {
    return choose_loss(labels).name;
}

Targets make_targets(const Labels& labels, std::string_view loss, Classes& classes, Ranks* ranks) {
    Targets targets;
    classes = {};
    const LossRow& row = find_loss(loss);
    const std::string name(row.name);
    if (!row.classifies()) {
        if (!labels.numeric()) throw Error("the " + name + " loss needs numbers as labels, not text");
        targets.values.reserve(static_cast<std::size_t>(labels.size()));
        for (Index i = 0; i < labels.size(); ++i) targets.values.push_back(labels.number(i));
        return targets;
    }
    classes = find_classes(labels, ranks);
    if (classes.size() < 2) {
        throw Error("every row has the label " + (classes.names.empty() ? "(none)" : classes.names.front()) +
                    ": the " + name + " loss needs at least two classes");
    }
    if (row.target == TargetKind::classes) {
        targets.outputs = classes.size();
        targets.classes = classes.encode(labels);
        return targets;
    }
    if (classes.size() != 2) {
        throw Error("the " + name + " loss needs exactly two classes, the labels have " +
                    std::to_string(classes.size()) + ": use `loss` multinomial");
    }
    for (const std::int32_t code : classes.encode(labels)) targets.values.push_back(code == 0 ? -1.0 : 1.0);
    return targets;
}

}  // namespace alfcg
