// The rows of a linear model on a GPU, and the passes over them.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "cuda/dense_data.cuh"
#include "cuda/fused_plan.cuh"
#include "cuda/judge.cuh"
#include "cuda/sparse_data.cuh"
#include "cuda/step.cuh"

namespace alfcg::cuda {

template <class Real>
class GpuRows final : public DeviceRows<Real> {
  public:
    GpuRows(const Gpu& gpu, const DeviceProblem<Real>& problem)
        : gpu_(gpu),
          rows_(problem.rows),
          cols_(problem.cols),
          outputs_(static_cast<int>(problem.outputs)),
          judges_(Index{4} * gpu.processors),
          mean_(1 / static_cast<double>(problem.rows)) {
        if (problem.dense != nullptr) {
            auto dense = std::make_unique<DenseData<Real>>(gpu, problem, bytes_besides(), stream_);
            dense_ = dense.get();
            data_ = std::move(dense);
            plan_ = FusedPlan<Real>(gpu, rows_, data_->stride(), outputs_);
        } else {
            data_ = std::make_unique<SparseData<Real>>(gpu, problem, bytes_besides(), stream_);
        }
        size_ = outputs_ * data_->stride();
        stream_.copy(targets_.room_for(rows_), problem.targets, rows_);
        if (problem.weights != nullptr) stream_.copy(weights_.room_for(rows_), problem.weights, rows_);
        stream_.wait();
        truth_ = {problem.loss, static_cast<Real>(problem.parameter), outputs_, targets_.data(),
                  weights_.data()};
        if (problem.loss == DeviceLoss::softmax)
            while (width_ < outputs_ && width_ < warp_size) width_ *= 2;
        for (Slot& slot : slots_) {
            std::fill_n(slot.staging.room_for(size_), size_, Real(0));
            slot.weights.room_for(size_);
        }
        gradient_.room_for(size_);
        down_.room_for(size_);
        sums_.room_for(3 * judges_);
        sums_down_.room_for(3 * judges_);
    }

    void place(int number, const Real* weights) override {
        gpu_.use();
        Slot& slot = slots_[number];
        if (slot.on_its_way) finish();
        for (int l = 0; l < outputs_; ++l)
            std::copy_n(weights + l * cols_, cols_, slot.staging.data() + l * data_->stride());
        stream_.copy(slot.weights.data(), slot.staging.data(), size_);
        slot.on_its_way = true;
        slot.prepared = data_->prepare(number, slot.weights.data(), stream_);
    }

    void step(int from, int number, const DeviceStep<Real>& step) override {
        gpu_.use();
        Slot& slot = slots_[number];
        if (slot.on_its_way) finish();
        const bool pair = step.left != nullptr;
        const Index count = pair ? outputs_ + cols_ : step.count;
        Real* const numbers = slot.step_numbers.room_for(std::max<Index>(count, 1));
        Real* const numbers_here = slot.step_numbers_host.room_for(std::max<Index>(count, 1));
        if (pair) {
            std::copy_n(step.right, cols_, std::copy_n(step.left, outputs_, numbers_here));
        } else {
            std::copy_n(step.values, count, numbers_here);
        }
        stream_.copy(numbers, numbers_here, count);
        const Real eta = static_cast<Real>(step.size);
        launch(
            step_towards<Real>, grid(divided_up(size_, step_threads)), step_threads, 0, stream_,
            Step<Real>{slots_[from].weights.data(), slot.weights.data(), cols_, data_->stride(), outputs_,
                       static_cast<Real>(1 - step.size), eta, pair ? numbers : nullptr, numbers + outputs_});
        if (!pair) {
            Index* const places = slot.step_places.room_for(std::max<Index>(count, 1));
            Index* const places_here = slot.step_places_host.room_for(std::max<Index>(count, 1));
            for (Index k = 0; k < count; ++k)
                places_here[k] = step.positions[k] / cols_ * data_->stride() + step.positions[k] % cols_;
            stream_.copy(places, places_here, count);
            launch(add_entries<Real>, grid(divided_up(count, step_threads)), step_threads, 0, stream_, places,
                   numbers, count, slot.weights.data());
        }
        slot.on_its_way = true;
        slot.prepared = data_->prepare(number, slot.weights.data(), stream_);
    }

