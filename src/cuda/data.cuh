// The rows on the device, dense or sparse: what their scores are, and what residuals make of them.
#pragma once

#include <algorithm>
#include <sstream>
#include <vector>

#include "alfcg/core/device.hpp"
#include "cuda/gpu.cuh"
#include "cuda/sparse.cuh"
#include "cuda/sums.cuh"

namespace alfcg::cuda {

/// Throws std::runtime_error where so many bytes are not free.
inline void check_room(double bytes) {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "the device does not answer");
    if (bytes <= 0.95 * static_cast<double>(free)) return;
    constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
    std::ostringstream text;
    text.precision(3);
    text << "the data and what passes keep take " << bytes / gibibyte << " GiB of its memory, of which "
         << static_cast<double>(free) / gibibyte
         << " GiB are free: take fewer rows (`rows`), or the CPU (`device` cpu)";
    throw std::runtime_error(text.str());
}

template <class Real>
class Data {
  public:
    virtual ~Data() = default;
    /// Entries from one output's weights, and gradient, to the next.
    [[nodiscard]] Index stride() const { return stride_; }
    /// Weights (outputs x stride) in the form that scores are made from, if that is another one.
    virtual const Real* prepare(int slot, const Real* weights, const Stream& stream) = 0;
    /// scores[i · line + l], weights being prepared.
    virtual void score(RowList rows, const Real* weights, Real* scores, Index line, const Stream& stream) = 0;
    /// Σ residual ⊗ row, in pieces of the rows one after the other: from the first (`fresh`) to the last, with which `gradient` (outputs x stride) is
    /// there. `whole`: rows of all pieces.
    virtual void add(RowList rows, Index whole, const Real* residuals, Real* gradient, bool fresh, bool last,
                     const Stream& stream) = 0;
    /// Rows that a pass takes at a time, so that the second look at them finds them in the cache.
    [[nodiscard]] virtual Index piece() const = 0;

  protected:
    Data(const Gpu& gpu, const DeviceProblem<Real>& problem)
        : gpu_(gpu),
          rows_(problem.rows),
          cols_(problem.cols),
          stride_(divided_up(problem.cols, Pack<Real>::size) * Pack<Real>::size),
          outputs_(static_cast<int>(problem.outputs)) {}

    Gpu gpu_;
    Index rows_;
    Index cols_;
    Index stride_;
    int outputs_;
};

template <class Real>
class DenseData final : public Data<Real> {
  public:
    DenseData(const Gpu& gpu, const DeviceProblem<Real>& problem, const Stream& stream)
        : Data<Real>(gpu, problem) {
        Real* const to = entries_.room_for(this->rows_ * this->stride_);
        stream.clear(to, this->rows_ * this->stride_);
        check(cudaMemcpy2DAsync(to, bytes(this->stride_), problem.dense, bytes(problem.stride),
                                bytes(this->cols_), static_cast<std::size_t>(this->rows_), cudaMemcpyDefault,
                                stream),
              "the data cannot be copied");
        stream.wait();
    }
    [[nodiscard]] const Real* entries() const { return entries_.data(); }

