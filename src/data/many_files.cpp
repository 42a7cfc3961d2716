// Data that lie in several files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "data/row_access.hpp"

namespace alfcg {

namespace {

// Rows of dense data with their zeros left out.
template <class Real>
SparseFeatures<Real> without_zeros(const DenseFeatures<Real>& dense) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    for (Index i = 0; i < dense.rows(); ++i) {
        for_each_entry(dense, i, [&](Index j, Real entry) {
            if (entry == 0) return;
            column.push_back(static_cast<std::int32_t>(j));
            value.push_back(entry);
        });
        start.push_back(static_cast<Index>(value.size()));
    }
    return {std::move(start), std::move(column), std::move(value), dense.rows(), dense.cols()};
}

// Rows of LIBSVM end with the last feature that they have: others may have more.
template <class Real>
void widen(Dataset<Real>& data, Index columns) {
    if (cols(data.features) == columns) return;
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&data.features))
        data.features = without_zeros(*dense);
    std::get<SparseFeatures<Real>>(data.features).col_count = columns;
}

template <class Real>
Dataset<Real> no_rows(Index columns) {
    Dataset<Real> none;
    none.features = DenseFeatures<Real>(nullptr, 0, columns);
    return none;
}

// What files must have in common.
template <class Real>
void check_alike(const Dataset<Real>& first, const Dataset<Real>& other) {
    const auto refuse = [&](const std::string& what) {
        throw InputError(other.name, 0, what + ", unlike those of " + first.name);
    };
    const Index own = cols(other.features);
    if (first.last_feature == 0 && own != cols(first.features))
        refuse(fmt::format("rows of {} features", own));
    if (other.names != first.names) refuse("columns of other names, or in another order");
    if (other.reading.label != first.reading.label) refuse("labels of another name");
    if (other.labels.empty() != first.labels.empty()) refuse(other.labels.empty() ? "no labels" : "labels");
    if (other.weights.empty() != first.weights.empty()) refuse("weights");
}

template <class Real>
DenseFeatures<Real> stacked_dense(const std::vector<Dataset<Real>>& parts, Index count, Index columns) {
    Buffer<Real> entries;
    Real* to = entries.extend(static_cast<std::size_t>(count * columns));
    for (const Dataset<Real>& part : parts) {
        const auto& dense = std::get<DenseFeatures<Real>>(part.features);
        for (Index i = 0; i < dense.rows(); ++i) to = std::copy_n(dense.row(i), columns, to);
    }
    return DenseFeatures<Real>(std::move(entries), count, columns);
}

template <class Real>
SparseFeatures<Real> stacked_sparse(const std::vector<Dataset<Real>>& parts, Index count, Index columns) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    for (const Dataset<Real>& part : parts) {
        std::visit(
            [&](const auto& features) {
                for (Index i = 0; i < features.rows(); ++i) {
                    for_each_entry(features, i, [&](Index j, Real entry) {
                        if (entry == 0) return;
                        column.push_back(static_cast<std::int32_t>(j));
                        value.push_back(entry);
                    });
                    start.push_back(static_cast<Index>(value.size()));
                }
            },
            part.features);
    }
    return {std::move(start), std::move(column), std::move(value), count, columns};
}

// One after the other; not empty.
template <class Real>
Dataset<Real> stacked(std::vector<Dataset<Real>> parts) {
    Dataset<Real> all = std::move(parts.front());
    if (parts.size() == 1) return all;
    parts.front() = Dataset<Real>();
    parts.front().features = all.features;
    Index count = 0;
    Index columns = 0;
    bool dense = true;
    for (const Dataset<Real>& part : parts) {
        count += rows(part.features);
        columns = std::max(columns, cols(part.features));
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
        Dataset<Real>& part = parts[k];
        dense = dense && cols(part.features) == columns &&
                std::holds_alternative<DenseFeatures<Real>>(part.features);
        if (k == 0) continue;
        all.labels.append(part.labels);
        all.weights.insert(all.weights.end(), part.weights.begin(), part.weights.end());
        all.last_feature = std::max(all.last_feature, part.last_feature);
        all.bytes = all.bytes && part.bytes;
        for (std::string& note : part.notes)
            if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end())
                all.notes.push_back(std::move(note));
    }
    if (dense) {
        all.features = stacked_dense(parts, count, columns);
    } else {
        all.features = stacked_sparse(parts, count, columns);
    }
    return all;
}

