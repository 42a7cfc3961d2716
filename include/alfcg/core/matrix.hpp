#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alfcg/core/buffer.hpp"

namespace alfcg {

using Index = std::int64_t;

class Ranks;

struct Shape {
    Index rows = 0;
    Index cols = 0;

    [[nodiscard]] Index size() const { return rows * cols; }
    bool operator==(const Shape&) const = default;
};

/// Cache-line aligned allocation, so that a vector load never straddles two lines.
template <class T>
struct AlignedAllocator {
    using value_type = T;

    AlignedAllocator() = default;
    template <class U>
    explicit AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}

    T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) { release_aligned(p, n * sizeof(T)); }
    bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// A dense matrix, row-major: entry (i, j) is data()[i * cols() + j]. Iterates, gradients and vertices
/// are matrices of outputs x features; a vector is a matrix of one row.
template <class Real>
class Matrix {
  public:
    Matrix() = default;
    explicit Matrix(Shape shape) : shape_(shape), entries_(static_cast<std::size_t>(shape.size())) {}
    Matrix(Index rows, Index cols) : Matrix(Shape{rows, cols}) {}

    [[nodiscard]] Shape shape() const { return shape_; }
    [[nodiscard]] Index rows() const { return shape_.rows; }
    [[nodiscard]] Index cols() const { return shape_.cols; }
    [[nodiscard]] Index size() const { return shape_.size(); }

    [[nodiscard]] Real* data() { return entries_.data(); }
    [[nodiscard]] const Real* data() const { return entries_.data(); }
    [[nodiscard]] std::span<Real> span() { return entries_; }
    [[nodiscard]] std::span<const Real> span() const { return entries_; }

    Real& operator()(Index i, Index j) { return entries_[static_cast<std::size_t>(i * shape_.cols + j)]; }
    const Real& operator()(Index i, Index j) const {
        return entries_[static_cast<std::size_t>(i * shape_.cols + j)];
    }

    /// Takes the shape; keeps the memory when it already has it. Entries are unspecified afterwards.
    void reshape(Shape shape) {
        shape_ = shape;
        entries_.resize(static_cast<std::size_t>(shape.size()));
    }
    void fill(Real value) { entries_.assign(entries_.size(), value); }

    /// Where a gradient is the sum of what these ranks have, of which this is one's share (Objective::keep_shares); null: it is all of it.
    /// Copies are shares as well. Slopes along a direction are the sum's.
    [[nodiscard]] Ranks* shared_by() const { return shared_by_; }
    void share_by(Ranks* ranks) { shared_by_ = ranks; }

  private:
    Shape shape_;
    AlignedVector<Real> entries_;
    Ranks* shared_by_ = nullptr;
};

}  // namespace alfcg
