#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/data/labels.hpp"

namespace alfcg {

/// Losses of a linear model z = W x (spec 6). y is the class for multinomial, ±1 for logistic and sigmoid
/// (the smaller label is -1), and a number for the others.
enum class Loss {
    multinomial,  // log Σ_l exp(z_l - z_y)
    logistic,     // log(1 + exp(-y z))
    squared,      // (z - y)² / 2
    huber,        // (z - y)² / 2 within `threshold` of y, linear beyond
    sigmoid,      // 1 / (1 + exp(y z)), nonconvex
    welsch        // (width²/2) (1 - exp(-(z - y)²/width²)), nonconvex
};

std::string_view to_text(Loss loss);
Loss parse_loss(std::string_view text);  // throws Error naming the six
bool is_classification(Loss loss);

struct LossInfo {
    Loss kind;
    std::string_view description;
};
std::span<const LossInfo> loss_catalogue();

struct LossOptions {
    Loss kind = Loss::multinomial;
    double threshold = 1;  // huber
    double width = 1;      // welsch
};

/// What the model is to predict, in the form the loss wants it.
struct Targets {
    Index outputs = 1;                  // rows of the weight matrix: classes for multinomial, else 1
    std::vector<std::int32_t> classes;  // multinomial: class of each row
    std::vector<double> values;         // otherwise: ±1, or the number to predict
};

/// The usual loss for such labels: two classes logistic, more multinomial, fractional
/// numbers (and whole ones, more than 100, that hardly repeat) squared.
Loss default_loss(const Labels& labels);

/// Throws Error when the labels do not fit the loss (one class, text where numbers are needed, three classes
/// for a binary loss). `classes` is filled for classification, and left empty for regression.
Targets make_targets(const Labels& labels, Loss loss, Classes& classes);

}  // namespace alfcg
