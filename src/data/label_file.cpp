#include "data/label_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "alfcg/core/error.hpp"
#include "data/byte_source.hpp"
#include "data/formats.hpp"
#include "data/number.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

Labels read_lines(ByteSource& source, Index most, const std::string& word) {
    TextBuffer text(source);
    text.sample();
    Labels labels;
    Index blank_line = 0;  // one that nothing followed yet
    for_each_line(text, [&](Index line, std::string_view token) {
        if (token.empty()) {
            if (blank_line == 0) blank_line = line;
            return true;
        }
        // Skipping a blank line between labels would silently shift the rest.
        if (blank_line > 0)
            throw InputError(source.path(), blank_line, "a blank line where a " + word + " should be");
        if (!is_acceptable_label(token))
            throw InputError(source.path(), line, word + " " + shown(token) + " is not a finite number");
        labels.push(token);
        return labels.size() != most;
    });
    return labels;
}

// `word` is what messages call one of them.
Labels read_labels(ByteSource& source, Index most, const std::string& word) {
    const FormatRow* const format = recognize_bytes(source);
    if (format == nullptr) return read_lines(source, most, word);
    if (format->read_labels == nullptr)
        throw InputError(source.path(), 0, fmt::format("{} files are no files of {}s", format->title, word));
    return format->read_labels(source, most);
}

Labels read_file(const std::string& path, Index rows, Index most, const std::string& data,
                 const std::string& word) {
    ByteSource source(path);
    Labels labels = read_labels(source, most, word);
    if (labels.size() != rows)
        throw InputError(path, 0, fmt::format("{} {}s, but {} has {} rows", labels.size(), word, data, rows));
    return labels;
}

}  // namespace

Labels read_label_file(const std::string& path, Index rows, Index most, const std::string& data) {
    return read_file(path, rows, most, data, "label");
}

std::vector<double> read_weight_file(const std::string& path, Index rows, Index most,
                                     const std::string& data) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        throw InputError(data, 0,
                         fmt::format("no column {}, and no file of weights of that name", shown(path)));
    const Labels numbers = read_file(path, rows, most, data, "weight");
    std::vector<double> weights;
    weights.reserve(static_cast<std::size_t>(rows));
    for (Index i = 0; i < rows; ++i) {
        double weight = 0;
        if (numbers.numeric())
            weight = numbers.number(i);
        else if (parse_number(numbers.text(i), weight) != NumberStatus::ok)
            throw InputError(path, i + 1, "weight " + shown(numbers.text(i)) + " is not a number");
        if (weight < 0)
            throw InputError(path, 0, fmt::format("the weight of row {} is negative: {}", i + 1, weight));
        weights.push_back(weight);
    }
    return weights;
}

void check_weights(const std::vector<double>& weights, const std::string& data) {
    if (!weights.empty() && std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; }))
        throw Error(data + ": every row has the weight 0; some must be positive (`weights`)");
}

}  // namespace alfcg
