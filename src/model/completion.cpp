#include "alfcg/model/completion.hpp"

#include <algorithm>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/text.hpp"
#include "model/arrays.hpp"

namespace alfcg {

namespace {

constexpr std::int64_t newest_completion = 1;

void check_completion(const ArrayReader& arrays, const std::string& path) {
    if (!arrays.has("completion_version"))
        throw InputError(path, 0, "not a completed matrix: the archive has no entry \"completion_version\"");
    const double version = arrays.number("completion_version");
    if (version != std::trunc(version) || !(version >= 1))
        arrays.fail("completion_version", "not a whole number of at least 1");
    if (version > static_cast<double>(newest_completion))
        throw InputError(path, 0,
                         "completion format " + format_number(version) + ", this alfcg reads up to " +
                             std::to_string(newest_completion));
}

bool all_finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

template <class Real>
std::string completion_fault(const CompletionModel<Real>& model) {
    const auto is_finite = [](Real entry) { return std::isfinite(entry); };
    if (model.left.cols() != model.right.cols()) return "left and right have different numbers of columns";
    if (model.left.rows() != std::ssize(model.rows)) return "left: not as many rows as names";
    if (model.right.rows() != std::ssize(model.columns)) return "right: not as many rows as names";
    if (!std::all_of(model.left.span().begin(), model.left.span().end(), is_finite) ||
        !std::all_of(model.right.span().begin(), model.right.span().end(), is_finite))
        return "left, right: an entry is not a finite number";
    const bool biased = !model.row_biases.empty() || !model.column_biases.empty();
    if (biased && (std::ssize(model.row_biases) != model.left.rows() ||
                   std::ssize(model.column_biases) != model.right.rows()))
        return "row_biases, column_biases: not as many as there are rows and columns";
    if (!all_finite(model.row_biases) || !all_finite(model.column_biases) ||
        !all_finite({model.mean, model.least, model.most}))
        return "biases, mean or range: not a finite number";
    if (!(model.penalty >= 0 && std::isfinite(model.penalty))) return "penalty: not a number of at least 0";
    return {};
}

}  // namespace

template <class Real>
double CompletionModel<Real>::at(Index row, Index column) const {
    double product = 0;
    if (row >= 0 && column >= 0)
        for (Index k = 0; k < rank(); ++k)
            product += static_cast<double>(left(row, k)) * static_cast<double>(right(column, k));
    return entry_of(product, row, column);
}

template <class Real>
double CompletionModel<Real>::entry_of(double product, Index row, Index column) const {
    double value = mean + product;
    if (row >= 0 && !row_biases.empty()) value += row_biases[static_cast<std::size_t>(row)];
    if (column >= 0 && !column_biases.empty()) value += column_biases[static_cast<std::size_t>(column)];
    return least < most ? std::clamp(value, least, most) : value;
}

template <class Real>
void save_completion(const CompletionModel<Real>& model, const std::string& path) {
    const std::string fault = completion_fault(model);
    if (!fault.empty()) throw Error(path + ": cannot save the model: " + fault);
    OutputFile file(path);
    ArrayWriter arrays(file);
    arrays.integer("completion_version", newest_completion);
    arrays.text("alfcg_version", ALFCG_VERSION);
    arrays.matrix("left", model.left);
    arrays.matrix("right", model.right);
    arrays.numbers("row_biases", model.row_biases);
    arrays.numbers("column_biases", model.column_biases);
    arrays.number("mean", model.mean);
    arrays.number("least", model.least);
    arrays.number("most", model.most);
    arrays.texts("rows", model.rows);
    arrays.texts("columns", model.columns);
    arrays.text("loss", model.loss.name);
    arrays.number("loss_threshold", model.loss.parameters.number("threshold").value_or(1));
    arrays.number("radius", model.radius);
    arrays.number("bias_penalty", model.bias_penalty);
    arrays.number("penalty", model.penalty);
    arrays.text("method", model.method);
    arrays.integer("refitted", model.refitted ? 1 : 0);
    arrays.finish();
    file.commit();
}

template <class Real>
CompletionModel<Real> load_completion(const std::string& path) {
    const ArrayReader arrays(path);
    check_completion(arrays, path);
    CompletionModel<Real> model;
    model.left = arrays.matrix<Real>("left", 0);
    model.right = arrays.matrix<Real>("right", 0);
    model.row_biases = arrays.numbers("row_biases");
    model.column_biases = arrays.numbers("column_biases");
    model.mean = arrays.number("mean");
    model.least = arrays.number("least");
    model.most = arrays.number("most");
    model.rows = arrays.texts("rows");
    model.columns = arrays.texts("columns");
    model.loss.name = arrays.text("loss");
    if (model.loss.name == "huber") model.loss.parameters.set("threshold", arrays.number("loss_threshold"));
    model.radius = arrays.number("radius");
    model.bias_penalty = arrays.number("bias_penalty");
    if (arrays.has("penalty")) model.penalty = arrays.number("penalty");
    model.method = arrays.text("method");
    model.refitted = arrays.number("refitted") != 0;
    const std::string fault = completion_fault(model);
    if (!fault.empty()) throw InputError(path, 0, fault);
    return model;
}

bool is_completion(const std::string& path) {
    return ArrayReader(path).has("completion_version");
}

bool completion_is_double(const std::string& path) {
    const ArrayReader arrays(path);
    check_completion(arrays, path);
    return arrays.matrix_is_double("left");
}

std::unordered_map<std::string, Index> positions(const std::vector<std::string>& names) {
    std::unordered_map<std::string, Index> found;
    for (const std::string& name : names) found.emplace(name, static_cast<Index>(found.size()));
    return found;
}

template <class Real>
CompletionModel<Real> in_order(CompletionModel<Real> model, const std::vector<std::string>& rows,
                               const std::vector<std::string>& columns) {
    const auto arrange = [](std::vector<std::string>& names, const std::vector<std::string>& wanted,
                            Matrix<Real>& factor, std::vector<double>& biases) {
        if (names == wanted) return;
        const auto known = positions(names);
        Matrix<Real> lines(static_cast<Index>(wanted.size()), factor.cols());
        std::vector<double> numbers(biases.empty() ? 0 : wanted.size());
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            const auto at = known.find(wanted[k]);
            if (at == known.end()) continue;
            std::copy_n(factor.data() + at->second * factor.cols(), factor.cols(),
                        lines.data() + static_cast<Index>(k) * factor.cols());
            if (!biases.empty()) numbers[k] = biases[static_cast<std::size_t>(at->second)];
        }
        names = wanted;
        factor = std::move(lines);
        biases = std::move(numbers);
    };
    arrange(model.rows, rows, model.left, model.row_biases);
    arrange(model.columns, columns, model.right, model.column_biases);
    return model;
}