    const Real* prepare(int /*slot*/, const Real* weights, const Stream& /*stream*/) override {
        return weights;
    }
    void score(RowList rows, const Real* weights, Real* scores, Index line, const Stream& stream) override {
        constexpr Index few = 4096;
        const int outputs = this->outputs_;
        if (rows.count <= few && outputs <= 2 * 16) {
            launch(score_rows<Real>,
                   grid(divided_up(rows.count, score_threads / warp_size), divided_up(outputs, 8)),
                   score_threads, 0, stream, entries_.data(), this->stride_, rows, weights, outputs, scores,
                   line);
        } else if (outputs <= 16) {
            launch(score_tiles<Real, 128, 16>, grid(divided_up(rows.count, 128)), tile_threads<128, 16>, 0,
                   stream, entries_.data(), this->stride_, rows, weights, outputs, scores, line);
        } else {
            launch(score_tiles<Real, 64, 64>, grid(divided_up(rows.count, 64), divided_up(outputs, 64)),
                   tile_threads<64, 64>, 0, stream, entries_.data(), this->stride_, rows, weights, outputs,
                   scores, line);
        }
    }
    void add(RowList rows, Index whole, const Real* residuals, Real* gradient, bool fresh, bool last,
             const Stream& stream) override {
        const int outputs = this->outputs_;
        const bool few = outputs <= 16;
        const Index across = divided_up(this->stride_, few ? 128 : 64);
        const Index down = few ? 1 : divided_up(outputs, 64);
        // Enough blocks for the whole device, none of them with next to nothing to do.
        constexpr Index most = 128;
        const Index parts =
            std::clamp<Index>(4 * this->gpu_.processors / (across * down), 1,
                              std::min(most, divided_up(std::min(whole, piece()), tile_depth)));
        const Index size = outputs * this->stride_;
        Real* const shares = parts == 1 ? gradient : shares_.room_for(parts * size);
        if (few) {
            launch(add_tiles<Real, 128, 16>, grid(across, down, parts), tile_threads<128, 16>, 0, stream,
                   entries_.data(), this->stride_, rows, residuals, outputs, shares, fresh);
        } else {
            launch(add_tiles<Real, 64, 64>, grid(across, down, parts), tile_threads<64, 64>, 0, stream,
                   entries_.data(), this->stride_, rows, residuals, outputs, shares, fresh);
        }
        if (last && parts > 1)
            launch(sum_shares<Real>, grid(divided_up(size, warp_size)), sum_threads, 0, stream, shares, parts,
                   size, gradient);
    }
    [[nodiscard]] Index piece() const override {
        constexpr Index fewest = 512;
        return std::max(fewest, this->gpu_.cache / 2 / static_cast<Index>(bytes(this->stride_)));
    }

  private:
    static std::size_t bytes(Index entries) { return static_cast<std::size_t>(entries) * sizeof(Real); }

    Memory<Real> entries_;
    Memory<Real> shares_;
};

/// Rows as they are for scores; for gradients of all rows a copy by columns, long ones in segments; batches are added up row by row, each warp having columns of
/// its own.
template <class Real>
class SparseData final : public Data<Real> {
  public:
    SparseData(const Gpu& gpu, const DeviceProblem<Real>& problem, const Stream& stream)
        : Data<Real>(gpu, problem) {
        while (width_ < this->outputs_ && width_ < warp_size) width_ *= 2;
        const Index entries = problem.start[this->rows_];
        upload(start_, problem.start, this->rows_ + 1, stream);
        upload(column_, problem.column, entries, stream);
        upload(value_, problem.value, entries, stream);
        turn(problem, entries, stream);
    }

    const Real* prepare(int slot, const Real* weights, const Stream& stream) override {
        const Index size = this->cols_ * this->outputs_;
        Real* const table = tables_[slot].room_for(size);
        launch(to_table<Real>, grid(divided_up(size, sparse_threads)), sparse_threads, 0, stream, weights,
               this->stride_, this->cols_, this->outputs_, table);
        return table;
    }
    void score(RowList rows, const Real* weights, Real* scores, Index line, const Stream& stream) override {
        sum_lines({start_.data(), column_.data(), value_.data()}, rows, weights, scores, line, stream);
    }
    void add(RowList rows, Index /*whole*/, const Real* residuals, Real* gradient, bool /*fresh*/,
             bool /*last*/, const Stream& stream) override {
        const Index* segments = nullptr;
        Index size = this->cols_ * this->outputs_;
        if (rows.list == nullptr) {
            segments = segments_of_.data();
            size = count_ * this->outputs_;
            sum_lines({segment_.data(), row_.data(), by_column_.data()}, {nullptr, 0, count_}, residuals,
                      sums_.room_for(size), this->outputs_, stream);
        } else {
            stream.clear(sums_.room_for(size), size);
            launch(sparse_scatter<Real>, grid(divided_up(ranges_, sparse_threads / warp_size)),
                   sparse_threads, 0, stream, Lines<Real>{start_.data(), column_.data(), value_.data()}, rows,
                   residuals, this->outputs_, bounds_.data(), ranges_, sums_.data());
        }
        launch(from_table<Real>, grid(divided_up(this->stride_ * this->outputs_, sparse_threads)),
               sparse_threads, 0, stream, sums_.data(), segments, this->cols_, this->outputs_, gradient,
               this->stride_);
    }
    [[nodiscard]] Index piece() const override { return this->rows_; }

