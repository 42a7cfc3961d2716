#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>
#include <system_error>
#include <utility>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "core/parallel.hpp"
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

// The rows of all ranks together, and the first of this one.
struct RowCount {
    Index all = 0;
    Index first = 0;
};
RowCount count_rows(Index own, Ranks* ranks) {
    if (ranks == nullptr) return {own, 0};
    RowCount rows;
    const std::vector<Index> counts = ranks->gather(own);
    for (int k = 0; k < ranks->size(); ++k) {
        if (k < ranks->rank()) rows.first += counts[static_cast<std::size_t>(k)];
        rows.all += counts[static_cast<std::size_t>(k)];
    }
    return rows;
}

Labels some_of(const Labels& labels, Index first, Index count) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), first);
    return labels.select(rows);
}
std::vector<double> some_of(const std::vector<double>& weights, Index first, Index count) {
    return {weights.begin() + first, weights.begin() + first + count};
}

// What a file of its own has for each row: read(rows) reads it for all of them, and those of this rank are kept.
template <class Values, class Real, class Read>
Values of_own_rows(const Dataset<Real>& data, const ReadOptions& options, const Read& read) {
    const Index own = rows(data.features);
    const RowCount count = count_rows(own, options.ranks);
    Values values;
    agree(options.ranks, [&] { values = read(count.all); });
    return options.ranks == nullptr ? std::move(values) : some_of(values, count.first, own);
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
    const bool none = data.weights.empty();
    if (options.ranks == nullptr ? none : options.ranks->all(none))
        data.weights = of_own_rows<std::vector<double>>(data, options, [&](Index count) {
            std::vector<double> weights = read_weight_file(options.weights, count, options.rows, source);
            check_weights(weights, source);
            return weights;
        });
    if (options.ranks == nullptr) check_weights(data.weights, source);
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

// The rows that fall to this rank, of data that it has all of.
template <class Real>
Dataset<Real> own_rows(Dataset<Real> data, const Ranks& ranks) {
    const Index count = rows(data.features);
    const auto [first, last] = range_of_part(count, ranks.rank(), ranks.size());
    // Pages of a file that is mapped are looked at where they lie.
    if (last > first && std::visit([](const auto& f) { return f.on_disk(); }, data.features)) {
        std::visit([&, begin = first, own = last - first](auto& f) { f = f.part(begin, own); },
                   data.features);
        if (!data.labels.empty()) data.labels = some_of(data.labels, first, last - first);
        if (!data.weights.empty()) data.weights = some_of(data.weights, first, last - first);
        return data;
    }
    std::vector<bool> chosen(static_cast<std::size_t>(count));
    std::fill(chosen.begin() + first, chosen.begin() + last, true);
    Dataset<Real> own = take_rows(data, chosen, true);
    own.classes = data.classes;
    own.last_feature = data.last_feature;
    own.bytes = data.bytes;
    own.header = data.header;
    own.notes = std::move(data.notes);
    return own;
}

template <class Real>
Dataset<Real> make_builtin(const Builtin& builtin, const ReadOptions& options) {
    refuse_columns(builtin.name, options);
    refuse_label_file(builtin.name, options);
    if (options.scale != 1 && options.labels_required)
        throw Error(builtin.name + ": `scale` is for files; a built-in set has its scale");
    check_feature_count(builtin.name, 0, builtin.cols, options);
    if (builtin.kind == Builtin::Kind::randn) return make_randn<Real>(builtin, options);
    Dataset<Real> data = make_mnist<Real>(builtin, options);
    return options.ranks == nullptr ? std::move(data) : own_rows(std::move(data), *options.ranks);
}

// What the options say about labels must fit the place where they are.
void check_labels(const FormatRow& format, const std::string& path, const ReadOptions& options) {
    if (format.labels == LabelPlace::elsewhere && options.labels_required && options.labels.empty())
        throw InputError(path, 0,
                         fmt::format("{} files hold no labels; give them with `labels` FILE", format.title));
    if (format.labels != LabelPlace::column) refuse_columns(path, options);
    if (format.labels == LabelPlace::own) refuse_label_file(path, options);
}

// Whether ranks may each read their own part of a file, and know all that they have to: else they read all of it.
bool can_be_shared(const FormatRow& format, const ByteSource& source, const ReadOptions& options) {
    const bool readable = format.shared && source.plain_size() >= 0 && options.rows == 0;
    if (!readable || format.labels != LabelPlace::column) return readable;
    if (options.missing == "mean" || options.categories || !options.weights.empty()) return false;
    // A line end between quotes is none.
    Ranks& ranks = *options.ranks;
    bool quoted = false;
    agree(&ranks, [&] {
        const auto [first, last] = range_of_part(source.plain_size(), ranks.rank(), ranks.size());
        quoted = source.raw().has('"', first, last);
    });
    return ranks.all(!quoted);
}

template <class Real, class Source>
Dataset<Real> read_with(const FormatRow& format, Source& from, const ByteSource& source,
                        const ReadOptions& options) {
    check_labels(format, source.path(), options);
    const Reader<Source>& reader = std::get<Reader<Source>>(format.reader);
    if (options.ranks == nullptr || can_be_shared(format, source, options))
        return reader.template read<Real>(from, options);
    ReadOptions all = options;
    all.ranks = nullptr;
    Dataset<Real> data;
    agree(options.ranks, [&] { data = own_rows(reader.template read<Real>(from, all), *options.ranks); });
    return data;
}

template <class Real>
Dataset<Real> read_text(const FormatRow* given, ByteSource& source, const ReadOptions& options) {
    TextBuffer text(source);
    const std::string_view sample = text.sample();
    const FormatRow& format = given != nullptr ? *given : recognize_text(sample);
    return read_with<Real>(format, text, source, options);
}

// Ranks that would read their shares of different files are found out by the length and the beginning of these.
void check_same_file(const std::string& path, Ranks* ranks) {
    if (ranks == nullptr) return;
    struct Seen {
        std::uint64_t bytes = 0;
        std::uint64_t beginning = 0;
        bool operator==(const Seen&) const = default;
    };
    Seen own;
    agree(ranks, [&] {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored)) return;
        own.bytes = std::filesystem::file_size(path);
        std::array<char, std::size_t{1} << 16> start{};
        std::ifstream file(path, std::ios::binary);
        file.read(start.data(), start.size());
        Digest digest;
        digest.add(start.data(), static_cast<std::size_t>(file.gcount()));
        own.beginning = digest.value();
    });
    const std::vector<Seen> all = ranks->gather(own);
    for (std::size_t k = 1; k < all.size(); ++k)
        if (all[k] != all[0])
            throw InputError(
                path, 0,
                fmt::format("rank {} has another file of this name than rank 0 ({} bytes, {} there)", k,
                            all[k].bytes, all[0].bytes));
}

