#include "data/csv_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
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
          places_(static_cast<std::size_t>(layout.places())),
          width_(static_cast<std::size_t>(layout.width)),
          words_(places_) {
        for (std::size_t k = 0; k < places_; ++k)
            if (layout.words[k]) expect_words(static_cast<Index>(k));
    }

    void parse(std::string_view text, Index most_rows) {
        // Where a word turns up in a column of numbers, the text is read again with a column of words there.
        while (const auto place = parse_all(text, most_rows)) expect_words(*place);
    }

  private:
    void expect_words(Index place) {
        rows_.words[place];
        words_[static_cast<std::size_t>(place)] = true;
    }

    // Returns the place of a word where none was expected.
    std::optional<Index> parse_all(std::string_view text, Index most_rows) {
        rows_.entries.resize(0);
        rows_.labels = {};
        rows_.weights.clear();
        rows_.missing = false;
        rows_.rows = 0;
        rows_.lines = 0;
        for (auto& [place, words] : rows_.words) words = {};
        const char* at = text.data();
        const char* const last = at + text.size();
        while (rows_.rows < most_rows) {
            at = skip_blank_lines(at, last, true, separator_, rows_.lines);
            if (at == last) break;
            Real* const out = rows_.entries.extend(places_);
            tokens_.clear();
            const char* next = read_plain_record(at, out);
            if (next != nullptr) {
                ++rows_.lines;
            } else {
                next = read_any_record(at, last, out);
                if (next == nullptr) return word_at_;
            }
            ++rows_.rows;
            at = next;
        }
        return std::nullopt;
    }

    // A record of the usual kind, one line without quotes whose fields are in order; null, with nothing
    // changed but `out`, for any other.
    const char* read_plain_record(const char* p, Real* out) {
        std::string_view label;
        double weight = 0;
        for (Index j = 0; j < layout_.width; ++j) {
            while (is_padding(*p, separator_)) ++p;
            const char* behind = nullptr;
            const Index place = layout_.place[static_cast<std::size_t>(j)];
            if (place >= 0 && !is_words(place)) behind = read_plain_number(p, out[place]);
            if (behind == nullptr || !(ends_field(*behind, separator_) || is_blank(*behind))) {
                if (*p == '"') return nullptr;
                behind = p;
                while (!ends_field(*behind, separator_)) ++behind;
                const std::string_view field = trimmed({p, static_cast<std::size_t>(behind - p)});
                if (place >= 0) {
                    if (is_words(place)) {
                        if (is_missing(field) && !layout_.fills) return nullptr;
                        tokens_.emplace_back(place, field);
                        out[place] = std::numeric_limits<Real>::quiet_NaN();
                    } else if (parse_number(field, out[place]) != NumberStatus::ok) {
                        if (!layout_.fills || !is_missing(field)) return nullptr;
                        put_missing(out[place]);
                    }
                } else if (j == layout_.label) {
                    if (is_missing_label(field) || !is_acceptable_label(field)) return nullptr;
                    label = field;
                } else if (j == layout_.weight) {
                    if (parse_number(field, weight) != NumberStatus::ok || weight < 0) return nullptr;
                }
            }
            p = behind_field(behind, j + 1 == layout_.width);
            if (p == nullptr) return nullptr;
        }
        if (layout_.label >= 0) rows_.labels.push(label);
        if (layout_.weight >= 0) rows_.weights.push_back(weight);
        for (const auto& [place, token] : tokens_) rows_.words.find(place)->second.push(token);
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

    // Null, with the place in word_at_, for a word that was not expected and is allowed.
    const char* read_any_record(const char* at, const char* last, Real* out) {
        const CsvSplit record = split_record(at, last, true, separator_, fields_);
        const Index line = lines_before_ + rows_.lines + 1;
        if (record.problem != nullptr) throw InputError(path_, line, record.problem);
        if (fields_.size() != width_)
            throw InputError(path_, line,
                             fmt::format("{} columns, but the first row has {}", fields_.size(), width_));
        for (std::size_t j = 0; j < width_; ++j) {
            const CsvField& field = fields_[j];
            const Index place = layout_.place[j];
            if (place >= 0) {
                if (!read_feature(line, j, field, out[place])) {
                    word_at_ = place;
                    return nullptr;
                }
            } else if (static_cast<Index>(j) == layout_.label) {
                if (is_missing_label(field.text))
                    fail(line, j,
                         missing_text(field.text) + ", where a label is needed" +
                             (layout_.trained ? "; `label-column` none predicts without" : ""));
                if (!is_acceptable_label(field.text))
                    fail(line, j, "label " + shown(field.text) + " is not a finite number");
                rows_.labels.push(plain(field));
            } else if (static_cast<Index>(j) == layout_.weight) {
                rows_.weights.push_back(read_weight(line, j, field));
            }
        }
        rows_.lines += record.lines;
        return record.next;
    }

    // False for a word that was not expected and is allowed.
    bool read_feature(Index line, std::size_t j, const CsvField& field, Real& value) {
        const Index place = layout_.place[j];
        if (is_missing(field.text)) {
            if (!layout_.fills) fail_missing(line, j, field.text);
            if (is_words(place)) rows_.words.find(place)->second.push({});
            put_missing(value);
            return true;
        }
        if (is_words(place)) {
            rows_.words.find(place)->second.push(plain(field));
            value = std::numeric_limits<Real>::quiet_NaN();
            return true;
        }
        const NumberStatus status = parse_number(field.text, value);
        if (status == NumberStatus::ok) return true;
        if (status == NumberStatus::malformed && layout_.categories) return false;
        std::string problem = number_problem<Real>(field.text, status);
        if (status == NumberStatus::malformed)
            problem += fmt::format("; {}`drop` leaves the column out",
                                   layout_.trained ? "" : "`categories` makes features of words, ");
        fail(line, j, problem);
    }

    double read_weight(Index line, std::size_t j, const CsvField& field) const {
        double weight = 0;
        if (const NumberStatus status = parse_number(field.text, weight); status != NumberStatus::ok)
            fail(line, j, "weight " + number_problem<double>(field.text, status));
        if (weight < 0) fail(line, j, fmt::format("weight {} is negative", shown(field.text)));
        return weight;
    }

    // The text of a field, valid until the next call.
    std::string_view plain(const CsvField& field) {
        return field.doubled_quotes ? std::string_view(unquoted_ = field.unquoted()) : field.text;
    }

    void put_missing(Real& value) {
        value = std::numeric_limits<Real>::quiet_NaN();
        rows_.missing = true;
    }

    [[nodiscard]] bool is_words(Index place) const { return words_[static_cast<std::size_t>(place)] != 0; }

    static std::string missing_text(std::string_view text) {
        return text.empty() ? "empty field" : "missing value (" + shown(text) + ")";
    }

    [[noreturn]] void fail_missing(Index line, std::size_t j, std::string_view text) const {
        fail(line, j,
             missing_text(text) +
                 (layout_.trained ? "; the model was trained without `missing`, and has nothing in its place"
                                  : "; `missing` mean or zero fills it"));
    }

    [[noreturn]] void fail(Index line, std::size_t position, const std::string& what) const {
        throw InputError(path_, line, layout_.describe(static_cast<Index>(position)) + ": " + what);
    }

    const std::string& path_;
    const CsvLayout& layout_;
    char separator_;
    DenseRows<Real>& rows_;
    Index lines_before_;
    std::size_t places_;
    std::size_t width_;
    std::vector<char> words_;  // whether a place holds words
    std::vector<CsvField> fields_;
    std::vector<std::pair<Index, std::string_view>> tokens_;
    std::string unquoted_;
    Index word_at_ = 0;
};

}  // namespace

template <class Real>
void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                    Index lines_before, Index most_rows, DenseRows<Real>& rows) {
    rows.words.clear();
    RecordParser<Real>(path, layout, lines_before, rows).parse(text, most_rows);
}

template void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                             Index lines_before, Index most_rows, DenseRows<float>& rows);
template void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                             Index lines_before, Index most_rows, DenseRows<double>& rows);

}  // namespace alfcg