    [[nodiscard]] double streamed() const override { return data_->sent(); }

    double evaluate(int slot, Real* gradient) override {
        gpu_.use();
        return plan_.fits() ? evaluate_fused(slot, gradient) : evaluate_in_pieces(slot, gradient);
    }

    void score(int slot) override {
        gpu_.use();
        Real* const scores = scores_.room_for(rows_ * outputs_);
        data_->for_each_part(true, false, stream_, [&](RowList rows, bool /*first*/, bool /*last*/) {
            data_->score(rows, slots_[slot].prepared, scores + rows.first * outputs_, outputs_, stream_);
        });
    }

    double judge(const double* shift, double* residual_sums) override {
        gpu_.use();
        Judgement<Real> judgement = at_x(all(), scores_.data(), outputs_);
        judgement.shift_x = send_shift(0, shift);
        judgement.at_x_alone = residuals_.room_for(rows_ * outputs_);
        start(judgement);
        return finish_with_sums(rows_, residual_sums).loss;
    }

    void add_up(const double* shift, Real* gradient) override {
        gpu_.use();
        Judgement<Real> judgement = at_x(all(), scores_.data(), outputs_);
        judgement.shift_x = send_shift(0, shift);
        judgement.factor = mean_;
        judgement.residuals = residuals_.room_for(rows_ * outputs_);
        start(judgement);
        data_->for_each_part(false, true, stream_, [&](RowList rows, bool first, bool last) {
            data_->add(rows, rows_, residuals_.data() + rows.first * outputs_, gradient_.data(), first, last,
                       stream_);
        });
        finish_with(gradient);
    }

    DeviceBatchSums batch(const DeviceBatch& batch, Real* gradient) override {
        gpu_.use();
        const RowList rows = send_rows(batch.rows, batch.count);
        const Index line = batch.second ? 2 * outputs_ : outputs_;
        Real* const scores = batch_scores_.room_for(batch.count * line);
        data_->score(rows, slots_[batch.x.slot].prepared, scores, line, stream_);
        if (batch.second) data_->score(rows, slots_[batch.y.slot].prepared, scores + outputs_, line, stream_);
        Judgement<Real> judgement = at_x(rows, scores, line);
        judgement.shift_x = send_shift(0, batch.x.shift);
        judgement.second = batch.second;
        if (batch.second) judgement.shift_y = send_shift(1, batch.y.shift);
        judgement.slopes = batch.second && batch.slopes;
        judgement.at_x = batch.at_x;
        judgement.at_y = batch.at_y;
        judgement.factor = 1 / static_cast<double>(batch.count);
        judgement.residuals = batch_residuals_.room_for(batch.count * outputs_);
        if (batch.residual_sums != nullptr)
            judgement.at_x_alone = residuals_.room_for(batch.count * outputs_);
        start(judgement);
        data_->add(rows, batch.count, batch_residuals_.data(), gradient_.data(), true, true, stream_);
        stream_.copy(down_.data(), gradient_.data(), size_);
        DeviceBatchSums sums = finish_with_sums(batch.count, batch.residual_sums);
        take_gradient(gradient);
        sums.slope_at_x *= judgement.factor;
        sums.slope_at_y *= judgement.factor;
        return sums;
    }

    void residuals(const Index* rows, Index count, const DevicePoint& x, Real* residuals,
                   double* residual_sums) override {
        gpu_.use();
        const RowList list = send_rows(rows, count);
        Real* const scores = batch_scores_.room_for(count * outputs_);
        data_->score(list, slots_[x.slot].prepared, scores, outputs_, stream_);
        Judgement<Real> judgement = at_x(list, scores, outputs_);
        judgement.shift_x = send_shift(0, x.shift);
        judgement.at_x_alone = residuals_.room_for(count * outputs_);
        start(judgement);
        Real* const arrived = residuals_host_.room_for(count * outputs_);
        stream_.copy(arrived, residuals_.data(), count * outputs_);
        finish_with_sums(count, residual_sums);
        std::copy_n(arrived, count * outputs_, residuals);
    }

