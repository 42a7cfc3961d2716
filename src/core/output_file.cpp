#include "alfcg/core/output_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "alfcg/core/error.hpp"

namespace alfcg {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr std::size_t largest_write = std::size_t{1} << 30;
constexpr int most_links = 40;
constexpr int most_names = 1000;

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

/// The number N of an open descriptor's name (/dev/stdout, /dev/fd/N ...), else -1.
int descriptor_name(std::string_view path) {
    if (path == "/dev/stdout") return 1;
    if (path == "/dev/stderr") return 2;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        int number = -1;
        const char* end = path.data() + path.size();
        const auto [stop, problem] = std::from_chars(path.data() + folder.size(), end, number);
        if (problem == std::errc() && stop == end) return number;
    }
    return -1;
}

/// Follows links at the end of the path, also one that points to a file that is yet to be made, up to the
/// name of an open descriptor.
std::string follow_links(const std::string& path) {
    std::filesystem::path current = path;
    for (int i = 0; i < most_links && descriptor_name(current.native()) < 0; ++i) {
        std::error_code problem;
        if (!std::filesystem::is_symlink(std::filesystem::symlink_status(current, problem))) break;
        const std::filesystem::path next = std::filesystem::read_symlink(current, problem);
        if (problem) break;
        current = next.is_absolute() ? next : current.parent_path() / next;
    }
    return current.string();
}

constexpr std::string_view temporary_stem = ".alfcg-";
constexpr std::string_view temporary_end = ".tmp";

/// The process that made a temporary file of this name, else 0.
pid_t maker_of(std::string_view name) {
    if (!name.starts_with(temporary_stem) || !name.ends_with(temporary_end)) return 0;
    name.remove_prefix(temporary_stem.size());
    name.remove_suffix(temporary_end.size());
    pid_t maker = 0;
    int number = 0;
    const char* const end = name.data() + name.size();
    const auto [dash, problem] = std::from_chars(name.data(), end, maker);
    if (problem != std::errc() || dash == end || *dash != '-' || maker <= 0) return 0;
    const auto [stop, other_problem] = std::from_chars(dash + 1, end, number);
    return other_problem == std::errc() && stop == end && number >= 0 ? maker : 0;
}

/// Removes a temporary file, unless it is somebody's still: who writes one holds its lock. (That a number is no process's here
/// says little of a folder that other machines, or containers, write to as well.)
void remove_abandoned(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return;
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ::flock(file, LOCK_EX | LOCK_NB) == 0)
        static_cast<void>(::unlink(path.c_str()));
    static_cast<void>(::close(file));
}

