#pragma once

#include <map>
#include <string>
#include <vector>

#include "alfcg/data/dataset.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_words.hpp"

namespace alfcg {

/// A table that has been read: a number in every place, and the words apart.
template <class Real>
struct CsvTable {
    struct Piece {
        Index first_row = 0;
        std::map<Index, CsvWords> words;  // by place
    };
    Buffer<Real> entries;  // rows x places; NaN where a value is missing or a word
    Index rows = 0;
    bool missing = false;       // some value is
    std::vector<Piece> pieces;  // of the rows in which a place has words
};

/// Gives `data` its features, their names and how they were made: missing values are filled, and words become a feature
/// each, 1 in the rows that have it. Throws InputError when a column has nothing to go by.
template <class Real>
void make_features(const std::string& path, const CsvLayout& layout, const ReadOptions& options,
                   CsvTable<Real> table, Dataset<Real>& data);

}  // namespace alfcg
