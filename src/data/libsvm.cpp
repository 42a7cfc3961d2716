#include "data/libsvm.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "data/libsvm_lines.hpp"
#include "data/memory.hpp"
#include "data/page_files.hpp"
#include "data/text_pieces.hpp"

namespace alfcg {

namespace {

// Whether data with so many pairs are stored dense. Passes over dense rows are the faster ones from a tenth of non-zeros on;
// what counts is memory. Sparse data are trained on with a copy by columns (up to 256 MiB), which dense data do without.
template <class Real>
bool better_dense(Index rows, Index cols, Index pairs) {
    constexpr double largest_copy = 256.0 * 1024 * 1024;
    const double dense = static_cast<double>(rows) * static_cast<double>(cols) * sizeof(Real);
    const double sparse = static_cast<double>(pairs) * (sizeof(Real) + sizeof(std::int32_t));
    return dense <= sparse + std::min(sparse, largest_copy);
}

// Spreads the values of compressed rows out to dense ones, in place: from the last to the first, each goes to a place that is
// not before its own.
template <class Real>
void spread(const Buffer<Index>& start, const Buffer<std::int32_t>& column, Index rows, Index cols,
            Buffer<Real>& value) {
    value.reserve(static_cast<std::size_t>(rows * cols));
    value.extend(static_cast<std::size_t>(rows * cols) - value.size());
    value.shrink_to_fit();
    Real* to = value.data() + rows * cols;  // entries from here on are in place
    for (Index i = rows; i-- > 0;) {
        Real* const row = value.data() + i * cols;
        for (Index k = start[static_cast<std::size_t>(i + 1)]; k-- > start[static_cast<std::size_t>(i)];) {
            const Real entry = value[static_cast<std::size_t>(k)];
            Real* const place = row + column[static_cast<std::size_t>(k)];
            std::fill(place + 1, to, Real{0});
            *place = entry;
            to = place;
        }
        std::fill(row, to, Real{0});
        to = row;
    }
}

// A Reader for read_pieces.
template <class Real>
class SparseReader {
  public:
    struct Part {
        SparseRows<Real> rows;
        bool good = false;    // taken for itself
        Index first_row = 0;  // where it goes
        Index first_pair = 0;
    };

    SparseReader(const std::string& path, const ReadOptions& options, Index lines_before)
        : path_(path),
          options_(options),
          most_rows_(options.rows > 0 ? options.rows : std::numeric_limits<Index>::max()),
          lines_(lines_before),
          start_(buffer_beside<Index>(options)),
          column_(buffer_beside<std::int32_t>(options)),
          value_(buffer_of_entries<Real>(options)) {}

    [[nodiscard]] std::size_t cut(std::string_view text, std::size_t most) const {
        std::size_t end = std::string_view::npos;
        if (most < text.size()) {
            end = text.rfind('\n', most - 1);
            if (end == std::string_view::npos) end = text.find('\n', most);
        } else {
            end = text.rfind('\n');
        }
        return end == std::string_view::npos ? 0 : end + 1;
    }

    void parse(std::string_view text, Part& part) const {
        try {
            parse_libsvm_lines(path_, text, options_, {0, std::nullopt, most_rows_}, part.rows);
            part.good = true;
        } catch (const InputError&) {
            part.good = false;
        }
    }

    bool add(std::string_view text, Part& part) {
        const SparseRows<Real>& rows = part.rows;
        const bool alike = !labelled_ || !rows.labelled || *labelled_ == *rows.labelled;
        if (!part.good || !alike || rows.rows() > most_rows_ - rows_)
            parse_libsvm_lines(path_, text, options_, {lines_, labelled_, most_rows_ - rows_}, part.rows);
        part.first_row = rows_;
        part.first_pair = pairs_;
        rows_ += rows.rows();
        pairs_ += static_cast<Index>(rows.value.size());
        lines_ += rows.lines;
        last_index_ = std::max(last_index_, rows.last_index);
        if (!labelled_) labelled_ = rows.labelled;
        labels_.append(rows.labels);
        if (options_.pages == nullptr)
            check_memory(path_, static_cast<double>(pairs_), sizeof(Real) + sizeof(std::int32_t));
        return rows_ == most_rows_;
    }

