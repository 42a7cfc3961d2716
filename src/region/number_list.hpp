#pragma once

#include <string>
#include <vector>

namespace alfcg::region {

/// All numbers of a text file (between blanks, commas or line ends) or of an NPY array, as one list. Throws InputError where
/// there are none, or one is not finite.
std::vector<double> read_numbers(const std::string& path);

}  // namespace alfcg::region
