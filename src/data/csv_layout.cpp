#include "data/csv_layout.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "alfcg/core/error.hpp"
#include "data/csv_record.hpp"
#include "data/number.hpp"

namespace alfcg {

namespace {

constexpr std::size_t most_sample_records = 50;

struct Sample {
    std::vector<std::vector<CsvField>> records;
    Index first_line = 1;                 // of the first record
    const char* first_problem = nullptr;  // with the first record
    bool consistent = true;
    std::size_t fields = 0;  // in all records together
};

Sample split_sample(std::string_view text, bool complete, char separator) {
    Sample sample;
    const char* at = text.data();
    const char* const last = at + text.size();
    Index lines = 0;
    std::vector<CsvField> fields;
    while (sample.records.size() < most_sample_records) {
        at = skip_blank_lines(at, last, complete, separator, lines);
        if (at == last) break;
        const CsvSplit split = split_record(at, last, complete, separator, fields);
        if (split.next == nullptr) break;
        if (sample.records.empty()) {
            sample.first_line = lines + 1;
            sample.first_problem = split.problem;
        }
        lines += split.lines;
        at = split.next;
        if (split.problem != nullptr) sample.consistent = false;
        if (!sample.records.empty() && fields.size() != sample.records.front().size())
            sample.consistent = false;
        sample.fields += fields.size();
        sample.records.push_back(fields);
    }
    return sample;
}

// The separator that cuts every record into the same number of fields, the largest one; blanks only when no
// other does. A table that no separator cuts evenly gets the one that occurs most, so that its uneven row can
// be named.
char find_separator(std::string_view text, bool complete) {
    char best = 0;
    std::size_t best_width = 1;
    char likeliest = ',';
    std::size_t most_fields = 0;
    for (const char separator : {',', ';', '\t', '|', ' '}) {
        if (separator == ' ' && best != 0) break;
        const Sample sample = split_sample(text, complete, separator);
        if (sample.records.empty()) continue;
        const std::size_t width = sample.records.front().size();
        if (sample.consistent && width > best_width) {
            best = separator;
            best_width = width;
        }
        const bool separates = sample.fields > sample.records.size();
        if (separates && sample.fields > most_fields && (separator != ' ' || most_fields == 0)) {
            likeliest = separator;
            most_fields = sample.fields;
        }
    }
    return best != 0 ? best : likeliest;
}

bool is_number(const CsvField& field) {
    double ignored = 0;
    return parse_number(field.text, ignored) != NumberStatus::malformed;
}

// What a column says about its first entry being a name: 1 when a word stands above numbers, or above words of which it is
// none and which come again and again; -1 when it is one of them, or stands for a missing value (an empty one may be the name of
// a column all the same); 0 when it says nothing.
int header_evidence(const Sample& sample, std::size_t column) {
    const CsvField& first = sample.records.front()[column];
    if (is_missing(first.text)) return first.text.empty() ? 0 : -1;
    if (is_number(first)) return 0;
    std::size_t numbers = 0;
    std::unordered_set<std::string_view> words;
    std::size_t below = 0;
    for (std::size_t i = 1; i < sample.records.size(); ++i) {
        if (column >= sample.records[i].size()) continue;
        const CsvField& field = sample.records[i][column];
        ++below;
        if (is_number(field) || is_missing(field.text))
            ++numbers;
        else
            words.insert(field.text);
    }
    if (2 * numbers >= sample.records.size() || sample.records.size() == 1) return 1;
    if (words.contains(first.text)) return -1;
    constexpr std::size_t enough = 8;
    return below >= enough && 3 * words.size() <= below ? 1 : 0;
}

// A header: most of the columns that say anything say so. (A lone line of words is one, too.) The label's, whose words may
// stand above numbers that are other labels, is asked where all others are words and say nothing.
bool has_header(const Sample& sample, Index label) {
    int balance = 0;
    bool words = true;
    const std::vector<CsvField>& first = sample.records.front();
    for (std::size_t j = 0; j < first.size(); ++j) {
        if (static_cast<Index>(j) == label) continue;
        balance += header_evidence(sample, j);
        words = words && !is_number(first[j]);
    }
    const auto own = static_cast<std::size_t>(label);
    if (balance == 0 && words && own < first.size()) balance = header_evidence(sample, own);
    return balance > 0;
}

// Where the label would be if the table had no header.
Index likely_label(const ReadOptions& options, Index width) {
    if (options.label_column == "none" || !options.labels.empty()) return -1;
    Index position = -1;
    const std::string& text = options.label_column;
    if (std::from_chars(text.data(), text.data() + text.size(), position).ec != std::errc()) position = -1;
    return position < 0 ? width + position : position;
}

// In prediction: whether the first record has names that the model knows.
bool has_known_names(const Sample& sample, const ReadOptions& options) {
    const std::vector<CsvSource> sources = sources_of(options);
    std::unordered_set<std::string> names;
    for (const CsvField& field : sample.records.front()) names.insert(field.unquoted());
    std::ptrdiff_t known = 0;
    std::ptrdiff_t words = 0;  // that are no numbers, which a row may have by chance
    double ignored = 0;
    for (const CsvSource& source : sources) {
        if (!names.contains(source.name)) continue;
        ++known;
        if (!is_missing(source.name) && parse_number(source.name, ignored) == NumberStatus::malformed)
            ++words;
    }
    return (known > 0 && known == std::ssize(sources)) || (words > 0 && 2 * words >= std::ssize(sources));
}

}  // namespace

std::string CsvLayout::describe(Index position) const {
    std::string text = "column " + std::to_string(position);
    if (header) text += " (" + shown(names[static_cast<std::size_t>(position)]) + ")";
    return text;
}

std::string CsvLayout::name(Index position) const {
    return header ? names[static_cast<std::size_t>(position)] : "#" + std::to_string(position);
}

CsvLayout find_csv_layout(const std::string& path, std::string_view sample_text, bool complete,
                          const ReadOptions& options) {
    CsvLayout layout;
    layout.separator = find_separator(sample_text, complete);
    const Sample sample = split_sample(sample_text, complete, layout.separator);
    // Blanks and tabs alone are no row of empty fields, whatever the separator would be.
    const bool blank = complete && sample_text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (blank || sample.records.empty()) throw InputError(path, 0, "no data rows");
    const auto& first = sample.records.front();
    const Index line = sample.first_line;
    if (sample.first_problem != nullptr) throw InputError(path, line, sample.first_problem);
    layout.width = static_cast<Index>(first.size());
    layout.header = names_a_column(options) || has_known_names(sample, options) ||
                    has_header(sample, likely_label(options, layout.width));
    if (layout.header)
        for (const CsvField& field : first) layout.names.push_back(field.unquoted());
    assign_columns(path, line, options, layout);
    return layout;
}

}  // namespace alfcg
