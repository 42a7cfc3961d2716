#include "data/csv.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_record.hpp"
#include "data/memory.hpp"
#include "data/number.hpp"

namespace alfcg {

namespace {

template <class Real>
struct DenseRows {
    Buffer<Real> entries;
    Labels labels;
    Index rows = 0;
};

template <class Real>
class RecordParser {
  public:
    RecordParser(const std::string& path, const CsvLayout& layout, DenseRows<Real>& rows)
        : path_(path), layout_(layout), rows_(rows), width_(static_cast<std::size_t>(layout.width)) {}

    void parse(const std::vector<CsvField>& fields, Index line) {
        if (fields.size() != width_)
            throw InputError(path_, line,
                             fmt::format("{} columns, but the first row has {}", fields.size(), width_));
        Real* out = rows_.entries.extend(static_cast<std::size_t>(layout_.features()));
        for (std::size_t j = 0; j < width_; ++j) {
            const CsvField& field = fields[j];
            if (field.text.empty()) fail(line, j, "empty field");
            if (static_cast<Index>(j) == layout_.label) {
                if (!is_acceptable_label(field.text))
                    fail(line, j, "label " + shown(field.text) + " is not a finite number");
                rows_.labels.push(field.doubled_quotes ? std::string_view(unquoted_ = field.unquoted())
                                                       : field.text);
            } else if (const NumberStatus status = parse_number(field.text, *out++);
                       status != NumberStatus::ok) {
                fail(line, j, number_problem<Real>(field.text, status));
            }
        }
        ++rows_.rows;
    }

  private:
    [[noreturn]] void fail(Index line, std::size_t position, const std::string& what) const {
        throw InputError(path_, line, layout_.column(static_cast<Index>(position)) + ": " + what);
    }

    const std::string& path_;
    const CsvLayout& layout_;
    DenseRows<Real>& rows_;
    std::size_t width_;
    std::string unquoted_;
};

}  // namespace

template <class Real>
Dataset<Real> read_csv(TextBuffer& text, const ReadOptions& options) {
    const std::string_view sample = text.sample();
    const CsvLayout layout = find_csv_layout(text.path(), sample, text.complete(), options);
    if (layout.features() == 0) throw InputError(text.path(), 0, "no feature columns");
    DenseRows<Real> rows;
    RecordParser<Real> parser(text.path(), layout, rows);
    const Index most_rows = options.rows > 0 ? options.rows : std::numeric_limits<Index>::max();
    bool skip_header = layout.header;
    Index line = 1;
    std::vector<CsvField> fields;
    parse_chunks(text, [&](std::string_view piece, bool complete, bool& stop) {
        const char* at = piece.data();
        const char* const last = at + piece.size();
        while (rows.rows < most_rows) {
            Index passed = 0;
            at = skip_blank_lines(at, last, complete, layout.separator, passed);
            line += passed;
            if (at == last) break;
            const CsvSplit split = split_record(at, last, complete, layout.separator, fields);
            if (split.next == nullptr) break;
            if (split.problem != nullptr) throw InputError(text.path(), line, split.problem);
            if (!std::exchange(skip_header, false)) parser.parse(fields, line);
            line += split.lines;
            at = split.next;
        }
        stop = rows.rows == most_rows;
        check_memory(text.path(), static_cast<double>(rows.entries.size()), sizeof(Real));
        return static_cast<std::size_t>(at - piece.data());
    });
    if (rows.rows == 0) throw InputError(text.path(), 0, "no data rows, only a header");
    rows.entries.shrink_to_fit();
    Dataset<Real> data;
    data.features = DenseFeatures<Real>(std::move(rows.entries), rows.rows, layout.features());
    data.labels = std::move(rows.labels);
    return data;
}

template Dataset<float> read_csv(TextBuffer& text, const ReadOptions& options);
template Dataset<double> read_csv(TextBuffer& text, const ReadOptions& options);

}  // namespace alfcg
