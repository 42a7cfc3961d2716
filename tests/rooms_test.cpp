// The rooms of docs/architecture.md: who may include whom is what its table says, and the code keeps to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace alfcg {
namespace {

namespace fs = std::filesystem;
using Rooms = std::map<std::string, std::set<std::string>>;

const fs::path root = ALFCG_SOURCE_DIR;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        found.push_back((*at)[1]);
    return found;
}

// Rows of the table: | `room/` | what it holds | rooms it may include |.
Rooms allowed() {
    Rooms rooms;
    std::istringstream lines(text_of(root / "docs" / "architecture.md"));
    const std::regex row(R"(^\| `([a-z]+)/` \|.*\| ([^|]*) \|$)");
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (!std::regex_match(line, match, row)) continue;
        const auto names = matches(match[2], std::regex("([a-z]+)"));
        rooms[match[1]] = {names.begin(), names.end()};
    }
    return rooms;
}

struct Source {
    fs::path path;
    std::string room;
    bool is_public = false;
    std::vector<std::string> includes;  // between quotes
    std::vector<std::string> others;    // between angle brackets
};

std::vector<Source> sources() {
    std::vector<Source> all;
    for (const fs::path& base : {root / "src", root / "include" / "alfcg", root / "python" / "src"})
        for (const auto& entry : fs::recursive_directory_iterator(base)) {
            const fs::path& path = entry.path();
            const std::set<std::string> kinds{".cpp", ".hpp", ".cu", ".cuh"};
            if (!kinds.contains(path.extension().string())) continue;
            const fs::path inside = fs::relative(path, base);
            const bool python = base == root / "python" / "src";  // a room without folders
            if (!python && !inside.has_parent_path()) continue;   // alfcg.hpp, which includes everything
            const std::string text = text_of(path);
            all.push_back({path, python ? "python" : inside.begin()->string(),
                           base == root / "include" / "alfcg",
                           matches(text, std::regex(R"re(#include "([^"]+)")re")),
                           matches(text, std::regex("#include <([^>]+)>"))});
        }
    return all;
}

std::string room_of(std::string include) {
    if (include.starts_with("alfcg/")) include.erase(0, 6);
    const auto slash = include.find('/');
    return slash == std::string::npos ? "" : include.substr(0, slash);
}

TEST(Rooms, IncludeOnlyWhatTheTableAllows) {
    const Rooms rooms = allowed();
    ASSERT_GE(rooms.size(), 14U) << "the table of docs/architecture.md was not understood";
    std::set<std::string> seen;
    for (const Source& source : sources()) {
        ASSERT_TRUE(rooms.contains(source.room)) << source.path << ": a room that the table does not have";
        seen.insert(source.room);
        for (const std::string& include : source.includes) {
            const std::string other = room_of(include);
            if (other.empty() || other == source.room || other == "report_page") continue;
            EXPECT_TRUE(rooms.at(source.room).contains(other))
                << source.path << " includes " << include << ", which the table does not allow";
        }
    }
    for (const auto& [room, may] : rooms) EXPECT_TRUE(seen.contains(room)) << room << " is empty";
}

TEST(Rooms, AreNotEntangled) {
    // Rooms can be put in an order in which each includes only those before it.
    Rooms left = allowed();
    while (!left.empty()) {
        const auto free = std::find_if(left.begin(), left.end(), [&](const auto& room) {
            return std::none_of(room.second.begin(), room.second.end(),
                                [&](const std::string& other) { return left.contains(other); });
        });
        ASSERT_NE(free, left.end()) << left.begin()->first << " and others include each other";
        left.erase(free);
    }
}

TEST(Rooms, KeepTheirPrivateHeadersToTheLibrary) {
    for (const Source& source : sources()) {
        for (const std::string& include : source.includes) {
            if (source.is_public) {
                EXPECT_TRUE(include.starts_with("alfcg/"))
                    << source.path << " is public and includes the private " << include;
            }
        }
        for (const std::string& include : source.others) {
            if (source.room == "kernels") continue;
            EXPECT_FALSE(include.starts_with("hwy/"))
                << source.path << ": vector instructions belong to kernels/";
            EXPECT_TRUE(source.room == "cuda" || !include.starts_with("cuda"))
                << source.path << ": CUDA belongs to cuda/";
        }
        if (source.room != "kernels") {
            for (const std::string& include : source.includes)
                EXPECT_EQ(include.find("-inl.hpp"), std::string::npos)
                    << source.path << " reaches into a kernel's inside";
        }
    }
}

}  // namespace
}  // namespace alfcg
