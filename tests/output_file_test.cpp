#include "alfcg/core/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "alfcg/core/error.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

mode_t permissions(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777U;
}

void write_file(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

TEST(OutputFile, HoldsWhatWasWrittenOnceCommitted) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    OutputFile file(path);
    file.write("one ");
    file.write("two");
    EXPECT_FALSE(std::filesystem::exists(path));
    file.commit();
    EXPECT_EQ(read_bytes(path), "one two");
    EXPECT_EQ(folder.count(), 1);
    EXPECT_EQ(file.path(), path);
}

TEST(OutputFile, PiecesOfAnySizeKeepTheirOrder) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    std::string expected;
    OutputFile file(path);
    for (std::size_t i = 0; i < 40; ++i) {
        const std::string piece(i % 7 == 3 ? 700000 + i : 1000 * i, static_cast<char>('a' + i % 26));
        file.write(piece);
        expected += piece;
    }
    file.commit();
    EXPECT_TRUE(read_bytes(path) == expected);
}

TEST(OutputFile, WithoutCommitNothingIsLeftAndTheOldFileIsUntouched) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    { OutputFile(path).write("never seen"); }
    EXPECT_EQ(folder.count(), 0);
    write_bytes(path, "old");
    {
        OutputFile file(path);
        file.write(std::string(1 << 20, 'x'));
    }
    EXPECT_EQ(read_bytes(path), "old");
    EXPECT_EQ(folder.count(), 1);
}

TEST(OutputFile, AFileThatIsReplacedPassesItsPermissionsOn) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    write_bytes(path, "old");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    write_file(path, "new");
    EXPECT_EQ(read_bytes(path), "new");
    EXPECT_EQ(permissions(path), 0640U);
}

TEST(OutputFile, ANewFileObeysTheMask) {
    const TemporaryFolder folder;
    const mode_t mask = ::umask(027);
    write_file(folder.file("out"), "new");
    ::umask(mask);
    EXPECT_EQ(permissions(folder.file("out")), 0640U);
}

TEST(OutputFile, AWriteProtectedFileIsRefused) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    write_bytes(path, "old");
    ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
    EXPECT_EQ(message_of<Error>([&] { OutputFile file(path); }), path + ": cannot write: Permission denied");
}

TEST(OutputFile, ALinkIsFollowedAndStaysALink) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.file("there"));
    write_bytes(folder.file("there/real"), "old");
    std::filesystem::create_symlink("there/real", folder.file("first"));
    std::filesystem::create_symlink("first", folder.file("link"));
    write_file(folder.file("link"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("first")));
    EXPECT_EQ(read_bytes(folder.file("there/real")), "new");
}

TEST(OutputFile, ALinkToAFileYetToBeMadeMakesIt) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink("later", folder.file("link"));
    write_file(folder.file("link"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
    EXPECT_EQ(read_bytes(folder.file("later")), "new");
}

TEST(OutputFile, LinksInACircleAreRefused) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink("b", folder.file("a"));
    std::filesystem::create_symlink("a", folder.file("b"));
    EXPECT_THROW(OutputFile file(folder.file("a")), Error);
}

TEST(OutputFile, AMissingFolderIsFoundOutAtOnce) {
    const TemporaryFolder folder;
    const std::string path = folder.file("missing/out");
    EXPECT_EQ(message_of<Error>([&] { OutputFile file(path); }),
              path + ": cannot write: there is no folder " + folder.file("missing"));
}

TEST(OutputFile, AFolderAnEmptyNameAndAFileInPlaceOfAFolderAreRefused) {
    const TemporaryFolder folder;
    write_bytes(folder.file("plain"), "");
    EXPECT_EQ(message_of<Error>([&] { OutputFile file(folder.path()); }),
              folder.path() + ": cannot write: Is a directory");
    EXPECT_EQ(message_of<Error>([&] { OutputFile file(folder.file("new/")); }),
              folder.file("new/") + ": cannot write: Is a directory");
    EXPECT_EQ(message_of<Error>([&] { OutputFile file(folder.file("plain/out")); }),
              folder.file("plain/out") + ": cannot write: Not a directory");
    EXPECT_THROW(OutputFile file(""), Error);
    EXPECT_THROW(OutputFile file(folder.file(std::string(300, 'n'))), Error);
    EXPECT_EQ(folder.count(), 1);
}

TEST(OutputFile, ALongNameIsNoObstacle) {
    const TemporaryFolder folder;
    const std::string path = folder.file(std::string(255, 'n'));
    write_file(path, "text");
    EXPECT_EQ(read_bytes(path), "text");
}

TEST(OutputFile, AnUnwritableFolderIsFoundOutAtOnce) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    const TemporaryFolder folder;
    ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
    EXPECT_EQ(message_of<Error>([&] { OutputFile file(folder.file("out")); }),
              folder.file("out") + ": cannot write: Permission denied");
    ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
}

TEST(OutputFile, AFullDeviceIsReportedWhetherWrittenThroughOrFlushedAtTheEnd) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
    const std::string expected = "/dev/full: cannot write: No space left on device";
    EXPECT_EQ(message_of<Error>([] { OutputFile("/dev/full").write(std::string(1 << 20, 'x')); }), expected);
    EXPECT_EQ(message_of<Error>([] { write_file("/dev/full", "x"); }), expected);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(OutputFile, AfterAFailureNothingMoreIsWritten) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
    OutputFile file("/dev/full");
    EXPECT_THROW(file.write(std::string(1 << 20, 'x')), Error);
    EXPECT_THROW(file.commit(), Error);
}

TEST(OutputFile, APipeIsWrittenDirectly) {
    const TemporaryFolder folder;
    const std::string path = folder.file("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::string received;
    std::thread reader([&] { received = read_bytes(path); });
    write_file(path, "through the pipe");
    reader.join();
    EXPECT_EQ(received, "through the pipe");
    EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(OutputFile, AnOpenDescriptorIsContinuedWhereItStands) {
    const TemporaryFolder folder;
    const std::string path = folder.file("log");
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(::write(descriptor, "before ", 7), 7);
    write_file("/dev/fd/" + std::to_string(descriptor), "inside ");
    ASSERT_EQ(::write(descriptor, "after", 5), 5);
    ASSERT_EQ(::close(descriptor), 0);
    EXPECT_EQ(read_bytes(path), "before inside after");
    EXPECT_EQ(folder.count(), 1);
}

TEST(OutputFile, TwoWritersOfOneFileDoNotMix) {
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    OutputFile first(path);
    OutputFile second(path);
    first.write("first");
    second.write("second");
    second.commit();
    EXPECT_EQ(read_bytes(path), "second");
    first.commit();
    EXPECT_EQ(read_bytes(path), "first");
    EXPECT_EQ(folder.count(), 1);
}

}  // namespace
}  // namespace alfcg
