// Tables of text: separators, headers, quotes, the label column, and every way in which a row can be wrong.

#include "data_files.hpp"

namespace alfcg {
namespace {

class CsvTest : public DataTest {
  protected:
    static ReadOptions label(const std::string& column) {
        ReadOptions options;
        options.label_column = column;
        return options;
    }
    static ReadOptions prediction(Index features, const std::string& column = "") {
        ReadOptions options = label(column);
        options.labels_required = false;
        options.features = features;
        return options;
    }
};

TEST_F(CsvTest, EverySeparatorIsFound) {
    for (const std::string separator : {",", ";", "\t", "|", " ", "   ", " , ", ";\t"}) {
        std::string text;
        for (const char* row : {"1 2.5 -3 0", "4 5e1 6 1", "7 8 9 0"}) {
            for (const char* p = row; *p != '\0'; ++p) text += *p == ' ' ? separator : std::string(1, *p);
            text += '\n';
        }
        const auto data = load(text);
        EXPECT_EQ(entries(data.features), (std::vector<double>{1, 2.5, -3, 4, 50, 6, 7, 8, 9})) << text;
        EXPECT_EQ(texts(data.labels), (std::vector<std::string>{"0", "1", "0"})) << text;
    }
}

TEST_F(CsvTest, ASeparatorInsideTheLabelsDoesNotMislead) {
    const auto data = load("1\t2\tSmith, Ann\n3\t4\tJones, Bob\n");
    EXPECT_EQ(cols(data.features), 2);
    EXPECT_EQ(texts(data.labels), (std::vector<std::string>{"Smith, Ann", "Jones, Bob"}));
}

TEST_F(CsvTest, LayoutOfTheTextDoesNotMatter) {
    for (const char* text : {"1,2,a\n3,4,b\n", "1,2,a\r\n3,4,b\r\n", "\n1,2,a\n\n  \n3,4,b",
                             "\xef\xbb\xbf"
                             "1,2,a\n3,4,b\n",
                             "  1 , 2 ,a \n +3,\t4 , b\n", "\"1\",\"2\",\"a\"\n\"3\" , \"4\", \"b\" \n"}) {
        const auto data = load(text);
        EXPECT_EQ(entries(data.features), (std::vector<double>{1, 2, 3, 4})) << text;
        EXPECT_EQ(texts(data.labels), (std::vector<std::string>{"a", "b"})) << text;
    }
}

TEST_F(CsvTest, AHeaderIsAWordAboveNumbers) {
    EXPECT_EQ(rows(load("x,y,class\n1,2,a\n3,4,b\n").features), 2);
    EXPECT_EQ(rows(load("1,2,class\n1,2,a\n3,4,b\n").features),
              3);  // only the label column begins with a word
    EXPECT_EQ(rows(load(",y,class\n1,2,a\n3,4,b\n").features),
              2);  // the unnamed index column of other programs
    EXPECT_EQ(rows(load("\"a \"\"b\"\"\",\"y\nz\",class\n1,2,a\n").features), 1);
}

TEST_F(CsvTest, ARowWithMissingValuesIsNoHeader) {
    ReadOptions options;
    options.missing = "mean";
    options.categories = true;
    const std::string numbers = "2,3,b\n4,5,a\n1,2,b\n";
    for (const std::string first : {"NA,1,a\n", "1,?,a\n", "NA,?,a\n", "n/a,NA,b\n", ",1,a\n"}) {
        const auto data = load(first + numbers, options);
        EXPECT_EQ(data.labels.size(), 4) << first;
        EXPECT_FALSE(data.header) << first;
    }
    // A word that does not come again may be a colour like the others.
    std::string colours = "red,NA,1\n";
    for (int k = 0; k < 9; ++k) colours += k % 3 == 0 ? "green,2,2\n" : "blue,1,3\n";
    EXPECT_EQ(load(colours, options).labels.size(), 10);
    // Sodium among other names, and a column of row numbers without a name.
    const auto named = load("Si,Na,K,kind\n1,2,3,b\n4,5,6,a\n7,8,9,b\n", options);
    EXPECT_EQ(named.labels.size(), 3);
    EXPECT_TRUE(named.header);
    EXPECT_EQ(named.names, (std::vector<std::string>{"Si", "Na", "K"}));
    EXPECT_EQ(load(",x,kind\n" + numbers, options).labels.size(), 3);
}

TEST_F(CsvTest, QuotedFieldsMayHoldSeparatorsLineEndsAndQuotes) {
    const auto data = load("1,\"a,b\"\n2,\"c\nd\"\n3,\"say \"\"hi\"\"\"\n4,\"\"\"\"\n");
    EXPECT_EQ(entries(data.features), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(texts(data.labels), (std::vector<std::string>{"a,b", "c\nd", "say \"hi\"", "\""}));
    // Lines are lines of the file, not records.
    EXPECT_EQ(problem("1,\"c\nd\"\nx,b\n2,c\n3,d\n"),
              "3: column 0: 'x' is not a number"
              "; `categories` makes features of words, `drop` leaves the column out");
}

TEST_F(CsvTest, TheLabelColumnIsANameOrAPosition) {
    const std::string text = "kind,x,y\n5,1,2\n6,3,4\n";
    for (const char* column : {"kind", "0", "-3"}) {
        const auto data = load(text, label(column));
        EXPECT_EQ(entries(data.features), (std::vector<double>{1, 2, 3, 4})) << column;
        EXPECT_EQ(texts(data.labels), (std::vector<std::string>{"5", "6"})) << column;
    }
    EXPECT_EQ(entries(load(text, label("1")).features), (std::vector<double>{5, 2, 6, 4}));
    EXPECT_EQ(entries(load(text).features), (std::vector<double>{5, 1, 6, 3}));
}

TEST_F(CsvTest, WithoutALabelColumnLabelsMayComeFromAFile) {
    ReadOptions options = label("none");
    EXPECT_NE(problem("1,2\n3,4\n", options).find("`labels` FILE"), std::string::npos);
    options.labels = write("labels.txt", "a\nb\n");
    const auto data = load("1,2\n3,4\n", options);
    EXPECT_EQ(entries(data.features), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(texts(data.labels), (std::vector<std::string>{"a", "b"}));
    options.label_column = "0";
    EXPECT_NE(problem("1,2\n3,4\n", options).find("not both"), std::string::npos);
}

TEST_F(CsvTest, InPredictionTheNumberOfFeaturesTellsWhetherThereIsALabel) {
    EXPECT_TRUE(load("1,2\n3,4\n", prediction(2)).labels.empty());
    EXPECT_EQ(texts(load("1,2,a\n3,4,b\n", prediction(2)).labels), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(texts(load("7,1,2\n8,3,4\n", prediction(2, "0")).labels), (std::vector<std::string>{"7", "8"}));
    EXPECT_TRUE(load("1,2\n3,4\n", prediction(2, "0")).labels.empty());
    EXPECT_TRUE(load("1,2\n3,4\n", prediction(2, "none")).labels.empty());
    EXPECT_TRUE(load("1\n3\n", prediction(0)).labels.empty());
    EXPECT_EQ(problem("1,2,3,4\n", prediction(2)),
              "1: 4 columns, but 2 features (and perhaps a label) are expected; `drop` leaves columns out");
    EXPECT_EQ(problem("1\n", prediction(2)),
              "1: 1 columns, but 2 features (and perhaps a label) are expected; `drop` leaves columns out");
    EXPECT_EQ(problem("1,2,3\n", prediction(2, "none")), "1: 3 features, but the model has 2");
}

TEST_F(CsvTest, RowsStopsReadingEarly) {
    ReadOptions options;
    options.rows = 2;
    EXPECT_EQ(rows(load("x,l\n1,a\n2,b\nbroken\n", options).features), 2);
}

TEST_F(CsvTest, RowsLongerThanTheWindowAndManyRowsAreRead) {
    std::string row;
    for (int j = 0; j < 300000; ++j) row += "0.25,";
    const auto wide = load<float>(row + "a\n" + row + "b\n");
    EXPECT_EQ(cols(wide.features), 300000);
    EXPECT_EQ(texts(wide.labels), (std::vector<std::string>{"a", "b"}));
    std::string tall;
    for (int i = 0; i < 200000; ++i) tall += std::to_string(i) + ",\"q\n" + std::to_string(i % 3) + "\"\n";
    const auto data = load<double>(tall);
    ASSERT_EQ(rows(data.features), 200000);
    EXPECT_EQ(entries(data.features)[199999], 199999);
    EXPECT_EQ(data.labels.text(199999), "q\n1");
}

TEST_F(CsvTest, WhatIsWrongIsToldWithLineAndColumn) {
    const std::pair<const char*, const char*> cases[] = {
        {"1,2,a\n3,b\n5,6,c\n", "2: 2 columns, but the first row has 3"},
        {"x,y,l\n1,2,a\n3,4,5,b\n", "3: 4 columns, but the first row has 3"},
        {"x,y,l\n1,2,a\n3,,b\n5,6,c\n", "3: column 1 ('y'): empty field; `missing` mean or zero fills it"},
        {"1,2,a\n3,4,\n", "2: column 2: empty field, where a label is needed"},
        {"1,2,a\n3,?,b\n", "2: column 1: missing value ('?'); `missing` mean or zero fills it"},
        {"1,2,a\n3,0x10,b\n",
         "2: column 1: '0x10' is not a number"
         "; `categories` makes features of words, `drop` leaves the column out"},
        {"red,2,a\nblue,4,b\ngreen,5,c\n",
         "1: column 0: 'red' is not a number"
         "; `categories` makes features of words, `drop` leaves the column out"},
        {"1,2,a\n\n3,NaN,b\n", "3: column 1: missing value ('NaN'); `missing` mean or zero fills it"},
        {"1,2,a\n3,-inf,b\n", "2: column 1: '-inf' is not a finite number"},
        {"1,2,a\n3,1e999,b\n", "2: column 1: '1e999' is too large for f64"},
        {"1,2,a\n3,4,nan\n", "2: column 2: missing value ('nan'), where a label is needed"},
        {"1,2,a\n3,4,inf\n", "2: column 2: label 'inf' is not a finite number"},
        {"1,2,3\n3,4,NA\n", "2: column 2: missing value ('NA'), where a label is needed"},
        {"x,y,l\n", " no data rows, only a header"},
        {"\n \n\r\n", " no data rows"},
        {"1\n2\n3\n",
         "1: only one column; features and a label need two or more (separators: , ; tab | blank)"},
        {"1,\"2,a\n3,4,b\n", "1: a quote that is never closed"},
        {"1,2,a\n3,4,\"b\"c\n", "2: text behind a closing quote"},
    };
    for (const auto& [text, message] : cases) EXPECT_EQ(problem(text), message) << text;
    EXPECT_EQ(problem<float>("1,2,a\n3,1e39,b\n"), "2: column 1: '1e39' is too large for f32");
}

TEST_F(CsvTest, AWrongLabelColumnIsTold) {
    const std::string text = "x,y,l\n1,2,a\n3,4,b\n";
    EXPECT_EQ(problem(text, label("z")), "1: no column 'z'; the header has: x, y, l");
    EXPECT_EQ(problem(text, label("3")),
              "1: label column 3 does not exist: the columns are 0 .. 2, or -1 .. -3");
    EXPECT_EQ(problem(text, label("-4")),
              "1: label column -4 does not exist: the columns are 0 .. 2, or -1 .. -3");
    EXPECT_EQ(problem(text, label("99999999999999999999")),
              "1: label column 99999999999999999999 does not exist: the columns are 0 .. 2, or -1 .. -3");
    EXPECT_EQ(problem("x,x,l\n1,2,a\n", label("x")), "1: column 'x' occurs twice; give its position instead");
    ReadOptions options;
    options.features = 7;
    EXPECT_EQ(problem(text, options), "1: 2 features, but 7 are asked for");
}

TEST_F(CsvTest, TheFormatCanBeForced) {
    ReadOptions options;
    options.format = "csv";
    EXPECT_EQ(texts(load("1 1:2\n2 1:3\n3 1:5\n", options).labels),
              (std::vector<std::string>{"1:2", "1:3", "1:5"}));
}

}  // namespace
}  // namespace alfcg
