#include "data/decoder.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <string>

#include "alfcg/core/error.hpp"
#include "core/memory.hpp"

namespace alfcg {

namespace {

// The libraries count in 32 bits.
constexpr std::size_t most_bytes_at_once = std::size_t{1} << 30;

[[noreturn]] void fail(const RawInput& input, const char* what, const char* kind) {
    throw InputError(input.path(), 0, std::string(what) + " " + kind + " archive");
}

// gzip and bzip2 archives are members one behind the other: true when another one follows. Zero bytes that
// pad the archive to a block size are allowed at the end, nothing else is.
bool another_member(RawInput& input, std::string_view magic, const char* kind) {
    if (!input.require(magic.size())) {
        if (input.bytes().find_first_not_of('\0') == std::string_view::npos) return false;
        fail(input, "garbage behind the", kind);
    }
    if (input.bytes().starts_with(magic)) return true;
    while (input.require(1)) {
        if (input.bytes().find_first_not_of('\0') != std::string_view::npos)
            fail(input, "garbage behind the", kind);
        input.consume(input.bytes().size());
    }
    return false;
}

class GzipDecoder final : public Decoder {
  public:
    GzipDecoder() {
        // 15: the largest window; 16: gzip wrapping.
        if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
    }
    ~GzipDecoder() override { inflateEnd(&stream_); }

    std::size_t decode(RawInput& input, char* to, std::size_t n) override {
        n = std::min(n, most_bytes_at_once);
        while (true) {
            if (member_ended_) {
                if (!another_member(input, "\x1f\x8b", "gzip")) return 0;
                inflateReset(&stream_);
                member_ended_ = false;
            }
            if (!input.require(1)) fail(input, "truncated", "gzip");
            const std::string_view bytes = input.bytes();
            stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
            stream_.avail_in = static_cast<uInt>(bytes.size());
            stream_.next_out = reinterpret_cast<Bytef*>(to);
            stream_.avail_out = static_cast<uInt>(n);
            const int answer = inflate(&stream_, Z_NO_FLUSH);
            input.consume(bytes.size() - stream_.avail_in);
            member_ended_ = answer == Z_STREAM_END;
            if (answer == Z_MEM_ERROR) throw std::bad_alloc();
            if (!member_ended_ && answer != Z_OK && answer != Z_BUF_ERROR) fail(input, "corrupt", "gzip");
            if (const std::size_t produced = n - stream_.avail_out; produced > 0) return produced;
        }
    }

  private:
    z_stream stream_{};
    bool member_ended_ = false;
};

class Bzip2Decoder final : public Decoder {
  public:
    Bzip2Decoder() { start(); }
    ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }

    std::size_t decode(RawInput& input, char* to, std::size_t n) override {
        n = std::min(n, most_bytes_at_once);
        while (true) {
            if (member_ended_) {
                if (!another_member(input, "BZh", "bzip2")) return 0;
                BZ2_bzDecompressEnd(&stream_);
                stream_ = {};
                start();
                member_ended_ = false;
            }
            if (!input.require(1)) fail(input, "truncated", "bzip2");
            const std::string_view bytes = input.bytes();
            stream_.next_in = const_cast<char*>(bytes.data());
            stream_.avail_in = static_cast<unsigned>(bytes.size());
            stream_.next_out = to;
            stream_.avail_out = static_cast<unsigned>(n);
            const int answer = BZ2_bzDecompress(&stream_);
            input.consume(bytes.size() - stream_.avail_in);
            member_ended_ = answer == BZ_STREAM_END;
            if (answer == BZ_MEM_ERROR) throw std::bad_alloc();
            if (!member_ended_ && answer != BZ_OK) fail(input, "corrupt", "bzip2");
            if (const std::size_t produced = n - stream_.avail_out; produced > 0) return produced;
        }
    }

  private:
    void start() {
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    }

    bz_stream stream_{};
    bool member_ended_ = false;
};

class XzDecoder final : public Decoder {
  public:
    XzDecoder() {
        const auto most_memory = static_cast<std::uint64_t>(memory_limit() / 2);
        if (lzma_stream_decoder(&stream_, most_memory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
    }
    ~XzDecoder() override { lzma_end(&stream_); }

    std::size_t decode(RawInput& input, char* to, std::size_t n) override {
        while (!ended_) {
            const bool more = input.require(1);
            const std::string_view bytes = input.bytes();
            stream_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
            stream_.avail_in = bytes.size();
            stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
            stream_.avail_out = n;
            const lzma_ret answer = lzma_code(&stream_, more ? LZMA_RUN : LZMA_FINISH);
            input.consume(bytes.size() - stream_.avail_in);
            ended_ = answer == LZMA_STREAM_END;
            if (answer == LZMA_MEM_ERROR || answer == LZMA_MEMLIMIT_ERROR) throw std::bad_alloc();
            // With the input at its end, an unfinished archive shows as "no progress possible".
            if (answer == LZMA_BUF_ERROR && !more) fail(input, "truncated", "xz");
            if (!ended_ && answer != LZMA_OK && answer != LZMA_BUF_ERROR) fail(input, "corrupt", "xz");
            if (const std::size_t produced = n - stream_.avail_out; produced > 0) return produced;
        }
        return 0;
    }

  private:
    lzma_stream stream_{};
    bool ended_ = false;
};

// "BZh", a digit, then the mark of a block or of the end: the letters alone could begin a CSV header.
bool is_bzip2(std::string_view bytes) {
    using namespace std::string_view_literals;
    if (bytes.size() < 4 || !bytes.starts_with("BZh") || bytes[3] < '1' || bytes[3] > '9') return false;
    const std::string_view mark = bytes.substr(4, 6);
    return "\x31\x41\x59\x26\x53\x59"sv.starts_with(mark) || "\x17\x72\x45\x38\x50\x90"sv.starts_with(mark);
}

}  // namespace

std::unique_ptr<Decoder> make_decoder(std::string_view first_bytes) {
    using namespace std::string_view_literals;
    if (first_bytes.starts_with("\x1f\x8b"sv)) return std::make_unique<GzipDecoder>();
    if (is_bzip2(first_bytes)) return std::make_unique<Bzip2Decoder>();
    if (first_bytes.starts_with("\xfd"
                                "7zXZ\0"sv))
        return std::make_unique<XzDecoder>();
    return nullptr;
}

}  // namespace alfcg
