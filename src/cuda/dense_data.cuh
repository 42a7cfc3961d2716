// Dense rows: what their scores are, and what residuals make of them.
#pragma once

#include "cuda/data.cuh"

namespace alfcg::cuda {

template <class Real>
class DenseData final : public Data<Real> {
  public:
    DenseData(const Gpu& gpu, const DeviceProblem<Real>& problem, double besides, const Stream& stream)
        : Data<Real>(gpu, problem), host_(problem.dense), host_stride_(problem.stride) {
        const auto row = static_cast<double>(bytes(this->stride_));
        const Layout layout = Layout::make(row * static_cast<double>(this->rows_), row, besides);
        Index staying = this->rows_;
        Index together = 0;
        if (layout.streamed) {
            together = std::min(whole_pieces(layout.part / row), this->rows_);
            staying = whole_pieces(layout.for_data / row - 2 * static_cast<double>(together));
            if (!problem.on_disk)
                pinned_ = Pinned(host_ + staying * host_stride_,
                                 bytes((this->rows_ - 1 - staying) * host_stride_ + this->cols_));
            for (Memory<Real>& buffer : buffers_)
                stream.clear(buffer.room_for(together * this->stride_), together * this->stride_);
        }
        this->cut(staying, [&](Index first) { return std::min(first + together, this->rows_); });
        Memory<Real>& own = buffers_[this->held];
        stream.clear(own.room_for(staying * this->stride_), staying * this->stride_);
        send(own.data(), 0, staying, stream);
        stream.wait();
        here_ = own.data();
    }

    const Real* prepare(int /*slot*/, const Real* weights, const Stream& /*stream*/) override {
        return weights;
    }
    /// The rows of the part that is visited.
    [[nodiscard]] const Real* here() const { return here_; }

    void score(RowList rows, const Real* weights, Real* scores, Index line, const Stream& stream) override {
        constexpr Index few = 4096;
        const int outputs = this->outputs_;
        const View view = look_at(rows);
        if (rows.count <= few && outputs <= 2 * 16) {
            launch(score_rows<Real>,
                   grid(divided_up(rows.count, score_threads / warp_size), divided_up(outputs, 8)),
                   score_threads, 0, stream, view.entries, this->stride_, view.rows, weights, outputs, scores,
                   line);
        } else if (outputs <= 16) {
            launch(score_tiles<Real, 128, 16>, grid(divided_up(rows.count, 128)), tile_threads<128, 16>, 0,
                   stream, view.entries, this->stride_, view.rows, weights, outputs, scores, line);
        } else {
            launch(score_tiles<Real, 64, 64>, grid(divided_up(rows.count, 64), divided_up(outputs, 64)),
                   tile_threads<64, 64>, 0, stream, view.entries, this->stride_, view.rows, weights, outputs,
                   scores, line);
        }
    }
    void add(RowList rows, Index whole, const Real* residuals, Real* gradient, bool fresh, bool last,
             const Stream& stream) override {
        const int outputs = this->outputs_;
        const View view = look_at(rows);
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
                   view.entries, this->stride_, view.rows, residuals, outputs, shares, fresh);
        } else {
            launch(add_tiles<Real, 64, 64>, grid(across, down, parts), tile_threads<64, 64>, 0, stream,
                   view.entries, this->stride_, view.rows, residuals, outputs, shares, fresh);
        }
        if (last && parts > 1)
            launch(sum_shares<Real>, grid(divided_up(size, warp_size)), sum_threads, 0, stream, shares, parts,
                   size, gradient, true);
    }
    [[nodiscard]] Index piece() const override {
        constexpr Index fewest = 512;
        return std::max(fewest, this->gpu_.cache / 2 / static_cast<Index>(bytes(this->stride_)));
    }

    [[nodiscard]] double sent() const override {
        return static_cast<double>(this->rows_ - this->staying()) * static_cast<double>(bytes(this->cols_));
    }

  private:
    struct View {
        const Real* entries;
        RowList rows;
    };

    static std::size_t bytes(Index entries) { return static_cast<std::size_t>(entries) * sizeof(Real); }
    // No more rows than these, and as many whole pieces as there are in them: sums are made as they are where all rows stay.
    [[nodiscard]] Index whole_pieces(double rows) const {
        const auto most = static_cast<Index>(rows);
        return most < piece() ? most : most / piece() * piece();
    }
    void send(Real* to, Index first, Index count, const Stream& stream) const {
        if (count == 0) return;
        check(
            cudaMemcpy2DAsync(to, bytes(this->stride_), host_ + first * host_stride_, bytes(host_stride_),
                              bytes(this->cols_), static_cast<std::size_t>(count), cudaMemcpyDefault, stream),
            "the data cannot be copied");
    }
    [[nodiscard]] View look_at(RowList rows) const {
        if (!this->streamed()) return {here_, rows};
        if (rows.list != nullptr) return {gathered_.data(), {nullptr, 0, rows.count}};
        return {here_, {nullptr, rows.first - first_here_, rows.count}};
    }

    void send_part(int part, int buffer, bool /*scores*/, bool /*sums*/, const Stream& copies) override {
        const RowList rows = this->rows_of(part);
        send(buffers_[buffer].data(), rows.first, rows.count, copies);
    }
    void take_part(int part, int buffer) override {
        here_ = buffers_[buffer].data();
        first_here_ = this->rows_of(part).first;
    }
    void gather(const Index* rows, Index count, const Stream& stream) override {
        Real* const staging = staging_.room_for(count * this->stride_);
        for (Index i = 0; i < count; ++i) {
            Real* const to = staging + i * this->stride_;
            std::copy_n(host_ + rows[i] * host_stride_, this->cols_, to);
            std::fill(to + this->cols_, to + this->stride_, Real(0));
        }
        stream.copy(gathered_.room_for(count * this->stride_), staging, count * this->stride_);
    }

    const Real* host_;
    Index host_stride_;
    Pinned pinned_;
    Memory<Real> buffers_[3];  // that take turns, and what stays
    const Real* here_ = nullptr;
    Index first_here_ = 0;
    Memory<Real, true> staging_;
    Memory<Real> gathered_;
    Memory<Real> shares_;
};

}  // namespace alfcg::cuda