    [[nodiscard]] bool has_room() const { return rows_ < room_for_rows_ && pairs_ <= room_for_pairs_; }
    void make_room() {
        const auto grown = [](Index room, Index needed) { return std::max(needed, room + room / 2); };
        if (rows_ >= room_for_rows_) {
            room_for_rows_ = grown(room_for_rows_, rows_ + 1);
            start_.reserve(static_cast<std::size_t>(room_for_rows_));
        }
        if (pairs_ > room_for_pairs_) {
            room_for_pairs_ = grown(room_for_pairs_, pairs_);
            column_.reserve(static_cast<std::size_t>(room_for_pairs_));
            value_.reserve(static_cast<std::size_t>(room_for_pairs_));
        }
    }

    void copy(const Part& part) {
        const SparseRows<Real>& rows = part.rows;
        std::copy(rows.column.begin(), rows.column.end(), column_.data() + part.first_pair);
        std::copy(rows.value.begin(), rows.value.end(), value_.data() + part.first_pair);
        std::transform(rows.ends.begin(), rows.ends.end(), start_.data() + part.first_row + 1,
                       [&](Index end) { return part.first_pair + end; });
    }

    Dataset<Real> finish() {
        Index rows = rows_;
        Index pairs = pairs_;
        if (Ranks* ranks = options_.ranks; ranks != nullptr) {
            struct Extent {
                Index rows;
                Index pairs;
                std::int64_t last;
            };
            rows = pairs = 0;
            for (const Extent& theirs : ranks->gather(Extent{rows_, pairs_, last_index_})) {
                rows += theirs.rows;
                pairs += theirs.pairs;
                last_index_ = std::max(last_index_, theirs.last);
            }
        }
        if (rows == 0) throw InputError(path_, 0, "no data rows");
        if (last_index_ == 0 && options_.features == 0)
            throw InputError(path_, 0, "no feature occurs in any row; fix their number with `features`");
        const Index cols = options_.features > 0 ? options_.features : last_index_;
        *start_.extend(static_cast<std::size_t>(rows_ + 1)) = 0;
        column_.extend(static_cast<std::size_t>(pairs_));
        value_.extend(static_cast<std::size_t>(pairs_));
        Dataset<Real> data;
        data.labels = std::move(labels_);
        data.last_feature = last_index_;
        if (better_dense<Real>(rows, cols, pairs)) {
            spread(start_, column_, rows_, cols, value_);
            data.features = DenseFeatures<Real>(std::move(value_), rows_, cols);
            return data;
        }
        start_.shrink_to_fit();
        column_.shrink_to_fit();
        value_.shrink_to_fit();
        data.features =
            SparseFeatures<Real>{std::move(start_), std::move(column_), std::move(value_), rows_, cols};
        return data;
    }

  private:
    const std::string& path_;
    const ReadOptions& options_;
    Index most_rows_;

    // What has been counted in. The buffers get their length at the end.
    Index rows_ = 0;
    Index pairs_ = 0;
    Index lines_;
    std::int64_t last_index_ = 0;
    std::optional<bool> labelled_;
    Labels labels_;
    Index room_for_rows_ = 0;
    Index room_for_pairs_ = 0;
    Buffer<Index> start_;
    Buffer<std::int32_t> column_;
    Buffer<Real> value_;
};

}  // namespace

template <class Real>
Dataset<Real> read_libsvm(TextBuffer& text, const ReadOptions& options) {
    std::optional<SparseReader<Real>> reader;
    const auto read = [&](Index lines_before) {
        reader.emplace(text.path(), options, lines_before);
        read_pieces(text, *reader, options);
    };
    if (options.ranks == nullptr) {
        read(0);
    } else {
        agree(options.ranks, [&] { read_share(text, *options.ranks, read); });
    }
    return reader->finish();
}

template Dataset<float> read_libsvm(TextBuffer& text, const ReadOptions& options);
template Dataset<double> read_libsvm(TextBuffer& text, const ReadOptions& options);

}  // namespace alfcg
