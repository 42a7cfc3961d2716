#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// How scores are judged, as far as devices know it.
enum class DeviceLoss : std::int32_t { softmax, logistic, squared, huber, sigmoid, welsch };

/// Rows of a linear model that are to lie on a device: dense ones, or compressed ones with increasing columns. It copies them; those that it has no
/// room for are fetched in every pass, and must stay where they are.
template <class Real>
struct DeviceProblem {
    Index rows = 0;
    Index cols = 0;
    Index outputs = 0;
    const Real* dense = nullptr;
    Index stride = 0;  // from one dense row to the next
    const Index* start = nullptr;
    const std::int32_t* column = nullptr;
    const Real* value = nullptr;
    bool on_disk = false;  // pages of a file, which need not stay in memory
    const Real* targets = nullptr;  // class numbers, or values
    const Real* weights = nullptr;  // of the rows, with a mean of 1; null: all alike
    DeviceLoss loss = DeviceLoss::softmax;
    double parameter = 0;  // of the loss, where it has one
};

/// A step from one point towards another, x + size (v − x): v is left · rightᵀ, or zero but for what size · v has at some positions (row-major, none
/// twice).
template <class Real>
struct DeviceStep {
    double size = 0;
    const Real* left = nullptr;
    const Real* right = nullptr;
    const Index* positions = nullptr;
    const Real* values = nullptr;
    Index count = 0;
};

/// A point of a batch: weights that have been placed, and what their scores are shifted by, one number an output; null: by nothing.
struct DevicePoint {
    int slot = 0;
    const double* shift = nullptr;
};

/// What becomes of a batch's gradients: Σ_B (at_x ∂f_i(x) + at_y ∂f_i(y)) / count.
struct DeviceBatch {
    const Index* rows = nullptr;
    Index count = 0;
    DevicePoint x;
    double at_x = 1;
    DevicePoint y;  // where there is a second point
    double at_y = 0;
    bool second = false;
    bool slopes = false;
    double* residual_sums =
        nullptr;  // filled in, unless null: Σ_B of the derivatives by the scores at x, one an output
};
struct DeviceBatchSums {
    double loss = 0;  // at x
    double slope_at_x = 0;
    double slope_at_y = 0;  // <∇_B f(x), x − y> and <∇_B f(y), x − y>
};

/// The rows of one problem on a device, and the passes over them. Weights (outputs x cols) are placed in one of two slots; gradients come
/// back. What it adds up is added up in a fixed order: the same calls give the same bits. Whatever fails throws std::exception.
template <class Real>
class DeviceRows {
  public:
    virtual ~DeviceRows() = default;

    /// Bytes of the rows that a pass for a gradient fetches, since there is no room for them on the device; mostly none.
    [[nodiscard]] virtual double streamed() const = 0;

    virtual void place(int slot, const Real* weights) = 0;
    /// Places what a step from the weights in `from` leads to, which may be the same slot: rounded as the host does it with a fused multiply-add.
    virtual void step(int from, int slot, const DeviceStep<Real>& step) = 0;
    /// Σ of the losses; the gradient is that of their mean, unless null.
    virtual double evaluate(int slot, Real* gradient) = 0;
    /// Makes the scores of all rows, for the next two.
    virtual void score(int slot) = 0;
    /// Σ of the losses where the scores are shifted, and Σ of the derivatives by each output's scores.
    virtual double judge(const double* shift, double* residual_sums) = 0;
    /// The gradient of their mean.
    virtual void add_up(const double* shift, Real* gradient) = 0;

    virtual DeviceBatchSums batch(const DeviceBatch& batch, Real* gradient) = 0;
    /// Derivatives by the scores, rows x outputs; and Σ of them, unless null.
    virtual void residuals(const Index* rows, Index count, const DevicePoint& x, Real* residuals,
                           double* residual_sums) = 0;
    /// gradient = Σ_k residuals[k] ⊗ row rows[k].
    virtual void combine(const Index* rows, Index count, const Real* residuals, Real* gradient) = 0;
};

/// What a library of its own computes with, a GPU mostly.
class Device {
  public:
    virtual ~Device() = default;
    /// "cuda:0", and what it is in words.
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::string description() const = 0;
    virtual std::unique_ptr<DeviceRows<float>> hold(const DeviceProblem<float>& problem) = 0;
    virtual std::unique_ptr<DeviceRows<double>> hold(const DeviceProblem<double>& problem) = 0;
};

/// Throws QuantityError unless it is cpu, cuda, cuda:N or auto.
void check_device(std::string_view name);
/// Null for cpu, and for auto where there is none. Throws QuantityError for one that cannot be had.
std::shared_ptr<Device> open_device(std::string_view name);

}  // namespace alfcg
