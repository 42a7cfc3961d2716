#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace alfcg {

/// A file that appears whole or not at all: bytes go to a temporary neighbour, commit() makes it durable and
/// renames it into place. Destroyed without commit(), nothing is left and an older file of that name is
/// untouched. A link is followed, and a file that is replaced passes its permissions on. Devices and pipes
/// (/dev/stdout, /dev/full) are written directly. Failures throw Error with the path and the reason; a path
/// that cannot be written is found out by the constructor, which also removes temporary files (.alfcg-PID-N.tmp) that
/// processes which are no more have left in the same folder.
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// For those who write to the file itself: its descriptor, to read and write. Throws Error for a device or a pipe.
    [[nodiscard]] int descriptor();
    /// The next write() goes to the end of the file, whoever wrote it.
    void go_to_end();
    /// Replaces bytes that are in the file.
    void replace(std::size_t offset, std::string_view text);
    /// Puts what was written so far on the disk, under the temporary name: a full disk shows here, before any
    /// name has changed.
    void sync();
    /// sync(), and the file has its name.
    void commit();

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    void open_directly();
    void open_temporary();
    void flush();
    void write_through(const char* data, std::size_t bytes);
    void discard() noexcept;
    [[noreturn]] void fail(int reason);

    std::string path_;
    std::string target_;     // path_ with links followed
    std::string temporary_;  // empty when written directly
    int descriptor_ = -1;
    std::string pending_;
};

/// All of a file at once.
void write_file(const std::string& path, std::string_view text);

}  // namespace alfcg
