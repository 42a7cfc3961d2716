#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace alfcg {

/// The bytes of a file as they lie on disk (or come through a pipe), through a buffer of fixed size.
class RawInput {
  public:
    /// Throws InputError when the file is missing, unreadable, a directory or empty.
    explicit RawInput(std::string path);
    ~RawInput();
    RawInput(const RawInput&) = delete;
    RawInput& operator=(const RawInput&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// Size of a regular file, -1 for a pipe or device.
    [[nodiscard]] long long file_size() const { return file_size_; }

    /// Bytes in the buffer that are not used yet.
    [[nodiscard]] std::string_view bytes() const { return {buffer_.data() + first_, last_ - first_}; }
    void consume(std::size_t n) {
        first_ += n;
        consumed_ += n;
    }
    /// Bytes used so far.
    [[nodiscard]] std::uint64_t consumed() const { return consumed_; }
    /// Makes at least n bytes available (n at most the buffer's size); false when the file ends before.
    bool require(std::size_t n);
    /// Reads straight into the caller's memory, past the buffer, which must be empty. 0 at the end.
    std::size_t read_directly(char* to, std::size_t n);
    /// Goes on at this byte of a regular file, and ends where `end` says.
    void jump(long long begin, long long end);
    /// Where the first line begins that does so at this byte or later; the end of the file where none does.
    [[nodiscard]] long long line_start(long long at) const;
    /// Line ends before this byte.
    [[nodiscard]] long long lines_before(long long at) const;
    /// Whether a byte is among those from `begin` to `end`.
    [[nodiscard]] bool has(char byte, long long begin, long long end) const;

  private:
    // Calls visit(bytes, position) for the bytes from `begin` to `end`, piece by piece, until it returns true.
    template <class Visit>
    bool look_through(long long begin, long long end, const Visit& visit) const;

    std::string path_;
    int descriptor_ = -1;
    long long file_size_ = -1;
    long long left_ = std::numeric_limits<long long>::max();  // bytes to read
    std::vector<char> buffer_;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::uint64_t consumed_ = 0;
};

}  // namespace alfcg
