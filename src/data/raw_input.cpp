#include "data/raw_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {
constexpr std::size_t buffer_bytes = std::size_t{256} * 1024;
}

RawInput::RawInput(std::string path) : path_(std::move(path)), buffer_(buffer_bytes) {
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
        const int reason = errno;
        if (reason == ENOENT || reason == ENOTDIR) throw InputError(path_, 0, "no such file");
        throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(reason));
    }
    try {
        struct stat info = {};
        if (fstat(descriptor_, &info) == 0) {
            if (S_ISDIR(info.st_mode)) throw InputError(path_, 0, "is a directory; a data file is needed");
            if (S_ISREG(info.st_mode)) file_size_ = info.st_size;
        }
        if (!require(1)) throw InputError(path_, 0, "the file is empty");
    } catch (...) {
        close(descriptor_);
        throw;
    }
}

RawInput::~RawInput() {
    close(descriptor_);
}

bool RawInput::require(std::size_t n) {
    if (first_ > 0 && last_ - first_ < n) {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(first_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(last_), buffer_.begin());
        last_ -= first_;
        first_ = 0;
    }
    while (last_ - first_ < n) {
        const std::size_t got = read_directly(buffer_.data() + last_, buffer_.size() - last_);
        if (got == 0) return false;
        last_ += got;
    }
    return true;
}

std::size_t RawInput::read_directly(char* to, std::size_t n) {
    // One system call moves at most about 2 GiB; larger requests simply come back short.
    while (true) {
        const auto most = std::min<long long>(left_, 1LL << 30);
        const ssize_t got = ::read(descriptor_, to, std::min(n, static_cast<std::size_t>(most)));
        if (got >= 0) left_ -= got;
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR)
            throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(errno));
    }
}

void RawInput::jump(long long begin, long long end) {
    if (lseek(descriptor_, begin, SEEK_SET) < 0)
        throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(errno));
    first_ = last_ = 0;
    left_ = end - begin;
}

template <class Visit>
bool RawInput::look_through(long long begin, long long end, const Visit& visit) const {
    std::vector<char> piece(buffer_bytes);
    while (begin < end) {
        const auto wanted = static_cast<std::size_t>(std::min<long long>(end - begin, buffer_bytes));
        const ssize_t got = pread(descriptor_, piece.data(), wanted, begin);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(errno));
        if (got == 0) return false;
        if (visit(std::string_view(piece.data(), static_cast<std::size_t>(got)), begin)) return true;
        begin += got;
    }
    return false;
}

long long RawInput::line_start(long long at) const {
    if (at == 0) return 0;
    long long start = file_size_;
    look_through(at - 1, file_size_, [&](std::string_view bytes, long long position) {
        const std::size_t found = bytes.find('\n');
        if (found == std::string_view::npos) return false;
        start = position + static_cast<long long>(found) + 1;
        return true;
    });
    return start;
}

long long RawInput::lines_before(long long at) const {
    long long lines = 0;
    look_through(0, at, [&](std::string_view bytes, long long /*position*/) {
        lines += std::count(bytes.begin(), bytes.end(), '\n');
        return false;
    });
    return lines;
}

bool RawInput::has(char byte, long long begin, long long end) const {
    return look_through(begin, end, [&](std::string_view bytes, long long /*position*/) {
        return bytes.find(byte) != std::string_view::npos;
    });
}

}  // namespace alfcg
