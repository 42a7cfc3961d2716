#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// How a table of text is laid out, found from its first records.
struct CsvLayout {
    char separator = ',';
    bool header = false;
    std::vector<std::string> names;  // of the columns, when there is a header
    Index width = 0;                 // columns, the label's included
    Index label = -1;                // position of the label column, -1: none

    [[nodiscard]] Index features() const { return label < 0 ? width : width - 1; }
    /// "column 3 ('age')", for messages; columns are counted from 0.
    [[nodiscard]] std::string column(Index position) const;
};

/// `sample` is the beginning of the text, all of it when `complete`. Throws InputError when the options and
/// the table do not fit together.
CsvLayout find_csv_layout(const std::string& path, std::string_view sample, bool complete,
                          const ReadOptions& options);

}  // namespace alfcg
