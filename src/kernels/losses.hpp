#pragma once

#include "alfcg/core/matrix.hpp"
#include "kernels/dense.hpp"

/// Losses of a block of samples: scores become weight · ∂loss/∂score in place, and the sum of the losses, each times its
/// sample's own weight, is returned. Right for scores of any size.
namespace alfcg::kernels {

/// What derivatives are multiplied with: a factor, and the weight of each sample, which its loss is multiplied with too.
template <class Real>
struct LossWeight {
    double factor;
    const Real* samples = nullptr;  // null: all 1

    LossWeight(double all, const Real* each = nullptr)  // NOLINT(google-explicit-constructor)
        : factor(all), samples(each) {}
    [[nodiscard]] double of_sample(Index i) const {
        return samples == nullptr ? 1 : static_cast<double>(samples[i]);
    }
};

/// −log softmax(scores)[target]; targets are class numbers. The scores of a sample, or of an output, lie side
/// by side; in the second case the output stride, and the targets, are padded.
double softmax_loss(float* scores, Index count, Index outputs, ScoreLayout layout, const float* targets,
                    LossWeight<float> weight);
double softmax_loss(double* scores, Index count, Index outputs, ScoreLayout layout, const double* targets,
                    LossWeight<double> weight);

/// log(1 + exp(−t s)), targets ±1.
double logistic_loss(float* scores, Index count, const float* targets, LossWeight<float> weight);
double logistic_loss(double* scores, Index count, const double* targets, LossWeight<double> weight);
/// 1 / (1 + exp(t s)), targets ±1.
double sigmoid_loss(float* scores, Index count, const float* targets, LossWeight<float> weight);
double sigmoid_loss(double* scores, Index count, const double* targets, LossWeight<double> weight);
/// (s − t)² / 2.
double squared_loss(float* scores, Index count, const float* targets, LossWeight<float> weight);
double squared_loss(double* scores, Index count, const double* targets, LossWeight<double> weight);
/// (s − t)² / 2 up to the threshold, linear beyond.
double huber_loss(float* scores, Index count, const float* targets, LossWeight<float> weight,
                  double threshold);
double huber_loss(double* scores, Index count, const double* targets, LossWeight<double> weight,
                  double threshold);
/// (w²/2) (1 − exp(−(s − t)²/w²)).
double welsch_loss(float* scores, Index count, const float* targets, LossWeight<float> weight, double width);
double welsch_loss(double* scores, Index count, const double* targets, LossWeight<double> weight,
                   double width);

}  // namespace alfcg::kernels
