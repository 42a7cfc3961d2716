#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/data/observations.hpp"
#include "data/byte_source.hpp"
#include "data/csv_record.hpp"
#include "data/memory.hpp"
#include "data/number.hpp"
#include "data/ratings_archive.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

constexpr std::string_view market_banner = "%%MatrixMarket";
constexpr std::string_view archive_banner = "PK\3\4";

// Numbers for names, in the order in which they turn up.
class NameTable {
  public:
    std::int32_t number_of(std::string name) {
        const auto [at, is_new] =
            numbers_.try_emplace(std::move(name), static_cast<std::int32_t>(names_.size()));
        if (is_new) names_.push_back(at->first);
        return at->second;
    }
    [[nodiscard]] std::vector<std::string> release() && { return std::move(names_); }
    [[nodiscard]] Index size() const { return static_cast<Index>(names_.size()); }

  private:
    std::unordered_map<std::string, std::int32_t> numbers_;
    std::vector<std::string> names_;
};

// What separates the fields of a text: whatever of these its first line has.
char separator_of(std::string_view sample) {
    const std::string_view line = sample.substr(0, sample.find('\n'));
    for (const char candidate : {'\t', ';', ','})
        if (line.find(candidate) != std::string_view::npos) return candidate;
    return ' ';
}

// A number that must be one, and finite.
template <class Real>
Real number_at(const std::string& path, Index line, std::string_view what, std::string_view token) {
    Real value = 0;
    const NumberStatus status = parse_number(token, value);
    if (is_missing(token))
        throw InputError(path, line,
                         fmt::format("the {} is missing: {}; leave such lines out", what, shown(token)));
    if (status != NumberStatus::ok)
        throw InputError(path, line, fmt::format("the {} {}", what, number_problem<Real>(token, status)));
    return value;
}

// Calls take(line, fields) for every record of a text of fields, less a header: one whose third field is no number.
template <class Take>
void for_each_record(TextBuffer& text, std::size_t least, std::string_view wanted, const Take& take) {
    const char separator = separator_of(text.sample());
    Index line = 1;
    bool first = true;
    std::vector<CsvField> fields;
    parse_chunks(text, [&](std::string_view piece, bool complete, bool& stop) {
        const char* at = piece.data();
        const char* end = at + piece.size();
        while (!stop) {
            Index passed = 0;
            const char* begin = skip_blank_lines(at, end, complete, separator, passed);
            line += passed;
            at = begin;
            if (begin == end) break;
            const CsvSplit split = split_record(begin, end, complete, separator, fields);
            if (split.next == nullptr) break;
            if (split.problem != nullptr) throw InputError(text.path(), line, split.problem);
            if (fields.size() < least)
                throw InputError(
                    text.path(), line,
                    fmt::format("has {} fields, not the {} of {}", fields.size(), least, wanted));
            double ignored = 0;
            const bool header = std::exchange(first, false) && fields.size() > 2 &&
                                !is_missing(fields[2].text) &&
                                parse_number(fields[2].text, ignored) == NumberStatus::malformed;
            if (!header) take(line, fields);
            line += split.lines;
            at = split.next;
        }
        return static_cast<std::size_t>(at - piece.data());
    });
}

std::string name_at(const std::string& path, Index line, std::string_view what, const CsvField& field) {
    std::string name = field.unquoted();
    if (name.empty()) throw InputError(path, line, fmt::format("the {} is empty", what));
    return name;
}

template <class Real>
Real weight_at(const std::string& path, Index line, std::string_view token) {
    const Real weight = number_at<Real>(path, line, "weight", token);
    if (!(weight > 0))
        throw InputError(path, line, fmt::format("the weight must be above 0, not {}", shown(token)));
    return weight;
}

template <class Real>
void read_table(TextBuffer& text, const RatingOptions& options, NameTable& rows, NameTable& columns,
                Triples<Real>& triples) {
    const std::size_t least = options.weights ? 4 : 3;
    for_each_record(
        text, least, options.weights ? "row, column, value and weight" : "row, column and value",
        [&](Index line, const std::vector<CsvField>& fields) {
            if (options.rows > 0 && triples.size() >= options.rows) return;
            triples.rows.push_back(rows.number_of(name_at(text.path(), line, "name of the row", fields[0])));
            triples.columns.push_back(
                columns.number_of(name_at(text.path(), line, "name of the column", fields[1])));
            triples.values.push_back(number_at<Real>(text.path(), line, "value", fields[2].text));
            if (options.weights)
                triples.weights.push_back(weight_at<Real>(text.path(), line, fields[3].text));
        });
}

