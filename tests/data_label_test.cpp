// Labels, classes, numbers as text, and files of labels.

#include <cmath>
#include <limits>

#include "alfcg/core/text.hpp"
#include "data_files.hpp"

namespace alfcg {
namespace {

Labels labels_of(const std::vector<std::string>& tokens) {
    Labels labels;
    for (const std::string& token : tokens) labels.push(token);
    return labels;
}

using Texts = std::vector<std::string>;

TEST(Numbers, TheShortestTextReadsBackExactly) {
    const std::pair<double, const char*> cases[] = {
        {1, "1"},     {-0.25, "-0.25"},   {1e100, "1e+100"},
        {0.1, "0.1"}, {100000, "100000"}, {-1, "-1"},
        {0, "0"},     {1e-7, "1e-07"},    {1.0 / 3, "0.3333333333333333"}};
    for (const auto& [number, text] : cases) EXPECT_EQ(format_number(number), text);
    double x = 1e-300;
    for (int k = 0; k < 2000; ++k, x *= -2.0 / 3 * 3.3) EXPECT_EQ(std::stod(format_number(x)), x);
}

TEST(LabelsTest, EqualNumbersAreEqualLabelsHoweverTheyAreWritten) {
    const Labels labels = labels_of({"+1", "1", "1.0", "1e0", "-0", "0"});
    EXPECT_TRUE(labels.numeric());
    EXPECT_TRUE(labels.integers());
    EXPECT_EQ(texts(labels), (Texts{"1", "1", "1", "1", "0", "0"}));
    EXPECT_EQ(find_classes(labels).names, (Texts{"0", "1"}));
}

TEST(LabelsTest, WholeNumbersAreToldFromOthers) {
    EXPECT_FALSE(labels_of({"1", "1.5"}).integers());
    EXPECT_FALSE(labels_of({"1", "x"}).integers());
    EXPECT_TRUE(labels_of({"1e3", "-7"}).integers());
}

TEST(LabelsTest, FromTheFirstNameOnEverythingIsAName) {
    const Labels labels = labels_of({"1.0", "2", "red", "1", "+2.50", "red"});
    EXPECT_FALSE(labels.numeric());
    EXPECT_EQ(texts(labels), (Texts{"1", "2", "red", "1", "2.5", "red"}));
    EXPECT_EQ(find_classes(labels).names, (Texts{"1", "2", "2.5", "red"}));
    EXPECT_FALSE(find_classes(labels).numeric());
}

TEST(LabelsTest, NamesKeepTheirText) {
    EXPECT_EQ(texts(labels_of({"a b", "Ünal", " x", "1:2", "0x10", "1,5"})),
              (Texts{"a b", "Ünal", " x", "1:2", "0x10", "1,5"}));
}

TEST(LabelsTest, ClassesAreSortedByValueOrByText) {
    const Classes numbers = find_classes(labels_of({"10", "9", "-1", "10", "2.5"}));
    EXPECT_EQ(numbers.values, (std::vector<double>{-1, 2.5, 9, 10}));
    EXPECT_EQ(numbers.names, (Texts{"-1", "2.5", "9", "10"}));
    EXPECT_EQ(find_classes(labels_of({"b", "10", "9", "a"})).names, (Texts{"10", "9", "a", "b"}));
}

TEST(LabelsTest, EncodingGivesPositionsAndMinusOneForStrangers) {
    const Classes numbers = find_classes(labels_of({"3", "1", "2"}));
    EXPECT_EQ(numbers.encode(labels_of({"2.0", "3", "7", "1"})), (std::vector<std::int32_t>{1, 2, -1, 0}));
    // Numeric classes meet labels of which one is a name, and the other way round.
    EXPECT_EQ(numbers.encode(labels_of({"2.0", "x", "1"})), (std::vector<std::int32_t>{1, -1, 0}));
    const Classes names = find_classes(labels_of({"x", "1.0", "y"}));
    EXPECT_EQ(names.encode(labels_of({"1", "2"})), (std::vector<std::int32_t>{0, -1}));
    EXPECT_EQ(names.encode(labels_of({"y", "x", "z"})), (std::vector<std::int32_t>{2, 1, -1}));
}

TEST(LabelsTest, SelectingKeepsTheRowsListedInThatOrder) {
    for (const Texts& tokens : {Texts{"1", "2", "3", "4"}, Texts{"a", "b", "c", "d"}}) {
        Labels labels = labels_of(tokens);
        EXPECT_EQ(texts(labels.select({2, 0})), (Texts{tokens[2], tokens[0]}));
        labels.keep({1, 3});
        EXPECT_EQ(texts(labels), (Texts{tokens[1], tokens[3]}));
        EXPECT_EQ(find_classes(labels).size(), 2);
        labels.push(tokens[0]);
        EXPECT_EQ(texts(labels).back(), tokens[0]);
    }
}

class LabelFileTest : public DataTest {
  protected:
    /// Labels of `count` samples from a file with these bytes.
    Texts read(const std::string& bytes, Index count = 3, Index limit = 0) const {
        return texts(load_dataset<float>(samples(count), with(bytes, limit)).labels);
    }
    std::string label_problem(const std::string& bytes, Index count = 3) const {
        const ReadOptions options = with(bytes, 0);
        std::string message = message_of<Error>([&] { load_dataset<float>(samples(count), options); });
        if (message.starts_with(options.labels + ":")) message.erase(0, options.labels.size() + 1);
        return message;
    }
    std::string samples(Index count) const {
        return write("x.npy", npy_file<float>("f4", false, false, count, 2,
                                              [](Index i, Index) { return static_cast<double>(i); }));
    }

