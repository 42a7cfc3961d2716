#include "data/label_file.hpp"

#include <fmt/format.h>

#include "alfcg/core/error.hpp"
#include "data/byte_source.hpp"
#include "data/formats.hpp"
#include "data/number.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

Labels read_lines(ByteSource& source, Index most) {
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
            throw InputError(source.path(), blank_line, "a blank line where a label should be");
        if (!is_acceptable_label(token))
            throw InputError(source.path(), line, "label " + shown(token) + " is not a finite number");
        labels.push(token);
        return labels.size() != most;
    });
    return labels;
}

Labels read_labels(ByteSource& source, Index most) {
    const FormatRow* const format = recognize_bytes(source);
    if (format == nullptr) return read_lines(source, most);
    if (format->read_labels == nullptr)
        throw InputError(source.path(), 0, fmt::format("{} files are no files of labels", format->title));
    return format->read_labels(source, most);
}

}  // namespace

Labels read_label_file(const std::string& path, Index rows, Index most, const std::string& data) {
    ByteSource source(path);
    Labels labels = read_labels(source, most);
    if (labels.size() != rows)
        throw InputError(path, 0, fmt::format("{} labels, but {} has {} rows", labels.size(), data, rows));
    return labels;
}

}  // namespace alfcg