// "rows columns entries", then "row column value" counted from 1.
template <class Real>
void read_market(TextBuffer& text, const RatingOptions& options, NameTable& rows, NameTable& columns,
                 Triples<Real>& triples) {
    const std::string& path = text.path();
    if (options.weights) throw Error(path + ": Matrix Market files have no weights");
    std::array<Index, 3> sizes{-1, -1, -1};
    const auto words = [](std::string_view line) {
        std::vector<std::string_view> found;
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t begin = line.find_first_not_of(" \t", at);
            if (begin == std::string_view::npos) break;
            at = std::min(line.find_first_of(" \t", begin), line.size());
            found.push_back(line.substr(begin, at - begin));
        }
        return found;
    };
    const auto whole = [&](Index line, std::string_view token, Index least, Index most) {
        const auto number = number_at<double>(path, line, "number", token);
        if (number != std::floor(number) || number < static_cast<double>(least) ||
            number > static_cast<double>(most))
            throw InputError(path, line,
                             fmt::format("{} is no whole number from {} to {}", shown(token), least, most));
        return static_cast<Index>(number);
    };
    for_each_line(text, [&](Index line, std::string_view content) {
        if (line == 1 && (content.find("coordinate") == std::string_view::npos ||
                          content.find("general") == std::string_view::npos ||
                          content.find("complex") != std::string_view::npos))
            throw InputError(path, line,
                             "must be a Matrix Market matrix of the kind 'coordinate real general'");
        if (content.empty() || content.front() == '%') return true;
        const auto found = words(content);
        if (found.size() != 3)
            throw InputError(path, line, fmt::format("has {} numbers, not 3", found.size()));
        if (sizes[0] < 0) {
            for (std::size_t k = 0; k < 3; ++k)
                sizes[k] = whole(line, found[k], 1, k < 2 ? (Index{1} << 31) - 1 : Index{1} << 40);
            for (Index i = 1; i <= sizes[0]; ++i) rows.number_of(std::to_string(i));
            for (Index j = 1; j <= sizes[1]; ++j) columns.number_of(std::to_string(j));
            return true;
        }
        if (triples.size() == sizes[2])
            throw InputError(path, line, fmt::format("more than {} entries", sizes[2]));
        triples.rows.push_back(static_cast<std::int32_t>(whole(line, found[0], 1, sizes[0]) - 1));
        triples.columns.push_back(static_cast<std::int32_t>(whole(line, found[1], 1, sizes[1]) - 1));
        triples.values.push_back(number_at<Real>(path, line, "value", found[2]));
        return options.rows == 0 || triples.size() < options.rows;
    });
    if (options.rows == 0 && triples.size() != std::max<Index>(sizes[2], 0))
        throw InputError(path, 0,
                         fmt::format("has {} entries, not the {} that it promises", triples.size(),
                                     std::max<Index>(sizes[2], 0)));
}

std::vector<std::string> numbered(Index count) {
    std::vector<std::string> found(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < found.size(); ++k) found[k] = std::to_string(k);
    return found;
}

}  // namespace

template <class Real>
Ratings<Real> load_ratings(const std::string& path, const RatingOptions& options) {
    ByteSource source(path, options.max_unpacked);
    Ratings<Real> ratings;
    ratings.name = path;
    Triples<Real> triples;
    Shape shape;
    if (source.peek(archive_banner.size()) == archive_banner) {
        if (source.compressed())
            throw InputError(path, 0, "an .npz archive inside a compressed file: unpack it");
        triples = read_ratings_archive<Real>(path, options, shape);
        constexpr double name_bytes = 40;
        check_memory(path, static_cast<double>(shape.rows) + static_cast<double>(shape.cols), name_bytes,
                     "rows and columns need", "save a matrix without those that are empty");
        ratings.rows = numbered(shape.rows);
        ratings.columns = numbered(shape.cols);
    } else {
        TextBuffer text(source);
        NameTable rows;
        NameTable columns;
        if (text.sample().starts_with(market_banner))
            read_market(text, options, rows, columns, triples);
        else
            read_table(text, options, rows, columns, triples);
        shape = {rows.size(), columns.size()};
        ratings.rows = std::move(rows).release();
        ratings.columns = std::move(columns).release();
    }
    if (triples.size() == 0) throw InputError(path, 0, "has no observations");
    try {
        ratings.known = observations(shape, std::move(triples));
    } catch (const RepeatedPlace& twice) {
        throw InputError(path, 0,
                         fmt::format("row '{}' and column '{}' are there twice: one value each is needed",
                                     ratings.rows[static_cast<std::size_t>(twice.row)],
                                     ratings.columns[static_cast<std::size_t>(twice.column)]));
    }
    return ratings;
}

Pairs load_pairs(const std::string& path) {
    ByteSource source(path);
    TextBuffer text(source);
    Pairs pairs;
    bool valued = true;
    for_each_record(text, 2, "row and column", [&](Index line, const std::vector<CsvField>& fields) {
        pairs.rows.push_back(name_at(path, line, "name of the row", fields[0]));
        pairs.columns.push_back(name_at(path, line, "name of the column", fields[1]));
        valued = valued && fields.size() > 2;
        if (valued) pairs.values.push_back(number_at<double>(path, line, "value", fields[2].text));
    });
    if (!valued) pairs.values.clear();
    if (pairs.rows.empty()) throw InputError(path, 0, "has no pairs");
    return pairs;
}

template Ratings<float> load_ratings(const std::string&, const RatingOptions&);
template Ratings<double> load_ratings(const std::string&, const RatingOptions&);

}  // namespace alfcg
