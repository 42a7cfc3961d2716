#include "data/csv.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_record.hpp"
#include "data/csv_rows.hpp"
#include "data/csv_table.hpp"
#include "data/label_file.hpp"
#include "data/memory.hpp"
#include "data/page_files.hpp"
#include "data/text_pieces.hpp"

namespace alfcg {

namespace {

// A Reader for read_pieces.
template <class Real>
class DenseReader {
  public:
    struct Part {
        DenseRows<Real> rows;
        bool good = false;    // taken for itself
        Index first_row = 0;  // where it goes
    };

    DenseReader(const std::string& path, const CsvLayout& layout, const ReadOptions& options,
                Index lines_before)
        : path_(path),
          layout_(layout),
          options_(options),
          most_rows_(options.rows > 0 ? options.rows : std::numeric_limits<Index>::max()),
          lines_(lines_before),
          entries_(buffer_of_entries<Real>(options)) {}

    [[nodiscard]] std::size_t cut(std::string_view text, std::size_t most) const {
        return whole_records(text, layout_.separator, most);
    }

    void parse(std::string_view text, Part& part) const {
        try {
            parse_csv_rows(path_, text, layout_, 0, most_rows_, part.rows);
            part.good = true;
        } catch (const InputError&) {
            part.good = false;
        }
    }

    bool add(std::string_view text, Part& part) {
        if (!part.good || part.rows.rows > most_rows_ - rows_)
            parse_csv_rows(path_, text, layout_, lines_, most_rows_ - rows_, part.rows);
        part.first_row = rows_;
        rows_ += part.rows.rows;
        lines_ += part.rows.lines;
        labels_.append(part.rows.labels);
        weights_.insert(weights_.end(), part.rows.weights.begin(), part.rows.weights.end());
        missing_ = missing_ || part.rows.missing;
        if (!part.rows.words.empty()) pieces_.push_back({part.first_row, std::move(part.rows.words)});
        if (options_.pages == nullptr)
            check_memory(path_, static_cast<double>(rows_) * static_cast<double>(layout_.places()),
                         sizeof(Real));
        return rows_ == most_rows_;
    }

    [[nodiscard]] bool has_room() const { return rows_ <= room_; }
    void make_room() {
        room_ = std::max(rows_, room_ + room_ / 2);
        entries_.reserve(static_cast<std::size_t>(room_ * layout_.places()));
    }

    void copy(const Part& part) {
        std::copy(part.rows.entries.begin(), part.rows.entries.end(),
                  entries_.data() + part.first_row * layout_.places());
    }

    Dataset<Real> finish() {
        if (rows_ == 0 && options_.ranks == nullptr)
            throw InputError(path_, 0, "no data rows, only a header");
        entries_.extend(static_cast<std::size_t>(rows_ * layout_.places()));
        entries_.shrink_to_fit();
        Dataset<Real> data;
        data.header = layout_.header;
        data.labels = std::move(labels_);
        data.weights = std::move(weights_);
        if (!options_.weights.empty() && data.weights.empty())
            data.weights = read_weight_file(options_.weights, rows_, options_.rows, path_);
        check_weights(data.weights, path_);
        make_features(path_, layout_, options_, {std::move(entries_), rows_, missing_, std::move(pieces_)},
                      data);
        return data;
    }

  private:
    const std::string& path_;
    const CsvLayout& layout_;
    const ReadOptions& options_;
    Index most_rows_;

    // What has been counted in. The buffer gets its length at the end.
    Index rows_ = 0;
    Index lines_;
    Labels labels_;
    std::vector<double> weights_;
    bool missing_ = false;
    std::vector<typename CsvTable<Real>::Piece> pieces_;
    Index room_ = 0;
    Buffer<Real> entries_;
};

// Uses up the header, which the layout was found from and which therefore is all there. Returns its lines.
Index pass_header(TextBuffer& text, const CsvLayout& layout) {
    if (!layout.header) return 0;
    const char* const first = text.text().data();
    const char* const last = first + text.text().size();
    Index lines = 0;
    std::vector<CsvField> fields;
    const char* const header = skip_blank_lines(first, last, text.complete(), layout.separator, lines);
    const CsvSplit split = split_record(header, last, text.complete(), layout.separator, fields);
    text.consume(static_cast<std::size_t>(split.next - first));
    return lines + split.lines;
}

}  // namespace

template <class Real>
Dataset<Real> read_csv(TextBuffer& text, const ReadOptions& options) {
    const CsvLayout layout = find_csv_layout(text.path(), text.sample(), text.complete(), options);
    const Index lines = pass_header(text, layout);
    std::optional<DenseReader<Real>> reader;
    const auto read = [&](Index lines_before) {
        reader.emplace(text.path(), layout, options, std::max(lines, lines_before));
        read_pieces(text, *reader, options);
    };
    if (options.ranks == nullptr) {
        read(0);
        return reader->finish();
    }
    Dataset<Real> data;
    agree(options.ranks, [&] {
        read_share(text, *options.ranks, read);
        data = reader->finish();
    });
    return data;
}

template Dataset<float> read_csv(TextBuffer& text, const ReadOptions& options);
template Dataset<double> read_csv(TextBuffer& text, const ReadOptions& options);

}  // namespace alfcg