/// What runs that were killed have left in this folder.
void remove_abandoned_in(const std::string& folder) {
    std::error_code problem;
    for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        const pid_t maker = maker_of(name);
        if (maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH) remove_abandoned(entry->path().string());
    }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(follow_links(path_)) {
    if (path_.empty()) throw Error("cannot write: the name of the output file is empty");
    try {
        struct stat status {};
        const bool exists = ::stat(target_.c_str(), &status) == 0;
        if (!exists && errno != ENOENT) fail(errno);
        if ((exists && S_ISDIR(status.st_mode)) || target_.ends_with('/')) fail(EISDIR);
        if (descriptor_name(target_) >= 0 || (exists && !S_ISREG(status.st_mode)))
            open_directly();
        else
            open_temporary();
        pending_.reserve(buffer_bytes);
    } catch (...) {
        discard();
        throw;
    }
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::open_directly() {
    // An open descriptor is shared rather than opened again, so that what is written here and what the
    // program prints follow each other when both go to one file.
    const int shared = descriptor_name(target_);
    descriptor_ =
        shared >= 0 ? ::fcntl(shared, F_DUPFD_CLOEXEC, 0) : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
}

void OutputFile::open_temporary() {
    struct stat old {};
    const bool replaces = ::stat(target_.c_str(), &old) == 0;
    // Renaming would replace a write-protected file; its owner did not want that.
    if (replaces && ::access(target_.c_str(), W_OK) != 0) fail(errno);

    const std::string folder = folder_of(target_);
    remove_abandoned_in(folder);
    const std::string stem = folder + "/" + std::string(temporary_stem) + std::to_string(::getpid()) + "-";
    for (int i = 0; i < most_names && descriptor_ < 0; ++i) {
        const std::string name = stem + std::to_string(i) + std::string(temporary_end);
        descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ < 0 && errno != EEXIST) break;
        if (descriptor_ < 0) continue;
        temporary_ = name;
        // Some file systems have no locks, and nobody takes this file for abandoned then. Where somebody was quicker than the lock,
        // the file has no name any more.
        static_cast<void>(::flock(descriptor_, LOCK_EX | LOCK_NB));
        struct stat made {};
        if (::fstat(descriptor_, &made) == 0 && made.st_nlink == 0)
            static_cast<void>(::close(std::exchange(descriptor_, -1)));
    }
    if (descriptor_ < 0 && errno == ENOENT)
        throw Error(path_ + ": cannot write: there is no folder " + folder);
    if (descriptor_ < 0) fail(errno);
    if (!replaces) return;
    // Giving a file to somebody else is the privilege of root; the others keep what they make.
    [[maybe_unused]] const int kept = ::fchown(descriptor_, old.st_uid, old.st_gid);
    if (::fchmod(descriptor_, old.st_mode & 0777) != 0) fail(errno);
}

void OutputFile::write(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    const char* first = static_cast<const char*>(data);
    if (pending_.size() + bytes > buffer_bytes) flush();
    if (bytes > buffer_bytes)
        write_through(first, bytes);
    else
        pending_.append(first, bytes);
}

void OutputFile::flush() {
    write_through(pending_.data(), pending_.size());
    pending_.clear();
}

void OutputFile::write_through(const char* data, std::size_t bytes) {
    if (descriptor_ < 0) fail(EBADF);
    while (bytes > 0) {
        const ssize_t written = ::write(descriptor_, data, std::min(bytes, largest_write));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(errno);
        if (written == 0) fail(EIO);
        data += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

int OutputFile::descriptor() {
    if (temporary_.empty())
        throw Error(path_ + ": cannot write: this needs a file, which a device or a pipe is not");
    return descriptor_;
}

void OutputFile::go_to_end() {
    flush();
    if (::lseek(descriptor_, 0, SEEK_END) < 0) fail(errno);
}

void OutputFile::replace(std::size_t offset, std::string_view text) {
    flush();
    while (!text.empty()) {
        const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail(written < 0 ? errno : EIO);
        offset += static_cast<std::size_t>(written);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void OutputFile::sync() {
    flush();
    // Some file systems have no fsync and say so with EINVAL or ENOTSUP.
    if (!temporary_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
}

void OutputFile::commit() {
    sync();
    // A copy of the descriptor keeps the lock until the file has its name.
    const int lock = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
    const bool named = closed && (temporary_.empty() || ::rename(temporary_.c_str(), target_.c_str()) == 0);
    const int reason = errno;
    if (lock >= 0) static_cast<void>(::close(lock));
    if (!named) fail(reason);
    if (temporary_.empty()) return;
    temporary_.clear();
    // The new name is in place; making the folder durable is a matter of best effort.
    const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    static_cast<void>(::fsync(folder));
    static_cast<void>(::close(folder));
}

void OutputFile::discard() noexcept {
    if (descriptor_ >= 0) static_cast<void>(::close(std::exchange(descriptor_, -1)));
    if (!temporary_.empty()) static_cast<void>(::unlink(temporary_.c_str()));
    temporary_.clear();
}

void OutputFile::fail(int reason) {
    discard();
    throw Error(path_ + ": cannot write: " + std::generic_category().message(reason));
}

void write_file(const std::string& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace alfcg
