// Sparse rows: by rows for scores, and by columns, long ones in segments, for gradients of all rows; batches are added up row by row, each warp having
// columns of its own.
#pragma once

#include "cuda/data.cuh"

namespace alfcg::cuda {

template <class Real>
class SparseData final : public Data<Real> {
  public:
    SparseData(const Gpu& gpu, const DeviceProblem<Real>& problem, double besides, const Stream& stream)
        : Data<Real>(gpu, problem), start_(problem.start), column_(problem.column), value_(problem.value) {
        while (width_ < this->outputs_ && width_ < warp_size) width_ *= 2;
        const Index entries = start_[this->rows_];
        Index longest = 0;
        for (Index i = 0; i < this->rows_; ++i) longest = std::max(longest, start_[i + 1] - start_[i]);
        constexpr double entry = 2 * (sizeof(Real) + sizeof(std::int32_t));
        const auto starts = static_cast<double>(this->rows_ + 3 * this->cols_) * sizeof(Index);
        const Layout layout = Layout::make(entry * static_cast<double>(entries),
                                           entry * static_cast<double>(longest), besides + starts);
        // The row after the last whose entries fit.
        const auto row_after = [&](Index first, double most) {
            const Index* const end = start_ + this->rows_ + 1;
            return static_cast<Index>(
                       std::upper_bound(start_ + first, end, start_[first] + static_cast<Index>(most)) -
                       start_) -
                   1;
        };
        const double together = layout.part / entry;
        const Index staying =
            layout.streamed ? row_after(0, layout.for_data / entry - 2 * together) : this->rows_;
        this->cut(staying, [&](Index first) { return std::max(row_after(first, together), first + 1); });
        upload(starts_, start_, this->rows_ + 1, stream);
        if (staying > 0) hold(staying, stream);
        if (this->streamed()) {
            if (!problem.on_disk) {
                pinned_[0] = pin(column_ + start_[staying], entries - start_[staying]);
                pinned_[1] = pin(value_ + start_[staying], entries - start_[staying]);
            }
            prepare_parts();
        }
        share_columns(entries, stream);
    }

    const Real* prepare(int slot, const Real* weights, const Stream& stream) override {
        const Index size = this->cols_ * this->outputs_;
        Real* const table = tables_[slot].room_for(size);
        launch(to_table<Real>, grid(divided_up(size, sparse_threads)), sparse_threads, 0, stream, weights,
               this->stride_, this->cols_, this->outputs_, table);
        return table;
    }
    void score(RowList rows, const Real* weights, Real* scores, Index line, const Stream& stream) override {
        const View view = look_at(rows);
        sum_lines(view.lines, view.rows, weights, scores, line, stream);
    }
    void add(RowList rows, Index /*whole*/, const Real* residuals, Real* gradient, bool fresh, bool /*last*/,
             const Stream& stream) override {
        const Index* segments = nullptr;
        if (rows.list == nullptr) {
            const ByColumns& own = by_columns_[here_];
            segments = own.first.data();
            sum_lines({own.segment.data(), own.row.data(), own.value.data(), 0}, {nullptr, 0, own.count},
                      residuals, sums_.room_for(own.count * this->outputs_), this->outputs_, stream);
        } else {
            const Index size = this->cols_ * this->outputs_;
            const View view = look_at(rows);
            stream.clear(sums_.room_for(size), size);
            launch(sparse_scatter<Real>, grid(divided_up(ranges_, sparse_threads / warp_size)),
                   sparse_threads, 0, stream, view.lines, view.rows, residuals, this->outputs_,
                   bounds_.data(), ranges_, sums_.data());
        }
        launch(from_table<Real>, grid(divided_up(this->stride_ * this->outputs_, sparse_threads)),
               sparse_threads, 0, stream, sums_.data(), segments, this->cols_, this->outputs_, gradient,
               this->stride_, fresh);
    }
    [[nodiscard]] Index piece() const override { return this->rows_; }
    [[nodiscard]] double sent() const override {
        const auto entries = static_cast<double>(start_[this->rows_] - start_[this->staying()]);
        return entries * 2 * (sizeof(Real) + sizeof(std::int32_t));
    }

