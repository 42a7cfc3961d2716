#pragma once

#include <string>
#include <vector>

#include "alfcg/data/labels.hpp"

namespace alfcg {

/// Reads the labels of `rows` samples from a file of their own: NPY (numbers or text) or IDX of one
/// dimension, or a text with one label per line. At most `most` labels are read (0: all); there must then be
/// as many as rows. `data` names the samples in messages.
Labels read_label_file(const std::string& path, Index rows, Index most, const std::string& data);

/// The weights of `rows` samples, from the same kinds of files. Throws InputError when one is no finite number, or negative.
std::vector<double> read_weight_file(const std::string& path, Index rows, Index most,
                                     const std::string& data);
/// Throws Error when there are weights, and all of them are 0.
void check_weights(const std::vector<double>& weights, const std::string& data);

}  // namespace alfcg
