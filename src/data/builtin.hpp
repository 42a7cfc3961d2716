#pragma once

#include <optional>
#include <string>

#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// A built-in data set, taken apart: "randn-30000-5000" is {randn, 30000, 5000}.
struct Builtin {
    enum class Kind { randn, mnist } kind = Kind::randn;
    std::string name;
    Index rows = 0;
    Index cols = 0;
};

/// Nothing when `source` is not the name of a built-in set. Throws Error when it is one with impossible
/// sizes, or begins like one and is not an existing file either.
std::optional<Builtin> parse_builtin(const std::string& source);

/// N(0,1) entries, labels uniform in 0 .. classes-1 (spec 7). Row i depends on the seed and i only.
template <class Real>
Dataset<Real> make_randn(const Builtin& builtin, const ReadOptions& options);

/// The first rows of the MNIST training images, pixels / 255, the `cols` pixels of largest variance (spec 7).
template <class Real>
Dataset<Real> make_mnist(const Builtin& builtin, const ReadOptions& options);

}  // namespace alfcg
