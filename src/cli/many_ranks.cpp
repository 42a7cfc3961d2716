#include "cli/many_ranks.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "alfcg/core/error.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

namespace {

// Set once, before anything else happens.
Ranks* opened_ranks = nullptr;
int heard_errors = STDERR_FILENO;

// What the processes that Open MPI, MPICH and Slurm start find in their environment: how many there are.
bool started_with_others() {
    const auto several = [](const char* name) {
        const char* size = std::getenv(name);
        return size != nullptr && std::atoi(size) > 1;
    };
    // Slurm's tasks need not know of each other: those that do have a name for it.
    return several("OMPI_COMM_WORLD_SIZE") || several("PMI_SIZE") ||
           (std::getenv("PMIX_RANK") != nullptr && several("SLURM_STEP_NUM_TASKS"));
}

// Beside the program, where it was built; or where it is installed.
std::filesystem::path library_path() {
    std::error_code ignored;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const auto& path : {folder / "alfcg-mpi.so", folder / ".." / ALFCG_LIBRARY_FOLDER / "alfcg-mpi.so"})
        if (std::filesystem::exists(path, ignored)) return path;
    return {};
}

}  // namespace

struct ManyRanks::Library {
    void* handle = nullptr;
    bool (*all_here)(Ranks*) = nullptr;
    void (*close)(Ranks*, bool, int) = nullptr;
};

ManyRanks::ManyRanks() = default;

void ManyRanks::open() {
    if (!started_with_others()) return;
    const auto path = library_path();
    // All of them say so, or the first alone where it is known.
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (path.empty() && rank != nullptr && std::atoi(rank) > 0) std::_Exit(exit_bad_input);
    if (path.empty())
        throw Error("several processes were started, and this alfcg was built without MPI (libopenmpi-dev)");
    library_ = std::make_unique<Library>();
    // Open MPI's own libraries look for each other's names.
    library_->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library_->handle == nullptr) throw Error(std::string("MPI cannot be opened: ") + dlerror());
    const auto find = [&](const char* name) { return dlsym(library_->handle, name); };
    const auto open = reinterpret_cast<Ranks* (*)()>(find("alfcg_open_ranks"));
    library_->all_here = reinterpret_cast<bool (*)(Ranks*)>(find("alfcg_all_here"));
    library_->close = reinterpret_cast<void (*)(Ranks*, bool, int)>(find("alfcg_close_ranks"));
    if (open == nullptr || library_->all_here == nullptr || library_->close == nullptr)
        throw Error(path.string() + " is of another version of alfcg");
    opened_ranks = open();
    if (opened_ranks == nullptr) throw Error("MPI cannot be started");
    if (opened_ranks->rank() == 0) return;
    heard_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
}

ManyRanks::~ManyRanks() = default;

Ranks* ManyRanks::opened() {
    return opened_ranks != nullptr && opened_ranks->size() > 1 ? opened_ranks : nullptr;
}

int ManyRanks::errors() {
    return heard_errors;
}

void ManyRanks::fail(const std::string& line, int status) {
    if (opened_ranks == nullptr) return put(stderr, line);
    const bool together = library_->all_here(opened_ranks);
    if (opened_ranks->rank() == 0) {
        put(stderr, line);
    } else if (!together) {
        const std::string own =
            "alfcg: rank " + std::to_string(opened_ranks->rank()) + ": " + line.substr(line.find(' ') + 1);
        static_cast<void>(!write(heard_errors, own.data(), own.size()));
    }
    library_->close(opened_ranks, together, status);
    opened_ranks = nullptr;
}

void ManyRanks::close(int status) {
    if (opened_ranks == nullptr) return;
    library_->close(opened_ranks, library_->all_here(opened_ranks), status);
    opened_ranks = nullptr;
}

}  // namespace alfcg::cli
