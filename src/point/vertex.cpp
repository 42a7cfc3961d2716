#include "alfcg/point/vertex.hpp"

#include <algorithm>
#include <functional>

namespace alfcg {

namespace {

// Mixes one more number into a hash.
void mix(std::size_t& hash, std::size_t next) {
    hash ^= next + std::size_t{0x9e3779b97f4a7c15} + (hash << 6) + (hash >> 2);
}

template <class Numbers>
void mix_all(std::size_t& hash, const Numbers& numbers) {
    // Adding 0 makes -0, which equals 0, hash like it.
    for (const auto number : numbers) mix(hash, std::hash<double>()(static_cast<double>(number) + 0.0));
}

}  // namespace

template <class Real>
Vertex<Real>& Vertex<Real>::operator=(const Vertex& other) {
    if (this == &other) return *this;
    kind = other.kind;
    shape = other.shape;
    composite = other.composite;
    switch (kind) {
        case Kind::zero:
            break;
        case Kind::one_hot:
            index = other.index;
            scale = other.scale;
            break;
        case Kind::sparse:
            positions = other.positions;
            values = other.values;
            break;
        case Kind::rank_one:
            scale = other.scale;
            left = other.left;
            right = other.right;
            break;
        case Kind::low_rank:
            scales = other.scales;
            left = other.left;
            right = other.right;
            break;
        case Kind::dense:
            dense = other.dense;
            break;
    }
    return *this;
}

template <class Real>
void Vertex<Real>::archive(Archive& state) {
    state(kind, shape, composite);
    switch (kind) {
        case Kind::zero:
            break;
        case Kind::one_hot:
            state(index, scale);
            break;
        case Kind::sparse:
            state(positions, values);
            break;
        case Kind::rank_one:
            state(scale, left, right);
            break;
        case Kind::low_rank:
            state(scales, left, right);
            break;
        case Kind::dense:
            state(dense);
            break;
    }
}

template <class Real>
bool Vertex<Real>::operator==(const Vertex& other) const {
    if (kind != other.kind || shape != other.shape) return false;
    switch (kind) {
        case Kind::zero:
            return true;
        case Kind::one_hot:
            return index == other.index && scale == other.scale;
        case Kind::sparse:
            return positions == other.positions && values == other.values;
        case Kind::rank_one:
            return scale == other.scale && left == other.left && right == other.right;
        case Kind::low_rank:
            return scales == other.scales && left == other.left && right == other.right;
        case Kind::dense:
            return std::equal(dense.span().begin(), dense.span().end(), other.dense.span().begin());
    }
    return false;
}

template <class Real>
std::size_t Vertex<Real>::hash() const {
    auto hash = static_cast<std::size_t>(kind);
    switch (kind) {
        case Kind::zero:
            break;
        case Kind::one_hot:
            mix(hash, static_cast<std::size_t>(index));
            mix_all(hash, std::span(&scale, 1));
            break;
        case Kind::sparse:
            for (const Index position : positions) mix(hash, static_cast<std::size_t>(position));
            mix_all(hash, values);
            break;
        case Kind::rank_one:
            mix_all(hash, std::span(&scale, 1));
            mix_all(hash, left);
            mix_all(hash, right);
            break;
        case Kind::low_rank:
            mix_all(hash, scales);
            mix_all(hash, left);
            mix_all(hash, right);
            break;
        case Kind::dense:
            mix_all(hash, dense.span());
            break;
    }
    return hash;
}

template <class Real>
Index Vertex<Real>::rank() const {
    switch (kind) {
        case Kind::zero:
            return 0;
        case Kind::one_hot:
        case Kind::rank_one:
            return 1;
        case Kind::sparse:
            return positions.size() <= 1 ? static_cast<Index>(positions.size()) : -1;
        case Kind::low_rank:
            return static_cast<Index>(scales.size());
        case Kind::dense:
            break;
    }
    return -1;
}

template <class Real>
double Vertex<Real>::at(Index i, Index j) const {
    const Index position = i * shape.cols + j;
    const auto pair = [&](Index k) {
        return static_cast<double>(left[static_cast<std::size_t>(k * shape.rows + i)]) *
               static_cast<double>(right[static_cast<std::size_t>(k * shape.cols + j)]);
    };
    switch (kind) {
        case Kind::zero:
            return 0;
        case Kind::one_hot:
            return position == index ? scale : 0;
        case Kind::sparse: {
            const auto found = std::lower_bound(positions.begin(), positions.end(), position);
            if (found == positions.end() || *found != position) return 0;
            return static_cast<double>(values[static_cast<std::size_t>(found - positions.begin())]);
        }
        case Kind::rank_one:
            return scale * pair(0);
        case Kind::low_rank: {
            double sum = 0;
            for (std::size_t k = 0; k < scales.size(); ++k) sum += scales[k] * pair(static_cast<Index>(k));
            return sum;
        }
        case Kind::dense:
            return static_cast<double>(dense(i, j));
    }
    return 0;
}

template <class Real>
Matrix<Real> Vertex<Real>::to_matrix() const {
    Matrix<Real> full(shape);
    for (Index i = 0; i < shape.rows; ++i)
        for (Index j = 0; j < shape.cols; ++j) full(i, j) = static_cast<Real>(at(i, j));
    return full;
}

template struct Vertex<float>;
template struct Vertex<double>;

}  // namespace alfcg