// The rank that reads each file: the one to which its first byte falls.
std::vector<int> readers_of(const std::vector<std::string>& sources, int ranks) {
    std::vector<double> begins{0};
    for (const std::string& source : sources) {
        std::error_code none;
        const auto size = std::filesystem::file_size(source, none);
        begins.push_back(begins.back() + (none ? 1 : static_cast<double>(size)));
    }
    std::vector<int> readers;
    for (std::size_t k = 0; k < sources.size(); ++k)
        readers.push_back(std::min(ranks - 1, static_cast<int>(begins[k] * ranks / begins.back())));
    return readers;
}

// What the data of all ranks have in common; the first file is rank 0's.
template <class Real>
void agree_on_columns(Dataset<Real>& data, Ranks& ranks) {
    struct Form {
        Index rows;
        Index columns;
        Index last;
        bool bytes;
        bool classes;
    };
    const Form own{rows(data.features), cols(data.features), data.last_feature, data.bytes, data.classes};
    const std::vector<Form> forms = ranks.gather(own);
    std::string names;
    for (const std::string& name : data.names) names += name + '\n';
    const std::vector<std::string> all_names = ranks.gather(names);
    Index columns = 0;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        if (forms[k].rows == 0) continue;
        columns = std::max(columns, forms[k].columns);
        if (forms[0].last == 0 && forms[k].columns != forms[0].columns)
            throw Error(fmt::format("the files of rank {} have {} features, those of rank 0 {}", k,
                                    forms[k].columns, forms[0].columns));
        if (all_names[k] != all_names[0])
            throw Error(
                fmt::format("the files of rank {} have columns of other names, or in another order, than "
                            "those of rank 0",
                            k));
    }
    data.bytes = forms[0].bytes;
    data.classes = forms[0].classes;
    if (own.rows > 0) {
        widen(data, columns);
        return;
    }
    data = no_rows<Real>(columns);
    for (std::size_t at = 0; at < all_names[0].size();) {
        const std::size_t end = all_names[0].find('\n', at);
        data.names.push_back(all_names[0].substr(at, end - at));
        at = end + 1;
    }
}

void check_many(const ReadOptions& options) {
    for (const auto& [name, given] : {std::pair{"labels", !options.labels.empty()},
                                      {"rows", options.rows > 0},
                                      {"missing", options.missing == "mean"},
                                      {"categories", options.categories}})
        if (given) throw QuantityError(name, "is for data in one file: what it means depends on all rows");
}

}  // namespace

template <class Real>
Dataset<Real> load_dataset(const std::vector<std::string>& sources, const ReadOptions& options) {
    if (sources.size() == 1) return load_dataset<Real>(sources.front(), options);
    check_many(options);
    Ranks* const ranks = options.ranks;
    ReadOptions own = options;
    own.ranks = nullptr;
    const std::vector<int> readers = readers_of(sources, ranks == nullptr ? 1 : ranks->size());
    Dataset<Real> data;
    agree(ranks, [&] {
        std::vector<Dataset<Real>> parts;
        for (std::size_t k = 0; k < sources.size(); ++k) {
            if (ranks != nullptr && readers[k] != ranks->rank()) continue;
            parts.push_back(load_dataset<Real>(sources[k], own));
            check_alike(parts.front(), parts.back());
        }
        data = parts.empty() ? no_rows<Real>(0) : stacked(std::move(parts));
    });
    if (ranks != nullptr) agree_on_columns(data, *ranks);
    data.name = fmt::format("{} and {} more", sources.front(), sources.size() - 1);
    return data;
}

template Dataset<float> load_dataset(const std::vector<std::string>&, const ReadOptions&);
template Dataset<double> load_dataset(const std::vector<std::string>&, const ReadOptions&);

}  // namespace alfcg