  private:
    ReadOptions with(const std::string& bytes, Index limit) const {
        ReadOptions options;
        options.labels = write("labels", bytes);
        options.rows = limit;
        return options;
    }
};

template <class T>
std::string npy_vector(const std::string& dtype, const std::string& shape, const std::vector<T>& values,
                       bool big) {
    std::string bytes = npy_prefix(npy_dictionary(dtype, false, shape));
    for (const T value : values) bytes += element(value, big);
    return bytes;
}

TEST_F(LabelFileTest, NumbersComeFromNpyIdxAndText) {
    const Texts expected = {"3", "1", "2"};
    EXPECT_EQ(read(npy_vector<std::int64_t>("<i8", "(3,)", {3, 1, 2}, false)), expected);
    EXPECT_EQ(read(npy_vector<float>(">f4", "(3, 1)", {3, 1, 2}, true)), expected);
    EXPECT_EQ(read(npy_vector<std::uint8_t>("|u1", "(3,)", {3, 1, 2}, false)), expected);
    EXPECT_EQ(read(idx_header(8, {3}) + "\x03\x01\x02"), expected);
    EXPECT_EQ(read("3\n1\n2\n"), expected);
    EXPECT_EQ(read("\xef\xbb\xbf"
                   " 3 \r\n1\r\n2\r\n\r\n\n"),
              expected);
    for (const Packer& archive : archives) {
        EXPECT_EQ(read(archive.compress("3\n1\n2")), expected);
        EXPECT_EQ(read(archive.compress(idx_header(8, {3}) + "\x03\x01\x02")), expected);
        EXPECT_EQ(read(archive.compress(npy_vector<double>("<f8", "(3,)", {3, 1, 2}, false))), expected);
    }
}

TEST_F(LabelFileTest, NamesComeFromNpyStringsAndText) {
    std::string narrow = npy_prefix(npy_dictionary("|S4", false, "(3,)"));
    narrow += std::string("ham\0spamham\0", 12);
    EXPECT_EQ(read(narrow), (Texts{"ham", "spam", "ham"}));
    for (const bool big : {false, true}) {
        std::string wide = npy_prefix(npy_dictionary(big ? ">U2" : "<U2", false, "(3,)"));
        for (const std::uint32_t code : {0x61U, 0U, 0xFCU, 0x20ACU, 0x1F600U, 0x62U})
            wide += element(code, big);
        EXPECT_EQ(read(wide), (Texts{"a", "\xc3\xbc\xe2\x82\xac",
                                     "\xf0\x9f\x98\x80"
                                     "b"}));
    }
    EXPECT_EQ(read("red wine\nwhite\nred wine\n"), (Texts{"red wine", "white", "red wine"}));
}

TEST_F(LabelFileTest, ThereMustBeAsManyLabelsAsRows) {
    const std::string data = samples(3);
    const std::string message = " 4 labels, but " + data + " has 3 rows";
    EXPECT_EQ(label_problem("1\n2\n3\n4\n"), message);
    EXPECT_EQ(label_problem(idx_header(8, {4}) + "abcd"), message);
    EXPECT_EQ(label_problem("1\n2\n"), " 2 labels, but " + data + " has 3 rows");
}

TEST_F(LabelFileTest, ALimitOnTheRowsCutsBoth) {
    EXPECT_EQ(read("1\n2\n3\n4\n", 3, 2), (Texts{"1", "2"}));
    EXPECT_EQ(read(idx_header(8, {4}) + "\x05\x06\x07\x08", 3, 2), (Texts{"5", "6"}));
    EXPECT_EQ(read("1\n2\n3\n", 3, 9), (Texts{"1", "2", "3"}));
    // Cut to at most 9 there are still 3 rows and 4 labels.
    EXPECT_THROW(read("1\n2\n3\n4\n", 3, 9), Error);
}

TEST_F(LabelFileTest, BadLabelsAreTold) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::pair<std::string, const char*> cases[] = {
        {"1\n\n3\n", "2: a blank line where a label should be"},
        {"1\ninf\n3\n", "2: label 'inf' is not a finite number"},
        {"", " the file is empty"},
        {npy_vector<double>("<f8", "(3,)", {1, nan, 2}, false),
         " row 1, column 0 (from 0): the value is NaN"},
        {npy_vector<double>("<f8", "(1, 3)", {1, 1, 2}, false), " labels must be an array of one dimension"},
        {npy_prefix(npy_dictionary("|S4", false, "(3,)")) + "abcdefgh",
         " truncated: the header promises 3 labels"},
        {npy_prefix(npy_dictionary("|S4", false, "(1, 3)")) + "abcdefghijkl",
         " labels must be an array of one dimension"},
        {npy_prefix(npy_dictionary("|S1", false, "(3,)")) + std::string("a\0b", 3),
         " label 1 (from 0) is empty"},
        {npy_prefix(npy_dictionary("|S2", false, "(3,)")) + "aabbccd", " more data than the 3 labels"},
        {idx_header(8, {3, 2}) + "abcdef", " labels must be an array of one dimension"},
        {idx_header(8, {3}) + "ab", " truncated"},
    };
    for (const auto& [bytes, message] : cases) {
        const std::string told = label_problem(bytes);
        EXPECT_EQ(told.substr(0, std::strlen(message)), message) << told;
    }
}

}  // namespace
}  // namespace alfcg
