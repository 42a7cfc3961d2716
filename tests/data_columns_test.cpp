// What the columns of a table are for: features by name, labels, weights, columns left out, missing values, words.

#include <cmath>
#include <map>
#include <random>

#include "alfcg/model/model.hpp"
#include "data_files.hpp"

namespace alfcg {
namespace {

using Strings = std::vector<std::string>;

class ColumnsTest : public DataTest {
  protected:
    // The options of prediction, for a model that was trained on these data.
    template <class Real>
    static ReadOptions like(const Dataset<Real>& data) {
        Model<Real> model;
        model.weights = Matrix<Real>(1, cols(data.features));
        model.names = data.names;
        model.reading = data.reading;
        return options_for(model);
    }
    static ReadOptions with(const std::function<void(ReadOptions&)>& change) {
        ReadOptions options;
        change(options);
        return options;
    }
    template <class Real>
    static std::vector<Real> numbers(const Features<Real>& features) {
        std::vector<Real> result;
        for (const double entry : entries(features)) result.push_back(static_cast<Real>(entry));
        return result;
    }
};

TEST_F(ColumnsTest, NamesAreThoseOfTheFeatures) {
    const auto data = load("x,kind,y\n1,a,2\n3,b,4\n", with([](auto& o) { o.label_column = "kind"; }));
    EXPECT_EQ(data.names, (Strings{"x", "y"}));
    EXPECT_EQ(data.reading.label, "kind");
    EXPECT_TRUE(data.reading.others.empty());
    EXPECT_TRUE(load("1,2,a\n3,4,b\n").names.empty());
    EXPECT_TRUE(load("1,2,a\n3,4,b\n").reading.label.empty());
}

TEST_F(ColumnsTest, AModelFindsItsColumnsByNameInAnyOrder) {
    const auto data = load("x,y,z,kind\n1,2,3,a\n4,5,6,b\n");
    const ReadOptions options = like(data);
    for (const char* text : {"x,y,z,kind\n1,2,3,a\n4,5,6,b\n", "kind;z;x;y\na;3;1;2\nb;6;4;5\n",
                             "y\tkind\tx\tz\n2\ta\t1\t3\n5\tb\t4\t6\n"}) {
        const auto other = load(text, options);
        EXPECT_EQ(entries(other.features), (std::vector<double>{1, 2, 3, 4, 5, 6})) << text;
        EXPECT_EQ(texts(other.labels), (Strings{"a", "b"})) << text;
        EXPECT_EQ(other.names, data.names);
    }
    const auto unlabelled = load("z,y,x\n3,2,1\n", options);
    EXPECT_EQ(entries(unlabelled.features), (std::vector<double>{1, 2, 3}));
    EXPECT_TRUE(unlabelled.labels.empty());
    // Without names on either side columns go by position.
    EXPECT_EQ(entries(load("1,2,3\n", options).features), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(texts(load("1,2,3,a\n4,5,6,b\n", options).labels), (Strings{"a", "b"}));
    const ReadOptions nameless = like(load("1,2,3,a\n4,5,6,b\n"));
    EXPECT_EQ(entries(load("z,y,x\n1,2,3\n", nameless).features), (std::vector<double>{1, 2, 3}));
}

TEST_F(ColumnsTest, ColumnsThatDoNotFitAModelAreNamed) {
    const ReadOptions options = like(load("x,y,z,kind\n1,2,3,a\n4,5,6,b\n"));
    EXPECT_EQ(problem("x,z,kind\n1,3,a\n", options), "1: the model has columns that are not here: 'y'");
    EXPECT_EQ(problem("x,y,z,size,kind\n1,2,3,4,a\n", options),
              "1: columns that the model does not know: 'size' (`drop` leaves columns out)");
    EXPECT_EQ(
        problem("x,Y,z\n1,2,3\n", options),
        "1: the model has columns that are not here: 'y'; columns that the model does not know: 'Y' (`drop` "
        "leaves columns out)");
    ReadOptions dropping = options;
    dropping.drop = "size";
    EXPECT_EQ(entries(load("size,z,y,x\n9,3,2,1\n", dropping).features), (std::vector<double>{1, 2, 3}));
    ReadOptions label = options;
    label.label_column = "class";
    EXPECT_EQ(texts(load("class,z,y,x\n9,3,2,1\n", label).labels), (Strings{"9"}));
}

TEST_F(ColumnsTest, OfColumnsWithOneNameTheFirstIsTheFirst) {
    const ReadOptions options = like(load("x,y,x,kind\n1,2,3,a\n4,5,6,b\n"));
    EXPECT_EQ(entries(load("y,x,x\n2,1,3\n", options).features), (std::vector<double>{1, 2, 3}));
}

TEST_F(ColumnsTest, DroppedColumnsAreNotRead) {
    const std::string text = "id,x,\"a, b\",kind\none,1,7,p\ntwo,2,8,q\n";
    for (const char* drop : {"id,\"a, b\"", "0,2", "\"a, b\", -4", "id,-2"}) {
        const auto data = load(text, with([&](auto& o) { o.drop = drop; }));
        EXPECT_EQ(entries(data.features), (std::vector<double>{1, 2})) << drop;
        EXPECT_EQ(data.names, Strings{"x"});
        EXPECT_EQ(data.reading.others, (Strings{"id", "a, b"}));
        // A model knows what was left out.
        EXPECT_EQ(entries(load("kind,id,x\np,three,3\n", like(data)).features), std::vector<double>{3});
    }
    EXPECT_EQ(entries(load("1,2,a\n3,4,b\n", with([](auto& o) { o.drop = "0"; })).features),
              (std::vector<double>{2, 4}));
    // The label is the last column of those that are left.
    EXPECT_EQ(texts(load(text, with([](auto& o) { o.drop = "id,kind"; })).labels), (Strings{"7", "8"}));
    EXPECT_EQ(problem(text, with([](auto& o) { o.drop = "age"; })),
              "1: no column 'age'; the header has: id, x, a, b, kind");
    EXPECT_EQ(problem(text, with([](auto& o) { o.drop = "4"; })),
              "1: column 4 does not exist: the columns are 0 .. 3, or -1 .. -4");
    EXPECT_EQ(problem(text, with([](auto& o) { o.drop = "kind", o.label_column = "kind"; })),
              "1: column 3 ('kind') is the label, and cannot be dropped or hold weights");
    EXPECT_NE(problem("1 1:2\n2 1:3\n", with([](auto& o) { o.drop = "0"; })).find("`drop` is for CSV files"),
              std::string::npos);
}

TEST_F(ColumnsTest, WeightsComeFromAColumnOrAFile) {
    const std::string text = "w,x,kind\n0.5,1,a\n2,2,b\n0,3,a\n";
    for (const char* column : {"w", "0", "-3"}) {
        const auto data = load(text, with([&](auto& o) { o.weights = column; }));
        EXPECT_EQ(data.weights, (std::vector<double>{0.5, 2, 0})) << column;
        EXPECT_EQ(entries(data.features), (std::vector<double>{1, 2, 3}));
        EXPECT_EQ(entries(load(text, like(data)).features), (std::vector<double>{1, 2, 3}));
    }
    EXPECT_EQ(texts(load("x,kind,w\n1,a,2\n2,b,3\n", with([](auto& o) { o.weights = "w"; })).labels),
              (Strings{"a", "b"}));
    const std::string lines = write("w.txt", "0.5\n2\n0\n");
    const std::string array = write("w.npy", npy_file<double>("f8", false, false, 3, 1, [](Index i, Index) {
                                        return i == 0 ? 0.5 : 4.0 - 2.0 * static_cast<double>(i);
                                    }));
    for (const std::string& file : {lines, array})
        for (const char* data : {"1,a\n2,b\n3,a\n", "1 1:1\n2 1:2\n1 1:3\n"})
            EXPECT_EQ(load(data, with([&](auto& o) { o.weights = file; })).weights,
                      (std::vector<double>{0.5, 2, 0}))
                << file << data;
}

TEST_F(ColumnsTest, WeightsThatAreWrongAreTold) {
    const auto column = [&](const std::string& weight) {
        return problem("w,x,kind\n1,1,a\n" + weight + ",2,b\n", with([](auto& o) { o.weights = "w"; }));
    };
    EXPECT_EQ(column("-1"), "3: column 0 ('w'): weight '-1' is negative");
    EXPECT_EQ(column("nan"), "3: column 0 ('w'): weight 'nan' is not a finite number");
    EXPECT_EQ(column("inf"), "3: column 0 ('w'): weight 'inf' is not a finite number");
    EXPECT_EQ(column(""), "3: column 0 ('w'): weight '' is not a number");
    EXPECT_EQ(column("many"), "3: column 0 ('w'): weight 'many' is not a number");
    EXPECT_NE(problem("w,x,l\n0,1,a\n0,2,b\n", with([](auto& o) { o.weights = "w"; }))
                  .find("every row has the weight 0"),
              std::string::npos);
    const auto file = [&](const std::string& text) {
        const std::string path = write("w.txt", text);
        std::string message = problem("1,a\n2,b\n", with([&](auto& o) { o.weights = path; }));
        return message.starts_with(path) ? message.substr(path.size()) : message;
    };
    EXPECT_TRUE(file("1\n").starts_with(": 1 weights, but "));
    EXPECT_EQ(file("1\n-2\n"), ": the weight of row 2 is negative: -2");
    EXPECT_EQ(file("1\nnan\n"), ":2: weight 'nan' is not a finite number");
    EXPECT_EQ(file("1\nmuch\n"), ":2: weight 'much' is not a number");
    EXPECT_NE(file("0\n0\n").find("every row has the weight 0"), std::string::npos);
    EXPECT_EQ(problem("1 1:2\n2 1:3\n", with([](auto& o) { o.weights = "nowhere"; })),
              " no column 'nowhere', and no file of weights of that name");
    EXPECT_EQ(problem("x,y,l\n1,2,a\n3,4,b\n", with([](auto& o) { o.weights = "w"; })),
              " no column 'w', and no file of weights of that name");
}

TEST_F(ColumnsTest, MissingValuesAreFilledWithTheMeanOrZero) {
    const std::string text = "x,y,kind\n1,10,a\nNA,?,b\n3,,a\n\"\",30,b\n8,nan,b\n";
    const auto mean = load(text, with([](auto& o) { o.missing = "mean"; }));
    EXPECT_EQ(entries(mean.features), (std::vector<double>{1, 10, 4, 20, 3, 20, 4, 30, 8, 20}));
    EXPECT_EQ(mean.reading.fill, (std::vector<double>{4, 20}));
    const auto zero = load(text, with([](auto& o) { o.missing = "zero"; }));
    EXPECT_EQ(entries(zero.features), (std::vector<double>{1, 10, 0, 0, 3, 0, 0, 30, 8, 0}));
    EXPECT_EQ(zero.reading.fill, (std::vector<double>{0, 0}));
    // A model fills with what it was trained with, not with means of its own.
    EXPECT_EQ(entries(load("y,x\nnull,None\n100,N/A\n", like(mean)).features),
              (std::vector<double>{4, 20, 4, 100}));
    EXPECT_EQ(entries(load("NULL,1\n7,<NA>\n", like(mean)).features), (std::vector<double>{4, 1, 7, 20}));
    const auto whole = load("x,y,kind\n1,10,a\n3,20,b\n");
    EXPECT_EQ(problem("x,y\n1,\n", like(whole)),
              "2: column 1 ('y'): empty field; the model was trained without `missing`, and has nothing in "
              "its place");
    EXPECT_EQ(problem("x,y,l\nNA,1,a\n,2,b\n", with([](auto& o) { o.missing = "mean"; })),
              " column 0 ('x') has no value at all, so no mean; `drop` leaves it out");
    // Means are weighted; a row of weight 0 has no part in them. 4 = (2·1 + 6·5)/8, 20 = (2·10 + 2·30)/4.
    const std::string weighted = "x,y,w,kind\n1,10,2,a\n100,100,0,b\n5,,6,a\n,30,2,b\n";
    EXPECT_EQ(load(weighted, with([](auto& o) { o.missing = "mean", o.weights = "w"; })).reading.fill,
              (std::vector<double>{4, 20}));
    const std::string file = write("w.txt", "2\n0\n6\n2\n");
    EXPECT_EQ(load(weighted, with([&](auto& o) { o.missing = "mean", o.drop = "w", o.weights = file; }))
                  .reading.fill,
              (std::vector<double>{4, 20}));
    EXPECT_EQ(problem(text, with([](auto& o) { o.missing = "median"; })),
              "missing must be mean or zero, not 'median'");
    EXPECT_EQ(problem(text, with([](auto& o) { o.missing = "mean", o.label_column = "x", o.drop = "kind"; })),
              "3: column 0 ('x'): missing value ('NA'), where a label is needed");
}

TEST_F(ColumnsTest, EveryWordOfAColumnOfWordsBecomesAFeature) {
    const std::string text =
        "size,colour,id,kind\n1,red,7,a\n2,\"light, \"\"blue\"\"\",x,b\n3,green,007,a\n4,red,7.0,b\n";
    const auto data = load(text, with([](auto& o) { o.categories = true; }));
    EXPECT_EQ(data.names,
              (Strings{"size", "colour=green", "colour=light, \"blue\"", "colour=red", "id=7", "id=x"}));
    EXPECT_EQ(data.reading.sources, (Strings{"size", "colour", "colour", "colour", "id", "id"}));
    EXPECT_EQ(entries(data.features), (std::vector<double>{1, 0, 0, 1, 1, 0,  //
                                                           2, 0, 1, 0, 0, 1,  //
                                                           3, 1, 0, 0, 1, 0,  //
                                                           4, 0, 0, 1, 1, 0}));
    // The same words in another file are the same features; others are none, and that is said.
    const auto other = load("colour,kind,id,size\npink,a,7,5\nred,b,8,6\n", like(data));
    EXPECT_EQ(entries(other.features), (std::vector<double>{5, 0, 0, 0, 1, 0, 6, 0, 0, 1, 0, 0}));
    ASSERT_EQ(other.notes.size(), 2U);
    EXPECT_NE(
        other.notes[0].find("column 0 ('colour'): 1 of 2 rows have a word that the model does not know"),
        std::string::npos);
    EXPECT_EQ(problem("colour,id,size\nred,7,big\n", like(data)),
              "2: column 2 ('size'): 'big' is not a number; `drop` leaves the column out");
}

TEST_F(ColumnsTest, WordsWithoutAHeaderGoByPosition) {
    const auto data = load("red,1,a\nblue,2,b\nred,3,a\n", with([](auto& o) { o.categories = true; }));
    EXPECT_EQ(data.names, (Strings{"#0=blue", "#0=red", "#1"}));
    for (const char* text :
         {"red,1,a\nblue,2,b\nred,3,a\n", "colour,size,kind\nred,1,a\nblue,2,b\nred,3,a\n"})
        EXPECT_EQ(entries(load(text, like(data)).features), (std::vector<double>{0, 1, 1, 1, 0, 2, 0, 1, 3}))
            << text;
}

TEST_F(ColumnsTest, NumbersMayBeNamesOfColumns) {
    const auto data = load("1999,2000,kind\n1,2,a\n3,4,b\n", with([](auto& o) { o.label_column = "kind"; }));
    EXPECT_EQ(data.names, (Strings{"1999", "2000"}));
    EXPECT_EQ(entries(load("2000,1999\n2,1\n4,3\n", like(data)).features), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(entries(load("2000,7\n2,1\n", like(data)).features), (std::vector<double>{2000, 7, 2, 1}));
}

TEST_F(ColumnsTest, MissingWordsAreNoFeature) {
    const std::string text = "x,c,kind\n1,p,a\n2,,b\n3,q,a\n,?,b\n";
    EXPECT_EQ(problem(text, with([](auto& o) { o.categories = true; })),
              "3: column 1 ('c'): empty field; `missing` mean or zero fills it");
    const auto data = load(text, with([](auto& o) { o.categories = true, o.missing = "mean"; }));
    EXPECT_EQ(data.names, (Strings{"x", "c=p", "c=q"}));
    EXPECT_EQ(entries(data.features), (std::vector<double>{1, 1, 0, 2, 0, 0, 3, 0, 1, 2, 0, 0}));
    EXPECT_EQ(data.reading.fill, (std::vector<double>{2, 0, 0}));
    const auto other = load("c,x\nNA,NA\n", like(data));
    EXPECT_EQ(entries(other.features), (std::vector<double>{2, 0, 0}));
    EXPECT_TRUE(other.notes.empty());
}

TEST_F(ColumnsTest, TablesOfWordsThroughoutHaveTheirHeaderFound) {
    std::string text = "cap,odour,edible\n";
    for (int i = 0; i < 20; ++i)
        text +=
            std::string(i % 2 == 0 ? "flat" : "bell") + "," + (i % 3 == 0 ? "foul" : "none of it") + ",yes\n";
    const auto data = load(text, with([](auto& o) { o.categories = true; }));
    EXPECT_EQ(rows(data.features), 20);
    EXPECT_EQ(data.names, (Strings{"cap=bell", "cap=flat", "odour=foul", "odour=none of it"}));
    EXPECT_EQ(
        rows(load(text.substr(text.find('\n') + 1), with([](auto& o) { o.categories = true; })).features),
        20);
    // A few words above others say nothing; the label's name above numbers does.
    EXPECT_EQ(rows(load("cap,edible\nflat,1\nbell,0\nconical,1\n", with([](auto& o) { o.categories = true; }))
                       .features),
              3);
}

TEST_F(ColumnsTest, ColumnsOfWordsThatSayNothingAreRefused) {
    std::string text = "name,x,kind\n";
    for (int i = 0; i < 30; ++i) text += "n" + std::to_string(i) + ",1,a\n";
    EXPECT_EQ(
        problem(text, with([](auto& o) { o.categories = true; })),
        " column 0 ('name'): 30 different words in 30 rows are no categories; `drop` leaves the column out");
    EXPECT_EQ(
        problem("c,c,l\np,q,a\nr,s,b\n", with([](auto& o) { o.categories = true, o.label_column = "l"; })),
        " column 0 ('c'): another column has this name; columns of words need one of their own");
}

// A table of words and numbers with gaps, as text and as the features it must become, made slowly.
struct Mixed {
    std::string text;
    std::vector<double> features;
    Strings names;

    Mixed(Index row_count, bool late_word) {
        std::mt19937 random(5);
        const auto below = [&](unsigned n) { return random() % n; };
        std::vector<std::vector<std::string>> rows;
        for (Index i = 0; i < row_count; ++i) {
            std::vector<std::string> row{std::to_string(below(1000)) + "." + std::to_string(below(100))};
            row.push_back("w" + std::to_string(below(30)));
            row.push_back(std::to_string(below(5)));
            row.push_back(below(10) == 0 ? "" : std::to_string(below(50)));
            row.push_back(below(10) == 0 ? "?" : "\"v," + std::to_string(below(4)) + "\"");
            rows.push_back(row);
        }
        // A column of numbers that turns out to be one of words in its last row.
        if (late_word) rows.back()[2] = "many";
        text = "a,b,c,d,e,kind\n";
        for (const auto& row : rows) {
            for (const std::string& field : row) text += field + ",";
            text += std::to_string(below(2)) + "\n";
        }
        const char* const columns = "abcde";
        std::vector<std::map<std::string, std::size_t>> words(5);
        for (const auto& row : rows)
            for (const std::size_t j : {1U, 2U, 4U})
                if (row[j] != "?" && (j != 2 || late_word)) words[j][row[j]];
        double sum = 0;
        double count = 0;
        for (const auto& row : rows)
            if (!row[3].empty()) sum += std::stod(row[3]), count += 1;
        for (std::size_t j = 0; j < 5; ++j) {
            if (words[j].empty()) names.emplace_back(1, columns[j]);
            for (auto& [word, position] : words[j]) {
                position = names.size();
                names.push_back(std::string(1, columns[j]) + "=" + (j == 4 ? word.substr(1, 3) : word));
            }
        }
        for (const auto& row : rows) {
            std::vector<double> values(names.size());
            for (std::size_t j = 0; j < 5; ++j) {
                const auto own =
                    std::find(names.begin(), names.end(), std::string(1, columns[j])) - names.begin();
                if (!words[j].empty()) {
                    if (row[j] != "?") values[words[j][row[j]]] = 1;
                } else {
                    values[static_cast<std::size_t>(own)] = row[j].empty() ? sum / count : std::stod(row[j]);
                }
            }
            features.insert(features.end(), values.begin(), values.end());
        }
    }
};

TEST_F(ColumnsTest, LargeTablesAgreeWithASlowReadingForEveryThreadCount) {
    for (const bool late : {false, true}) {
        const Mixed mixed(120000, late);
        for (const int threads : {1, 3}) {
            const auto data = load<double>(mixed.text, with([&](auto& o) {
                                               o.categories = true, o.missing = "mean", o.threads = threads;
                                           }));
            ASSERT_EQ(data.names, mixed.names);
            EXPECT_TRUE(std::holds_alternative<SparseFeatures<double>>(data.features));
            const std::vector<double> found = entries(data.features);
            ASSERT_EQ(found.size(), mixed.features.size());
            for (std::size_t k = 0; k < found.size(); ++k)
                ASSERT_NEAR(found[k], mixed.features[k], 1e-9) << k;
            ReadOptions again = like(data);
            again.threads = threads;
            EXPECT_EQ(entries(load<double>(mixed.text, again).features), found);
        }
    }
}

TEST_F(ColumnsTest, ThousandsOfColumnsAreMatchedByName) {
    constexpr Index width = 5000;
    std::string header;
    std::string turned;
    std::string row;
    std::string turned_row;
    for (Index j = 0; j < width; ++j) {
        header += "f" + std::to_string(j) + ",";
        row += std::to_string(j) + ",";
        turned = "f" + std::to_string(j) + "," + turned;
        turned_row = std::to_string(j) + "," + turned_row;
    }
    const auto data = load(header + "kind\n" + row + "a\n" + row + "b\n");
    EXPECT_EQ(cols(data.features), width);
    EXPECT_EQ(entries(load(turned + "kind\n" + turned_row + "a\n" + turned_row + "b\n", like(data)).features),
              entries(data.features));
}

TEST_F(ColumnsTest, TheScaleDividesTheFeaturesOfAnyFile) {
    ReadOptions options = with([](auto& o) { o.scale = 255; });
    const std::vector<double> expected{0, 1, 51.0 / 255, 1.0 / 255};
    const auto data = load<double>("0,255,a\n51,1,b\n", options);
    EXPECT_EQ(entries(data.features), expected);
    EXPECT_EQ(data.reading.scale, 255);
    EXPECT_EQ(entries(load<double>("1 2:255\n2 1:51 2:1\n", options).features), expected);
    options.labels = write("labels", "1\n2\n");
    EXPECT_EQ(
        entries(load<double>(idx_header(8, {2, 2}) + std::string("\0\xff\x33\x01", 4), options).features),
        expected);
    EXPECT_EQ(entries(load<double>("0,255\n51,1\n", like(data)).features), expected);
    options.labels.clear();
    EXPECT_NE(
        message_of<Error>([&] { load_dataset<float>("randn-3-3", options); }).find("`scale` is for files"),
        std::string::npos);
}

}  // namespace
}  // namespace alfcg
