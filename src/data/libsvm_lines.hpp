#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// The rows of a piece of text.
template <class Real>
struct SparseRows {
    Buffer<Index> ends;  // of the rows, as positions in `column` and `value`
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    Labels labels;
    std::int64_t last_index = 0;   // the largest that occurs
    std::optional<bool> labelled;  // false when the rows carry no labels, which only prediction allows
    Index lines = 0;

    [[nodiscard]] Index rows() const { return static_cast<Index>(ends.size()); }
};

/// What stands before a piece of text, and how much of it is wanted.
struct LinesBefore {
    Index lines = 0;
    std::optional<bool> labelled;  // empty when no row stands before
    Index most_rows = 0;           // that may follow
};

/// Replaces `rows` by the rows of `text`, which ends with a line end. Throws InputError at the first line
/// that is wrong.
template <class Real>
void parse_libsvm_lines(const std::string& path, std::string_view text, const ReadOptions& options,
                        const LinesBefore& before, SparseRows<Real>& rows);

}  // namespace alfcg
