// What the program prints, and where it cannot: terminals of all widths, readers that leave, disks that are full.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace alfcg {
namespace {

// The program on a terminal of its own.
class OnTerminal {
  public:
    OnTerminal(std::vector<std::string> arguments, unsigned short columns, const std::string& directory) {
        const struct winsize size { 24, columns, 0, 0 };
        arguments.insert(arguments.begin(), ALFCG_PROGRAM);
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        pid_ = forkpty(&master_, nullptr, nullptr, &size);
        if (pid_ == 0) {
            if (chdir(directory.c_str()) != 0) _exit(126);
            execv(argv[0], argv.data());
            _exit(127);
        }
    }
    ~OnTerminal() { close(master_); }
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;

    // Reads on until `text` has come `times` times, or the program has ended.
    void read_until(const std::string& text, int times) {
        for (std::size_t at = seen_.size(); times > 0;) {
            const std::size_t found = seen_.find(text, at);
            if (found != std::string::npos) {
                at = found + text.size();
                --times;
                continue;
            }
            char buffer[4096];
            const ssize_t got = read(master_, buffer, sizeof buffer);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return;  // the other side is closed
            seen_.append(buffer, static_cast<std::size_t>(got));
        }
    }
    void resize(unsigned short columns) const {
        const struct winsize size { 24, columns, 0, 0 };
        ASSERT_EQ(ioctl(master_, TIOCSWINSZ, &size), 0);
    }
    void signal(int number) const { ::kill(pid_, number); }
    int wait() {
        read_until("no such text", 1);
        int status = 0;
        waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] const std::string& seen() const { return seen_; }

  private:
    int master_ = -1;
    pid_t pid_ = -1;
    std::string seen_;
};

const std::string clear = "\033[J";

// The lines that were written in one place: from the clearing to the return of the cursor.
std::vector<std::string> live_lines(const std::string& seen) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; (at = seen.find(clear, at)) != std::string::npos;) {
        at += clear.size();
        const std::size_t end = seen.find_first_of("\r\n\033", at);
        if (end != std::string::npos && seen.compare(end, 2, "\r\n") != 0 && seen[end] == '\r')
            lines.push_back(seen.substr(at, end - at));
    }
    return lines;
}

std::size_t longest(const std::vector<std::string>& lines) {
    std::size_t length = 0;
    for (const std::string& line : lines) length = std::max(length, line.size());
    return length;
}

const std::vector<std::string> endless{"train", "randn-2000-50", "--method", "alfcg-d", "--max-seconds",
                                       "1000",  "--radius",      "50",       "--model", "m.npz"};

TEST(Terminal, TheLineThatIsKeptUpToDateFitsEveryWidth) {
    TemporaryFolder folder;
    std::size_t before = 0;
    for (const int columns : {5, 40, 80, 100, 200}) {
        OnTerminal program(endless, static_cast<unsigned short>(columns), folder.path());
        program.read_until(clear + "iter", 4);
        program.signal(SIGINT);
        EXPECT_EQ(program.wait(), 130);
        const auto lines = live_lines(program.seen());
        ASSERT_GE(lines.size(), 4U) << program.seen();
        for (const std::string& line : lines) EXPECT_TRUE(line.starts_with("iter")) << line;
        EXPECT_LT(longest(lines), static_cast<std::size_t>(columns)) << "the last column stays empty";
        EXPECT_GT(longest(lines), before) << "what fits is shown";
        before = longest(lines);
        EXPECT_NE(program.seen().find("\r\nstatus     interrupted"), std::string::npos) << program.seen();
        const std::size_t table = program.seen().find("\r\n iteration");
        ASSERT_NE(table, std::string::npos) << program.seen();
        const std::string header =
            program.seen().substr(table + 2, program.seen().find("\r\n", table + 2) - table - 2);
        EXPECT_LE(header.size(), static_cast<std::size_t>(std::max(10, columns)))
            << "columns of the table that do not fit are left out";
        EXPECT_EQ(header.size() == 71, columns > 70) << header;
    }
    EXPECT_GT(before, 80U) << "all of it on a wide terminal";
}

TEST(Terminal, ResizingIsSeenAtTheNextLine) {
    TemporaryFolder folder;
    OnTerminal program(endless, 120, folder.path());
    program.read_until(clear + "iteration", 2);
    EXPECT_GT(longest(live_lines(program.seen())), 60U);
    program.resize(40);
    program.read_until(clear + "iteration", 2);  // one may have been under way
    const std::size_t narrow = program.seen().size();
    program.read_until(clear + "iteration", 4);
    const auto after = live_lines(program.seen().substr(narrow));
    EXPECT_GE(after.size(), 2U);
    EXPECT_LT(longest(after), 40U);
    program.signal(SIGINT);
    EXPECT_EQ(program.wait(), 130);
}

TEST(Terminal, AComparisonsLineAndTableFitToo) {
    TemporaryFolder folder;
    OnTerminal program({"compare", "randn-500-10", "--methods", "deterministic", "--max-epochs", "300"}, 24,
                       folder.path());
    EXPECT_EQ(program.wait(), 0) << program.seen();
    const auto lines = live_lines(program.seen());
    ASSERT_FALSE(lines.empty());
    EXPECT_LT(longest(lines), 24U);
    // Then the table, up to an empty line: the columns that fit.
    std::istringstream rest(program.seen().substr(program.seen().rfind(clear) + clear.size()));
    int rows = 0;
    for (std::string line; std::getline(rest, line) && line != "\r"; ++rows) {
        EXPECT_LE(line.size() - 1, 24U) << line;
        EXPECT_NE(line.find(rows == 0 ? "method" : "-"), std::string::npos) << line;
    }
    EXPECT_GT(rows, 5);
}

