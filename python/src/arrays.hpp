#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <utility>
#include <vector>

#include "alfcg/data/view.hpp"
#include "alfcg/fit/fit.hpp"

/// NumPy's and SciPy's arrays as the library sees them, and its own as NumPy's.
namespace alfcg::python {

namespace nb = nanobind;

/// Views of a caller's arrays, and what keeps them alive. It has to go while the interpreter lock is held.
class Borrowed {
  public:
    /// X: rows of f32 or f64, dense (the entries of a row side by side) or compressed, are looked at where they are; anything
    /// else that can be made such a matrix is converted, once.
    explicit Borrowed(nb::handle x);
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    [[nodiscard]] bool is_double() const { return is_double_; }
    [[nodiscard]] const FeatureView& features() const { return features_; }

    /// One number for each row, of any kind of numbers.
    ArrayView numbers(nb::handle values, const char* name);
    /// The same, or texts.
    LabelView labels(nb::handle values, const char* name);

  private:
    void take_dense(nb::object x);
    void take_compressed(nb::object x);
    ArrayView plain(nb::object array, const char* name, bool real);

    bool is_double_ = true;
    FeatureView features_;
    std::vector<nb::object> owners_;
    std::vector<std::string> texts_;
};

/// Calls `compute` with a Real{} of the precision that was asked for.
template <class Compute>
auto in_precision(bool is_double, Compute&& compute) {
    return is_double ? compute(double{}) : compute(float{});
}

/// An array that takes the entries over.
template <class Real>
nb::object to_numpy(Matrix<Real> matrix) {
    auto* kept = new Matrix<Real>(std::move(matrix));
    nb::capsule owner(kept, [](void* it) noexcept { delete static_cast<Matrix<Real>*>(it); });
    return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<2>, nb::c_contig>(
        kept->data(), {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->cols())},
        owner));
}
template <class T>
nb::object to_numpy(std::vector<T> entries) {
    auto* kept = new std::vector<T>(std::move(entries));
    nb::capsule owner(kept, [](void* it) noexcept { delete static_cast<std::vector<T>*>(it); });
    return nb::cast(
        nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>(kept->data(), {kept->size()}, owner));
}

/// A copy of a two-dimensional array.
template <class Real>
Matrix<Real> matrix_from(nb::handle values, const char* name);

/// numpy.asarray(values, dtype), C-ordered and aligned; a dtype of "" keeps what it is.
nb::object as_array(nb::handle values, const char* dtype);

}  // namespace alfcg::python
