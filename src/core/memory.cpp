#include "core/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace alfcg {

namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The number in a file, or behind a word in it; `otherwise` where there is none ("max").
double number_in(const fs::path& path, const std::string& word, double otherwise) {
    std::ifstream file(path);
    std::string name;
    double number = 0;
    if (word.empty()) return file >> number ? number : otherwise;
    while (file >> name >> number)
        if (name == word) return number;
    return otherwise;
}

struct Room {
    double limit = unlimited;
    double free = unlimited;
};

// The files that say what a control group may have, in one version of them or the other.
struct GroupFiles {
    const char* limit;
    const char* usage;
    const char* active;  // pages of files, in memory.stat
    const char* inactive;
};
constexpr GroupFiles first_version{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file",
                                   "total_inactive_file"};
constexpr GroupFiles second_version{"memory.max", "memory.current", "active_file", "inactive_file"};

void look_at_group(const fs::path& folder, const GroupFiles& files, Room& room) {
    constexpr double nonsense = 0x1p60;  // what stands for no limit in the first version
    const double limit = number_in(folder / files.limit, {}, unlimited);
    if (!(limit < nonsense)) return;
    const fs::path statistics = folder / "memory.stat";
    const double used = number_in(folder / files.usage, {}, 0) - number_in(statistics, files.active, 0) -
                        number_in(statistics, files.inactive, 0);
    room.limit = std::min(room.limit, limit);
    room.free = std::min(room.free, std::max(limit - used, 0.0));
}

// A group is bound by those that it is in. In a container the path may be that of the machine outside.
void look_at_groups(const fs::path& root, const std::string& path, const GroupFiles& files, Room& room) {
    std::error_code ignored;
    fs::path folder = root / fs::path(path).relative_path();
    if (!fs::exists(folder, ignored)) folder = root;
    for (;; folder = folder.parent_path()) {
        look_at_group(folder, files, room);
        if (folder == root || !folder.has_relative_path()) return;
    }
}

Room room() {
    Room room;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        if (controllers == ",,")
            look_at_groups("/sys/fs/cgroup", line.substr(second + 1), second_version, room);
        else if (controllers.find(",memory,") != std::string::npos)
            look_at_groups("/sys/fs/cgroup/memory", line.substr(second + 1), first_version, room);
    }
    return room;
}

double page_bytes() {
    return static_cast<double>(sysconf(_SC_PAGESIZE));
}

double machine_memory() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
}

}  // namespace

double memory_limit() {
    return std::min(machine_memory(), room().limit);
}

bool memory_is_limited() {
    return room().limit < machine_memory();
}

double free_memory() {
    constexpr double kibibyte = 1024;
    double available = 0;
    std::ifstream information("/proc/meminfo");
    std::string name;
    std::string rest;
    for (double number = 0; information >> name >> number && std::getline(information, rest);)
        if (name == "MemAvailable:") available = number * kibibyte;
    if (available == 0) available = machine_memory();
    return std::min(available, room().free);
}

double peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    constexpr double unit = 1;
#else
    constexpr double unit = 1024;
#endif
    return static_cast<double>(usage.ru_maxrss) * unit;
}

void advise_reading(const void* first, const void* last, PageReading reading) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(first) / page * page;
    // Not MADV_SEQUENTIAL: of a mapped file, Linux then waits for every piece that it reads ahead, and reads small pages.
    const int advice = reading == PageReading::scattered ? MADV_RANDOM : MADV_NORMAL;
    madvise(reinterpret_cast<void*>(begin), reinterpret_cast<std::uintptr_t>(last) - begin, advice);
}

void read_soon(const void* first, const void* last) {
    // Of a longer piece the system may read no more than its usual read-ahead.
    constexpr std::uintptr_t at_once = std::uintptr_t{128} << 10;
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto end = reinterpret_cast<std::uintptr_t>(last);
    for (auto at = reinterpret_cast<std::uintptr_t>(first) / page * page; at < end; at += at_once)
        madvise(reinterpret_cast<void*>(at), std::min(at_once, end - at), MADV_WILLNEED);
}

}  // namespace alfcg