template <class Real>
Dataset<Real> read_file(const std::string& path, const ReadOptions& options) {
    std::error_code ignored;
    if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
        throw InputError(path, 0, "no such file, nor a built-in data set (randn-N-d, mnist-N-d)");
    check_same_file(path, options.ranks);
    ByteSource source(path, options.max_unpacked);
    const FormatRow* const format =
        options.format == "auto" ? recognize_bytes(source) : &find_format(options.format);
    Dataset<Real> data = format != nullptr && !format->is_text()
                             ? read_with<Real>(*format, source, source, options)
                             : read_text<Real>(format, source, options);
    if (!options.labels.empty())
        data.labels = of_own_rows<Labels>(data, options, [&](Index count) {
            return read_label_file(options.labels, count, options.rows, path);
        });
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
    Dataset<Real> data;
    // A rank that cannot even open the file meets the others where they agree next.
    agree(options.ranks, [&] {
        try {
            const auto builtin = parse_builtin(source);
            data = builtin ? make_builtin<Real>(*builtin, options) : read_file<Real>(source, options);
        } catch (const std::bad_alloc&) {
            throw Error(source + ": not enough memory");
        }
    });
    data.name = source;
    complete_weights(data, source, options);
    return data;
}

template Dataset<float> load_dataset(const std::string& source, const ReadOptions& options);
template Dataset<double> load_dataset(const std::string& source, const ReadOptions& options);

}  // namespace alfcg
