#pragma once

#include <Eigen/Core>
#include <cassert>
#include <type_traits>

namespace alfcg {

// Products of matrices, compiled once: every pair of types that Eigen multiplies takes the compiler a second.

/// The entries of a matrix that Eigen knows, where they lie: by rows or by columns, these a stride apart.
template <class Real>
struct Laid {
    Real* entries;
    Eigen::Index rows;
    Eigen::Index cols;
    Eigen::Index stride;
    bool by_rows;

    [[nodiscard]] Laid transposed() const { return {entries, cols, rows, stride, !by_rows}; }
};

template <class Matrix>
auto laid(Matrix& matrix) {
    static_assert(std::remove_const_t<Matrix>::InnerStrideAtCompileTime == 1,
                  "entries must lie side by side");
    return Laid<std::remove_pointer_t<decltype(matrix.data())>>{
        matrix.data(), matrix.rows(), matrix.cols(), matrix.outerStride(), Matrix::IsRowMajor != 0};
}

/// to += factor · a · b; `to` lies beside both.
void add_product(double factor, const Laid<const double>& a, const Laid<const double>& b,
                 const Laid<double>& to);
void add_product(float factor, const Laid<const float>& a, const Laid<const float>& b, const Laid<float>& to);

/// to += factor · a · b, for any Eigen matrices whose entries are in memory.
template <class A, class B, class To>
void add_product(typename A::Scalar factor, const A& a, const B& b, To& to) {
    add_product(factor, laid(a), laid(b), laid(to));
}

/// a · b as a matrix of its own.
template <class Result, class A, class B>
Result product(const A& a, const B& b) {
    Result result = Result::Zero(a.rows(), b.cols());
    add_product(typename A::Scalar(1), a, b, result);
    return result;
}

}  // namespace alfcg
