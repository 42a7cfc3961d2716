#include "data/csv_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "alfcg/core/error.hpp"
#include "data/csv_record.hpp"
#include "data/feature_count.hpp"
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

// A header: some feature column begins with a word while most of what follows in it are numbers. (A column of
// words throughout, or a missing first entry, is not a header but an error.)
bool has_header(const Sample& sample, Index label) {
    const auto& first = sample.records.front();
    for (std::size_t j = 0; j < first.size(); ++j) {
        if (static_cast<Index>(j) == label || first[j].text.empty() || is_number(first[j])) continue;
        std::size_t numbers = 0;
        for (std::size_t i = 1; i < sample.records.size(); ++i)
            if (j < sample.records[i].size() && is_number(sample.records[i][j])) ++numbers;
        if (2 * numbers >= sample.records.size()) return true;
        if (sample.records.size() == 1) return true;  // a lone line of words
    }
    return false;
}

std::optional<Index> whole_number(const std::string& text) {
    Index value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) return std::numeric_limits<Index>::max();
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

bool expects_label(const std::string& path, Index line, Index width, const ReadOptions& options) {
    if (!options.labels.empty()) {
        if (!options.label_column.empty() && options.label_column != "none")
            throw Error(path +
                        ": labels from a column and from a file; give `label-column` or `labels`, not both");
        return false;
    }
    if (options.label_column == "none") {
        if (options.labels_required)
            throw InputError(
                path, 0, "labels are needed, but the label column is 'none'; give them with `labels` FILE");
        return false;
    }
    if (options.labels_required) {
        if (width == 1)
            throw InputError(
                path, line,
                "only one column; features and a label need two or more (separators: , ; tab | blank)");
        return true;
    }
    if (options.features == 0) return width > 1;
    if (width == options.features || width == options.features + 1) return width > options.features;
    throw InputError(path, line,
                     fmt::format("{} columns, but {} features (and perhaps a label) are expected", width,
                                 options.features));
}

Index position_by_name(const std::string& path, const CsvLayout& layout, Index line,
                       const std::string& name) {
    const auto found = std::find(layout.names.begin(), layout.names.end(), name);
    if (found == layout.names.end()) {
        constexpr std::size_t most_names = 10;
        const std::vector<std::string> first(
            layout.names.begin(), layout.names.begin() + std::min<std::ptrdiff_t>(layout.width, most_names));
        throw InputError(
            path, line,
            fmt::format("no column {}; the header has: {}{}", shown(name), fmt::join(first, ", "),
                        layout.names.size() > most_names ? ", ..." : ""));
    }
    if (std::find(found + 1, layout.names.end(), name) != layout.names.end())
        throw InputError(
            path, line,
            fmt::format("column {} occurs twice; give the label's position instead", shown(name)));
    return found - layout.names.begin();
}

}  // namespace

std::string CsvLayout::column(Index position) const {
    std::string text = "column " + std::to_string(position);
    if (header) text += " (" + shown(names[static_cast<std::size_t>(position)]) + ")";
    return text;
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

    bool named = false;
    if (expects_label(path, line, layout.width, options)) {
        if (options.label_column.empty()) {
            layout.label = layout.width - 1;
        } else if (const auto position = whole_number(options.label_column)) {
            layout.label = *position < 0 ? layout.width + *position : *position;
            if (layout.label < 0 || layout.label >= layout.width)
                throw InputError(
                    path, line,
                    fmt::format("label column {} does not exist: the columns are 0 .. {}, or -1 .. -{}",
                                options.label_column, layout.width - 1, layout.width));
        } else {
            named = true;
        }
    }
    layout.header = named || has_header(sample, layout.label);
    if (layout.header)
        for (const CsvField& field : first) layout.names.push_back(field.unquoted());
    if (named) layout.label = position_by_name(path, layout, line, options.label_column);
    check_feature_count(path, line, layout.features(), options);
    return layout;
}

}  // namespace alfcg
