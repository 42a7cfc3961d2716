#include "data/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "data/memory.hpp"
#include "data/number.hpp"

namespace alfcg {

namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max();

// What has been read: the rows of one text or, equally well, of one piece of it.
template <class Real>
struct SparseRows {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    Labels labels;
    Index rows = 0;
    std::int64_t last_index = 0;  // the largest that occurs
    bool labelled = true;         // false when the rows carry no labels, which only prediction allows
};

template <class Real>
class LineParser {
  public:
    LineParser(const std::string& path, const ReadOptions& options, SparseRows<Real>& rows)
        : path_(path), options_(options), rows_(rows) {}

    /// Adds the row of one line, none when it is blank or a comment.
    void parse(std::string_view line, Index number) {
        number_ = number;
        if (const void* comment = std::memchr(line.data(), '#', line.size()))
            line = line.substr(0, static_cast<std::size_t>(static_cast<const char*>(comment) - line.data()));
        at_ = line.data();
        end_ = at_ + line.size();
        std::string_view token = next_token();
        if (token.empty()) return;
        if (read_label(token)) token = next_token();
        previous_ = 0;
        for (; !token.empty(); token = next_token()) read_pair(token);
        ++rows_.rows;
        rows_.start.push_back(static_cast<Index>(rows_.value.size()));
        rows_.last_index = std::max(rows_.last_index, previous_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw InputError(path_, number_, what); }

    std::string_view next_token() {
        while (at_ != end_ && is_blank(*at_)) ++at_;
        const char* first = at_;
        while (at_ != end_ && !is_blank(*at_)) ++at_;
        return {first, static_cast<std::size_t>(at_ - first)};
    }

    // True when the token is the row's label and so is used up.
    bool read_label(std::string_view token) {
        const std::size_t digits = std::min(token.find_first_not_of("0123456789"), token.size());
        const bool missing = digits > 0 && digits < token.size() && token[digits] == ':';
        if (missing && options_.labels_required)
            fail("no label: the line begins with the pair " + shown(token) +
                 "; right is 'label index:value ...'");
        if (rows_.rows == 0) rows_.labelled = !missing;
        if (missing == rows_.labelled)
            fail(missing ? "no label, but the rows before have one"
                         : "a label, but the rows before have none");
        if (missing) return false;
        if (!is_acceptable_label(token)) fail("label " + shown(token) + " is not a finite number");
        rows_.labels.push(token);
        return true;
    }

    void read_pair(std::string_view token) {
        // The index by hand: stops at the first digit too many, so that no number of digits can overflow.
        const char* p = token.data();
        const char* const end = p + token.size();
        std::int64_t index = 0;
        while (p != end && *p >= '0' && *p <= '9' && index <= largest_index)
            index = 10 * index + (*p++ - '0');
        if (index > largest_index)
            fail(fmt::format("index in {} is beyond the largest possible, {}", shown(token), largest_index));
        if (p == token.data() || p == end || *p != ':') bad_pair(token);
        if (index == 0) fail("index 0 in " + shown(token) + ": indices start at 1");
        if (index == previous_) fail(fmt::format("index {} occurs twice", index));
        if (index < previous_)
            fail(
                fmt::format("index {} comes after {}: indices must increase along a line", index, previous_));
        if (options_.features > 0 && index > options_.features)
            fail(fmt::format("index {} is beyond the number of features, {}", index, options_.features));
        ++p;
        Real value = 0;
        const std::string_view text(p, static_cast<std::size_t>(end - p));
        if (const NumberStatus status = parse_number(text, value); status != NumberStatus::ok)
            fail("value of " + shown(token) + ": " + number_problem<Real>(text, status));
        rows_.column.push_back(static_cast<std::int32_t>(index - 1));
        rows_.value.push_back(value);
        previous_ = index;
    }

    [[noreturn]] void bad_pair(std::string_view token) const {
        const bool negative = token.size() > 1 && token.front() == '-' && token[1] >= '0' && token[1] <= '9';
        if (negative && token.find(':') != std::string_view::npos)
            fail("negative index in " + shown(token) + ": indices start at 1");
        fail(shown(token) + " is not a pair 'index:value'");
    }

    const std::string& path_;
    const ReadOptions& options_;
    SparseRows<Real>& rows_;
    Index number_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::int64_t previous_ = 0;
};

// Adds the rows of all whole lines of a piece of text (and of the unfinished last one when nothing follows),
// at most `most_rows` in all. Returns the bytes used; `line` counts the lines.
template <class Real>
std::size_t parse_lines(std::string_view piece, bool complete, Index most_rows, LineParser<Real>& parser,
                        const SparseRows<Real>& rows, Index& line) {
    const char* at = piece.data();
    const char* const end = at + piece.size();
    while (at != end && rows.rows < most_rows) {
        const auto* stop =
            static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
        if (stop == nullptr) {
            if (!complete) break;
            stop = end;
        }
        parser.parse({at, static_cast<std::size_t>(stop - at)}, ++line);
        at = stop == end ? end : stop + 1;
    }
    return static_cast<std::size_t>(at - piece.data());
}

}  // namespace

template <class Real>
Dataset<Real> read_libsvm(TextBuffer& text, const ReadOptions& options) {
    SparseRows<Real> rows;
    rows.start.push_back(0);
    LineParser<Real> parser(text.path(), options, rows);
    const Index most_rows = options.rows > 0 ? options.rows : std::numeric_limits<Index>::max();
    Index line = 0;
    parse_chunks(text, [&](std::string_view piece, bool complete, bool& stop) {
        const std::size_t used = parse_lines(piece, complete, most_rows, parser, rows, line);
        stop = rows.rows == most_rows;
        check_memory(text.path(), static_cast<double>(rows.value.size()),
                     sizeof(Real) + sizeof(std::int32_t));
        return used;
    });
    if (rows.rows == 0) throw InputError(text.path(), 0, "no data rows");
    if (rows.last_index == 0 && options.features == 0)
        throw InputError(text.path(), 0, "no feature occurs in any row; fix their number with --features");

    Dataset<Real> data;
    data.labels = std::move(rows.labels);
    SparseFeatures<Real> features;
    features.row_count = rows.rows;
    features.col_count = options.features > 0 ? options.features : rows.last_index;
    rows.start.shrink_to_fit();
    rows.column.shrink_to_fit();
    rows.value.shrink_to_fit();
    features.start = std::move(rows.start);
    features.column = std::move(rows.column);
    features.value = std::move(rows.value);
    data.features = std::move(features);
    return data;
}

template Dataset<float> read_libsvm(TextBuffer& text, const ReadOptions& options);
template Dataset<double> read_libsvm(TextBuffer& text, const ReadOptions& options);

}  // namespace alfcg
