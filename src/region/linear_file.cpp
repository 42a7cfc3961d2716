#include "region/linear_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <variant>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "region/table_file.hpp"

namespace alfcg::region {

namespace {

// Where the coefficients of a file go; the last column is the bound.
std::vector<Index> places_of(const std::string& file, const std::vector<std::string>& names, Index columns,
                             const std::vector<std::string>& features) {
    std::vector<Index> places(static_cast<std::size_t>(columns - 1));
    std::iota(places.begin(), places.end(), Index{0});
    if (names.empty() || features.empty()) return places;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto found = std::find(features.begin(), features.end(), names[k]);
        if (found == features.end())
            throw InputError(file, 1,
                             fmt::format("column '{}' is no feature of the data{}", names[k],
                                         suggestion(names[k], features)));
        places[k] = found - features.begin();
    }
    return places;
}

void add_file(const std::string& file, bool equal, const std::vector<std::string>& features,
              LinearConstraints& all) {
    const Dataset<double> data = read_table<double>(file, 0);
    const auto* table = std::get_if<DenseFeatures<double>>(&data.features);
    if (table == nullptr) throw InputError(file, 0, "constraints must be a table: CSV or NPY");
    if (table->cols() < 2) throw InputError(file, 0, "a constraint needs a coefficient and a bound");
    const std::vector<Index> places = places_of(file, data.names, table->cols(), features);
    const bool named = !data.names.empty() && !features.empty();
    const Index columns = named ? static_cast<Index>(features.size()) : table->cols() - 1;
    Matrix<double>& before = all.coefficients;
    if (before.rows() > 0 && before.cols() != columns)
        throw InputError(file, 0,
                         fmt::format("has {} coefficients, {} has {}", columns, all.name, before.cols()));
    Matrix<double> coefficients(before.rows() + table->rows(), columns);
    std::copy(before.span().begin(), before.span().end(), coefficients.span().begin());
    for (Index i = 0; i < table->rows(); ++i) {
        for (std::size_t k = 0; k < places.size(); ++k)
            coefficients(before.rows() + i, places[k]) = table->row(i)[k];
        const double bound = table->row(i)[places.size()];
        all.lower.push_back(equal ? bound : -std::numeric_limits<double>::infinity());
        all.upper.push_back(bound);
    }
    all.coefficients = std::move(coefficients);
    all.name = all.lower.size() == static_cast<std::size_t>(table->rows()) ? file : all.name + " and " + file;
}

}  // namespace

LinearConstraints read_constraints(const std::string& at_most, const std::string& equal,
                                   const std::vector<std::string>& features) {
    if (at_most.empty() && equal.empty())
        throw QuantityError("at-most", "is needed by the region linear, or `equal`: a file of constraints");
    LinearConstraints all;
    if (!at_most.empty()) add_file(at_most, false, features, all);
    if (!equal.empty()) add_file(equal, true, features, all);
    return all;
}

}  // namespace alfcg::region
