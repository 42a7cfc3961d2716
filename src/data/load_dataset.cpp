#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "data/array_file.hpp"
#include "data/builtin.hpp"
#include "data/byte_source.hpp"
#include "data/csv.hpp"
#include "data/idx.hpp"
#include "data/label_file.hpp"
#include "data/libsvm.hpp"
#include "data/npy.hpp"
#include "data/recognize.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

void check_feature_count(const std::string& source, Index found, const ReadOptions& options) {
    if (options.features > 0 && found != options.features)
        throw InputError(source, 0,
                         fmt::format("{} features, but {} are asked for", found, options.features));
}

void refuse_label_column(const std::string& source, const ReadOptions& options) {
    if (!options.label_column.empty())
        throw Error(source + ": `label-column` is for CSV files, and this is not one");
}

void refuse_label_file(const std::string& source, const ReadOptions& options) {
    if (!options.labels.empty())
        throw Error(source + ": has labels of its own; `labels` is for NPY, IDX and CSV files");
}

template <class Real>
Dataset<Real> make_builtin(const Builtin& builtin, const ReadOptions& options) {
    refuse_label_column(builtin.name, options);
    refuse_label_file(builtin.name, options);
    check_feature_count(builtin.name, builtin.cols, options);
    return builtin.kind == Builtin::Kind::randn ? make_randn<Real>(builtin, options)
                                                : make_mnist<Real>(builtin, options);
}

template <class Real>
Dataset<Real> read_array_file(ByteSource& source, Format format, const ReadOptions& options) {
    const bool npy = format == Format::npy;
    if (options.labels_required && options.labels.empty())
        throw InputError(
            source.path(), 0,
            fmt::format("{} files hold no labels; give them with `labels` FILE", npy ? "NPY" : "IDX"));
    refuse_label_column(source.path(), options);
    ArrayLayout layout;
    if (npy) {
        const NpyHeader header = read_npy_header(source);
        if (header.shape.size() == 1)
            throw InputError(source.path(), 0,
                             "the array has one dimension; features need two (rows, features)");
        layout = npy_layout(source.path(), header);
    } else {
        layout = read_idx_header(source);
    }
    check_feature_count(source.path(), layout.cols, options);
    Dataset<Real> data;
    data.features = read_array<Real>(source, layout, options.rows);
    return data;
}

template <class Real>
Dataset<Real> read_text_file(ByteSource& source, Format format, const ReadOptions& options) {
    TextBuffer text(source);
    const std::string_view sample = text.sample();
    if (format == Format::automatic) format = looks_like_libsvm(sample) ? Format::libsvm : Format::csv;
    if (format == Format::csv) return read_csv<Real>(text, options);
    refuse_label_column(source.path(), options);
    refuse_label_file(source.path(), options);
    return read_libsvm<Real>(text, options);
}

template <class Real>
Dataset<Real> read_file(const std::string& path, const ReadOptions& options) {
    std::error_code ignored;
    if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
        throw InputError(path, 0, "no such file, nor a built-in data set (randn-N-d, mnist-N-d)");
    ByteSource source(path);
    Format format = options.format;
    if (format == Format::automatic) format = recognize_binary(source);
    const bool array = format == Format::npy || format == Format::idx;
    Dataset<Real> data = array ? read_array_file<Real>(source, format, options)
                               : read_text_file<Real>(source, format, options);
    if (!options.labels.empty())
        data.labels = read_label_file(options.labels, rows(data.features), options.rows, path);
    return data;
}

}  // namespace

template <class Real>
Dataset<Real> load_dataset(const std::string& source, const ReadOptions& options) {
    if (options.rows < 0) throw QuantityError("rows", fmt::format("must be positive, not {}", options.rows));
    if (options.features < 0)
        throw QuantityError("features", fmt::format("must be positive, not {}", options.features));
    try {
        const auto builtin = parse_builtin(source);
        Dataset<Real> data =
            builtin ? make_builtin<Real>(*builtin, options) : read_file<Real>(source, options);
        data.name = source;
        return data;
    } catch (const std::bad_alloc&) {
        throw Error(source + ": not enough memory");
    }
}

template Dataset<float> load_dataset(const std::string& source, const ReadOptions& options);
template Dataset<double> load_dataset(const std::string& source, const ReadOptions& options);

}  // namespace alfcg
