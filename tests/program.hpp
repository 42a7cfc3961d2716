// Runs the command line program as a user would, and keeps what it said.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "temporary_folder.hpp"

namespace alfcg {

struct ProgramResult {
    int status = -1;  // exit status; 128 + signal when a signal ended it
    std::string out;
    std::string err;
};

/// A started program, its output going to files of its own.
class Program {
  public:
    explicit Program(const std::vector<std::string>& arguments, const std::string& directory = {}) {
        std::vector<char*> argv;
        std::string name = ALFCG_PROGRAM;
        argv.push_back(name.data());
        std::vector<std::string> copies = arguments;
        for (std::string& copy : copies) argv.push_back(copy.data());
        argv.push_back(nullptr);
        const std::string out = folder_.file("out");
        const std::string err = folder_.file("err");
        pid_ = fork();
        if (pid_ == 0) {
            dup2(open("/dev/null", O_RDONLY), 0);
            dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
            dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
            if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(126);
            execv(argv[0], argv.data());
            _exit(127);
        }
    }

    void signal(int number) const { ::kill(pid_, number); }
    [[nodiscard]] std::string output_so_far() const { return text("out"); }

    ProgramResult wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return {code, text("out"), text("err")};
    }

  private:
    [[nodiscard]] std::string text(const char* name) const {
        const std::string path = folder_.file(name);
        return std::filesystem::exists(path) ? read_bytes(path) : std::string();
    }

    TemporaryFolder folder_;
    pid_t pid_ = -1;
};

inline ProgramResult run_program(const std::vector<std::string>& arguments,
                                 const std::string& directory = {}) {
    return Program(arguments, directory).wait();
}

}  // namespace alfcg
