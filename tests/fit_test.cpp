#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "alfcg/core/text.hpp"
#include "alfcg/fit/fit.hpp"
#include "alfcg/region/spectrum.hpp"
#include "data_files.hpp"

namespace alfcg {
namespace {

constexpr Index row_count = 60;
constexpr Index col_count = 7;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Numbers that single precision holds, so that both precisions and a file say the same.
std::vector<double> entries_of_samples() {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> result;
    for (Index k = 0; k < row_count * col_count; ++k) {
        const double value = static_cast<double>(static_cast<float>(normal(random)));
        result.push_back(random() % 3 == 0 ? 0 : value);
    }
    return result;
}

std::vector<std::string> names_of_samples() {
    const std::array<std::string, 3> names{"cat", "dog", "emu"};
    const auto x = entries_of_samples();
    std::vector<std::string> result;
    for (std::size_t i = 0; i < row_count; ++i)
        result.push_back(names[(x[i * col_count] > 0 ? 1U : 0U) + (x[i * col_count + 1] > 0.5 ? 1U : 0U)]);
    return result;
}

// The samples as a text file, pairs or a table, with exact numbers.
std::string pairs() {
    const auto x = entries_of_samples();
    const auto names = names_of_samples();
    std::string text;
    for (std::size_t i = 0; i < row_count; ++i) {
        text += names[i];
        for (std::size_t j = 0; j < col_count; ++j)
            if (x[i * col_count + j] != 0)
                text += " " + std::to_string(j + 1) + ":" + format_number(x[i * col_count + j]);
        text += "\n";
    }
    return text;
}
std::string table() {
    const auto x = entries_of_samples();
    const auto names = names_of_samples();
    std::string text;
    for (std::size_t i = 0; i < row_count; ++i) {
        for (std::size_t j = 0; j < col_count; ++j) text += format_number(x[i * col_count + j]) + ",";
        text += names[i] + "\n";
    }
    return text;
}

// A page of its own for every array: it cannot be written to, and reading past its end would be noticed by a sanitizer.
template <class T>
class Locked {
  public:
    explicit Locked(const std::vector<T>& values) : size_(values.size()) {
        pages_ = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        std::copy(values.begin(), values.end(), static_cast<T*>(pages_));
        mprotect(pages_, bytes(), PROT_READ);
    }
    ~Locked() { munmap(pages_, bytes()); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

    [[nodiscard]] const T* data() const { return static_cast<const T*>(pages_); }
    [[nodiscard]] ArrayView view() const { return {pages_, scalar_of<T>(), static_cast<Index>(size_)}; }

  private:
    [[nodiscard]] std::size_t bytes() const { return std::max<std::size_t>(size_ * sizeof(T), 1); }
    std::size_t size_;
    void* pages_ = nullptr;
};

template <class Real>
std::vector<Real> rows_apart(Index stride) {
    const auto x = entries_of_samples();
    std::vector<Real> result(row_count * static_cast<std::size_t>(stride),
                             std::numeric_limits<Real>::quiet_NaN());
    for (Index i = 0; i < row_count; ++i)
        for (Index j = 0; j < col_count; ++j)
            result[static_cast<std::size_t>(i * stride + j)] =
                static_cast<Real>(x[static_cast<std::size_t>(i * col_count + j)]);
    return result;
}

template <class Starts, class Columns, class Real>
struct CompressedRows {
    std::vector<Starts> starts{0};
    std::vector<Columns> columns;
    std::vector<Real> values;