    void combine(const Index* rows, Index count, const Real* residuals, Real* gradient) override {
        gpu_.use();
        const RowList list = send_rows(rows, count);
        std::copy_n(residuals, count * outputs_, residuals_host_.room_for(count * outputs_));
        stream_.copy(batch_residuals_.room_for(count * outputs_), residuals_host_.data(), count * outputs_);
        data_->add(list, count, batch_residuals_.data(), gradient_.data(), true, true, stream_);
        finish_with(gradient);
    }

  private:
    struct Slot {
        Memory<Real, true> staging;
        Memory<Real> weights;
        Memory<Real, true> step_numbers_host;
        Memory<Real> step_numbers;
        Memory<Index, true> step_places_host;
        Memory<Index> step_places;
        const Real* prepared = nullptr;
        bool on_its_way = false;
    };

    // What passes keep beside the data, roughly: weights, gradients and their shares; scores, residuals and what rows are judged by.
    [[nodiscard]] double bytes_besides() const {
        const auto weights = static_cast<double>(outputs_) * static_cast<double>(cols_);
        const double shares = std::min(weights, 0x1p16) * 4 * gpu_.processors;
        return (8 * weights + shares + 2.0 * (outputs_ + 1) * static_cast<double>(rows_)) * sizeof(Real);
    }

    [[nodiscard]] RowList all() const { return {nullptr, 0, rows_}; }
    RowList send_rows(const Index* rows, Index count) {
        std::copy_n(rows, count, list_host_.room_for(count));
        stream_.copy(list_.room_for(count), list_host_.data(), count);
        return data_->choose(rows, {list_.data(), 0, count}, stream_);
    }
    const double* send_shift(int number, const double* shift) {
        if (shift == nullptr) return nullptr;
        std::copy_n(shift, outputs_, shift_host_[number].room_for(outputs_));
        stream_.copy(shift_[number].room_for(outputs_), shift_host_[number].data(), Index{outputs_});
        return shift_[number].data();
    }

    [[nodiscard]] Judgement<Real> at_x(RowList rows, const Real* scores, Index line) const {
        Judgement<Real> judgement{};
        judgement.truth = truth_;
        judgement.rows = rows;
        judgement.scores = scores;
        judgement.line = line;
        judgement.at_x = 1;
        judgement.factor = 1;
        judgement.sums = sums_.data();
        judgement.fresh = true;
        return judgement;
    }
    void start(const Judgement<Real>& judgement) {
        launch(judge_rows<Real>, grid(judges_), judge_threads, 0, stream_, judgement, width_);
    }

    double evaluate_fused(int slot, Real* gradient) {
        const Index blocks = plan_.blocks();
        const Index count = blocks * data_->parts();
        double* losses = losses_.room_for(count);
        data_->for_each_part(
            true, gradient != nullptr, stream_, [&](RowList rows, bool first, bool /*last*/) {
                FusedPass<Real> pass{};
                pass.data = dense_->here();
                pass.stride = data_->stride();
                pass.rows = rows.count;
                pass.weights = slots_[slot].weights.data();
                pass.truth = truth_.from(rows.first);
                pass.factor = static_cast<Real>(mean_);
                pass.shares = gradient == nullptr ? nullptr : shares_.room_for(blocks * size_);
                pass.losses = losses;
                losses += blocks;
                plan_.start(pass, stream_);
                if (gradient != nullptr)
                    launch(sum_shares<Real>, grid(divided_up(size_, warp_size)), sum_threads, 0, stream_,
                           shares_.data(), blocks, size_, gradient_.data(), first);
            });
        if (gradient != nullptr) stream_.copy(down_.data(), gradient_.data(), size_);
        stream_.copy(losses_host_.room_for(count), losses_.data(), count);
        finish();
        if (gradient != nullptr) take_gradient(gradient);
        double loss = 0;
        for (Index b = 0; b < count; ++b) loss += losses_host_.data()[b];
        return loss;
    }

