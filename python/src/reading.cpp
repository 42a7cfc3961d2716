#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "alfcg/data/dataset.hpp"
#include "alfcg/data/planted.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "settings.hpp"

namespace alfcg::python {

namespace {

// An array over entries that `owner` keeps alive.
template <class T>
nb::object shared(const T* entries, std::size_t size, const nb::capsule& owner) {
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(const_cast<T*>(entries), {size}, owner));
}

template <class Real>
nb::object features_to_numpy(const Features<Real>& features) {
    auto* kept = new Features<Real>(features);
    const nb::capsule owner(kept, [](void* it) noexcept { delete static_cast<Features<Real>*>(it); });
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(kept))
        return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<2>>(
            const_cast<Real*>(dense->data()),
            {static_cast<std::size_t>(dense->rows()), static_cast<std::size_t>(dense->cols())}, owner,
            {dense->stride(), 1}));
    const auto& sparse = std::get<SparseFeatures<Real>>(*kept);
    return nb::make_tuple(shared(sparse.value.data(), sparse.value.size(), owner),
                          shared(sparse.column.narrow().data(), sparse.column.size(), owner),
                          shared(sparse.start.data(), sparse.start.size(), owner),
                          nb::make_tuple(sparse.rows(), sparse.cols()));
}

nb::object labels_to_numpy(const Labels& labels) {
    if (labels.empty()) return nb::none();
    if (!labels.numeric()) {
        nb::list texts;
        for (Index i = 0; i < labels.size(); ++i) texts.append(nb::str(labels.text(i).c_str()));
        return as_array(texts, "");
    }
    std::vector<double> numbers;
    for (Index i = 0; i < labels.size(); ++i) numbers.push_back(labels.number(i));
    if (!labels.integers()) return to_numpy(std::move(numbers));
    return to_numpy(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
}

template <class Real>
nb::dict to_dict(const Dataset<Real>& data) {
    nb::dict result;
    result["data"] = features_to_numpy(data.features);
    result["target"] = labels_to_numpy(data.labels);
    result["weights"] = data.weights.empty() ? nb::none() : to_numpy(data.weights);
    result["feature_names"] = data.names;
    result["notes"] = data.notes;
    return result;
}

nb::dict read_from(const std::string& source, bool is_double, const ReadOptions& options) {
    return in_precision(is_double, [&]<class Real>(Real) {
        Dataset<Real> data;
        {
            const nb::gil_scoped_release released;
            data = load_dataset<Real>(source, options);
        }
        for (std::string& note : data.notes) note = with_python_names(note);
        return to_dict(data);
    });
}

nb::dict make_planted(bool is_double, Index rows, Index features, Index classes, Index rank, double noise,
                      std::uint64_t seed) {
    return in_precision(is_double, [&]<class Real>(Real) {
        Planted<Real> planted;
        {
            const nb::gil_scoped_release released;
            planted = planted_low_rank<Real>({rows, features, classes, rank, noise, seed});
        }
        nb::dict result = to_dict(planted.data);
        result["coef"] = to_numpy(std::move(planted.truth));
        return result;
    });
}

}  // namespace

void bind_reading(nb::module_& module) {
    module.def(
        "read",
        [](const std::string& source, bool is_double, const std::string& format, const std::string& labels,
           const std::string& label_column, const std::string& drop, const std::string& weights,
           const std::string& missing, bool categories, double scale, Index rows, Index features,
           bool labels_required, Index classes, std::uint64_t seed, const std::string& folder,
           nb::handle threads) {
            ReadOptions options;
            options.format = format;
            options.labels = labels;
            options.label_column = label_column;
            options.drop = drop;
            options.weights = weights;
            options.missing = missing;
            options.categories = categories;
            options.scale = scale;
            options.rows = rows;
            options.features = features;
            options.labels_required = labels_required;
            options.classes = classes;
            options.data_seed = seed;
            options.data_dir = folder;
            options.threads = resolve_thread_count(threads);
            verify(options);
            return read_from(source, is_double, options);
        },
        nb::arg("source"), nb::arg("is_double"), nb::kw_only(), nb::arg("format"), nb::arg("labels"),
        nb::arg("label_column"), nb::arg("drop"), nb::arg("weights"), nb::arg("missing"),
        nb::arg("categories"), nb::arg("scale"), nb::arg("rows"), nb::arg("features"),
        nb::arg("labels_required"), nb::arg("classes"), nb::arg("seed"), nb::arg("folder"),
        nb::arg("threads").none(),
        nb::sig("def read(source: str, is_double: bool, **options: typing.Any) -> dict[str, typing.Any]"),
        "See alfcg.datasets.load.");
    module.def("planted", make_planted, nb::arg("is_double"), nb::kw_only(), nb::arg("rows"),
               nb::arg("features"), nb::arg("classes"), nb::arg("rank"), nb::arg("noise"), nb::arg("seed"),
               nb::sig("def planted(is_double: bool, **options: typing.Any) -> dict[str, typing.Any]"),
               "See alfcg.datasets.make_low_rank.");
}

}  // namespace alfcg::python
