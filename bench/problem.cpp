#include "problem.hpp"

#include <cmath>

#include "array_dump.hpp"
#include "core/threads.hpp"
#include "limits.hpp"

namespace alfcg::bench {

namespace {

template <class T>
std::span<const T> span_of(const SharedArray<T>& array) {
    return {array.data(), array.size()};
}

}  // namespace

template <class Real>
Problem<Real>::Problem(Arguments& arguments)
    : threads(resolve_threads(static_cast<int>(arguments.integer("threads", 0)))) {
    ReadOptions read;
    read.threads = threads;
    read.classes = arguments.integer("classes", 10);
    read.features = arguments.integer("features", 0);
    read.data_dir = arguments.text("data-dir", "");
    data = load_dataset<Real>(arguments.text("data", "randn-50000-768"), read);
    Classes classes;
    targets = make_targets(data.labels, "multinomial", classes);
}

template <class Real>
nlohmann::json Problem<Real>::facts() const {
    const auto* dense = std::get_if<DenseFeatures<Real>>(&data.features);
    const auto* sparse = std::get_if<SparseFeatures<Real>>(&data.features);
    const Index entries = dense != nullptr ? dense->rows() * dense->cols() : sparse->nonzeros();
    const double entry_bytes = dense != nullptr ? sizeof(Real) : sizeof(Real) + sizeof(std::int32_t);
    return {{"rows", rows(data.features)},
            {"features", cols(data.features)},
            {"outputs", targets.outputs},
            {"entries", entries},
            {"sparse", sparse != nullptr},
            {"bytes", static_cast<double>(entries) * entry_bytes},
            {"flops", 4.0 * static_cast<double>(entries) * static_cast<double>(targets.outputs)},
            {"threads", threads},
            {"simd", simd_name()}};
}

template <class Real>
void Problem<Real>::dump(const std::string& folder) const {
    dump_array<std::int32_t>(folder + "/classes.npy", targets.classes);
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&data.features)) {
        dump_array<Real>(folder + "/features.npy",
                         {dense->data(), static_cast<std::size_t>(dense->rows() * dense->cols())},
                         {dense->rows(), dense->cols()});
        return;
    }
    const auto& sparse = std::get<SparseFeatures<Real>>(data.features);
    dump_array<Index>(folder + "/start.npy", span_of(sparse.start));
    dump_array<std::int32_t>(folder + "/column.npy", span_of(sparse.column.narrow()));
    dump_array<Real>(folder + "/value.npy", span_of(sparse.value));
}

template <class Real>
Matrix<Real> some_point(Shape shape, double size, int number) {
    Matrix<Real> x(shape);
    for (Index i = 0; i < x.size(); ++i) {
        const auto place = static_cast<double>(i + 1) * (1.0 + 0.1 * number);
        x.data()[i] = static_cast<Real>(size * std::sin(place * place));
    }
    return x;
}

template struct Problem<float>;
template struct Problem<double>;
template Matrix<float> some_point(Shape, double, int);
template Matrix<double> some_point(Shape, double, int);

}  // namespace alfcg::bench
