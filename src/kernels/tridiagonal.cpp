// Compiled once per instruction set; which one runs is decided by the CPU at hand.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tridiagonal.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/lanes-inl.hpp"
#include "kernels/tridiagonal.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// Of a symmetric matrix, rows of `stride` entries, only rows and columns `first` .. side-1 count. Rows are padded with
// zeros to whole vectors, and so are the vectors it meets; vectors have zeros in front of `first` too.

constexpr Index kSums = 8;  // that are kept in registers

// The first multiple of a vector's length up to `first`.
HWY_INLINE Index Begin(Index first) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    return first / lanes * lanes;
}

template <Index N>
HWY_INLINE void TimesSome(const double* matrix, Index stride, Index first, Index side, const double* x,
                          Index col, double* product) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    V sum[N];
    for (Index s = 0; s < N; ++s) sum[s] = hn::Zero(D());
    for (Index i = first; i < side; ++i) {
        const V factor = hn::Set(D(), x[i]);
        const double* row = matrix + i * stride + col;
        for (Index s = 0; s < N; ++s) sum[s] = hn::MulAdd(factor, Load(row + s * lanes), sum[s]);
    }
    for (Index s = 0; s < N; ++s) Store(sum[s], product + col + s * lanes);
}

// product = A x.
void Times(const double* matrix, Index stride, Index first, Index side, const double* x, double* product) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    Index col = Begin(first);
    for (; col + kSums * lanes <= stride; col += kSums * lanes)
        TimesSome<kSums>(matrix, stride, first, side, x, col, product);
    for (; col < stride; col += lanes) TimesSome<1>(matrix, stride, first, side, x, col, product);
    std::fill(product + Begin(first), product + first, 0.0);
}

// A -= x yᵀ + y xᵀ.
void Subtract(double* matrix, Index stride, Index first, Index side, const double* x, const double* y) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    for (Index i = first; i < side; ++i) {
        const V xi = hn::Set(D(), x[i]);
        const V yi = hn::Set(D(), y[i]);
        double* row = matrix + i * stride;
        for (Index j = Begin(first); j < stride; j += lanes)
            Store(hn::NegMulAdd(yi, Load(x + j), hn::NegMulAdd(xi, Load(y + j), Load(row + j))), row + j);
    }
}

double Product(Index first, Index size, const double* x, const double* y) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    V sum = hn::Zero(D());
    for (Index j = Begin(first); j < size; j += lanes) sum = hn::MulAdd(Load(x + j), Load(y + j), sum);
    return Total(sum);
}

// y += factor x.
void Add(Index first, Index size, double factor, const double* x, double* y) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    const V f = hn::Set(D(), factor);
    for (Index j = Begin(first); j < size; j += lanes) Store(hn::MulAdd(f, Load(x + j), Load(y + j)), y + j);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {
namespace {

HWY_EXPORT(Times);
HWY_EXPORT(Subtract);
HWY_EXPORT(Product);
HWY_EXPORT(Add);

constexpr Index whole_vector = 8;  // doubles in the widest vector
// Squares of what can be left out of a matrix of trace 1.
constexpr double negligible = 1e-280;

}  // namespace

void Tridiagonal::resize(Index side) {
    if (side == side_) return;
    side_ = side;
    stride_ = (side + whole_vector - 1) / whole_vector * whole_vector;
    const auto rows = static_cast<std::size_t>(side);
    const auto stride = static_cast<std::size_t>(stride_);
    work_.assign(rows * stride, 0);
    reflectors_.assign(rows * stride, 0);
    vector_.assign(stride, 0);
    for (AlignedVector<double>* numbers : {&coefficients_, &diagonal_, &off_}) numbers->assign(rows, 0);
}

void Tridiagonal::compute(const double* matrix, Index side, double scale) {
    resize(side);
    for (Index i = 0; i < side; ++i)
        std::transform(matrix + i * side, matrix + (i + 1) * side, work_.data() + i * stride_,
                       [scale](double entry) { return scale * entry; });
    for (Index k = 0; k < side; ++k) {
        const double* row = work_.data() + k * stride_;
        diagonal_[static_cast<std::size_t>(k)] = row[k];
        off_[static_cast<std::size_t>(k)] = k + 1 < side ? row[k + 1] : 0;
        coefficients_[static_cast<std::size_t>(k)] = 0;
        if (k + 2 < side) reflect(k);
    }
}

// Takes what row k has beyond its diagonal, (head, tail), to (β, 0).
void Tridiagonal::reflect(Index k) {
    const Index first = k + 1;
    const double* row = work_.data() + k * stride_;
    double* h = reflectors_.data() + k * stride_;
    const double head = row[first];
    std::copy(row + first, row + side_, h + first);
    h[first] = 0;
    const double tail = HWY_DYNAMIC_DISPATCH(Product)(first, stride_, h, h);
    if (!(tail > negligible)) return;
    const double beta = -std::copysign(std::sqrt(head * head + tail), head);
    const double c = (beta - head) / beta;
    std::for_each(h + first, h + side_, [&](double& entry) { entry /= head - beta; });
    h[first] = 1;
    // A - h wᵀ - w hᵀ with w = c A h - (c²/2) (hᵀ A h) h.
    double* w = vector_.data();
    HWY_DYNAMIC_DISPATCH(Times)(work_.data(), stride_, first, side_, h, w);
    const double along = HWY_DYNAMIC_DISPATCH(Product)(first, stride_, h, w);
    HWY_DYNAMIC_DISPATCH(Add)(first, stride_, -c * along / 2, h, w);
    std::for_each(w + first, w + side_, [c](double& entry) { entry *= c; });
    HWY_DYNAMIC_DISPATCH(Subtract)(work_.data(), stride_, first, side_, h, w);
    off_[static_cast<std::size_t>(k)] = beta;
    coefficients_[static_cast<std::size_t>(k)] = c;
}

void Tridiagonal::transform_back(double* vector) {
    std::copy(vector, vector + side_, vector_.data());
    for (Index k = side_ - 3; k >= 0; --k) {
        const double c = coefficients_[static_cast<std::size_t>(k)];
        if (c == 0) continue;
        const double* h = reflectors_.data() + k * stride_;
        const double along = HWY_DYNAMIC_DISPATCH(Product)(k + 1, stride_, h, vector_.data());
        HWY_DYNAMIC_DISPATCH(Add)(k + 1, stride_, -c * along, h, vector_.data());
    }
    std::copy_n(vector_.data(), side_, vector);
}

}  // namespace alfcg::kernels
#endif
