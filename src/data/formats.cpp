#include "data/formats.hpp"

#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "data/array_file.hpp"
#include "data/array_labels.hpp"
#include "data/csv.hpp"
#include "data/feature_count.hpp"
#include "data/idx.hpp"
#include "data/libsvm.hpp"
#include "data/libsvm_likeness.hpp"
#include "data/mapped_file.hpp"
#include "data/npy.hpp"

namespace alfcg {

namespace {

template <class Real>
Dataset<Real> read_matrix(ByteSource& source, const ArrayLayout& layout, const ReadOptions& options) {
    check_feature_count(source.path(), 0, layout.cols, options);
    Dataset<Real> data;
    if (options.ranks == nullptr) {
        data.features = read_array<Real>(source, layout, options.rows, options.pages.get());
    } else {
        agree(options.ranks, [&] { data.features = read_array_share<Real>(source, layout, *options.ranks); });
    }
    data.bytes = layout.type == ElementType::u8;
    return data;
}

template <class Real>
Dataset<Real> read_npy(ByteSource& source, const ReadOptions& options) {
    return read_matrix<Real>(source, read_npy_layout(source), options);
}

template <class Real>
Dataset<Real> read_idx(ByteSource& source, const ReadOptions& options) {
    return read_matrix<Real>(source, read_idx_header(source), options);
}

const std::vector<FormatRow>& table() {
    using enum LabelPlace;
    using namespace std::string_view_literals;
    static const std::vector<FormatRow> rows{
        {{"libsvm", "LIBSVM", "text, a row a line: label index:value index:value ..., indices from 1", own},
         looks_like_libsvm,
         Reader<TextBuffer>{read_libsvm<float>, read_libsvm<double>},
         nullptr,
         true},
        {{"csv", "CSV", "text, a row a line: numbers between commas, semicolons, tabs, bars or blanks",
          column},
         nullptr,
         Reader<TextBuffer>{read_csv<float>, read_csv<double>},
         nullptr,
         true},
        {{"npy", "NPY", "a NumPy array of two dimensions or more, rows first", elsewhere},
         [](std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); },
         Reader<ByteSource>{read_npy<float>, read_npy<double>},
         read_npy_labels,
         true},
        {{"idx", "IDX", "an array as MNIST has them, rows first", elsewhere},
         [](std::string_view bytes) {
             return bytes.size() >= 4 && bytes.starts_with("\0\0"sv) && bytes[2] != '\0';
         },
         Reader<ByteSource>{read_idx<float>, read_idx<double>},
         read_idx_labels},
        {{"mapped", "mapped",
          "what alfcg convert writes: an array, or a sparse matrix, with labels and names", own},
         is_sparse_mapped,
         Reader<ByteSource>{read_mapped<float>, read_mapped<double>},
         nullptr,
         false,
         is_mapped_end},
    };
    return rows;
}

std::vector<std::string> titles_of(bool (*wanted)(const FormatRow&)) {
    std::vector<std::string> titles;
    for (const FormatRow& row : table())
        if (wanted(row)) titles.emplace_back(row.title);
    return titles;
}

}  // namespace

const FormatRow& find_format(std::string_view name) {
    std::vector<std::string> names{"auto"};
    for (const FormatRow& row : table()) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw Error("unknown format '" + std::string(name) + "': use " + listed(names, "or"));
}

const FormatRow* recognize_bytes(ByteSource& source) {
    const std::string_view bytes = source.peek(ByteSource::peek_limit);
    if (bytes.empty()) throw InputError(source.path(), 0, "the archive is empty");
    const std::string end = source.plain_end(mapped_end_bytes);
    for (const FormatRow& row : table())
        if (row.recognize_end != nullptr && row.recognize_end(end)) return &row;
    for (const FormatRow& row : table())
        if (!row.is_text() && row.recognize(bytes)) return &row;
    if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"))
        throw InputError(
            source.path(), 0,
            "a zip archive (.npz?) is not a data file; save the array itself as .npy (numpy.save)");
    return nullptr;
}

void refuse_bytes(const std::string& path) {
    const std::string binary = listed(titles_of([](const FormatRow& row) { return !row.is_text(); }), "nor");
    throw InputError(path, 0,
                     "binary data, but neither " + binary + "; " + format_titles("or") + " is needed");
}

const FormatRow& recognize_text(std::string_view sample) {
    const FormatRow* other = nullptr;
    for (const FormatRow& row : table()) {
        if (!row.is_text()) continue;
        if (row.recognize == nullptr) {
            other = &row;
        } else if (row.recognize(sample)) {
            return row;
        }
    }
    return *other;
}

std::vector<FormatInfo> formats() {
    return {table().begin(), table().end()};
}

std::string format_titles(std::string_view word) {
    return listed(titles_of([](const FormatRow&) { return true; }), word);
}

std::string format_titles_with_label_file(std::string_view word) {
    std::vector<std::string> titles =
        titles_of([](const FormatRow& row) { return row.labels == LabelPlace::elsewhere; });
    for (std::string& title :
         titles_of([](const FormatRow& row) { return row.labels == LabelPlace::column; }))
        titles.push_back(std::move(title));
    return listed(titles, word);
}

}  // namespace alfcg
