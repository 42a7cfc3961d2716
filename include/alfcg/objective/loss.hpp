#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/parameters.hpp"
#include "alfcg/data/labels.hpp"

namespace alfcg {

/// What a loss compares scores with.
enum class TargetKind {
    classes,      // any number of them, a row of weights each
    two_classes,  // ±1, the smaller label is -1
    numbers
};

/// One row of the table of losses of a linear model z = W x (spec 6), in words.
struct LossInfo {
    std::string_view name;
    std::string_view description;
    TargetKind target;
    std::vector<Parameter> parameters;
    bool convex = true;  // in the scores: a gap then bounds how far the optimum is

    [[nodiscard]] bool classifies() const { return target != TargetKind::numbers; }
};
std::vector<LossInfo> losses();
/// Throws Error, listing the names, when there is no such loss.
LossInfo loss_info(std::string_view name);
/// Every parameter of every loss, once.
std::vector<ParameterInfo> loss_parameters();

/// A loss by name.
struct LossSpec {
    std::string name = "multinomial";  // a name from losses()
    Parameters parameters;             // those left out have their defaults

    bool operator==(const LossSpec&) const = default;
};

/// Throws Error when the name is unknown, a number is out of range, or a parameter is given that the loss does not have.
void verify(const LossSpec& loss);

/// What the model is to predict, in the form the loss wants it.
struct Targets {
    Index outputs = 1;                  // rows of the weight matrix: classes for multinomial, else 1
    std::vector<std::int32_t> classes;  // multinomial: class of each row
    std::vector<double> values;         // otherwise: ±1, or the number to predict
    std::vector<double> weights;        // of the rows, at least 0; empty: all alike
};

struct LossChoice {
    std::string name;
    std::string reason;  // in words, with what to do if another one was meant
};
/// The usual loss for such labels: two classes logistic, more multinomial, fractional numbers squared. Whole numbers are
/// classes up to 20 of them, unless more than 10 hardly repeat; more are targets of a regression, unless they are numbered
/// from 0 or 1 without a gap, each has 5 rows or more, and none ten times as many as another. `certain`: they are classes
/// in any case. With ranks: for the labels of all of them.
LossChoice choose_loss(const Labels& labels, bool certain = false, Ranks* ranks = nullptr);
std::string default_loss(const Labels& labels);

/// Throws Error when the labels do not fit the loss (one class, text where numbers are needed, three classes
/// for a binary loss). `classes` is filled for classification, and left empty for regression.
/// With ranks, the classes are those of all of them.
Targets make_targets(const Labels& labels, std::string_view loss, Classes& classes, Ranks* ranks = nullptr);

}  // namespace alfcg
