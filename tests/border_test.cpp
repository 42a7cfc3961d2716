// What is refused at the border: data and functions that no finite number can come of.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "alfcg/core/output_file.hpp"
#include "data/archive.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

// What is said against it; nothing where all is well.
template <class Action>
std::string complaint(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

template <class Real>
Features<Real> dense(const std::vector<Real>& entries, Index rows) {
    Buffer<Real> buffer;
    for (const Real entry : entries) buffer.push_back(entry);
    return DenseFeatures<Real>(std::move(buffer), rows, std::ssize(entries) / rows);
}

template <class T>
Buffer<T> buffer_of(const std::vector<T>& entries) {
    Buffer<T> buffer;
    for (const T& entry : entries) buffer.push_back(entry);
    return buffer;
}

Features<float> sparse(const std::vector<Index>& start, const std::vector<std::int32_t>& column, Index cols) {
    return SparseFeatures<float>{buffer_of(start), buffer_of(column),
                                 buffer_of(std::vector<float>(column.size(), 1.0F)), std::ssize(start) - 1,
                                 cols};
}

std::string refusal(const Features<float>& features, const Targets& targets, const std::string& loss) {
    return complaint([&] { linear_objective<float>(features, targets, {loss, {}}, 1); });
}

TEST(Border, TargetsAreOfTheLoss) {
    const auto features = dense<float>({1, 2, 3, 4}, 4);
    EXPECT_EQ(refusal(features, {3, {0, 2, 7, 1}, {}, {}}, "multinomial"),
              "row 2 (from 0) is of class 7; with 3 outputs, classes go from 0 to 2");
    EXPECT_EQ(refusal(features, {3, {0, 2, 1, -1}, {}, {}}, "multinomial"),
              "row 3 (from 0) is of class -1; with 3 outputs, classes go from 0 to 2");
    for (const std::string loss : {"logistic", "sigmoid"}) {
        EXPECT_EQ(refusal(features, {1, {}, {1, -1, 0.5, 1}, {}}, loss),
                  "row 2 (from 0) has the target 0.5; of two classes one is -1, the other 1");
        EXPECT_NE(refusal(features, {2, {}, {1, -1, 1, 1}, {}}, loss), "");
    }
    for (const std::string loss : {"squared", "huber", "welsch"}) {
        EXPECT_EQ(refusal(features, {1, {}, {1, 2, 3, 1e300}, {}}, loss),
                  "row 3 (from 0) has the target 1e+300; targets are numbers of at most 1e+150");
        EXPECT_EQ(refusal(features, {1, {}, {1, NAN, 3, 1}, {}}, loss),
                  "row 1 (from 0) has the target nan; targets are numbers of at most 1e+150");
        EXPECT_NE(refusal(features, {1, {}, {1, 1e39, 3, 1}, {}}, loss).find("1e+39, which is too large"),
                  std::string::npos);
    }
    EXPECT_EQ(refusal(features, {1, {}, {1, 2, 3}, {}}, "squared"), "the data have 4 rows but 3 labels");
    EXPECT_EQ(refusal(features, {1, {}, {1, 2, 3, 4}, {1}}, "squared"), "the data have 4 rows but 1 weights");
    EXPECT_EQ(refusal(features, {1, {}, {1, 2, 3, 4}, {}}, "squared"), "");
}

TEST(Border, SparseRowsAreWhereTheyShouldBe) {
    const Targets targets{1, {}, {1, 2}, {}};
    const std::string increase = "columns of sparse rows increase, from 0 to 2 at most";
    EXPECT_EQ(refusal(sparse({0, 1, 3}, {2, 0, 2}, 3), targets, "squared"), "");
    EXPECT_EQ(refusal(sparse({0, 1, 3}, {2, 0, 3}, 3), targets, "squared"), increase);
    EXPECT_EQ(refusal(sparse({0, 1, 3}, {1000000, 0, 2}, 3), targets, "squared"), increase);
    EXPECT_EQ(refusal(sparse({0, 1, 3}, {-1, 0, 2}, 3), targets, "squared"), increase);
    EXPECT_EQ(refusal(sparse({0, 1, 3}, {1, 2, 0}, 3), targets, "squared"), increase);
    const std::string starts =
        "the starts of sparse rows go from 0 to the number of values, and never decrease";
    EXPECT_EQ(refusal(sparse({0, 4, 3}, {2, 0, 2}, 3), targets, "squared"), starts);
    EXPECT_EQ(refusal(sparse({1, 1, 3}, {2, 0, 2}, 3), targets, "squared"), starts);
    EXPECT_EQ(refusal(sparse({0, 1, 2}, {2, 0, 2}, 3), targets, "squared"), starts);

    Model<float> model;
    model.weights = Matrix<float>(1, 3);
    model.loss.name = "squared";
    Dataset<float> data;
    data.features = sparse({0, 1, 3}, {2, 0, 1000000}, 3);
    EXPECT_EQ(complaint([&] { predict(model, data, false, 1); }), increase);
}

// Value and gradient of a caller who divides by zero somewhere.
template <class Real>
std::string outcome(double value, Real slope, const std::string& method) {
    const auto objective =
        custom_objective<Real>({1, 2}, [=](std::span<const Real>, std::span<Real> gradient) {
            gradient[0] = slope;
            gradient[1] = 1;
            return value;
        });
    const auto region = lp_ball<Real>(1, 1);
    Options options;
    options.method = method;
    options.max_iterations = 3;
    return complaint([&] { solve<Real>(*objective, *region, options); });
}

TEST(Border, AnObjectiveThatIsNotFiniteIsAnError) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const std::string method : {"fw-openloop", "fw-armijo", "alfcg-d", "alfcg-c", "alfcg-fs", "sfw"}) {
        SCOPED_TRACE(method);
        EXPECT_EQ(outcome<double>(1, 1, method), "");
        for (const double value : {nan, infinity, -infinity}) {
            const std::string told = outcome<double>(value, 1, method);
            EXPECT_NE(told.find("not a finite number"), std::string::npos) << told;
            EXPECT_EQ(told.find("f64"), std::string::npos) << "it is f64 already: " << told;
            EXPECT_NE(outcome<float>(value, 1, method).find("f64"), std::string::npos);
        }
        for (const double slope : {nan, infinity}) {
            const std::string told = outcome<double>(1, slope, method);
            EXPECT_NE(told.find("not a finite number"), std::string::npos) << told;
            EXPECT_EQ(told.find("f64"), std::string::npos) << told;
        }
    }
}

