#pragma once

#include "alfcg/data/labels.hpp"
#include "data/byte_source.hpp"

namespace alfcg {

/// Labels that are an array of one dimension, numbers or (NPY) text: the first `most` of them, 0: all.
Labels read_npy_labels(ByteSource& source, Index most);
Labels read_idx_labels(ByteSource& source, Index most);

}  // namespace alfcg
