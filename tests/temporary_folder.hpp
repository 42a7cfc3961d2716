#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace alfcg {

/// A fresh folder that goes away with its owner; in memory where that is possible, because thousands of small
/// files that are made durable one by one would wait for the disk. TMPDIR overrides.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        const bool in_memory = std::getenv("TMPDIR") == nullptr && ::access("/dev/shm", W_OK) == 0;
        const std::filesystem::path parent = in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
        std::string pattern =
            (parent / ("alfcg-test-" + std::string(6, 'X'))).string();  // as mkdtemp wants it
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
    /// Number of files in it, hidden ones included.
    [[nodiscard]] std::ptrdiff_t count() const {
        return std::distance(std::filesystem::directory_iterator(path_),
                             std::filesystem::directory_iterator());
    }

  private:
    std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << bytes;
    file.flush();
    if (!file) throw std::runtime_error("cannot write " + path);
}

/// The text of the exception of type Expected that the action throws; a failed test when it throws none.
template <class Expected, class Action>
std::string message_of(const Action& action) {
    try {
        action();
    } catch (const Expected& error) {
        return error.what();
    }
    ADD_FAILURE() << "no exception";
    return {};
}

}  // namespace alfcg
