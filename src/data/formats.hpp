#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "alfcg/data/dataset.hpp"
#include "data/byte_source.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

/// How a file is read, for both precisions, from bytes or from text.
template <class Source>
struct Reader {
    Dataset<float> (*read_float)(Source&, const ReadOptions&);
    Dataset<double> (*read_double)(Source&, const ReadOptions&);

    template <class Real>
    Dataset<Real> read(Source& source, const ReadOptions& options) const {
        if constexpr (std::is_same_v<Real, float>) {
            return read_float(source, options);
        } else {
            return read_double(source, options);
        }
    }
};

/// A file format is a row: its name, how it is recognised, where its labels are, and how it is read.
struct FormatRow : FormatInfo {
    /// By its first bytes (ByteSource::peek_limit of them, if there are so many), or by a sample of its text. A text that
    /// nobody recognises belongs to the row without such a function.
    bool (*recognize)(std::string_view beginning);
    std::variant<Reader<ByteSource>, Reader<TextBuffer>> reader;
    /// The first `most` labels (0: all) of a file that holds nothing else; none: there are no such files, or they are
    /// text, a label a line.
    Labels (*read_labels)(ByteSource& source, Index most) = nullptr;
    /// Whether a rank need not read the rows of the others.
    bool shared = false;
    /// By its last mapped_end_bytes, before any other row is asked, where a file can be read there; none: not at all.
    bool (*recognize_end)(std::string_view end) = nullptr;

    [[nodiscard]] bool is_text() const { return std::holds_alternative<Reader<TextBuffer>>(reader); }
};

/// Throws Error, listing the names, when there is no such format.
const FormatRow& find_format(std::string_view name);
/// By the first bytes; none when it must be text. Throws InputError for an empty archive and for a zip archive (.npz).
const FormatRow* recognize_bytes(ByteSource& source);
/// Throws InputError: what was taken for text is not.
[[noreturn]] void refuse_bytes(const std::string& path);
/// By a sample of the text.
const FormatRow& recognize_text(std::string_view sample);

}  // namespace alfcg
