#pragma once

#include <memory>
#include <optional>
#include <string>

#include "alfcg/data/dataset.hpp"
#include "alfcg/data/normalize.hpp"
#include "alfcg/objective/objective.hpp"
#include "alfcg/region/spec.hpp"
#include "cli/command_line.hpp"

namespace alfcg::cli {

/// Options that say which data to read and how.
struct DataArguments {
    std::string source;
    std::string format = "auto";
    std::optional<Index> rows;      // none: all
    std::optional<Index> features;  // none: as found
    ReadOptions read;

    /// With `training`, also what only training may choose: the number of features.
    void add_to(CommandOptions options, bool training);
    /// Checks what was given; throws Error.
    [[nodiscard]] ReadOptions resolve(int threads) const;
};

/// Options that say what is to be minimised, and over which set.
struct ProblemArguments {
    DataArguments data;
    std::string loss;  // empty: from the labels
    std::optional<double> threshold;
    std::optional<double> width;
    std::string region;  // empty: from the number of outputs
    std::optional<double> p;
    double radius = 10;
    Composite composite;
    std::string normalize = "none";
    double hold_out = 0;  // fraction of the rows; 0: none
    std::string precision = "f32";
    int threads = 0;
    std::uint64_t seed = 0;

    void add_to(CommandOptions options);
    /// Checks all that can be checked before the data are read; throws Error.
    void verify() const;
    [[nodiscard]] bool is_double() const { return precision == "f64"; }
};

/// Data, objective and region, ready to solve.
template <class Real>
struct Problem {
    Dataset<Real> training;
    std::optional<Dataset<Real>> held_out;
    Scaling scaling;
    Classes classes;
    LossOptions loss;
    RegionSpec region_spec;
    std::unique_ptr<Objective<Real>> objective;  // looks at `training`
    std::unique_ptr<Region<Real>> region;
    int threads = 1;
};

template <class Real>
std::unique_ptr<Problem<Real>> make_problem(const ProblemArguments& arguments);

/// "15935 rows, 62061 features, 1272569 non-zeros" and the like.
template <class Real>
std::string describe_features(const Features<Real>& features);

}  // namespace alfcg::cli
