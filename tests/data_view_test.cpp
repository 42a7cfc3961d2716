#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "alfcg/data/normalize.hpp"
#include "alfcg/data/view.hpp"
#include "alfcg/objective/objective.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/solve/solve.hpp"
#include "data_files.hpp"

namespace alfcg {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Bytes that cannot be written to.
class ReadOnly {
  public:
    ReadOnly(const void* bytes, std::size_t size) : size_(std::max<std::size_t>(size, 1)) {
        pages_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (size > 0) std::memcpy(pages_, bytes, size);
        mprotect(pages_, size_, PROT_READ);
    }
    template <class T>
    explicit ReadOnly(const std::vector<T>& values) : ReadOnly(values.data(), values.size() * sizeof(T)) {}
    ~ReadOnly() { munmap(pages_, size_); }
    ReadOnly(const ReadOnly&) = delete;
    ReadOnly& operator=(const ReadOnly&) = delete;

    template <class T>
    [[nodiscard]] const T* as() const {
        return static_cast<const T*>(pages_);
    }

  private:
    void* pages_;
    std::size_t size_;
};

std::vector<double> some_entries(Index rows, Index cols) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    std::vector<double> entries;
    for (Index k = 0; k < rows * cols; ++k) {
        const double value = normal(random);
        entries.push_back(random() % 3 == 0 ? 0 : static_cast<double>(static_cast<float>(value)));
    }
    return entries;
}

// The rows, `stride` apart, with numbers between them that nobody must read.
template <class Real>
std::vector<Real> apart(const std::vector<double>& entries, Index cols, Index stride) {
    const Index rows = static_cast<Index>(entries.size()) / cols;
    std::vector<Real> result(static_cast<std::size_t>(rows * stride), std::numeric_limits<Real>::quiet_NaN());
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j)
            result[static_cast<std::size_t>(i * stride + j)] =
                static_cast<Real>(entries[static_cast<std::size_t>(i * cols + j)]);
    result.resize(static_cast<std::size_t>((rows - 1) * stride + cols));
    return result;
}

template <class View>
std::string problem_of(const View& view) {
    const std::string message = message_of<Error>([&] { features_of<float>(view, "x"); });
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
}

TEST(DenseView, EntriesOfTheRightTypeAreLookedAtAndOthersConverted) {
    const auto entries_wanted = some_entries(9, 5);
    const auto narrow = apart<float>(entries_wanted, 5, 7);
    const auto wide = apart<double>(entries_wanted, 5, 5);
    const auto f32 = features_of<float>(DenseView(narrow.data(), 9, 5, 7));
    const auto f64 = features_of<double>(DenseView(wide.data(), 9, 5));
    EXPECT_EQ(std::get<DenseFeatures<float>>(f32).data(), narrow.data());
    EXPECT_EQ(std::get<DenseFeatures<float>>(f32).stride(), 7);
    EXPECT_EQ(std::get<DenseFeatures<double>>(f64).data(), wide.data());
    EXPECT_EQ(entries(f32), entries_wanted);
    EXPECT_EQ(entries(f64), entries_wanted);
    EXPECT_EQ(entries(features_of<float>(DenseView(wide.data(), 9, 5))), entries_wanted);
    EXPECT_EQ(entries(features_of<double>(DenseView(narrow.data(), 9, 5, 7))), entries_wanted);
}

TEST(DenseView, EntriesThatLieBetweenAddressesAreConverted) {
    const auto wanted = some_entries(4, 3);
    std::vector<unsigned char> bytes(wanted.size() * sizeof(double) + 1);
    std::memcpy(bytes.data() + 1, wanted.data(), wanted.size() * sizeof(double));
    EXPECT_EQ(entries(features_of<double>(DenseView(bytes.data() + 1, Scalar::f64, 4, 3, 3))), wanted);
}