template CompletionModel<float> in_order(CompletionModel<float>, const std::vector<std::string>&,
                                         const std::vector<std::string>&);
template CompletionModel<double> in_order(CompletionModel<double>, const std::vector<std::string>&,
                                          const std::vector<std::string>&);

template <class Real>
std::vector<Recommendation> recommend(const CompletionModel<Real>& model, Index row, Index count,
                                      const std::vector<Index>& without) {
    // Without the range of what was seen, which would make many of them alike.
    std::vector<Recommendation> all;
    for (Index j = 0; j < model.right.rows(); ++j) {
        if (std::binary_search(without.begin(), without.end(), j)) continue;
        double value = model.mean;
        if (row >= 0 && !model.row_biases.empty()) value += model.row_biases[static_cast<std::size_t>(row)];
        if (!model.column_biases.empty()) value += model.column_biases[static_cast<std::size_t>(j)];
        for (Index k = 0; row >= 0 && k < model.rank(); ++k)
            value += static_cast<double>(model.left(row, k)) * static_cast<double>(model.right(j, k));
        all.push_back({j, value});
    }
    const auto last = all.begin() + std::min<std::ptrdiff_t>(count, std::ssize(all));
    std::partial_sort(all.begin(), last, all.end(), [](const Recommendation& a, const Recommendation& b) {
        return a.value > b.value || (a.value == b.value && a.column < b.column);
    });
    all.erase(last, all.end());
    return all;
}

template struct CompletionModel<float>;
template struct CompletionModel<double>;
template void save_completion(const CompletionModel<float>&, const std::string&);
template void save_completion(const CompletionModel<double>&, const std::string&);
template CompletionModel<float> load_completion(const std::string&);
template CompletionModel<double> load_completion(const std::string&);
template std::vector<Recommendation> recommend(const CompletionModel<float>&, Index, Index,
                                               const std::vector<Index>&);
template std::vector<Recommendation> recommend(const CompletionModel<double>&, Index, Index,
                                               const std::vector<Index>&);

}  // namespace alfcg
