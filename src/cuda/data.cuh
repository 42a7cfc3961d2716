// The rows that passes go through, dense or sparse: all of them on the device; or the first of them, the others coming from the host, a part after
// the other, while those before are worked on.
#pragma once

#include <algorithm>
#include <vector>

#include "alfcg/core/device.hpp"
#include "cuda/feed.cuh"
#include "cuda/sparse.cuh"
#include "cuda/sums.cuh"

namespace alfcg::cuda {

template <class Real>
class Data {
  public:
    virtual ~Data() = default;
    /// Entries from one output's weights, and gradient, to the next.
    [[nodiscard]] Index stride() const { return stride_; }
    /// Weights (outputs x stride) in the form that scores are made from, if that is another one.
    virtual const Real* prepare(int slot, const Real* weights, const Stream& stream) = 0;

    /// visit(rows, whether these are the first, whether they are the last) for all rows, a part at a time, those that are on the device first. What
    /// is asked for within is about the rows of the part: scores of them, and sums over them, as far as the visit is said to make them.
    template <class Visit>
    void for_each_part(bool scores, bool sums, const Stream& stream, const Visit& visit) {
        const int parts = static_cast<int>(std::ssize(bounds_)) - 1;
        const auto send = [&](int part, int buffer, const Stream& copies) {
            send_part(part + held_parts_, buffer, scores, sums, copies);
        };
        feed_.begin(parts - held_parts_, send);
        for (int part = 0; part < parts; ++part) {
            const int sent = part - held_parts_;
            if (sent >= 0) feed_.arrive(sent, stream);
            take_part(part, sent < 0 ? held : sent % 2);
            visit(rows_of(part), part == 0, part + 1 == parts);
            if (sent >= 0) feed_.leave(sent, stream, send);
        }
    }
    /// How often it visits.
    [[nodiscard]] Index parts() const { return std::ssize(bounds_) - 1; }
    /// Rows of a batch, a list of which is on the host and on the device: the next calls with that list are about them.
    RowList choose(const Index* host_list, RowList rows, const Stream& stream) {
        if (streamed()) gather(host_list, rows.count, stream);
        return rows;
    }

    /// scores[i · line + l], weights being prepared.
    virtual void score(RowList rows, const Real* weights, Real* scores, Index line, const Stream& stream) = 0;
    /// Σ residual ⊗ row, in pieces of the rows one after the other: from the first (`fresh`) to the last, with which `gradient` (outputs x stride) is
    /// there. `whole`: rows of all pieces.
    virtual void add(RowList rows, Index whole, const Real* residuals, Real* gradient, bool fresh, bool last,
                     const Stream& stream) = 0;
    /// Rows that a pass takes at a time, so that the second look at them finds them in the cache.
    [[nodiscard]] virtual Index piece() const = 0;
    /// Bytes that a pass for a gradient fetches from the host.
    [[nodiscard]] virtual double sent() const = 0;

  protected:
    static constexpr int held = 2;  // in the place of a buffer's number: what lies on the device for good

    Data(const Gpu& gpu, const DeviceProblem<Real>& problem)
        : gpu_(gpu),
          rows_(problem.rows),
          cols_(problem.cols),
          stride_(divided_up(problem.cols, Pack<Real>::size) * Pack<Real>::size),
          outputs_(static_cast<int>(problem.outputs)) {}

    [[nodiscard]] bool streamed() const { return parts() > held_parts_; }
    [[nodiscard]] int held_parts() const { return held_parts_; }
    /// Rows that are on the device for good.
    [[nodiscard]] Index staying() const { return held_parts_ > 0 ? bounds_[1] : 0; }
    [[nodiscard]] RowList rows_of(int part) const {
        const auto k = static_cast<std::size_t>(part);
        return {nullptr, bounds_[k], bounds_[k + 1] - bounds_[k]};
    }
    /// The first rows stay; next(row) is where the part ends that begins there.
    template <class Next>
    void cut(Index staying, const Next& next) {
        if (staying > 0) bounds_.push_back(staying);
        held_parts_ = staying > 0 ? 1 : 0;
        while (bounds_.back() < rows_) bounds_.push_back(next(bounds_.back()));
    }

    virtual void send_part(int part, int buffer, bool scores, bool sums, const Stream& copies) = 0;
    virtual void take_part(int part, int buffer) = 0;
    virtual void gather(const Index* rows, Index count, const Stream& stream) = 0;

    Gpu gpu_;
    Index rows_;
    Index cols_;
    Index stride_;
    int outputs_;

  private:
    std::vector<Index> bounds_{0};
    int held_parts_ = 0;
    Feed feed_;
};

}  // namespace alfcg::cuda
