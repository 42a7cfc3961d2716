#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/data/dataset.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_words.hpp"

namespace alfcg {

/// The rows of a piece of text.
template <class Real>
struct DenseRows {
    Buffer<Real> entries;  // as many a row as there are places; NaN for a missing value and for a word
    Labels labels;
    std::vector<double> weights;      // where a column has them
    std::map<Index, CsvWords> words;  // by place: those where some row has a word; the words of all rows
    bool missing = false;             // some value is
    Index rows = 0;
    Index lines = 0;
};

/// Replaces `rows` by at most `most_rows` rows of `text`, which ends with a line end. Throws InputError at
/// the first record that is wrong; `lines_before` stand before the text.
template <class Real>
void parse_csv_rows(const std::string& path, std::string_view text, const CsvLayout& layout,
                    Index lines_before, Index most_rows, DenseRows<Real>& rows);

}  // namespace alfcg