    CompressedRows() {
        const auto x = entries_of_samples();
        for (std::size_t i = 0; i < row_count; ++i) {
            for (std::size_t j = 0; j < col_count; ++j) {
                if (x[i * col_count + j] == 0) continue;
                columns.push_back(static_cast<Columns>(j));
                values.push_back(static_cast<Real>(x[i * col_count + j]));
            }
            starts.push_back(static_cast<Starts>(values.size()));
        }
    }
};

Specification specification_of(Normalization normalization) {
    Specification specification;
    specification.normalization = normalization;
    specification.hold_out = 0.2;
    specification.region.parameters.set("radius", 5);
    specification.options.method = "alfcg-mvr2";
    specification.options.max_iterations = 40;
    specification.options.seed = 3;
    specification.threads = 2;
    return specification;
}

template <class Real>
void expect_same(const Fitted<Real>& one, const Fitted<Real>& other) {
    ASSERT_EQ(one.model.weights.shape(), other.model.weights.shape());
    EXPECT_EQ(std::memcmp(one.model.weights.data(), other.model.weights.data(),
                          one.model.weights.span().size_bytes()),
              0);
    EXPECT_EQ(one.model.classes.names, other.model.classes.names);
    EXPECT_EQ(one.model.scaling.divisors, other.model.scaling.divisors);
    EXPECT_EQ(one.report.metrics.objective, other.report.metrics.objective);
    EXPECT_EQ(one.report.metrics.gap, other.report.metrics.gap);
    EXPECT_EQ(one.report.training.correct, other.report.training.correct);
    EXPECT_EQ(one.report.held_out->correct, other.report.held_out->correct);
}

constexpr std::array all_normalizations{Normalization::none, Normalization::rows, Normalization::columns,
                                        Normalization::spectral};

class FitTest : public DataTest {};

template <class Real>
void check_dense(const std::string& path) {
    const auto names = names_of_samples();
    const Locked<float> narrow(rows_apart<float>(col_count + 4));
    const Locked<double> wide(rows_apart<double>(col_count + 1));
    for (const Normalization normalization : all_normalizations) {
        const Specification specification = specification_of(normalization);
        const auto expected = fit<Real>(FileData{path, {}}, specification);
        expect_same(fit<Real>(ArrayData{DenseView(narrow.data(), row_count, col_count, col_count + 4), names},
                              specification),
                    expected);
        expect_same(fit<Real>(ArrayData{DenseView(wide.data(), row_count, col_count, col_count + 1), names},
                              specification),
                    expected);
    }
}

TEST_F(FitTest, DenseArraysGiveTheBitsOfAFileAndAreNotWrittenTo) {
    const std::string path = write("table.csv", table());
    check_dense<float>(path);
    check_dense<double>(path);
}

template <class Real, class Starts, class Columns, class Value>
void check_sparse(const std::string& path) {
    const auto names = names_of_samples();
    const CompressedRows<Starts, Columns, Value> rows;
    const Locked<Starts> starts(rows.starts);
    const Locked<Columns> columns(rows.columns);
    const Locked<Value> values(rows.values);
    // So many features without an entry that a file with these samples is stored sparse.
    constexpr Index wide = 6 * col_count;
    ReadOptions read;
    read.features = wide;
    for (const Normalization normalization : all_normalizations) {
        const Specification specification = specification_of(normalization);
        expect_same(
            fit<Real>(ArrayData{SparseView{starts.view(), columns.view(), values.view(), wide}, names},
                      specification),
            fit<Real>(FileData{path, read}, specification));
    }
}

TEST_F(FitTest, CompressedRowsGiveTheBitsOfAFileAndAreNotWrittenTo) {
    const std::string path = write("pairs.svm", pairs());
    check_sparse<float, std::int64_t, std::int32_t, float>(path);
    check_sparse<float, std::int32_t, std::int32_t, double>(path);
    check_sparse<double, std::int32_t, std::int64_t, double>(path);
    check_sparse<double, std::int64_t, std::int64_t, float>(path);
}

TEST_F(FitTest, RunsOnOneProblemDoNotDependOnThoseBefore) {
    const Specification specification = specification_of(Normalization::columns);
    const FileData file{write("table.csv", table()), {}};
    auto problem = prepare<double>(file, specification);
    const auto first = fit(problem, specification.options);
    Options other = specification.options;
    other.method = "alfcg-d";
    fit(problem, other);
    expect_same(fit(problem, specification.options), first);
    expect_same(fit<double>(file, specification), first);
}

TEST_F(FitTest, TheReportIsThatOfTheModel) {
    const Specification specification = specification_of(Normalization::columns);
    const FileData file{write("table.csv", table()), {}};
    const auto [model, report] = fit<double>(file, specification);
    EXPECT_EQ(report.iterations, 40);
    EXPECT_EQ(report.status, Status::max_iterations);
    EXPECT_EQ(report.threads, 2);
    EXPECT_EQ(report.training.rows, 48);
    EXPECT_EQ(report.held_out->rows, 12);
    EXPECT_EQ(report.singular_values, singular_values(model.weights));
    EXPECT_EQ(report.rank, numerical_rank(model.weights));
    EXPECT_EQ(report.nonzeros, model.weights.size());
    EXPECT_EQ(model.region.name, "nuclear");
    EXPECT_EQ(model.region.parameters.number("radius"), 5);
    EXPECT_EQ(model.method, "alfcg-mvr2");
    EXPECT_EQ(model.scaling.kind, Normalization::columns);
    EXPECT_EQ(model.classes.names, (std::vector<std::string>{"cat", "dog", "emu"}));
    // Both parts together are all the rows, scored by the model as it was saved.
    const auto all = load_dataset<double>(file.source, file.read);
    EXPECT_EQ(score_of(model, all).correct, report.training.correct + report.held_out->correct);
    // f + h by hand.
    auto problem = prepare<double>(file, specification);
    EXPECT_NEAR(problem.objective->value(model.weights), report.metrics.objective, 1e-12);
}

TEST_F(FitTest, ObserversSeeEveryIterateAndMayEndTheRun) {
    const FileData file{write("table.csv", table()), {}};
    Index seen = 0;
    const auto fitted =
        fit<float>(file, specification_of(Normalization::none), [&](const Snapshot<float>& now) {
            ++seen;
            return now.iteration == 9 ? Action::stop : Action::proceed;
        });
    EXPECT_EQ(fitted.report.status, Status::interrupted);
    EXPECT_EQ(seen, fitted.report.iterations + 1);
}

TEST(Fit, NumbersAreAPlainRegression) {
    // y = 2 x + 0.5: the vector of weights is in the l_1 ball, and found, with the intercept.
    const std::vector<float> x{1, 2, 3, 4};
    const std::vector<double> y{2.5, 4.5, 6.5, 8.5};
    Specification specification;
    specification.options.gap = 1e-6;
    specification.options.max_epochs = 10000;
    const auto [model, report] = fit<double>(ArrayData{DenseView(x.data(), 4, 1), y}, specification);
    EXPECT_NEAR(model.weights(0, 0), 2, 1e-3);
    EXPECT_NEAR(model.intercept.at(0), 0.5, 1e-3);
    // Without: argmin Σ (w x − y)² = <x, y> / <x, x>.
    specification.intercept = false;
    const auto through_zero = fit<double>(ArrayData{DenseView(x.data(), 4, 1), y}, specification);
    EXPECT_NEAR(through_zero.model.weights(0, 0), (2.5 + 9 + 19.5 + 34) / 30, 1e-3);
    EXPECT_TRUE(through_zero.model.intercept.empty());
    EXPECT_EQ(model.loss.name, "squared");
    EXPECT_EQ(model.region.name, "l1");
    EXPECT_TRUE(model.classes.names.empty());
    EXPECT_FALSE(report.training.classification);
    EXPECT_FALSE(report.rank.has_value());
    EXPECT_FALSE(report.held_out.has_value());
    EXPECT_NEAR(report.training.value(), 2 * report.metrics.objective, 1e-9);
}

TEST(Fit, DataAtHandAreTakenOver) {
    Dataset<double> data;
    data.name = "samples";
    data.features = dense_features<double>(entries_of_samples(), row_count, col_count);
    for (const std::string& name : names_of_samples()) data.labels.push(name);
    const double* place = std::get<DenseFeatures<double>>(data.features).data();
    const Dataset<double> copy = data;
    const Specification specification = specification_of(Normalization::columns);
    const auto shared = prepare<double>(data, specification);
    EXPECT_EQ(entries(copy.features), entries_of_samples());
    EXPECT_NE(std::get<DenseFeatures<double>>(shared.training.features).data(), place);
    Dataset<double> alone;
    alone.features = dense_features<double>(entries_of_samples(), row_count, col_count);
    alone.labels = data.labels;
    place = std::get<DenseFeatures<double>>(alone.features).data();
    const auto moved = prepare<double>(std::move(alone), specification);
    EXPECT_EQ(std::get<DenseFeatures<double>>(moved.training.features).data(), place);
    EXPECT_EQ(entries(moved.training.features), entries(shared.training.features));
}

// ---- what does not fit ---------------------------------------------------------------------------------------------

template <class Change>
std::string complaint(const Change& change) {
    const auto x = entries_of_samples();
    const auto names = names_of_samples();
    ArrayData data{DenseView(x.data(), row_count, col_count), names, "x"};
    Specification specification;
    specification.options.max_epochs = 1;
    std::vector<std::string> kept = names;
    change(data, specification, kept);
    const std::string message = message_of<Error>([&] { fit<float>(data, specification); });
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(message.find("--"), std::string::npos) << message;
    return message;
}

// A specification that is wrong whatever the data are.
template <class Change>
std::string wrong(const Change& change) {
    Specification specification;
    change(specification);
    const std::string message = message_of<Error>([&] { specification.verify(); });
    EXPECT_EQ(complaint([&](ArrayData&, Specification& s, auto&) { s = specification; }), message);
    return message;
}

TEST(Specification, WhatMakesNoSenseIsToldBeforeThereAreData) {
    EXPECT_NO_THROW(Specification().verify());
    EXPECT_EQ(wrong([](auto& s) { s.threads = -1; }), "threads must be from 1 to 1024, or 0 for all cores");
    EXPECT_EQ(wrong([](auto& s) { s.hold_out = 1; }), "holdout must be between 0 and 1, not 1");
    EXPECT_EQ(wrong([](auto& s) { s.hold_out = nan; }), "holdout must be between 0 and 1, not nan");
    const auto wrong_loss = [](const char* name, const Parameters& parameters) {
        return wrong([&](auto& s) { s.loss = {name, parameters}; });
    };
    EXPECT_EQ(wrong_loss("huber", {{"threshold", 0}}), "threshold must be positive, not 0");
    EXPECT_EQ(wrong_loss("welsch", {{"width", nan}}), "width must be positive, not nan");
    EXPECT_EQ(wrong_loss("squared", {{"threshold", 1}}),
              "threshold is not a parameter of the loss squared, which has no parameters");
    EXPECT_EQ(wrong_loss("huber", {{"width", 1}}),
              "width is not a parameter of the loss huber, which has threshold = 1");
    std::string names;
    for (const LossInfo& info : losses()) names += (names.empty() ? "" : ", ") + std::string(info.name);
    EXPECT_TRUE(names.starts_with("multinomial, logistic, squared, huber, sigmoid, welsch")) << names;
    EXPECT_EQ(wrong_loss("hinge", {}), "loss must be one of " + names + ", not 'hinge'");
    EXPECT_EQ(wrong([](auto& s) { s.region.name = "lp"; }),
              "p is needed by the region lp: the p of the l_p norm, from 1 to inf");
    EXPECT_EQ(wrong([](auto& s) {
                  s.region = {"l2", {{"p", 2}}, {}};
              }),
              "p is not a parameter of the region l2, which has radius = 10");
    EXPECT_EQ(wrong([](auto& s) { s.options.max_epochs = -1; }), "max-epochs must not be negative");
}

TEST(Specification, ARegionThatCannotBeIsToldBeforeThereAreData) {
    for (const char* region : {"", "nuclear", "l1"}) {
        Specification specification;
        specification.region = {region, {{"radius", -1}}, {}};
        EXPECT_NE(message_of<Error>([&] { specification.verify(); }).find("radius must be positive, not -1"),
                  std::string::npos);
    }
    Specification either;
    either.region.composite.l1 = 0.5;  // not over the nuclear ball, but it might be the other
    EXPECT_NO_THROW(either.verify());
}

TEST(Specification, ItsErrorsNameTheQuantity) {
    Specification specification;
    specification.hold_out = -0.5;
    try {
        specification.verify();
        FAIL();
    } catch (const QuantityError& error) {
        EXPECT_EQ(error.quantity(), "holdout");
        EXPECT_EQ(error.complaint(), "must be between 0 and 1, not -0.5");
    }
}

TEST(Fit, DataThatDoNotFitAreToldInOneLine) {
    std::vector<double> broken = entries_of_samples();
    broken[15] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(complaint([&](ArrayData& data, auto&, auto&) {
                  data.features = DenseView(broken.data(), row_count, col_count);
              }),
              "x: row 2, column 1 (from 0): the value is infinite, or too large for f32; finite numbers are "
              "needed");
    EXPECT_EQ(complaint([](ArrayData& data, auto&, auto& names) {
                  names.pop_back();
                  data.labels = names;
              }),
              "x: 59 labels, but 60 rows");
    EXPECT_EQ(complaint([](ArrayData& data, auto&, auto&) { data.labels = {}; }),
              "x: labels are needed to learn from");
    EXPECT_EQ(complaint([](ArrayData& data, auto&, auto& names) {
                  names.assign(row_count, "cat");
                  data.labels = names;
              }),
              "x: every row has the label cat: the multinomial loss needs at least two classes");
    EXPECT_EQ(
        complaint([](auto&, Specification& specification, auto&) { specification.loss.name = "squared"; }),
        "x: the squared loss needs numbers as labels, not text");
    EXPECT_EQ(complaint([](auto&, Specification& specification, auto&) {
                  specification.loss.parameters.set("threshold", 2);
              }),
              "threshold is not a parameter of the loss multinomial, which has no parameters");
}

}  // namespace
}  // namespace alfcg