TEST(DenseView, WhatDoesNotFitIsToldInOneLine) {
    std::vector<double> x(12, 1);
    EXPECT_EQ(problem_of(DenseView(x.data(), 0, 3)), "x: no data rows");
    EXPECT_EQ(problem_of(DenseView(x.data(), 4, 0)), "x: no features");
    EXPECT_EQ(problem_of(DenseView(x.data(), -1, 3)), "x: -1 rows and 3 features; neither can be negative");
    EXPECT_EQ(problem_of(DenseView(x.data(), 2, 3, 2)),
              "x: the rows begin 2 entries apart, which must be at least the 3 features");
    EXPECT_EQ(problem_of(DenseView(x.data(), Index{1} << 60, 3)),
              "x: 1152921504606846976 rows, 3 entries apart, are more than can be counted");
    EXPECT_EQ(problem_of(DenseView(static_cast<double*>(nullptr), 4, 3)),
              "x: the entries are missing: a null pointer");
    EXPECT_EQ(problem_of(DenseView(x.data(), Scalar::i64, 4, 3, 3)), "x: the entries must be f32 or f64");
    x[7] = nan;
    EXPECT_EQ(problem_of(DenseView(x.data(), 4, 3)),
              "x: row 2, column 1 (from 0): the value is NaN; finite numbers are needed");
    x[7] = 1e300;
    EXPECT_EQ(problem_of(DenseView(x.data(), 4, 3)),
              "x: row 2, column 1 (from 0): the value is infinite, or too large for f32; finite numbers are "
              "needed");
    EXPECT_EQ(entries(features_of<double>(DenseView(x.data(), 4, 3))), x);
}

TEST(SparseView, IndicesOfEitherWidthAndAnOffsetGiveTheSameFeatures) {
    // Two entries before, and one behind, that belong to no row.
    const std::vector<std::int32_t> starts{2, 4, 4, 7};
    const std::vector<std::int32_t> columns{9, 9, 0, 3, 1, 2, 4, 9};
    const std::vector<float> values{9, 9, 1, 2, 3, 4, 5, 9};
    const std::vector<Index> wide_starts(starts.begin(), starts.end());
    const std::vector<Index> wide_columns(columns.begin(), columns.end());
    const std::vector<double> wide_values(values.begin(), values.end());
    const std::vector<double> wanted{1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 4, 0, 5};
    for (const ArrayView& s : {ArrayView(starts), ArrayView(wide_starts)})
        for (const ArrayView& c : {ArrayView(columns), ArrayView(wide_columns)})
            for (const ArrayView& v : {ArrayView(values), ArrayView(wide_values)}) {
                EXPECT_EQ(entries(features_of<float>(SparseView{s, c, v, 5})), wanted);
                EXPECT_EQ(entries(features_of<double>(SparseView{s, c, v, 5})), wanted);
            }
}

TEST(SparseView, WhatIsAsItShouldBeIsLookedAt) {
    const std::vector<Index> starts{0, 1, 2};
    const std::vector<std::int32_t> columns{1, 0};
    const std::vector<Index> wide_columns{1, 0};
    const std::vector<float> values{4, 5};
    const auto looks = [&](const auto& given) {
        const auto features = features_of<float>(SparseView{starts, given, values, 2});
        const auto& sparse = std::get<SparseFeatures<float>>(features);
        EXPECT_EQ(sparse.start.data(), starts.data());
        EXPECT_EQ(sparse.column.bytes(), given.size() * sizeof(given[0]));
        const NumberPointer first(given.data());
        EXPECT_EQ(sparse.column.data().place(0), first.place(0));
        EXPECT_EQ(sparse.value.data(), values.data());
    };
    looks(columns);
    looks(wide_columns);
}

TEST(SparseView, ColumnsComeInOrderAndValuesOfOnePlaceAreAddedUp) {
    const std::vector<Index> starts{0, 4, 5};
    const std::vector<std::int32_t> columns{3, 0, 3, 1, 2};
    const std::vector<double> values{1, 2, 10, 4, 5};
    const auto features = features_of<double>(SparseView{starts, columns, values, 4});
    const auto& sparse = std::get<SparseFeatures<double>>(features);
    const auto in_order = sparse.column.narrow();
    EXPECT_EQ(std::vector<std::int32_t>(in_order.begin(), in_order.end()),
              (std::vector<std::int32_t>{0, 1, 3, 2}));
    EXPECT_EQ(entries(features), (std::vector<double>{2, 4, 0, 11, 0, 0, 5, 0}));
    const std::vector<double> huge{1e308, 2, 1e308, 4, 5};
    EXPECT_EQ(message_of<Error>([&] {
                  features_of<double>(SparseView{starts, columns, huge, 4});
              }),
              "data: row 0, column 3 (from 0): the value is infinite; finite numbers are needed");
}

