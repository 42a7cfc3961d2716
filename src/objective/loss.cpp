#include "alfcg/objective/loss.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

constexpr std::array<std::string_view, 6> loss_names{"multinomial", "logistic", "squared",
                                                     "huber",       "sigmoid",  "welsch"};

constexpr std::array<LossInfo, 6> catalogue{{
    {Loss::multinomial, "classes, one row of weights each: log sum_l exp(z_l - z_y)"},
    {Loss::logistic, "two classes: log(1 + exp(-y z)), y = -1 for the smaller label"},
    {Loss::squared, "numbers: (z - y)^2 / 2"},
    {Loss::huber, "numbers, with outliers: squared within --threshold of y, linear beyond"},
    {Loss::sigmoid, "two classes, nonconvex: 1 / (1 + exp(y z))"},
    {Loss::welsch, "numbers, nonconvex: (w^2/2) (1 - exp(-(z - y)^2 / w^2)) with w from --width"},
}};

}  // namespace

std::span<const LossInfo> loss_catalogue() {
    return catalogue;
}

std::string_view to_text(Loss loss) {
    return loss_names[static_cast<std::size_t>(loss)];
}

Loss parse_loss(std::string_view text) {
    const auto* found = std::find(loss_names.begin(), loss_names.end(), text);
    if (found == loss_names.end()) {
        throw Error("unknown loss '" + std::string(text) +
                    "': use multinomial, logistic, squared, huber, sigmoid or welsch");
    }
    return static_cast<Loss>(found - loss_names.begin());
}

bool is_classification(Loss loss) {
    return loss == Loss::multinomial || loss == Loss::logistic || loss == Loss::sigmoid;
}

Loss default_loss(const Labels& labels) {
    if (labels.numeric() && !labels.integers()) return Loss::squared;
    const Index classes = find_classes(labels).size();
    // Whole numbers that hardly repeat are measurements, not classes.
    if (labels.numeric() && classes > 100 && 2 * classes > labels.size()) return Loss::squared;
    return classes == 2 ? Loss::logistic : Loss::multinomial;
}

Targets make_targets(const Labels& labels, Loss loss, Classes& classes) {
    Targets targets;
    classes = {};
    const std::string name(to_text(loss));
    if (!is_classification(loss)) {
        if (!labels.numeric()) throw Error("the " + name + " loss needs numbers as labels, not text");
        targets.values.reserve(static_cast<std::size_t>(labels.size()));
        for (Index i = 0; i < labels.size(); ++i) targets.values.push_back(labels.number(i));
        return targets;
    }
    classes = find_classes(labels);
    if (classes.size() < 2) {
        throw Error("every row has the label " + (classes.names.empty() ? "(none)" : classes.names.front()) +
                    ": the " + name + " loss needs at least two classes");
    }
    if (loss == Loss::multinomial) {
        targets.outputs = classes.size();
        targets.classes = classes.encode(labels);
        return targets;
    }
    if (classes.size() != 2) {
        throw Error("the " + name + " loss needs exactly two classes, the labels have " +
                    std::to_string(classes.size()) + ": use --loss multinomial");
    }
    for (const std::int32_t code : classes.encode(labels)) targets.values.push_back(code == 0 ? -1.0 : 1.0);
    return targets;
}

}  // namespace alfcg
