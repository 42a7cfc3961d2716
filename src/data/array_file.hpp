#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "alfcg/core/ranks.hpp"
#include "alfcg/data/features.hpp"
#include "data/byte_source.hpp"
#include "data/elements.hpp"
#include "data/page_files.hpp"

namespace alfcg {

/// A matrix of numbers as an array file (NPY, IDX) stores it, behind its header.
struct ArrayLayout {
    ElementType type = ElementType::f32;
    bool swap_bytes = false;    // stored in the other byte order
    bool column_major = false;  // Fortran order
    Index rows = 0;
    Index cols = 0;
    std::vector<Index> row_shape;  // the dimensions behind the first; cols is their product
    std::size_t offset = 0;        // bytes of the header, and of rows that are passed over
    Index first_row = 0;           // that is not passed over
};

/// Folds the dimensions of an array into rows x everything else. Throws InputError when the product is
/// absurd, or when there are no rows or no columns.
void fold_shape(const std::string& path, const std::vector<std::int64_t>& shape, ArrayLayout& layout);

/// Reads the first `most_rows` rows (0: all) of an array whose header has been read. An uncompressed array
/// that already has the right type and order is mapped, copy on write; anything else is converted piece by
/// piece on its way into the result, which is the only copy and goes to `pages` where they are given. Throws InputError when data are missing or left
/// over, or when an entry is not finite.
template <class Real>
DenseFeatures<Real> read_array(ByteSource& source, const ArrayLayout& layout, Index most_rows,
                               PageFiles* pages = nullptr);

/// The rows that fall to this rank, of an uncompressed file.
template <class Real>
DenseFeatures<Real> read_array_share(ByteSource& source, const ArrayLayout& layout, const Ranks& ranks);

}  // namespace alfcg
