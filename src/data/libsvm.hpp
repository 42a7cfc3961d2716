#pragma once

#include "alfcg/data/dataset.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

/// Reads "label index:value index:value ..." lines (indices from 1, increasing) into compressed rows.
template <class Real>
Dataset<Real> read_libsvm(TextBuffer& text, const ReadOptions& options);

}  // namespace alfcg