// Runs a shell's command line with "$ALFCG" for the program; what came of it.
ProgramResult run_shell(const std::string& command, const TemporaryFolder& folder) {
    TemporaryFolder output;
    const std::string line = "cd '" + folder.path() + "' && ALFCG='" + ALFCG_PROGRAM + "' bash -c '" +
                             command + "' >'" + output.file("out") + "' 2>'" + output.file("err") + "'";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), read_bytes(output.file("out")), read_bytes(output.file("err"))};
}

TEST(Terminal, AReaderThatLeavesStopsNoRun) {
    TemporaryFolder folder;
    const auto result = run_shell(
        "$ALFCG train randn-2000-20 --method alfcg-d --max-iterations 4000 --model m.npz --trace t.csv | "
        "head -1; "
        "echo ${PIPESTATUS[0]}",
        folder);
    EXPECT_EQ(result.out, "data       randn-2000-20: 2000 rows, 20 features, 10 classes\n0\n");
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(run_program({"predict", "m.npz", "randn-2000-20"}, folder.path()).status, 0);
    const std::string trace = read_bytes(folder.file("t.csv"));
    EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 4002);

    EXPECT_EQ(run_shell("set -o pipefail; $ALFCG predict m.npz randn-50000-20 | head -1", folder).status, 0);
    EXPECT_EQ(run_shell("set -o pipefail; $ALFCG train --help | head -1", folder).status, 0);
}

TEST(Terminal, OutputThatIsLostIsAnError) {
    TemporaryFolder folder;
    const std::string message = "alfcg: standard output: cannot write: No space left on device\n";
    for (const std::string command :
         {"train randn-50-5 --model m.npz", "train randn-50-5 --model m.npz --json", "methods", "--version",
          "--help", "predict m.npz randn-50-5", "compare randn-50-5 --max-epochs 1 --output c"}) {
        const auto result = run_shell("$ALFCG " + command + " >/dev/full", folder);
        EXPECT_EQ(result.status, 2) << command;
        EXPECT_NE(result.err.find(message), std::string::npos) << command << ": " << result.err;
    }
    EXPECT_TRUE(std::filesystem::exists(folder.file("m.npz"))) << "the model is written all the same";
    for (const std::string option : {"--model", "--trace", "--batches-out"}) {
        const auto result = run_program(
            {"train", "randn-50-5", "--method", "alfcg-fs", option, "/dev/full", "--quiet"}, folder.path());
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.err, "alfcg: /dev/full: cannot write: No space left on device\n");
        EXPECT_EQ(result.out, "");
        EXPECT_FALSE(std::filesystem::exists(folder.file("randn-50-5.model.npz"))) << option;
    }
}

TEST(Terminal, AClosedOutputIsAnErrorAndGoesIntoNoFile) {
    TemporaryFolder folder;
    run_program({"train", "randn-50-5", "--model", "right.npz"}, folder.path());
    const auto result = run_shell("$ALFCG train randn-50-5 --model m.npz --trace t.csv >&-", folder);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, "alfcg: standard output: cannot write: Bad file descriptor\n");
    EXPECT_EQ(read_bytes(folder.file("m.npz")), read_bytes(folder.file("right.npz")));
}

TEST(Terminal, QuietLeavesTheSummaryAndSilentNothing) {
    TemporaryFolder folder;
    const auto train = [&](const std::vector<std::string>& extra) {
        std::vector<std::string> arguments{"train", "randn-60-5", "--method", "alfcg-d", "--max-iterations",
                                           "8",     "--model",    "m.npz"};
        arguments.insert(arguments.end(), extra.begin(), extra.end());
        return run_program(arguments, folder.path());
    };
    const std::string full = train({}).out;
    const std::string quiet = train({"--quiet"}).out;
    EXPECT_TRUE(quiet.starts_with("status     max-iterations after 8 iterations")) << quiet;
    EXPECT_NE(full.find("\n\nstatus     max-iterations"), std::string::npos);
    EXPECT_EQ(std::count(quiet.begin(), quiet.end(), '\n') + 1 + 4 + 1 + 5,
              std::count(full.begin(), full.end(), '\n'))
        << "heading, table and two empty lines are left out";
    std::filesystem::remove(folder.file("m.npz"));
    const auto silent = train({"--silent"});
    EXPECT_EQ(silent.status, 0);
    EXPECT_EQ(silent.out + silent.err, "");
    EXPECT_TRUE(std::filesystem::exists(folder.file("m.npz")));
    const auto wrong = train({"--silent", "--radius", "-1"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.err.rfind("alfcg: --radius", 0), 0U) << wrong.err;
    EXPECT_EQ(train({"--silent", "--json"}).status, 2);
    EXPECT_TRUE(nlohmann::json::parse(train({"--json"}).out).is_object());

    const auto compared = run_program(
        {"compare", "randn-60-5", "--max-epochs", "1", "--output", "c", "--silent"}, folder.path());
    EXPECT_EQ(compared.status, 0);
    EXPECT_EQ(compared.out + compared.err, "");
    EXPECT_TRUE(std::filesystem::exists(folder.file("c/report.html")));
}

}  // namespace
}  // namespace alfcg