  private:
    // A part's rows on the device, and the same by columns.
    struct ByRows {
        Memory<std::int32_t> column;
        Memory<Real> value;
    };
    struct ByColumns {
        Memory<std::int32_t> row;  // counted from the part's first
        Memory<Real> value;
        Memory<Index> segment;  // where segments of columns begin
        Memory<Index> first;    // the first of every column
        Index count = 0;        // segments
    };
    // The latter on the host.
    struct Turned {
        std::vector<std::int32_t> row;
        std::vector<Real> value;
        std::vector<Index> segment{0};
        std::vector<Index> first{0};
        Pinned pinned[4];
    };
    struct View {
        Lines<Real> lines;
        RowList rows;
    };

    template <class T>
    static Pinned pin(const T* from, Index count) {
        return {from, static_cast<std::size_t>(count) * sizeof(T)};
    }
    template <class T>
    static void upload(Memory<T>& memory, const T* from, Index count, const Stream& stream) {
        stream.copy(memory.room_for(std::max<Index>(count, 1)), from, count);
        stream.wait();
    }
    template <class T>
    static void upload(Memory<T>& memory, const std::vector<T>& from, const Stream& stream) {
        upload(memory, from.data(), std::ssize(from), stream);
    }

    void hold(Index rows, const Stream& stream) {
        upload(by_rows_[this->held].column, column_, start_[rows], stream);
        upload(by_rows_[this->held].value, value_, start_[rows], stream);
        const Turned turned = turn({nullptr, 0, rows});
        ByColumns& own = by_columns_[this->held];
        upload(own.row, turned.row, stream);
        upload(own.value, turned.value, stream);
        upload(own.segment, turned.segment, stream);
        upload(own.first, turned.first, stream);
        own.count = std::ssize(turned.segment) - 1;
    }
    // By columns, in the order of the rows.
    [[nodiscard]] Turned turn(RowList rows) const {
        const auto cols = static_cast<std::size_t>(this->cols_);
        const Index from = start_[rows.first];
        const Index to = start_[rows.first + rows.count];
        std::vector<Index> begin(cols + 1);
        for (Index k = from; k < to; ++k) ++begin[static_cast<std::size_t>(column_[k]) + 1];
        for (std::size_t j = 0; j < cols; ++j) begin[j + 1] += begin[j];
        Turned turned;
        turned.row.resize(static_cast<std::size_t>(to - from));
        turned.value.resize(turned.row.size());
        std::vector<Index> at(begin.begin(), begin.end() - 1);
        for (Index i = 0; i < rows.count; ++i)
            for (Index k = start_[rows.first + i]; k < start_[rows.first + i + 1]; ++k) {
                const auto place = static_cast<std::size_t>(at[static_cast<std::size_t>(column_[k])]++);
                turned.row[place] = static_cast<std::int32_t>(i);
                turned.value[place] = value_[k];
            }
        for (std::size_t j = 0; j < cols; ++j) {
            for (Index k = begin[j]; k < begin[j + 1]; k += segment_entries)
                turned.segment.push_back(std::min(k + segment_entries, begin[j + 1]));
            turned.first.push_back(std::ssize(turned.segment) - 1);
        }
        return turned;
    }
    // Those that will be sent, and room for two of them.
    void prepare_parts() {
        Index entries = 1;
        Index segments = 1;
        for (int part = this->held_parts(); part < this->parts(); ++part) {
            turned_.push_back(turn(this->rows_of(part)));
            Turned& own = turned_.back();
            entries = std::max(entries, static_cast<Index>(std::ssize(own.row)));
            segments = std::max(segments, static_cast<Index>(std::ssize(own.segment)));
            own.pinned[0] = pin(own.row.data(), std::ssize(own.row));
            own.pinned[1] = pin(own.value.data(), std::ssize(own.value));
            own.pinned[2] = pin(own.segment.data(), std::ssize(own.segment));
            own.pinned[3] = pin(own.first.data(), std::ssize(own.first));
        }
        for (int buffer = 0; buffer < 2; ++buffer) {
            by_rows_[buffer].column.room_for(entries);
            by_rows_[buffer].value.room_for(entries);
            by_columns_[buffer].row.room_for(entries);
            by_columns_[buffer].value.room_for(entries);
            by_columns_[buffer].segment.room_for(segments);
            by_columns_[buffer].first.room_for(this->cols_ + 1);
        }
    }
    // Columns with about as many entries together for every warp that adds up a batch.
    void share_columns(Index entries, const Stream& stream) {
        std::vector<Index> count(static_cast<std::size_t>(this->cols_));
        for (Index k = 0; k < entries; ++k) ++count[static_cast<std::size_t>(column_[k])];
        const Index wanted = Index{8} * this->gpu_.processors;
        std::vector<std::int32_t> bounds{0};
        Index before = 0;
        for (Index j = 0; j < this->cols_; ++j) {
            if (j > bounds.back() && std::ssize(bounds) < wanted &&
                before * wanted >= entries * std::ssize(bounds))
                bounds.push_back(static_cast<std::int32_t>(j));
            before += count[static_cast<std::size_t>(j)];
        }
        bounds.push_back(static_cast<std::int32_t>(this->cols_));
        ranges_ = std::ssize(bounds) - 1;
        upload(bounds_, bounds, stream);
    }