TEST(SparseView, WhatDoesNotFitIsToldInOneLine) {
    using Indices = std::vector<Index>;
    const Indices starts{0, 1, 3};
    const Indices columns{0, 1, 2};
    const std::vector<double> values{1, 2, 3};
    EXPECT_EQ(problem_of(SparseView{Indices{0}, columns, values, 3}), "x: no data rows");
    EXPECT_EQ(problem_of(SparseView{{}, columns, values, 3}), "x: starts and columns must be i32 or i64");
    EXPECT_EQ(problem_of(SparseView{starts, columns, values, 0}), "x: no features");
    EXPECT_EQ(problem_of(SparseView{starts, columns, values, Index{1} << 31}),
              "x: 2147483648 features are more than the 2147483647 that are possible");
    EXPECT_EQ(problem_of(SparseView{starts, Indices{0, 1}, values, 3}), "x: 2 columns, but 3 values");
    EXPECT_EQ(problem_of(SparseView{values, columns, values, 3}), "x: starts and columns must be i32 or i64");
    EXPECT_EQ(problem_of(SparseView{starts, columns, columns, 3}), "x: the values must be f32 or f64");
    EXPECT_EQ(problem_of(SparseView{Indices{-1, 1, 3}, columns, values, 3}),
              "x: the first row starts at -1, before the entries");
    EXPECT_EQ(problem_of(SparseView{Indices{0, 2, 1}, columns, values, 3}),
              "x: row 1 (from 0) ends at 1, before its start 2; starts must not decrease");
    EXPECT_EQ(problem_of(SparseView{Indices{0, 1, 4}, columns, values, 3}),
              "x: the last row ends at 4, but there are 3 entries");
    EXPECT_EQ(problem_of(SparseView{starts, Indices{0, 1, 3}, values, 3}),
              "x: row 1 (from 0): column 3 does not exist; they go from 0 to 2");
    EXPECT_EQ(problem_of(SparseView{starts, Indices{0, -1, 2}, values, 3}),
              "x: row 1 (from 0): column -1 does not exist; they go from 0 to 2");
    // 2^32 must not become 0 on its way to 32 bits.
    EXPECT_EQ(problem_of(SparseView{starts, Indices{0, Index{1} << 32, 2}, values, 3}),
              "x: row 1 (from 0): column 4294967296 does not exist; they go from 0 to 2");
    EXPECT_EQ(problem_of(SparseView{starts, columns, std::vector<double>{1, 2, infinity}, 3}),
              "x: row 1, column 2 (from 0): the value is infinite, or too large for f32; finite numbers are "
              "needed");
}

TEST(SparseView, RowsWithoutEntriesAreRows) {
    const std::vector<std::int32_t> starts{0, 0, 0};
    const auto features =
        features_of<float>(SparseView{starts, std::vector<std::int32_t>{}, std::vector<float>{}, 3});
    EXPECT_EQ(entries(features), std::vector<double>(6, 0.0));
}

TEST(LabelView, NumbersOfAnyTypeAndTextAreLabels) {
    const std::vector<std::string> wanted{"1", "-2", "1"};
    EXPECT_EQ(texts(labels_of(std::vector<float>{1, -2, 1})), wanted);
    EXPECT_EQ(texts(labels_of(std::vector<double>{1, -2, 1})), wanted);
    EXPECT_EQ(texts(labels_of(std::vector<std::int32_t>{1, -2, 1})), wanted);
    EXPECT_EQ(texts(labels_of(std::vector<std::int64_t>{1, -2, 1})), wanted);
    EXPECT_EQ(texts(labels_of(wanted)), wanted);
    EXPECT_TRUE(labels_of(wanted).numeric());  // as in a file
    EXPECT_EQ(texts(labels_of(std::vector<std::string_view>{"cat", "dog"})),
              (std::vector<std::string>{"cat", "dog"}));
    const std::vector<std::int64_t> large{(std::int64_t{1} << 60) + 1, std::int64_t{1} << 60, 3};
    EXPECT_EQ(find_classes(labels_of(large)).size(), 3);
}

TEST(LabelView, WhatIsNoLabelIsToldInOneLine) {
    EXPECT_EQ(message_of<Error>([] {
                  labels_of(std::vector<double>{1, nan});
              }),
              "data: label 1 (from 0) is not a finite number");
    EXPECT_EQ(message_of<Error>([] {
                  labels_of(std::vector<std::string>{"cat", ""});
              }),
              "data: label 1 (from 0) is empty or not finite: ''");
    EXPECT_EQ(message_of<Error>([] {
                  labels_of(std::vector<std::string>{"1", "inf"});
              }),
              "data: label 1 (from 0) is empty or not finite: 'inf'");
    const std::vector<double> x{1, 2};
    EXPECT_EQ(message_of<Error>([&] {
                  dataset_of<double>(DenseView(x.data(), 2, 1), std::vector<int>{1, 2, 3});
              }),
              "data: 3 labels, but 2 rows");
}

