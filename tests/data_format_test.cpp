// Facts about every row of the table of file formats: a new one needs one line in `files`.
#include <gtest/gtest.h>

#include <map>

#include "alfcg/core/text.hpp"
#include "alfcg/data/convert.hpp"
#include "data_files.hpp"

namespace alfcg {
namespace {

const std::vector<double> matrix{1, 0, 0, -2, 3, 4};
const std::vector<std::string> names{"-1", "1", "1"};

double entry(Index i, Index j) {
    return matrix[static_cast<std::size_t>(2 * i + j)];
}

std::string idx_file() {
    std::string bytes = idx_header(0x0D, {3, 2});
    for (const double value : matrix) bytes += element(static_cast<float>(value), true);
    return bytes;
}

std::string mapped_file() {
    const TemporaryFolder folder;
    write_bytes(folder.file("csv"), "1,0,-1\n0,-2,1\n3,4,1\n");
    convert<double>(folder.file("csv"), folder.file("mapped"));
    return read_bytes(folder.file("mapped"));
}

// The matrix in every format, with the labels where the format has a place for them.
const std::map<std::string_view, std::string> files{
    {"libsvm", "-1 1:1\n1 2:-2\n1 1:3 2:4\n"},
    {"csv", "1,0,-1\n0,-2,1\n3,4,1\n"},
    {"npy", npy_file<double>("f8", false, false, 3, 2, entry)},
    {"idx", idx_file()},
    {"mapped", mapped_file()},
};

class FormatTest : public DataTest {
  protected:
    [[nodiscard]] ReadOptions options_for(const FormatInfo& format) const {
        ReadOptions options;
        if (format.labels == LabelPlace::elsewhere) options.labels = write("labels", "-1\n1\n1\n");
        return options;
    }

    template <class Real>
    void expect_the_matrix(const std::string& path, ReadOptions options) const {
        const auto data = load_dataset<Real>(path, options);
        EXPECT_EQ(entries(data.features), matrix);
        EXPECT_EQ(texts(data.labels), names);
        options.rows = 2;
        if (!options.labels.empty()) options.labels = write("two", "-1\n1\n");
        const auto two = load_dataset<Real>(path, options);
        EXPECT_EQ(entries(two.features), std::vector<double>(matrix.begin(), matrix.begin() + 4));
        EXPECT_EQ(texts(two.labels), std::vector<std::string>(names.begin(), names.begin() + 2));
    }

    // The message of the Error, empty when there is none.
    [[nodiscard]] static std::string complaint(const std::string& path, const ReadOptions& options) {
        try {
            static_cast<void>(load_dataset<double>(path, options));
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }
};

TEST_F(FormatTest, EveryRowIsReadByNameAndByContentPlainAndCompressed) {
    EXPECT_EQ(files.size(), formats().size());
    for (const FormatInfo& format : formats()) {
        SCOPED_TRACE(format.name);
        EXPECT_FALSE(format.title.empty());
        EXPECT_FALSE(format.description.empty());
        ASSERT_TRUE(files.contains(format.name)) << "a format without a line in this test";
        const std::string& bytes = files.at(format.name);
        std::vector<std::string> paths{write("plain", bytes)};
        for (const Packer& archive : archives) paths.push_back(write(archive.kind, archive.compress(bytes)));
        for (const std::string& path : paths) {
            ReadOptions options = options_for(format);
            for (const std::string name : {"auto", format.name.data()}) {
                // What stands at the end of an archive tells nobody its format.
                if (name == "auto" && format.name == "mapped" && path != paths.front()) continue;
                options.format = name;
                expect_the_matrix<float>(path, options);
                expect_the_matrix<double>(path, options);
            }
        }
    }
}

TEST_F(FormatTest, EveryRowSaysWhereItsLabelsAre) {
    for (const FormatInfo& format : formats()) {
        SCOPED_TRACE(format.name);
        const std::string path = write("data", files.at(format.name));
        const std::string title(format.title);
        ReadOptions without = options_for(format);
        without.labels.clear();
        ReadOptions elsewhere;
        elsewhere.labels = write("names", "a\nb\nb\n");
        if (format.labels == LabelPlace::column) elsewhere.label_column = "none";
        ReadOptions column = options_for(format);
        column.label_column = "0";
        if (format.labels == LabelPlace::own) {
            EXPECT_EQ(complaint(path, elsewhere), path + ": has labels of its own; `labels` is for " +
                                                      format_titles_with_label_file("and") + " files");
        } else {
            EXPECT_EQ(texts(load_dataset<double>(path, elsewhere).labels),
                      (std::vector<std::string>{"a", "b", "b"}));
        }
        EXPECT_EQ(complaint(path, without),
                  format.labels == LabelPlace::elsewhere
                      ? path + ": " + title + " files hold no labels; give them with `labels` FILE"
                      : "");
        EXPECT_EQ(complaint(path, column),
                  format.labels == LabelPlace::column
                      ? ""
                      : path + ": `label-column` is for CSV files, and this is not one");
    }
}

TEST_F(FormatTest, NoRowReadsNothing) {
    for (const FormatInfo& format : formats()) {
        ReadOptions options = options_for(format);
        options.format = format.name;
        for (const std::string& bytes :
             {std::string(), std::string("\0\x01\x02", 3), std::string("a b\nc\n")})
            EXPECT_NE(complaint(write("data", bytes), options), "") << format.name;
    }
}

TEST_F(FormatTest, AnUnknownNameIsToldTheRows) {
    ReadOptions options;
    options.format = "arff";
    std::vector<std::string> choices{"auto"};
    for (const FormatInfo& format : formats()) choices.emplace_back(format.name);
    EXPECT_EQ(complaint(write("data", files.at("csv")), options),
              "unknown format 'arff': use " + listed(choices, "or"));
}

TEST_F(FormatTest, NamesAreListedAsInASentence) {
    EXPECT_EQ(listed({}, "or"), "");
    EXPECT_EQ(listed({"a"}, "or"), "a");
    EXPECT_EQ(listed({"a", "b"}, "or"), "a or b");
    EXPECT_EQ(listed({"a", "b", "c"}, "and"), "a, b and c");
}

}  // namespace
}  // namespace alfcg
