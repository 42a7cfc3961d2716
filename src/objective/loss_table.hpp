#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "alfcg/core/device.hpp"
#include "alfcg/objective/loss.hpp"
#include "kernels/dense.hpp"
#include "kernels/losses.hpp"

namespace alfcg {

/// A block of samples and what it is judged by.
template <class Real>
struct ScoreBlock {
    Real* scores;
    Index count;  // samples
    Index outputs;
    kernels::ScoreLayout layout;
    const Real* targets;
    kernels::LossWeight<Real> weight;
};

/// Scores become weight · ∂loss/∂score, in place; returns the sum of the losses, each times its sample's weight.
template <class Real>
using JudgeBlock = std::function<double(const ScoreBlock<Real>& block)>;

/// A loss is a row: its name, its targets, its parameters, and how blocks of scores are judged by it.
struct LossRow : LossInfo {
    /// A sample's scores may all be shifted alike, so that its residuals add up to zero.
    bool relative = false;
    /// Flat on both sides, far from the border between two classes: an intercept must not run away before the weights
    /// have moved.
    bool saturates = false;
    /// ∂²loss/∂score² of a sample with one score, from its score and ∂loss/∂score, the target, and the loss's parameter; at least
    /// 0. None: it is softmax's.
    double (*bend)(double score, double slope, double target, double parameter) = nullptr;
    double most_bend = 0;              // that it can be
    std::optional<DeviceLoss> device;  // what devices call it, where they know it
    std::function<JudgeBlock<float>(const Parameters&)> make_float;
    std::function<JudgeBlock<double>(const Parameters&)> make_double;

    /// The only parameter, if there is one.
    [[nodiscard]] double parameter(const Parameters& given) const {
        const Parameters resolved = resolve("the loss " + std::string(name), parameters, given);
        return resolved.empty() ? 0 : std::get<double>(resolved.all().begin()->second);
    }
    template <class Real>
    [[nodiscard]] JudgeBlock<Real> make(const Parameters& given) const {
        const Parameters resolved = resolve("the loss " + std::string(name), parameters, given);
        if constexpr (std::is_same_v<Real, float>) {
            return make_float(resolved);
        } else {
            return make_double(resolved);
        }
    }
};

/// Throws Error, listing the names, when there is no such loss.
const LossRow& find_loss(std::string_view name);

}  // namespace alfcg
