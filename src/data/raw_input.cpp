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
        const ssize_t got = ::read(descriptor_, to, std::min<std::size_t>(n, std::size_t{1} << 30));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR)
            throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(errno));
    }
}

}  // namespace alfcg
