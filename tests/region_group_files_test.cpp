// Files that say which features belong together.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

class GroupFiles : public ::testing::Test {
  protected:
    Groups read(const std::string& text, const std::vector<std::string>& names = {}) const {
        write_bytes(path(), text);
        return read_groups(path(), names);
    }
    std::string complaint(const std::string& text, const std::vector<std::string>& names = {}) const {
        return message_of<InputError>([&] { read(text, names); });
    }
    [[nodiscard]] std::string path() const { return folder_.file("groups.txt"); }

  private:
    TemporaryFolder folder_;
};

using Expected = std::vector<std::vector<Index>>;

TEST_F(GroupFiles, HaveALineForEachGroup) {
    EXPECT_EQ(read("0 1 2\n\n5,4\r\n 7-9, 3").listed, (Expected{{0, 1, 2}, {5, 4}, {7, 8, 9, 3}}));
    EXPECT_EQ(read("0\n\n1\n").lines, (std::vector<Index>{1, 3}));
}

TEST_F(GroupFiles, NameFeaturesAndColumnsOfWords) {
    const std::vector<std::string> names{"age",       "colour=red", "colour=dark blue", "3", "a,b",
                                         "say \"x\"", "2-3"};
    EXPECT_EQ(
        read("age colour\n\"colour=dark blue\" 3\n\"a,b\", \"say \"\"x\"\"\"\n2-3\n4-5\n", names).listed,
        (Expected{{0, 1, 2}, {2, 3}, {4, 5}, {6}, {4, 5}}));
}

TEST_F(GroupFiles, ThatAreWrongSayWhere) {
    const std::vector<std::string> names{"length", "width"};
    EXPECT_EQ(complaint("0\nlenght\n", names),
              path() +
                  ":2: 'lenght' is no feature: it must be a name, a number from 0, or "
                  "a range like 3-7; did you mean length?");
    EXPECT_NE(complaint("0 -1\n").find(":1: '-1' is no feature"), std::string::npos);
    EXPECT_NE(complaint("5-3\n").find(":1: '5-3' is no feature"), std::string::npos);
    EXPECT_NE(complaint("\n\"abc\n").find(":2: a name begins with \" and does not end"), std::string::npos);
    EXPECT_NE(complaint("\n \n").find(": has no groups"), std::string::npos);
    EXPECT_NE(message_of<InputError>([] {
                  read_groups("/no/such/file", {});
              }).find("/no/such/file: cannot be read"),
              std::string::npos);
    const Groups twice = read("0 1\n2\n1\n");
    EXPECT_EQ(message_of<InputError>([&] { group_l12_ball<double>(twice, 1); }),
              path() +
                  ":3: feature 1 is in the group of line 1 already; groups that overlap are for the region "
                  "latent-groups");
    EXPECT_EQ(message_of<InputError>([&] {
                  group_l12_ball<double>(read("0\n9\n"), 1)->check({1, 9});
              }),
              path() + ":2: there is no feature 9; the 9 features are numbered from 0");
}

}  // namespace
}  // namespace alfcg