TEST(Border, NothingThatOverflowsIsAModel) {
    TemporaryFolder folder;
    write_bytes(folder.file("b"), "1e200 1:1\n-1e200 2:1\n");
    write_bytes(folder.file("good"), "1.5 1:1\n-2.5 2:1\n3 1:2 2:1\n");
    write_bytes(folder.file("wide"), "1.5 1:1e300\n2.5 2:1e300\n");
    const auto expect_refusal = [&](std::vector<std::string> arguments, const std::string& says) {
        const auto result = run_program(arguments, folder.path());
        EXPECT_EQ(result.status, 2) << result.out;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
        EXPECT_FALSE(std::filesystem::exists(folder.file("m"))) << result.err;
    };
    for (const std::string loss : {"squared", "huber", "welsch"})
        for (const std::string precision : {"f32", "f64"})
            expect_refusal({"train", "b", "--region", "l1", "--loss", loss, "--precision", precision,
                            "--max-iterations", "3", "--json", "--quiet", "--model", "m"},
                           "1e+200");
    expect_refusal({"compare", "b", "--loss", "huber", "--precision", "f64", "--max-epochs", "3", "--json",
                    "--output", "m"},
                   "1e+200");
    expect_refusal({"train", "wide", "--method", "fw-openloop", "--loss", "squared", "--precision", "f64",
                    "--no-intercept", "--json", "--quiet", "--model", "m"},
                   "not a finite number");
    ASSERT_EQ(run_program({"train", "good", "--loss", "squared", "--precision", "f64", "--model", "right"},
                          folder.path())
                  .status,
              0);
    expect_refusal({"predict", "right", "b", "--json", "--output", "m"},
                   "the mean squared error is not a finite");
    write_bytes(folder.file("huge"), "1:1e308 2:1e308\n1:-1.7e308 2:1.7e308\n");
    expect_refusal({"predict", "right", "huge", "--json", "--output", "m"}, "not a finite number");
}

// What a model could not be stored with is found out before the run.
TEST(Border, NamesThatAModelCannotHoldAreRefusedBeforeTheRun) {
    Dataset<float> data;
    data.name = "x";
    data.features = dense<float>({1, 2, 3, 4}, 4);
    for (const char* label : {"a", "b", "a", "b"}) data.labels.push(std::string_view(label, 1));
    Specification specification;
    const auto told = [&] { return complaint([&] { prepare<float>(data, specification); }); };
    EXPECT_EQ(told(), "");
    data.names = {std::string("f\0", 2)};
    EXPECT_EQ(told(), "x: no model can be made of it: feature_names: a name ends in a zero byte");
    data.names = {std::string("f\0g", 3)};
    EXPECT_EQ(told(), "");
    data.labels = {};
    for (const char* label : {"a\0", "b\0", "a\0", "b\0"}) data.labels.push(std::string_view(label, 2));
    EXPECT_EQ(told(), "x: no model can be made of it: classes: a label ends in a zero byte");
    // All labels take as much room as the longest.
    data.labels = {};
    std::vector<float> entries;
    for (int i = 0; i < 2000; ++i) {
        data.labels.push(i == 0 ? std::string(1 << 20, 'x') : "label" + std::to_string(i));
        entries.push_back(static_cast<float>(i));
    }
    data.features = dense<float>(entries, 2000);
    EXPECT_NE(told().find("of which one has 1048576 characters"), std::string::npos);
}

