#pragma once

#include <string>
#include <vector>

#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// What convert() has written.
struct Converted {
    Index rows = 0;
    Index cols = 0;
    Index entries = 0;  // that are stored
    bool sparse = false;
    bool labelled = false;
    Index bytes = 0;                 // of the file
    std::vector<std::string> notes;  // what a reader should know about the reading, a line each
};

/// Reads a source as load_dataset does and writes it, in the precision Real, to a file that is looked at where it lies
/// (docs/scale.md): load_dataset then gives the same data without reading them. Data may be larger than memory: what is read goes
/// to the file, and to others beside it without a name, as it comes. The file appears whole or not at all.
template <class Real>
Converted convert(const std::string& source, const std::string& path, ReadOptions options = {});

}  // namespace alfcg