// ---- what is looked at stays as it is ------------------------------------------------------------------------------

// All that a caller's memory goes through. Writing to it would be the end of the program.
template <class Real>
void use(Dataset<Real> data) {
    for (const Normalization kind :
         {Normalization::none, Normalization::rows, Normalization::columns, Normalization::spectral}) {
        const Scaling scaling = measure_scaling(data.features, kind, 2);
        const Features<Real> divided = scaled(data.features, scaling, 2);
        Dataset<Real> split = data;
        hold_out(split, 0.3, 4);
        const Features<Real> moved = scaled(std::move(split.features), scaling, 2);
        EXPECT_EQ(cols(moved), cols(divided));
    }
}

enum class Kind { dense, narrow, wide };

template <class Real>
void check_read_only(Kind kind) {
    const Index rows = 40;
    const Index cols = 6;
    const auto wanted = some_entries(rows, cols);
    const std::vector<Real> entries_apart = apart<Real>(wanted, cols, cols + 3);
    const ReadOnly memory(entries_apart);
    const SparseFeatures<Real> sparse = sparse_features<Real>(wanted, rows, cols);
    const ReadOnly start(sparse.start.data(), sparse.start.size() * sizeof(Index));
    const auto narrow = sparse.column.narrow();
    const std::vector<Index> wide(narrow.begin(), narrow.end());
    const ReadOnly column(narrow.data(), narrow.size() * sizeof(std::int32_t));
    const ReadOnly wide_column(wide.data(), wide.size() * sizeof(Index));
    const ReadOnly value(sparse.value.data(), sparse.value.size() * sizeof(Real));
    const FeatureView view =
        kind == Kind::dense
            ? FeatureView(DenseView(memory.as<Real>(), rows, cols, cols + 3))
            : FeatureView(SparseView{{start.as<void>(), Scalar::i64, rows + 1},
                                     kind == Kind::wide
                                         ? ArrayView(wide_column.as<void>(), Scalar::i64, sparse.nonzeros())
                                         : ArrayView(column.as<void>(), Scalar::i32, sparse.nonzeros()),
                                     {value.as<void>(), scalar_of<Real>(), sparse.nonzeros()},
                                     cols});
    const auto data = dataset_of<Real>(view, std::vector<int>(static_cast<std::size_t>(rows), 1));
    use(data);
    EXPECT_EQ(entries(data.features), wanted);
}

TEST(BorrowedFeatures, AreNeverWrittenTo) {
    for (const Kind kind : {Kind::dense, Kind::narrow, Kind::wide}) {
        check_read_only<float>(kind);
        check_read_only<double>(kind);
    }
}

TEST(OwnedFeatures, AreScaledInPlaceOnlyWhenNobodyElseLooksAtThem) {
    const auto wanted = some_entries(8, 3);
    for (const bool dense : {true, false}) {
        Features<double> features = dense ? Features<double>(dense_features<double>(wanted, 8, 3))
                                          : Features<double>(sparse_features<double>(wanted, 8, 3));
        const auto first_of = [](const Features<double>& some) {
            if (const auto* d = std::get_if<DenseFeatures<double>>(&some)) return d->data();
            return std::get<SparseFeatures<double>>(some).value.data();
        };
        const double* place = first_of(features);
        const Scaling scaling{Normalization::spectral, {2}};
        const Features<double> copied = scaled(features, scaling, 1);
        EXPECT_NE(first_of(copied), place);
        EXPECT_EQ(entries(features), wanted);
        const Features<double> moved = scaled(std::move(features), scaling, 1);
        EXPECT_EQ(first_of(moved), place);
        EXPECT_EQ(entries(moved), entries(copied));
    }
}