// An archive of very many entries, which libzip takes the square of their number for: it is refused at once.
TEST(Border, AnArchiveOfManyEntriesIsNoModel) {
    TemporaryFolder folder;
    const std::string path = folder.file("m.npz");
    const auto archive_of = [&](int count) {
        OutputFile file(path);
        ArchiveWriter archive(file);
        for (int k = 0; k < count; ++k) archive.add("entry" + std::to_string(k), "x");
        archive.finish();
        file.commit();
        return complaint([&] { load_model<float>(path); });
    };
    EXPECT_EQ(archive_of(1001), path + ": not an alfcg model: an archive of 1001 entries");
    EXPECT_NE(archive_of(1000).find("format_version"), std::string::npos);
}

// ESC, DEL and the one-byte command of ISO 6429, in names that messages and tables show.
TEST(Border, NamesReachTheTerminalWithoutControlCharacters) {
    TemporaryFolder folder;
    const std::string evil =
        "\x1b[31mred\x7f\xc2\x9b"
        "2J";
    write_bytes(folder.file("t.csv"),
                "a" + evil + ",b,kind\n1,2,x" + evil + "\n3,4,y\n2,2,x" + evil + "\n5,6,y\n");
    const auto expect_harmless = [&](const std::vector<std::string>& arguments) {
        const auto result = run_program(arguments, folder.path());
        for (const std::string& text : {result.out, result.err}) {
            EXPECT_EQ(text.find_first_of("\x1b\x7f"), std::string::npos) << arguments[0] << ": " << text;
            EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << arguments[0];
        }
        return result.out + result.err;
    };
    EXPECT_NE(expect_harmless({"train", "t.csv", "--model", "m.npz"}).find("header     a?[31mred??2J, b"),
              std::string::npos);
    EXPECT_NE(expect_harmless({"show", "m.npz"}).find("?[31mred"), std::string::npos);
    expect_harmless({"train", "t.csv", "--label-column", "none" + evil});
    expect_harmless({"train", "t.csv", "--loss", evil});
    expect_harmless({"compare", "t.csv", "--methods", "alfcg-d", "--max-epochs", "2", "--output", "c"});
    write_bytes(folder.file("bad.csv"), "a" + evil + ",kind\n1,x\n" + evil + ",y\n3,x\n4,y\n");
    expect_harmless({"train", "bad.csv"});
    // Files and pipes get labels as they are.
    const auto result = run_program({"predict", "m.npz", "t.csv"}, folder.path());
    EXPECT_NE(result.out.find("x" + evil), std::string::npos);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// As many classes as rows: a number for each pair of them would take 324 MB.
TEST(Border, ManyClassesOfSparseDataTakeNoTableOfRowsAndClasses) {
    TemporaryFolder folder;
    std::string text;
    for (int i = 0; i < 9000; ++i) text += fmt::format("c{} {}:1 {}:2\n", i, i % 50 + 1, i % 37 + 60);
    write_bytes(folder.file("d"), text);
    const auto result = run_program({"train", "d", "--method", "alfcg-d", "--max-iterations", "1",
                                     "--no-intercept", "--quiet", "--model", "m"},
                                    folder.path());
    EXPECT_EQ(result.status, 0) << result.err;
    struct rusage usage {};
    ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &usage), 0);
    EXPECT_LT(usage.ru_maxrss, 250000) << "kilobytes";
}
#endif

TEST(Border, NumbersThatAreNoneAreNotCalledTooLarge) {
    TemporaryFolder folder;
    for (const std::string number : {"NAN(123)", "nan", "-inf", "+Infinity"}) {
        write_bytes(folder.file("d"), "1 1:1\n-1 2:" + number + "\n");
        const auto result = run_program({"train", "d"}, folder.path());
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.err.find("too large"), std::string::npos) << result.err;
    }
    write_bytes(folder.file("d"), "1 1:1\n-1 2:1e999\n");
    EXPECT_NE(run_program({"train", "d"}, folder.path()).err.find("too large"), std::string::npos);
}

}  // namespace
}  // namespace alfcg
