#pragma once

#include "alfcg/data/dataset.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

/// Reads a table of numbers, one of whose columns may be the label. Labels are left empty when they come from
/// a file of their own.
template <class Real>
Dataset<Real> read_csv(TextBuffer& text, const ReadOptions& options);

}  // namespace alfcg
