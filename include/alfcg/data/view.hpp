#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "alfcg/data/dataset.hpp"

/// The caller's own arrays. What is described here is looked at and never changed; it must stay as it is until everything
/// made from it is gone. features_of() and labels_of() check it, once: what they return needs no more checks.
namespace alfcg {

enum class Scalar { f32, f64, i32, i64 };

template <class T>
concept Viewable = std::same_as<T, float> || std::same_as<T, double> ||
    (std::signed_integral<T> && (sizeof(T) == sizeof(std::int32_t) || sizeof(T) == sizeof(std::int64_t)));

template <Viewable T>
constexpr Scalar scalar_of() {
    constexpr bool wide = sizeof(T) == sizeof(std::int64_t);
    if (std::is_floating_point_v<T>) return wide ? Scalar::f64 : Scalar::f32;
    return wide ? Scalar::i64 : Scalar::i32;
}

/// Numbers, one after another.
struct ArrayView {
    const void* data = nullptr;
    Scalar type = Scalar::f64;
    Index size = 0;

    ArrayView() = default;
    ArrayView(const void* entries, Scalar entry_type, Index count)
        : data(entries), type(entry_type), size(count) {}
    /// A std::vector, std::span, std::array … of them.
    template <std::ranges::contiguous_range Range>
    requires Viewable<std::ranges::range_value_t<Range>> ArrayView(const Range& range)
        : data(std::ranges::data(range)),
          type(scalar_of<std::ranges::range_value_t<Range>>()),
          size(static_cast<Index>(std::ranges::size(range))) {}
};

/// A dense matrix, one row per sample; rows begin `stride` entries apart, at least `cols`.
struct DenseView {
    const void* data = nullptr;
    Scalar type = Scalar::f64;  // f32 or f64
    Index rows = 0;
    Index cols = 0;
    Index stride = 0;

    DenseView() = default;
    DenseView(const void* entries, Scalar entry_type, Index row_count, Index col_count, Index row_stride)
        : data(entries), type(entry_type), rows(row_count), cols(col_count), stride(row_stride) {}
    template <std::floating_point T>
    DenseView(const T* entries, Index row_count, Index col_count)
        : DenseView(entries, scalar_of<T>(), row_count, col_count, col_count) {}
    template <std::floating_point T>
    DenseView(const T* entries, Index row_count, Index col_count, Index row_stride)
        : DenseView(entries, scalar_of<T>(), row_count, col_count, row_stride) {}
};

/// Compressed rows: sample i has positions starts[i] .. starts[i+1]-1 of `columns` (from 0) and `values`. Columns of a row
/// may come in any order, and one may come up several times: values then are added up.
struct SparseView {
    ArrayView starts;   // rows + 1 of them, i32 or i64; the first need not be 0
    ArrayView columns;  // i32 or i64
    ArrayView values;   // f32 or f64
    Index cols = 0;
};

using FeatureView = std::variant<DenseView, SparseView>;

/// One label per row: numbers, or text.
using LabelView = std::variant<ArrayView, std::span<const std::string>, std::span<const std::string_view>>;

/// Looks at the caller's entries where they are what the library computes with: Real, and for compressed rows 64-bit starts
/// from 0 and columns in increasing order. Others are converted: starts (8 bytes a row), values of the other precision,
/// what is not aligned, and rows in another order as a whole. Throws Error, which names the row and the column, when shapes
/// or indices do not fit together, when there is nothing, or when an entry is not finite. `name` is what messages
/// call the data; threads = 0: all cores.
template <class Real>
Features<Real> features_of(const FeatureView& view, const std::string& name = "data", int threads = 0);

/// Throws Error when a label is empty or not finite.
Labels labels_of(const LabelView& view, const std::string& name = "data");

/// Both, of the same number of rows. No labels: for prediction.
template <class Real>
Dataset<Real> dataset_of(const FeatureView& features, const LabelView& labels = {}, std::string name = "data",
                         int threads = 0);

}  // namespace alfcg
