// Plain, gzip, bzip2 and xz files mean the same; damaged ones are refused.

#include <sys/stat.h>

#include <thread>

#include "data_files.hpp"

namespace alfcg {
namespace {

class ArchiveTest : public DataTest {};

// Long enough for several buffers, and not very compressible.
std::string long_text(int lines) {
    std::string text;
    std::uint64_t state = 1;
    for (int i = 0; i < lines; ++i) {
        text += std::to_string(i % 7);
        for (int j = 1; j <= 12; ++j) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            text +=
                ' ' + std::to_string(3 * j) + ':' + std::to_string(static_cast<double>(state >> 40U) / 1e6);
        }
        text += '\n';
    }
    return text;
}

TEST_F(ArchiveTest, EveryCompressionGivesTheSameData) {
    const std::string text = long_text(20000);
    const auto plain = load(text);
    ASSERT_EQ(rows(plain.features), 20000);
    for (const Packer& archive : archives) {
        const auto data = load(archive.compress(text));
        EXPECT_EQ(entries(data.features), entries(plain.features)) << archive.kind;
        EXPECT_EQ(texts(data.labels), texts(plain.labels)) << archive.kind;
    }
}

TEST_F(ArchiveTest, MembersOneBehindTheOtherAreOneFile) {
    for (const Packer& archive : archives) {
        // The cut falls inside a line on purpose.
        const std::string bytes =
            archive.compress("1 1:2 2:") + archive.compress("3\n2 ") + archive.compress("2:5\n");
        EXPECT_EQ(entries(load(bytes).features), (std::vector<double>{2, 3, 0, 5})) << archive.kind;
    }
}

TEST_F(ArchiveTest, ATruncatedArchiveIsNamedAsSuch) {
    const std::string text = long_text(300);
    for (const Packer& archive : archives) {
        const std::string whole = archive.compress(text);
        for (const std::size_t length :
             {whole.size() - 1, whole.size() - 5, whole.size() / 2, std::size_t{12}})
            EXPECT_EQ(problem(whole.substr(0, length)),
                      std::string(" truncated ") + archive.kind + " archive")
                << length;
        // Also when the second of two members is cut.
        EXPECT_EQ(problem(whole + whole.substr(0, 20)),
                  std::string(" truncated ") + archive.kind + " archive");
    }
}

TEST_F(ArchiveTest, ACorruptArchiveIsNamedAsSuch) {
    const std::string text = long_text(300);
    for (const Packer& archive : archives) {
        std::string bytes = archive.compress(text);
        for (std::size_t k = bytes.size() / 2; k < bytes.size() / 2 + 40; ++k)
            bytes[k] = static_cast<char>(~bytes[k]);
        EXPECT_EQ(problem(bytes), std::string(" corrupt ") + archive.kind + " archive");
    }
}

TEST_F(ArchiveTest, ChecksumsAreChecked) {
    std::string bytes = gzip("1 1:2\n");
    bytes[bytes.size() - 8] = static_cast<char>(~bytes[bytes.size() - 8]);
    EXPECT_EQ(problem(bytes), " corrupt gzip archive");
}

TEST_F(ArchiveTest, ZeroPaddingIsAllowedButGarbageIsNot) {
    for (const Packer& archive : archives) {
        const std::string whole = archive.compress("1 1:2\n");
        EXPECT_EQ(rows(load(whole + std::string(512, '\0')).features), 1) << archive.kind;
    }
    EXPECT_EQ(problem(gzip("1 1:2\n") + "x"), " garbage behind the gzip archive");
    EXPECT_EQ(problem(bzip2("1 1:2\n") + "garbage"), " garbage behind the bzip2 archive");
    EXPECT_EQ(problem(xz("1 1:2\n") + "garbage garbage"), " corrupt xz archive");
}

TEST_F(ArchiveTest, WhatUnpacksBeyondTheLimitIsRefused) {
    std::string text;
    while (text.size() < std::size_t{3} << 20U) text += "1 1:1\n-1 1:2\n";
    ReadOptions options;
    for (const Packer& archive : archives) {
        const std::string packed = archive.compress(text);
        EXPECT_LT(packed.size() * 200, text.size()) << archive.kind << ": a text that packs well";
        EXPECT_GT(rows(load(packed).features), 100000) << archive.kind << ": small things may";
        options.max_unpacked = 1 << 20;
        EXPECT_TRUE(problem(packed, options).starts_with(" the archive unpacks to more than 1 MB ("))
            << archive.kind;
        EXPECT_NE(problem(packed, options).find("`max-unpacked`"), std::string::npos);
        options.max_unpacked = 4 << 20;
        EXPECT_GT(rows(load(packed, options).features), 100000) << archive.kind;
    }
    // What is not packed is as long as it is.
    options.max_unpacked = 1;
    EXPECT_GT(rows(load(text, options).features), 100000);
}

TEST_F(ArchiveTest, AnArchiveOfNothingIsEmpty) {
    for (const Packer& archive : archives) EXPECT_EQ(problem(archive.compress("")), " the archive is empty");
}

TEST_F(ArchiveTest, EveryPrefixOfAnArchiveIsRefusedWithAnError) {
    for (const Packer& archive : archives) {
        const std::string whole = archive.compress("1 1:2 7:3\n");
        for (std::size_t length = 1; length < whole.size(); ++length)
            EXPECT_FALSE(problem(whole.substr(0, length)).empty()) << archive.kind << " " << length;
    }
}

TEST_F(ArchiveTest, MissingEmptyAndWrongFilesAreTold) {
    const auto told = [](const std::string& path) {
        return message_of<InputError>([&] { load_dataset<float>(path); });
    };
    const std::string missing = folder_.file("missing.svm");
    EXPECT_EQ(told(missing), missing + ": no such file, nor a built-in data set (randn-N-d, mnist-N-d)");
    EXPECT_EQ(told(folder_.path()), folder_.path() + ": is a directory; a data file is needed");
    EXPECT_EQ(problem(""), " the file is empty");
    EXPECT_NE(problem(std::string("PK\x03\x04") + std::string(30, '\0')).find(".npz"), std::string::npos);
    EXPECT_NE(problem(gzip("PK\x03\x04zip")).find(".npz"), std::string::npos);
    EXPECT_NE(problem(std::string("\x89PNG\r\n\0\0\0\0", 10)).find("binary data"), std::string::npos);
}

TEST_F(ArchiveTest, AnUnreadableFileIsTold) {
    const std::string path = write("secret", "1 1:1\n");
    chmod(path.c_str(), 0);
    if (access(path.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read everything";
    EXPECT_EQ(message_of<InputError>([&] { load_dataset<float>(path); }),
              path + ": cannot be read: Permission denied");
}

TEST_F(ArchiveTest, APipeIsReadLikeAFile) {
    for (const std::string& bytes : {std::string("1 1:2\n2 2:5\n"), gzip("1 1:2\n2 2:5\n")}) {
        const std::string path = folder_.file("pipe");
        ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
        std::thread writer([&] { write_bytes(path, bytes); });
        EXPECT_EQ(entries(load_dataset<double>(path).features), (std::vector<double>{2, 0, 0, 5}));
        writer.join();
        std::filesystem::remove(path);
    }
}

}  // namespace
}  // namespace alfcg