TEST(OwnedFeatures, AreSplitInACopyWhileSomebodyElseLooksAtThem) {
    for (const bool dense : {true, false}) {
        const auto wanted = some_entries(20, 3);
        Dataset<double> data;
        data.features = dense ? Features<double>(dense_features<double>(wanted, 20, 3))
                              : Features<double>(sparse_features<double>(wanted, 20, 3));
        Dataset<double> split = data;
        const auto held = hold_out(split, 0.25, 1);
        EXPECT_EQ(entries(data.features), wanted);
        const auto alone_held = hold_out(data, 0.25, 1);
        EXPECT_EQ(entries(data.features), entries(split.features));
        EXPECT_EQ(entries(alone_held.features), entries(held.features));
    }
}

// ---- rows that lie apart -------------------------------------------------------------------------------------------

template <class Real>
Matrix<Real> some_point(Shape shape) {
    Matrix<Real> x(shape);
    for (Index k = 0; k < x.size(); ++k)
        x.data()[k] = static_cast<Real>(0.01 * static_cast<double>(k % 17 - 8));
    return x;
}

// Value and gradients are those of the same rows side by side, in every bit. Cases: rows read in order, in blocks, with many
// outputs; kept as bytes; as patches.
template <class Real>
void check_apart(Index cols, Index outputs, bool pixels) {
    const Index rows = 300;
    auto wanted = some_entries(rows, cols);
    if (pixels)
        for (std::size_t k = 0; k < wanted.size(); ++k)
            wanted[k] = wanted[k] == 0 ? 0 : static_cast<double>(k * k % 97) * 0.25;
    const auto together = apart<Real>(wanted, cols, cols);
    const auto with_gaps = apart<Real>(wanted, cols, cols + 5);
    Targets targets;
    targets.outputs = outputs;
    LossSpec loss;
    loss.name = outputs > 1 ? "multinomial" : "squared";
    for (Index i = 0; i < rows; ++i) {
        targets.classes.push_back(static_cast<std::int32_t>(i % outputs));
        targets.values.push_back(std::sin(static_cast<double>(i)));
    }
    const auto f = linear_objective<Real>(DenseFeatures<Real>(together.data(), rows, cols), targets, loss, 2);
    const auto g =
        linear_objective<Real>(DenseFeatures<Real>(with_gaps.data(), rows, cols, cols + 5), targets, loss, 2);
    const Matrix<Real> x = some_point<Real>({outputs, cols});
    Matrix<Real> one;
    Matrix<Real> other;
    EXPECT_EQ(f->evaluate(x, one), g->evaluate(x, other));
    EXPECT_EQ(std::memcmp(one.data(), other.data(), one.span().size_bytes()), 0);
    const std::vector<Index> batch{3, 299, 3, 17, 40, 41, 42};
    f->batch_gradient(batch, x, one);
    g->batch_gradient(batch, x, other);
    EXPECT_EQ(std::memcmp(one.data(), other.data(), one.span().size_bytes()), 0);
}

TEST(RowsApart, GiveTheSameBitsAsRowsSideBySide) {
    for (const Index cols : {3, 16, 70, 300, 1100})
        for (const Index outputs : {1, 3, 7, 20})
            for (const bool pixels : {false, true}) {
                SCOPED_TRACE(std::to_string(cols) + " features, " + std::to_string(outputs) + " outputs");
                check_apart<float>(cols, outputs, pixels);
                check_apart<double>(cols, outputs, pixels);
            }
}

// ---- who keeps what alive ------------------------------------------------------------------------------------------

template <class Real, class Make>
void check_lifetime(const Make& make) {
    Targets targets;
    for (int i = 0; i < 50; ++i) targets.values.push_back(i % 3);
    LossSpec loss;
    loss.name = "squared";
    const auto kept = make();
    const auto expected = linear_objective<Real>(kept, targets, loss, 1);
    // The features are gone once this line is over.
    const auto objective = linear_objective<Real>(make(), targets, loss, 1);
    const Matrix<Real> x = some_point<Real>({1, 4});
    EXPECT_EQ(objective->value(x), expected->value(x));
}

TEST(Lifetime, AnObjectiveKeepsTheFeaturesThatItWasMadeFrom) {
    const auto wanted = some_entries(50, 4);
    check_lifetime<float>([&] { return dense_features<float>(wanted, 50, 4); });
    check_lifetime<double>([&] { return sparse_features<double>(wanted, 50, 4); });
    check_lifetime<double>([&] {
        auto owner = std::make_shared<std::vector<double>>(wanted);
        const double* first = owner->data();
        return DenseFeatures<double>(first, 50, 4, 4, std::move(owner));
    });
}

}  // namespace
}  // namespace alfcg
