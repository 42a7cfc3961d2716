#include "data/byte_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "alfcg/core/error.hpp"

namespace alfcg {

ByteSource::ByteSource(const std::string& path, std::uint64_t most_unpacked)
    : input_(path), most_unpacked_(most_unpacked) {
    input_.require(archive_magic_bytes);
    decoder_ = make_decoder(input_.bytes().substr(0, archive_magic_bytes));
}

std::size_t ByteSource::read_some(char* to, std::size_t n) {
    if (decoder_) {
        const std::size_t produced = decoder_->decode(input_, to, n);
        unpacked_ += produced;
        const std::uint64_t most = most_unpacked_ > 0 ? most_unpacked_ : modest_unpacked(input_.consumed());
        if (unpacked_ > most)
            throw InputError(
                path(), 0,
                fmt::format("the archive unpacks to more than {:.3g} MB ({} times what has been read of it); "
                            "if it is to be read all the same, give a larger limit (`max-unpacked`)",
                            static_cast<double>(most) / 0x1p20,
                            unpacked_ / std::max<std::uint64_t>(input_.consumed(), 1)));
        return produced;
    }
    const std::string_view buffered = input_.bytes();
    if (buffered.empty()) return input_.read_directly(to, n);
    const std::size_t taken = std::min(n, buffered.size());
    std::copy_n(buffered.data(), taken, to);
    input_.consume(taken);
    return taken;
}

std::size_t ByteSource::read(void* to, std::size_t n) {
    char* out = static_cast<char*>(to);
    std::size_t done = std::min(n, peeked_.size());
    std::copy_n(peeked_.data(), done, out);
    peeked_.erase(0, done);
    while (done < n) {
        const std::size_t got = read_some(out + done, n - done);
        if (got == 0) break;
        done += got;
    }
    return done;
}

std::string ByteSource::plain_end(std::size_t n) const {
    std::string end(n, '\0');
    const long long first = plain_size() - static_cast<long long>(n);
    const bool read = first >= 0 && pread(descriptor(), end.data(), n, first) == static_cast<ssize_t>(n);
    return read ? end : std::string();
}

void ByteSource::jump(long long begin, long long end) {
    peeked_.clear();
    input_.jump(begin, end);
}

std::string_view ByteSource::peek(std::size_t n) {
    n = std::min(n, peek_limit);
    while (peeked_.size() < n) {
        char bytes[peek_limit];
        const std::size_t got = read_some(bytes, n - peeked_.size());
        if (got == 0) break;
        peeked_.append(bytes, got);
    }
    return std::string_view(peeked_).substr(0, n);
}

}  // namespace alfcg
