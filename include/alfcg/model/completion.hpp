#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "alfcg/data/observations.hpp"
#include "alfcg/objective/loss.hpp"

namespace alfcg {

/// A completed matrix: entry (i, j) is mean + row_biases_i + column_biases_j + <left_i, right_j>, within the range of what was seen.
template <class Real>
struct CompletionModel {
    Matrix<Real> left;               // rows x rank: U √s
    Matrix<Real> right;              // columns x rank: V √s
    std::vector<double> row_biases;  // empty: none
    std::vector<double> column_biases;
    double mean = 0;
    double least = 0;  // of the values seen; no bounds where both are 0
    double most = 0;
    std::vector<std::string> rows;  // their names
    std::vector<std::string> columns;
    LossSpec loss;
    // How it was found, for the record.
    double radius = 0;
    double bias_penalty = 0;
    double penalty =
        0;  // on the squares of factors, in observations, for which the rows are best as long as the columns stay; 0: not known
    std::string method;
    bool refitted = false;

    [[nodiscard]] Index rank() const { return left.cols(); }
    /// Rows and columns that are not known (negative) have no say.
    [[nodiscard]] double at(Index row, Index column) const;
    /// The same from the product of the factors' lines.
    [[nodiscard]] double entry_of(double product, Index row, Index column) const;
};

/// Writes and reads the model as an .npz archive (docs/model-format.md). Throw Error.
template <class Real>
void save_completion(const CompletionModel<Real>& model, const std::string& path);
template <class Real>
CompletionModel<Real> load_completion(const std::string& path);
/// Whether a file is such a model, and of which precision.
bool is_completion(const std::string& path);
bool completion_is_double(const std::string& path);

/// Positions by name.
std::unordered_map<std::string, Index> positions(const std::vector<std::string>& names);

/// The same for other rows and columns, by their names. Those that the model does not know are zero.
template <class Real>
CompletionModel<Real> in_order(CompletionModel<Real> model, const std::vector<std::string>& rows,
                               const std::vector<std::string>& columns);

struct Recommendation {
    Index column = 0;
    double value = 0;
};
/// The columns with the largest entries in a row, but for those listed (increasing), largest first.
template <class Real>
std::vector<Recommendation> recommend(const CompletionModel<Real>& model, Index row, Index count,
                                      const std::vector<Index>& without = {});

}  // namespace alfcg
