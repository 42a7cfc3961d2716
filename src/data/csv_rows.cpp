#include "data/csv_rows.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/csv_record.hpp"
#include "data/number.hpp"
#include "data/plain_number.hpp"

namespace alfcg {

namespace {

template <class Real>
class RecordParser {
  public:
    RecordParser(const std::string& path, const CsvLayout& layout, Index lines_before, DenseRows<Real>& rows)
        : path_(path),
          layout_(layout),
          separator_(layout.separator),
          rows_(rows),
          lines_before_(lines_before),
          features_(static_cast<std::size_t>(layout.features())),
          width_(static_cast<std::size_t>(layout.width)) {}

    void parse(std::string_view text, Index most_rows) {
        const char* at = text.data();
        const char* const last = at + text.size();
        while (rows_.rows < most_rows) {
            at = skip_blank_lines(at, last, true, separator_, rows_.lines);
            if (at == last) break;
            Real* const out = rows_.entries.extend(features_);
            const char* next = read_plain_record(at, out);
            if (next != nullptr)
                ++rows_.lines;
            else
                next = read_any_record(at, last, out);
            ++rows_.rows;
            at = next;
        }
    }

  private:
    // A record of the usual kind, one line without quotes whose fields are in order; null, with nothing
    // changed but `out`, for any other.
    const char* read_plain_record(const char* p, Real* out) {
        std::string_view label;
        for (Index j = 0; j < layout_.width; ++j) {
            while (is_padding(*p, separator_)) ++p;
            const char* behind = nullptr;
            if (j != layout_.label) behind = read_plain_number(p, *out);
            if (behind == nullptr || !(ends_field(*behind, separator_) || is_blank(*behind))) {
                if (*p == '"') return nullptr;
                behind = p;
                while (!ends_field(*behind, separator_)) ++behind;
                const std::string_view field = trimmed({p, static_cast<std::size_t>(behind - p)});
                if (j == layout_.label) {
                    if (!is_acceptable_label(field)) return nullptr;
                    label = field;
                } else if (parse_number(field, *out) != NumberStatus::ok) {
                    return nullptr;
                }
            }
            if (j != layout_.label) ++out;
            p = behind_field(behind, j + 1 == layout_.width);
            if (p == nullptr) return nullptr;
        }
        if (layout_.label >= 0) rows_.labels.push(label);
        return p;
    }

    // Where the next field begins, or the next record behind the last field; null when something else stands
    // there.
    const char* behind_field(const char* p, bool last_field) const {
        if (separator_ != ' ') {
            while (is_padding(*p, separator_)) ++p;
            return *p == (last_field ? '\n' : separator_) ? p + 1 : nullptr;
        }
        bool separated = false;
        for (; is_blank(*p); ++p) separated = separated || ends_field(*p, separator_);
        if (last_field) return *p == '\n' ? p + 1 : nullptr;
        return separated && *p != '\n' ? p : nullptr;
    }

    const char* read_any_record(const char* at, const char* last, Real* out) {
        const CsvSplit record = split_record(at, last, true, separator_, fields_);
        const Index line = lines_before_ + rows_.lines + 1;
        if (record.problem != nullptr) throw InputError(path_, line, record.problem);
        if (fields_.size() != width_)
            throw InputError(path_, line,
                             fmt::format("{} columns, but the first row has {}", fields_.size(), width_));
        for (std::size_t j = 0; j < width_; ++j) {
            const CsvField& field = fields_[j];
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
        rows_.lines += record.lines;
        return record.next;
    }

    [[noreturn]] void fail(Index line, std::size_t position, const std::string& what) const {
        throw InputError(path_, line, layout_.column(static_cast<Index>(position)) + ": " + what);
    }

    const std::string& path_;
    const CsvLayout& layout_;
    char separator_;
    DenseRows<Real>& rows_;
    Index lines_before_;
    std::size_t features_;
    std::size_t width_;
    std::vector<CsvField> fields_;
    std::string unquoted_;
};

}  // namespace

template <class Real>
void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                    Index lines_before, Index most_rows, DenseRows<Real>& rows) {
    rows.entries.resize(0);
    rows.labels = {};
    rows.rows = 0;
    rows.lines = 0;
    RecordParser<Real>(path, layout, lines_before, rows).parse(text, most_rows);
}

template void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                             Index lines_before, Index most_rows, DenseRows<float>& rows);
template void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                             Index lines_before, Index most_rows, DenseRows<double>& rows);

}  // namespace alfcg
