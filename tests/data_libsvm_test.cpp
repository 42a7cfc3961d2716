// LIBSVM text: what is read, and every way in which a line can be wrong.

#include "data_files.hpp"

namespace alfcg {
namespace {

class LibsvmTest : public DataTest {};

TEST_F(LibsvmTest, AbsentEntriesAreZeroAndColumnsCountFromZero) {
    ReadOptions options;
    options.features = 9;  // so many zeros that they are not stored
    const auto data = load("+1 1:0.5 3:-2\n-1 2:1e-3\n", options);
    const auto& sparse = std::get<SparseFeatures<double>>(data.features);
    EXPECT_EQ(std::vector<Index>(sparse.start.begin(), sparse.start.end()), (std::vector<Index>{0, 2, 3}));
    const auto columns = sparse.column.narrow();
    EXPECT_EQ(std::vector<std::int32_t>(columns.begin(), columns.end()),
              (std::vector<std::int32_t>{0, 2, 1}));
    EXPECT_EQ(entries(data.features),
              (std::vector<double>{0.5, 0, -2, 0, 0, 0, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(texts(data.labels), (std::vector<std::string>{"1", "-1"}));
    EXPECT_EQ(cols(load("+1 1:0.5 3:-2\n-1 2:1e-3\n").features), 3);
    EXPECT_EQ(data.name, folder_.file("data"));
}

TEST_F(LibsvmTest, LayoutOfTheTextDoesNotMatter) {
    const auto plain = load("1 1:2 2:3\n0\n2 2:5\n");
    for (const char* text :
         {"1 1:2 2:3\r\n0\r\n2 2:5\r\n", "\n\n 1\t1:2   2:3 \t\n\n0 \n#all comment\n2 2:+5 # 9:9\n\n",
          "1 1:2.0 2:3.\n0\n2 2:.5e1",
          "\xef\xbb\xbf"
          "1 1:2 2:3\n0\n2 2:5"}) {
        const auto data = load(text);
        EXPECT_EQ(entries(data.features), entries(plain.features)) << text;
        EXPECT_EQ(texts(data.labels), texts(plain.labels)) << text;
    }
}

TEST_F(LibsvmTest, LabelsMayBeAnyNumberOrText) {
    EXPECT_EQ(texts(load("1.0 1:1\n+1 1:1\n1e0 1:1\n").labels), (std::vector<std::string>{"1", "1", "1"}));
    EXPECT_EQ(texts(load("spam 1:1\nham 1:1\n").labels), (std::vector<std::string>{"spam", "ham"}));
    EXPECT_EQ(texts(load("2.50 1:1\nham 1:1\n2.5 1:1").labels),
              (std::vector<std::string>{"2.5", "ham", "2.5"}));
}

TEST_F(LibsvmTest, FeaturesFixesTheNumberOfColumns) {
    ReadOptions options;
    options.features = 5;
    EXPECT_EQ(cols(load("1 1:2\n", options).features), 5);
    EXPECT_EQ(problem("1 1:2\n1 2:1 6:1\n", options), "2: index 6 is beyond the number of features, 5");
    EXPECT_EQ(cols(load("1\n2\n",
                        [&] {
                            ReadOptions forced = options;
                            forced.format = "libsvm";
                            return forced;
                        }())
                       .features),
              5);
}

TEST_F(LibsvmTest, RowsStopsReadingEarly) {
    ReadOptions options;
    options.rows = 2;
    const auto data = load("1 1:2\n\n2 1:3\nthis: is: not: LIBSVM\n", options);
    EXPECT_EQ(entries(data.features), (std::vector<double>{2, 3}));
    options.rows = 9;
    EXPECT_EQ(rows(load("1 1:2\n2 1:3\n", options).features), 2);
}

TEST_F(LibsvmTest, LinesLongerThanTheWindowAreRead) {
    constexpr int pairs = 300000;
    std::string line = "1";
    for (int j = 1; j <= pairs; ++j) line += ' ' + std::to_string(9 * j) + ":1";
    ASSERT_GT(line.size(), std::size_t{2} << 20);
    const auto data = load<float>(line + "\n" + line + "\n");
    EXPECT_EQ(std::get<SparseFeatures<float>>(data.features).nonzeros(), 2 * pairs);
}

TEST_F(LibsvmTest, UnlabelledRowsAreFineWhenNoLabelsAreRequired) {
    ReadOptions options;
    options.labels_required = false;
    const auto data = load("1:2 3:4\n2:1\n", options);
    EXPECT_TRUE(data.labels.empty());
    EXPECT_EQ(entries(data.features), (std::vector<double>{2, 0, 4, 0, 1, 0}));
    EXPECT_EQ(load("7 1:2\n8 2:1\n", options).labels.size(), 2);
    EXPECT_EQ(problem("1:2 3:4\n5 2:1\n", options), "2: a label, but the rows before have none");
    EXPECT_EQ(problem("5 3:4\n2:1\n", options), "2: no label, but the rows before have one");
}

TEST_F(LibsvmTest, WhatIsWrongIsToldWithItsLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"1 1:1\n1:1 2:2\n",
         "2: no label: the line begins with the pair '1:1'; right is 'label index:value ...'"},
        {"1 0:1\n", "1: index 0 in '0:1': indices start at 1"},
        {"1 1:1\n\n1 -3:1\n", "3: negative index in '-3:1': indices start at 1"},
        {"1 2147483648:1\n", "1: index in '2147483648:1' is beyond the largest possible, 2147483647"},
        {"1 9223372036854775808:1\n",
         "1: index in '9223372036854775808:1' is beyond the largest possible, 2147483647"},
        {"1 99999999999999999999999999:1\n",
         "1: index in '99999999999999999999999999:1' is beyond the largest possible, 2147483647"},
        {"1 2:1 2:2\n", "1: index 2 occurs twice"},
        {"1 3:1 2:2\n", "1: index 2 comes after 3: indices must increase along a line"},
        {"1 1:1 2\n", "1: '2' is not a pair 'index:value'"},
        {"1 1:1 2;5 3:1\n", "1: '2;5' is not a pair 'index:value'"},
        {"1 1:1 qid:5 3:1\n", "1: 'qid:5' is not a pair 'index:value'"},
        {"1 1:1 :5 3:1\n", "1: ':5' is not a pair 'index:value'"},
        {"1 1:\n", "1: value of '1:': '' is not a number"},
        {"1 1:x\n", "1: value of '1:x': 'x' is not a number"},
        {"1 1:1x\n", "1: value of '1:1x': '1x' is not a number"},
        {"1 1:+-1\n", "1: value of '1:+-1': '+-1' is not a number"},
        {"1 1:2:3\n", "1: value of '1:2:3': '2:3' is not a number"},
        {"1 1:nan\n", "1: value of '1:nan': 'nan' is not a finite number"},
        {"1 1:-Inf\n", "1: value of '1:-Inf': '-Inf' is not a finite number"},
        {"1 1:1e400\n", "1: value of '1:1e400': '1e400' is too large for f64"},
        {"nan 1:1\n", "1: label 'nan' is not a finite number"},
        {"1 1:1\n-inf 1:1\n", "2: label '-inf' is not a finite number"},
        {"1e999 1:1\n", "1: label '1e999' is not a finite number"},
    };
    for (const auto& [text, message] : cases) EXPECT_EQ(problem(text), message) << text;
    EXPECT_EQ(problem<float>("1 1:1e39\n"), "1: value of '1:1e39': '1e39' is too large for f32");
    EXPECT_EQ(entries(load<double>("1 1:1e39\n").features).front(), 1e39);
    EXPECT_EQ(entries(load<float>("1 1:1e-60\n").features).front(), 0);
}

TEST_F(LibsvmTest, NoRowsAndNoFeaturesAreErrors) {
    ReadOptions options;
    options.format = "libsvm";
    EXPECT_EQ(problem("# nothing\n\n  \n", options), " no data rows");
    EXPECT_EQ(problem("1\n-1\n", options), " no feature occurs in any row; fix their number with `features`");
}

TEST_F(LibsvmTest, ItsLabelsAreItsOwn) {
    ReadOptions options;
    options.labels = "other";
    EXPECT_NE(problem("1 1:1\n", options).find("labels of its own"), std::string::npos);
    options.labels.clear();
    options.label_column = "0";
    EXPECT_NE(problem("1 1:1\n", options).find("`label-column` is for CSV"), std::string::npos);
}

TEST_F(LibsvmTest, DataWithFewZerosAreStoredDense) {
    const auto text = [](Index row_count, Index col_count, Index every, Index skipped) {
        std::string lines;
        for (Index i = 0; i < row_count; ++i) {
            lines += std::to_string(i % 2);
            for (Index j = 0; j < col_count; ++j)
                if ((i + j) % every >= skipped)
                    lines += " " + std::to_string(j + 1) + ":" + std::to_string(i * col_count + j + 1);
            lines += "\n";
        }
        return lines;
    };
    for (const Index skipped : {0, 1, 2, 3, 4, 5}) {  // of six
        const auto data = load<float>(text(50, 12, 6, skipped));
        // Four bytes an entry in place of eight for each that is not zero, twice.
        EXPECT_EQ(std::holds_alternative<DenseFeatures<float>>(data.features), skipped <= 4) << skipped;
        const std::vector<double> found = entries(data.features);
        for (Index i = 0; i < 50; ++i)
            for (Index j = 0; j < 12; ++j) {
                const Index k = i * 12 + j;
                ASSERT_EQ(found[static_cast<std::size_t>(k)], (i + j) % 6 >= skipped ? k + 1 : 0);
            }
    }
    // Rows without pairs, and features that no row has.
    ReadOptions options;
    options.features = 4;
    EXPECT_EQ(entries(load("1\n2 1:5 3:7\n3\n1 1:1 2:2 3:3\n2\n", options).features),
              (std::vector<double>{0, 0, 0, 0, 5, 0, 7, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace alfcg
