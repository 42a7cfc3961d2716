#include <gtest/gtest.h>

#include <alfcg/alfcg.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "program.hpp"

namespace alfcg {
namespace {

TEST(Headers, AlfcgHppIncludesEveryPublicHeader) {
    const std::filesystem::path folder = std::filesystem::path(ALFCG_SOURCE_DIR) / "include";
    std::set<std::string> there;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "alfcg"))
        if (entry.path().extension() == ".hpp" && entry.path().filename() != "alfcg.hpp" &&
            entry.path().parent_path().filename() != "mpi")  // for those who have MPI
            there.insert(std::filesystem::relative(entry.path(), folder).generic_string());
    std::set<std::string> included;
    std::ifstream file(folder / "alfcg" / "alfcg.hpp");
    const std::string word = "#include \"";
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(word)) included.insert(line.substr(word.size(), line.size() - word.size() - 1));
    EXPECT_EQ(included, there);
}

TEST(Version, IsThatOfTheProgram) {
    EXPECT_EQ(run_program({"--version"}).out, "alfcg " + std::string(version()) + "\n");
}

}  // namespace
}  // namespace alfcg
