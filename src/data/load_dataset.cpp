#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "data/builtin.hpp"
#include "data/byte_source.hpp"
#include "data/feature_count.hpp"
#include "data/formats.hpp"
#include "data/label_file.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

void refuse_label_file(const std::string& source, const ReadOptions& options) {
    if (!options.labels.empty())
        throw Error(source + ": has labels of its own; `labels` is for " +
                    format_titles_with_label_file("and") + " files");
}

// What only the columns of a table can do.
void refuse_columns(const std::string& source, const ReadOptions& options) {
    for (const auto& [name, given] : {std::pair{"label-column", !options.label_column.empty()},
                                      {"drop", !options.drop.empty()},
                                      {"missing", !options.missing.empty()},
                                      {"categories", options.categories}})
        if (given) throw Error(fmt::format("{}: `{}` is for CSV files, and this is not one", source, name));
}

// Weights from a file, where no column had them, and what must hold wherever they came from.
template <class Real>
void complete_weights(Dataset<Real>& data, const std::string& source, const ReadOptions& options) {
    if (options.weights.empty()) return;
    if (data.weights.empty())
        data.weights = read_weight_file(options.weights, rows(data.features), options.rows, source);
    check_weights(data.weights, source);
}

template <class Real>
void divide(Dataset<Real>& data, double scale) {
    if (scale == 1) return;
    const auto divide_entries = [&](Real* entries, Index count) {
        for (Index k = 0; k < count; ++k)
            entries[k] = static_cast<Real>(static_cast<double>(entries[k]) / scale);
    };
    if (auto* dense = std::get_if<DenseFeatures<Real>>(&data.features))
        divide_entries(dense->own(), dense->rows() * dense->cols());
    else if (auto* sparse = std::get_if<SparseFeatures<Real>>(&data.features))
        divide_entries(sparse->own(), sparse->nonzeros());
    data.reading.scale = scale;
}

template <class Real>
Dataset<Real> make_builtin(const Builtin& builtin, const ReadOptions& options) {
    refuse_columns(builtin.name, options);
    refuse_label_file(builtin.name, options);
    if (options.scale != 1 && options.labels_required)
        throw Error(builtin.name + ": `scale` is for files; a built-in set has its scale");
    check_feature_count(builtin.name, 0, builtin.cols, options);
    return builtin.kind == Builtin::Kind::randn ? make_randn<Real>(builtin, options)
                                                : make_mnist<Real>(builtin, options);
}

// What the options say about labels must fit the place where they are.
void check_labels(const FormatRow& format, const std::string& path, const ReadOptions& options) {
    if (format.labels == LabelPlace::elsewhere && options.labels_required && options.labels.empty())
        throw InputError(path, 0,
                         fmt::format("{} files hold no labels; give them with `labels` FILE", format.title));
    if (format.labels != LabelPlace::column) refuse_columns(path, options);
    if (format.labels == LabelPlace::own) refuse_label_file(path, options);
}

template <class Real>
Dataset<Real> read_bytes(const FormatRow& format, ByteSource& source, const ReadOptions& options) {
    check_labels(format, source.path(), options);
    return std::get<Reader<ByteSource>>(format.reader).read<Real>(source, options);
}

template <class Real>
Dataset<Real> read_text(const FormatRow* given, ByteSource& source, const ReadOptions& options) {
    TextBuffer text(source);
    const std::string_view sample = text.sample();
    const FormatRow& format = given != nullptr ? *given : recognize_text(sample);
    check_labels(format, source.path(), options);
    return std::get<Reader<TextBuffer>>(format.reader).read<Real>(text, options);
}

template <class Real>
Dataset<Real> read_file(const std::string& path, const ReadOptions& options) {
    std::error_code ignored;
    if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
        throw InputError(path, 0, "no such file, nor a built-in data set (randn-N-d, mnist-N-d)");
    ByteSource source(path, options.max_unpacked);
    const FormatRow* const format =
        options.format == "auto" ? recognize_bytes(source) : &find_format(options.format);
    Dataset<Real> data = format != nullptr && !format->is_text() ? read_bytes<Real>(*format, source, options)
                                                                 : read_text<Real>(format, source, options);
    if (!options.labels.empty())
        data.labels = read_label_file(options.labels, rows(data.features), options.rows, path);
    divide(data, options.scale);
    return data;
}

}  // namespace

void verify(const ReadOptions& options) {
    if (options.format != "auto") static_cast<void>(find_format(options.format));
    if (options.rows < 0) throw QuantityError("rows", fmt::format("must be positive, not {}", options.rows));
    if (options.features < 0)
        throw QuantityError("features", fmt::format("must be positive, not {}", options.features));
    if (!options.missing.empty() && options.missing != "mean" && options.missing != "zero")
        throw QuantityError("missing", fmt::format("must be mean or zero, not '{}'", options.missing));
    if (!(options.scale > 0) || !std::isfinite(options.scale))
        throw QuantityError("scale", fmt::format("must be positive, not {}", options.scale));
    if (options.scale != 1 && options.categories)
        throw QuantityError("scale",
                            "divides all features, and marks of `categories` are 0 or 1: one of the two");
}

template <class Real>
Dataset<Real> load_dataset(const std::string& source, const ReadOptions& options) {
    verify(options);
    try {
        const auto builtin = parse_builtin(source);
        Dataset<Real> data =
            builtin ? make_builtin<Real>(*builtin, options) : read_file<Real>(source, options);
        data.name = source;
        complete_weights(data, source, options);
        return data;
    } catch (const std::bad_alloc&) {
        throw Error(source + ": not enough memory");
    }
}

template Dataset<float> load_dataset(const std::string& source, const ReadOptions& options);
template Dataset<double> load_dataset(const std::string& source, const ReadOptions& options);

}  // namespace alfcg
