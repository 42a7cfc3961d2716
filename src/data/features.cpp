#include "alfcg/data/features.hpp"

#include <algorithm>

namespace alfcg {

template <class Real>
Real* DenseFeatures<Real>::own() {
    if (Real* entries = writable()) return entries;
    Buffer<Real> copy;
    Real* to = copy.extend(static_cast<std::size_t>(rows_ * cols_));
    for (Index i = 0; i < rows_; ++i) to = std::copy_n(row(i), cols_, to);
    *this = DenseFeatures(std::move(copy), rows_, cols_);
    return writable();
}

template <class Real>
Real* SparseFeatures<Real>::own() {
    if (Real* values = value.writable()) return values;
    Buffer<Real> copy;
    std::copy(value.begin(), value.end(), copy.extend(value.size()));
    value = std::move(copy);
    return value.writable();
}

template class DenseFeatures<float>;
template class DenseFeatures<double>;
template struct SparseFeatures<float>;
template struct SparseFeatures<double>;

}  // namespace alfcg
