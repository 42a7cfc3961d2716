#include "data/libsvm_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "alfcg/core/error.hpp"
#include "data/number.hpp"
#include "data/plain_number.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max();

bool ends_token(char c) {
    return c == ' ' || c == '\n' || is_blank(c) || c == '#';
}

// Walks over the text once. A line end stops every loop, so that none needs to look for the end of the text.
template <class Real>
class LineParser {
  public:
    LineParser(const std::string& path, const ReadOptions& options, Index lines_before, std::string_view text,
               SparseRows<Real>& rows)
        : path_(path),
          options_(options),
          rows_(rows),
          lines_before_(lines_before),
          last_allowed_(options.features > 0 ? std::min<std::int64_t>(options.features, largest_index)
                                             : largest_index),
          at_(text.data()),
          end_(text.data() + text.size()) {
        // A pair is at least three characters and what ends it.
        const std::size_t most_pairs = text.size() / 4 + 1;
        rows_.column.resize(0);
        rows_.value.resize(0);
        column_ = rows_.column.extend(most_pairs);
        value_ = rows_.value.extend(most_pairs);
    }

    void parse(Index most_rows) {
        while (at_ != end_ && rows_.rows() < most_rows) parse_line();
        const auto pairs = static_cast<std::size_t>(value_ - rows_.value.data());
        rows_.column.resize(pairs);
        rows_.value.resize(pairs);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(path_, lines_before_ + rows_.lines, what);
    }

    /// Adds the row of one line, none when it is blank or a comment.
    void parse_line() {
        ++rows_.lines;
        if (!find_token()) return;
        read_label();
        previous_ = 0;
        while (find_token()) read_pair();
        rows_.ends.push_back(value_ - rows_.value.data());
        rows_.last_index = std::max(rows_.last_index, previous_);
    }

    // Moves on to the next token of the line; false, and behind the line, when there is none.
    bool find_token() {
        while (is_blank(*at_)) ++at_;
        if (*at_ == '#')
            at_ = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
        if (*at_ != '\n') return true;
        ++at_;
        return false;
    }

    [[nodiscard]] std::string_view token() const {
        const char* p = at_;
        while (!ends_token(*p)) ++p;
        return {at_, static_cast<std::size_t>(p - at_)};
    }

    // Uses the token up when it is the row's label.
    void read_label() {
        double number = 0;
        const char* const behind = read_plain_number(at_, number);
        const bool plain = behind != nullptr && ends_token(*behind);
        const std::string_view text = plain ? std::string_view() : token();
        const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
        const bool missing = digits > 0 && digits < text.size() && text[digits] == ':';
        if (missing && options_.labels_required)
            fail("no label: the line begins with the pair " + shown(text) +
                 "; right is 'label index:value ...'");
        if (!rows_.labelled) rows_.labelled = !missing;
        if (missing == *rows_.labelled)
            fail(missing ? "no label, but the rows before have one"
                         : "a label, but the rows before have none");
        if (missing) return;
        if (plain) {
            rows_.labels.push(number);
            at_ = behind;
            return;
        }
        if (!is_acceptable_label(text)) fail("label " + shown(text) + " is not a finite number");
        rows_.labels.push(text);
        at_ += text.size();
    }

    // The usual pair, "12:0.5", and anything else by way of read_unusual_pair.
    void read_pair() {
        constexpr std::ptrdiff_t most_digits = 9;
        const char* p = at_;
        std::uint64_t index = 0;
        for (; is_digit(*p); ++p) index = 10 * index + static_cast<std::uint64_t>(*p - '0');
        const std::ptrdiff_t digits = p - at_;
        const auto position = static_cast<std::int64_t>(index);
        if (*p == ':' && digits <= most_digits && position > previous_ && position <= last_allowed_) {
            const char* const behind = read_plain_number(p + 1, *value_);
            if (behind != nullptr && ends_token(*behind)) {
                ++value_;
                *column_++ = static_cast<std::int32_t>(position - 1);
                previous_ = position;
                at_ = behind;
                return;
            }
        }
        read_unusual_pair(token());
    }

    void read_unusual_pair(std::string_view pair) {
        // The index by hand: stops at the first digit too many, so that no number of digits can overflow.
        const char* p = pair.data();
        const char* const end = p + pair.size();
        std::int64_t index = 0;
        while (p != end && is_digit(*p) && index <= largest_index) index = 10 * index + (*p++ - '0');
        if (index > largest_index)
            fail(fmt::format("index in {} is beyond the largest possible, {}", shown(pair), largest_index));
        if (p == pair.data() || p == end || *p != ':') bad_pair(pair);
        if (index == 0) fail("index 0 in " + shown(pair) + ": indices start at 1");
        if (index == previous_) fail(fmt::format("index {} occurs twice", index));
        if (index < previous_)
            fail(
                fmt::format("index {} comes after {}: indices must increase along a line", index, previous_));
        if (options_.features > 0 && index > options_.features)
            fail(fmt::format("index {} is beyond the number of features, {}", index, options_.features));
        ++p;
        const std::string_view text(p, static_cast<std::size_t>(end - p));
        if (const NumberStatus status = parse_number(text, *value_); status != NumberStatus::ok)
            fail("value of " + shown(pair) + ": " + number_problem<Real>(text, status));
        ++value_;
        *column_++ = static_cast<std::int32_t>(index - 1);
        previous_ = index;
        at_ = end;
    }

    [[noreturn]] void bad_pair(std::string_view pair) const {
        const bool negative = pair.size() > 1 && pair.front() == '-' && is_digit(pair[1]);
        if (negative && pair.find(':') != std::string_view::npos)
            fail("negative index in " + shown(pair) + ": indices start at 1");
        fail(shown(pair) + " is not a pair 'index:value'");
    }

    const std::string& path_;
    const ReadOptions& options_;
    SparseRows<Real>& rows_;
    Index lines_before_;
    std::int64_t last_allowed_;
    const char* at_;
    const char* end_;
    std::int32_t* column_;
    Real* value_;
    std::int64_t previous_ = 0;  // index of the pair before
};

}  // namespace

template <class Real>
void parse_libsvm_lines(const std::string& path, std::string_view text, const ReadOptions& options,
                        const LinesBefore& before, SparseRows<Real>& rows) {
    rows.ends.resize(0);
    rows.labels = {};
    rows.last_index = 0;
    rows.labelled = before.labelled;
    rows.lines = 0;
    LineParser<Real>(path, options, before.lines, text, rows).parse(before.most_rows);
}

template void parse_libsvm_lines(const std::string& path, std::string_view text, const ReadOptions& options,
                                 const LinesBefore& before, SparseRows<float>& rows);
template void parse_libsvm_lines(const std::string& path, std::string_view text, const ReadOptions& options,
                                 const LinesBefore& before, SparseRows<double>& rows);

}  // namespace alfcg
