#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// A column that features of a model come from.
struct CsvSource {
    std::string name;
    Index first = 0;     // of its features
    Index count = 1;     // features
    bool words = false;  // each of them marks a word
};

/// The columns that the features of a model come from, in their order; none where the options come from no model.
std::vector<CsvSource> sources_of(const ReadOptions& options);

/// How a table of text is laid out, found from its first records, and what its columns are for.
struct CsvLayout {
    char separator = ',';
    bool header = false;
    std::vector<std::string> names;  // of the columns, when there is a header
    Index width = 0;                 // columns, those that are no features included
    Index label = -1;                // position of the label column, -1: none
    Index weight = -1;               // position of the column of weights, -1: none
    std::vector<Index> place;   // of each column among those that features are made of, -1: it is not one
    std::vector<Index> column;  // the other way round: the column of each place
    std::vector<bool> words;    // whether a place is known to hold words
    bool fills = false;         // missing values are allowed
    bool categories = false;    // words are allowed in every place
    bool trained = false;       // a model says what its columns are

    [[nodiscard]] Index places() const { return static_cast<Index>(column.size()); }
    /// "column 3 ('age')", for messages; columns are counted from 0.
    [[nodiscard]] std::string describe(Index position) const;
    /// The name of a column; where there is no header "#" and its position.
    [[nodiscard]] std::string name(Index position) const;
};

/// `sample` is the beginning of the text, all of it when `complete`. Throws InputError when the options and
/// the table do not fit together.
CsvLayout find_csv_layout(const std::string& path, std::string_view sample, bool complete,
                          const ReadOptions& options);

/// Gives the columns of a table their roles. `line` is that of its first record. Throws InputError.
void assign_columns(const std::string& path, Index line, const ReadOptions& options, CsvLayout& layout);

/// Whether the options name a column by a word, so that there must be a header.
bool names_a_column(const ReadOptions& options);

/// Position of the column of this name, or else of this number (negative: from the end). Throws InputError, which calls the
/// number by `what` ("label column").
Index find_column(const std::string& path, Index line, const CsvLayout& layout, const std::string& text,
                  const std::string& what);

}  // namespace alfcg
