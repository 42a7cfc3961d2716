#include "data/byte_source.hpp"

#include <algorithm>

namespace alfcg {

ByteSource::ByteSource(const std::string& path) : input_(path) {
    input_.require(archive_magic_bytes);
    decoder_ = make_decoder(input_.bytes().substr(0, archive_magic_bytes));
}

std::size_t ByteSource::read_some(char* to, std::size_t n) {
    if (decoder_) return decoder_->decode(input_, to, n);
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
