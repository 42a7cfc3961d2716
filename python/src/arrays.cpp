#include "arrays.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace alfcg::python {

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

std::string kind_of(nb::handle array) {
    return nb::cast<std::string>(array.attr("dtype").attr("kind"));
}

std::optional<Scalar> scalar_of(const AnyArray& array) {
    if (array.dtype() == nb::dtype<float>()) return Scalar::f32;
    if (array.dtype() == nb::dtype<double>()) return Scalar::f64;
    if (array.dtype() == nb::dtype<std::int32_t>()) return Scalar::i32;
    if (array.dtype() == nb::dtype<std::int64_t>()) return Scalar::i64;
    return std::nullopt;
}

bool floating(const AnyArray& array) {
    return array.dtype() == nb::dtype<float>() || array.dtype() == nb::dtype<double>();
}

bool aligned(const AnyArray& array) {
    return reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0;
}

// What NumPy has in the machine's own form; none for swapped bytes, records, texts and the like.
std::optional<AnyArray> look_at(nb::handle array) {
    AnyArray view;
    if (!nb::try_cast(array, view, false)) return std::nullopt;
    return view;
}

[[noreturn]] void refuse(const std::string& what) {
    throw nb::value_error(what.c_str());
}

void require_dimensions(nb::handle array, int wanted, const char* name) {
    const int found = nb::cast<int>(array.attr("ndim"));
    if (found != wanted)
        refuse(std::string(name) + " must have " + std::to_string(wanted) +
               (wanted == 1 ? " dimension, not " : " dimensions, not ") + std::to_string(found));
}

void require_real(nb::handle array, const char* name) {
    if (kind_of(array) == "c") refuse(std::string("Complex data not supported: ") + name);
}

// The precision to compute with: that of the array, where it is one of the two, or what holds all of its numbers.
const char* precision_for(nb::handle array) {
    return kind_of(array) == "f" && nb::cast<int>(array.attr("dtype").attr("itemsize")) <= 4 ? "float32"
                                                                                             : "float64";
}

}  // namespace

nb::object as_array(nb::handle values, const char* dtype) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    if (*dtype == '\0') return numpy.attr("asarray")(values);
    return numpy.attr("require")(values, dtype, "CA");
}

Borrowed::Borrowed(nb::handle x) {
    if (nb::hasattr(x, "tocsr"))
        take_compressed(nb::borrow(x));
    else
        take_dense(nb::borrow(x));
}

void Borrowed::take_dense(nb::object x) {
    auto view = look_at(x);
    if (!view) {
        x = as_array(x, "");
        view = look_at(x);
    }
    const auto fits = [&] {
        if (!view || view->ndim() != 2 || !aligned(*view)) return false;
        if (!floating(*view)) return false;
        if (view->size() == 0) return true;
        const auto cols = static_cast<Index>(view->shape(1));
        return (cols <= 1 || view->stride(1) == 1) && (view->shape(0) <= 1 || view->stride(0) >= cols);
    };
    if (!fits()) {
        x = as_array(x, "");
        require_dimensions(x, 2, "X");
        require_real(x, "X");
        x = as_array(x, precision_for(x));
        view = look_at(x);
        if (!fits()) throw nb::type_error("X must be a matrix of numbers");
    }
    const auto rows = static_cast<Index>(view->shape(0));
    const auto cols = static_cast<Index>(view->shape(1));
    is_double_ = scalar_of(*view) == Scalar::f64;
    features_ = DenseView(view->data(), *scalar_of(*view), rows, cols, rows > 1 ? view->stride(0) : cols);
    owners_.push_back(std::move(x));
}

void Borrowed::take_compressed(nb::object x) {
    if (nb::cast<std::string>(x.attr("format")) != "csr") x = x.attr("tocsr")();
    nb::object values = x.attr("data");
    require_real(values, "X");
    const nb::tuple shape = x.attr("shape");
    if (shape.size() != 2) require_dimensions(x, 2, "X");
    const auto seen = look_at(values);
    if (!seen || !floating(*seen)) values = as_array(values, precision_for(values));
    SparseView view;
    view.values = plain(values, "X", true);
    view.starts = plain(x.attr("indptr"), "X.indptr", false);
    view.columns = plain(x.attr("indices"), "X.indices", false);
    // SciPy's arrays may be longer than what the rows use.
    const nb::object used = x.attr("indptr")[nb::cast(-1)];
    const auto count = nb::cast<Index>(used.attr("__int__")());
    view.values.size = std::min(view.values.size, count);
    view.columns.size = std::min(view.columns.size, count);
    view.cols = nb::cast<Index>(shape[1]);
    is_double_ = view.values.type == Scalar::f64;
    features_ = view;
    owners_.push_back(std::move(x));
}

// Entries side by side, in one of the library's types.
ArrayView Borrowed::plain(nb::object array, const char* name, bool real) {
    auto view = look_at(array);
    const auto fits = [&] {
        if (!view || view->ndim() != 1 || !aligned(*view) || !scalar_of(*view)) return false;
        if (real && !floating(*view)) return false;
        return view->shape(0) <= 1 || view->stride(0) == 1;
    };
    if (!fits()) {
        array = as_array(array, "");
        require_dimensions(array, 1, name);
        require_real(array, name);
        const std::string kind = kind_of(array);
        const bool whole = !real && (kind == "i" || kind == "u" || kind == "b");
        array = as_array(array, whole ? "int64" : "float64");
        view = look_at(array);
        if (!fits()) throw nb::type_error((std::string(name) + " must be numbers").c_str());
    }
    const ArrayView result(view->data(), *scalar_of(*view), static_cast<Index>(view->shape(0)));
    owners_.push_back(std::move(array));
    return result;
}

ArrayView Borrowed::numbers(nb::handle values, const char* name) {
    return plain(nb::borrow(values), name, false);
}

LabelView Borrowed::labels(nb::handle values, const char* name) {
    if (look_at(values)) return numbers(values, name);
    const nb::object array = as_array(values, "");
    const std::string kind = kind_of(array);
    if (kind != "U" && kind != "S" && kind != "O" && kind != "T") return numbers(array, name);
    require_dimensions(array, 1, name);
    for (const nb::handle label : array.attr("tolist")())
        texts_.push_back(nb::cast<std::string>(nb::str(label)));
    return std::span<const std::string>(texts_);
}

template <class Real>
Matrix<Real> matrix_from(nb::handle values, const char* name) {
    const nb::object array = as_array(values, sizeof(Real) == sizeof(double) ? "float64" : "float32");
    require_dimensions(array, 2, name);
    const auto view = nb::cast<nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(array);
    Matrix<Real> matrix(static_cast<Index>(view.shape(0)), static_cast<Index>(view.shape(1)));
    std::copy_n(view.data(), view.size(), matrix.data());
    return matrix;
}

template Matrix<float> matrix_from(nb::handle, const char*);
template Matrix<double> matrix_from(nb::handle, const char*);

}  // namespace alfcg::python
