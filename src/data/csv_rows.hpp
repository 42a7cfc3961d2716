#pragma once

#include <string>
#include <string_view>

#include "alfcg/data/dataset.hpp"
#include "data/csv_layout.hpp"

namespace alfcg {

/// The rows of a piece of text.
template <class Real>
struct DenseRows {
    Buffer<Real> entries;
    Labels labels;
    Index rows = 0;
    Index lines = 0;
};

/// Replaces `rows` by at most `most_rows` rows of `text`, which ends with a line end. Throws InputError at
/// the first record that is wrong; `lines_before` stand before the text.
template <class Real>
void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                    Index lines_before, Index most_rows, DenseRows<Real>& rows);

}  // namespace alfcg