  private:
    template <class T>
    static void upload(Memory<T>& memory, const T* from, Index count, const Stream& stream) {
        stream.copy(memory.room_for(std::max<Index>(count, 1)), from, count);
        stream.wait();
    }
    void sum_lines(Lines<Real> lines, RowList list, const Real* table, Real* sums, Index line,
                   const Stream& stream) {
        launch(sparse_sums<Real>, grid(divided_up(list.count, sparse_threads / warp_size)), sparse_threads, 0,
               stream, lines, list, table, this->outputs_, width_, sums, line);
    }
    // By columns, in the order of the rows.
    void turn(const DeviceProblem<Real>& problem, Index entries, const Stream& stream) {
        const auto cols = static_cast<std::size_t>(this->cols_);
        std::vector<Index> begin(cols + 1);
        for (Index k = 0; k < entries; ++k) ++begin[static_cast<std::size_t>(problem.column[k]) + 1];
        for (std::size_t j = 0; j < cols; ++j) begin[j + 1] += begin[j];
        std::vector<std::int32_t> row(static_cast<std::size_t>(entries));
        std::vector<Real> value(row.size());
        std::vector<Index> at(begin.begin(), begin.end() - 1);
        for (Index i = 0; i < this->rows_; ++i)
            for (Index k = problem.start[i]; k < problem.start[i + 1]; ++k) {
                const auto to = static_cast<std::size_t>(at[static_cast<std::size_t>(problem.column[k])]++);
                row[to] = static_cast<std::int32_t>(i);
                value[to] = problem.value[k];
            }
        upload(row_, row.data(), entries, stream);
        upload(by_column_, value.data(), entries, stream);
        std::vector<Index> segment{0};
        std::vector<Index> of_column{0};
        for (std::size_t j = 0; j < cols; ++j) {
            for (Index from = begin[j]; from < begin[j + 1]; from += segment_entries)
                segment.push_back(std::min(from + segment_entries, begin[j + 1]));
            of_column.push_back(std::ssize(segment) - 1);
        }
        count_ = std::ssize(segment) - 1;
        upload(segment_, segment.data(), std::ssize(segment), stream);
        upload(segments_of_, of_column.data(), std::ssize(of_column), stream);
        // Columns with about as many entries together for every warp.
        const Index wanted = Index{8} * this->gpu_.processors;
        std::vector<std::int32_t> bounds{0};
        for (Index w = 1; w < wanted; ++w) {
            const auto bound =
                std::lower_bound(begin.begin(), begin.end(), entries * w / wanted) - begin.begin();
            if (bound > bounds.back() && bound < this->cols_)
                bounds.push_back(static_cast<std::int32_t>(bound));
        }
        bounds.push_back(static_cast<std::int32_t>(this->cols_));
        ranges_ = std::ssize(bounds) - 1;
        upload(bounds_, bounds.data(), std::ssize(bounds), stream);
    }

    int width_ = 1;
    Memory<Index> start_;
    Memory<std::int32_t> column_;
    Memory<Real> value_;
    Memory<std::int32_t> row_;  // by columns
    Memory<Real> by_column_;
    Memory<Index> segment_;      // where segments of columns begin
    Memory<Index> segments_of_;  // the first of every column
    Index count_ = 0;            // segments
    Memory<std::int32_t> bounds_;
    Index ranges_ = 0;
    Memory<Real> tables_[2];
    Memory<Real> sums_;
};

}  // namespace alfcg::cuda