    double evaluate_in_pieces(int slot, Real* gradient) {
        const Index piece = std::min(data_->piece(), rows_);
        Real* const scores = batch_scores_.room_for(piece * outputs_);
        Real* const residuals = batch_residuals_.room_for(piece * outputs_);
        data_->for_each_part(true, gradient != nullptr, stream_, [&](RowList part, bool first, bool last) {
            for (Index done = 0; done < part.count; done += piece) {
                const RowList rows{nullptr, part.first + done, std::min(piece, part.count - done)};
                const bool begins = first && done == 0;
                data_->score(rows, slots_[slot].prepared, scores, outputs_, stream_);
                Judgement<Real> judgement = at_x(rows, scores, outputs_);
                judgement.factor = mean_;
                judgement.residuals = gradient == nullptr ? nullptr : residuals;
                judgement.fresh = begins;
                start(judgement);
                if (gradient != nullptr)
                    data_->add(rows, rows_, residuals, gradient_.data(), begins,
                               last && done + piece >= part.count, stream_);
            }
        });
        if (gradient != nullptr) stream_.copy(down_.data(), gradient_.data(), size_);
        const double loss = finish_with_sums(0, nullptr).loss;
        if (gradient != nullptr) take_gradient(gradient);
        return loss;
    }

    void finish() {
        stream_.wait();
        for (Slot& slot : slots_) slot.on_its_way = false;
    }
    void finish_with(Real* gradient) {
        stream_.copy(down_.data(), gradient_.data(), size_);
        finish();
        take_gradient(gradient);
    }
    void take_gradient(Real* gradient) const {
        for (int l = 0; l < outputs_; ++l)
            std::copy_n(down_.data() + l * data_->stride(), cols_, gradient + l * cols_);
    }
    // What the judges have added up; and the sums of the columns of residuals_, unless null.
    DeviceBatchSums finish_with_sums(Index rows, double* residual_sums) {
        stream_.copy(sums_down_.data(), sums_.data(), 3 * judges_);
        if (residual_sums != nullptr) {
            const Index blocks = std::min<Index>(judges_, divided_up(rows, 64));
            launch(sum_columns<Real>, grid(blocks), sum_threads, 0, stream_, residuals_.data(), rows,
                   outputs_, column_shares_.room_for(blocks * outputs_));
            launch(sum_shares<double>, grid(divided_up(outputs_, warp_size)), sum_threads, 0, stream_,
                   column_shares_.data(), blocks, Index{outputs_}, column_sums_.room_for(outputs_), true);
            stream_.copy(column_sums_host_.room_for(outputs_), column_sums_.data(), Index{outputs_});
        }
        finish();
        if (residual_sums != nullptr) std::copy_n(column_sums_host_.data(), outputs_, residual_sums);
        DeviceBatchSums sums;
        for (Index b = 0; b < judges_; ++b) {
            sums.loss += sums_down_.data()[3 * b];
            sums.slope_at_x += sums_down_.data()[3 * b + 1];
            sums.slope_at_y += sums_down_.data()[3 * b + 2];
        }
        return sums;
    }

    Gpu gpu_;
    Index rows_;
    Index cols_;
    int outputs_;
    Index judges_;  // blocks that judge
    double mean_;
    Stream stream_;
    std::unique_ptr<Data<Real>> data_;
    const DenseData<Real>* dense_ = nullptr;  // the same, where they are dense
    FusedPlan<Real> plan_;
    Index size_ = 0;  // of weights and gradients
    int width_ = 1;   // lanes that judge a row together
    Memory<Real> targets_;
    Memory<Real> weights_;
    Truth<Real> truth_{};
    Slot slots_[2];

    Memory<Real> scores_;  // of all rows, as score() made them
    Memory<Real> residuals_;
    Memory<Real> batch_scores_;
    Memory<Real> batch_residuals_;
    Memory<Real, true> residuals_host_;
    Memory<Real> shares_;
    Memory<Real> gradient_;
    Memory<Real, true> down_;
    Memory<double> losses_;
    Memory<double, true> losses_host_;
    Memory<double> sums_;
    Memory<double, true> sums_down_;
    Memory<double> column_shares_;
    Memory<double> column_sums_;
    Memory<double, true> column_sums_host_;
    Memory<Index> list_;
    Memory<Index, true> list_host_;
    Memory<double> shift_[2];
    Memory<double, true> shift_host_[2];
};

std::unique_ptr<DeviceRows<float>> hold_rows(const Gpu& gpu, const DeviceProblem<float>& problem);
std::unique_ptr<DeviceRows<double>> hold_rows(const Gpu& gpu, const DeviceProblem<double>& problem);

}  // namespace alfcg::cuda