    void sum_lines(Lines<Real> lines, RowList list, const Real* table, Real* sums, Index line,
                   const Stream& stream) {
        launch(sparse_sums<Real>, grid(divided_up(list.count, sparse_threads / warp_size)), sparse_threads, 0,
               stream, lines, list, table, this->outputs_, width_, sums, line);
    }
    [[nodiscard]] View look_at(RowList rows) const {
        if (this->streamed() && rows.list != nullptr)
            return {{chosen_start_.data(), chosen_.column.data(), chosen_.value.data(), 0},
                    {nullptr, 0, rows.count}};
        const ByRows& own = by_rows_[here_];
        return {{starts_.data(), own.column.data(), own.value.data(), start_[first_here_]}, rows};
    }

    [[nodiscard]] const Turned& turned_of(int part) const {
        return turned_[static_cast<std::size_t>(part - this->held_parts())];
    }
    void send_part(int part, int buffer, bool scores, bool sums, const Stream& copies) override {
        if (scores) {
            const RowList rows = this->rows_of(part);
            const Index from = start_[rows.first];
            const Index count = start_[rows.first + rows.count] - from;
            copies.copy(by_rows_[buffer].column.data(), column_ + from, count);
            copies.copy(by_rows_[buffer].value.data(), value_ + from, count);
        }
        if (!sums) return;
        const Turned& turned = turned_of(part);
        ByColumns& own = by_columns_[buffer];
        copies.copy(own.row.data(), turned.row.data(), std::ssize(turned.row));
        copies.copy(own.value.data(), turned.value.data(), std::ssize(turned.value));
        copies.copy(own.segment.data(), turned.segment.data(), std::ssize(turned.segment));
        copies.copy(own.first.data(), turned.first.data(), std::ssize(turned.first));
    }
    void take_part(int part, int buffer) override {
        here_ = buffer;
        first_here_ = this->rows_of(part).first;
        if (buffer != this->held) by_columns_[buffer].count = std::ssize(turned_of(part).segment) - 1;
    }
    void gather(const Index* rows, Index count, const Stream& stream) override {
        Index* const start = start_staging_.room_for(count + 1);
        start[0] = 0;
        for (Index i = 0; i < count; ++i) start[i + 1] = start[i] + start_[rows[i] + 1] - start_[rows[i]];
        const Index entries = start[count];
        std::int32_t* const column = column_staging_.room_for(std::max<Index>(entries, 1));
        Real* const value = value_staging_.room_for(std::max<Index>(entries, 1));
        for (Index i = 0; i < count; ++i) {
            const Index from = start_[rows[i]];
            std::copy_n(column_ + from, start[i + 1] - start[i], column + start[i]);
            std::copy_n(value_ + from, start[i + 1] - start[i], value + start[i]);
        }
        stream.copy(chosen_start_.room_for(count + 1), start, count + 1);
        stream.copy(chosen_.column.room_for(std::max<Index>(entries, 1)), column, entries);
        stream.copy(chosen_.value.room_for(std::max<Index>(entries, 1)), value, entries);
    }

    const Index* start_;  // the host's
    const std::int32_t* column_;
    const Real* value_;
    Pinned pinned_[2];
    int width_ = 1;
    Memory<Index> starts_;
    ByRows by_rows_[3];  // that take turns, and what stays
    ByColumns by_columns_[3];
    std::vector<Turned> turned_;  // of parts that are sent
    int here_ = Data<Real>::held;
    Index first_here_ = 0;
    ByRows chosen_;  // a batch
    Memory<Index> chosen_start_;
    Memory<Index, true> start_staging_;
    Memory<std::int32_t, true> column_staging_;
    Memory<Real, true> value_staging_;
    Memory<std::int32_t> bounds_;
    Index ranges_ = 0;
    Memory<Real> tables_[2];
    Memory<Real> sums_;
};

}  // namespace alfcg::cuda
