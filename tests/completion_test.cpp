// The manual page and the shells' completions know every command, every option and every name that --help and the catalogue
// know, and the tools they are made for take them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "alfcg/method/catalogue.hpp"
#include "alfcg/objective/loss.hpp"
#include "alfcg/region/spec.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

std::string output_of(const std::vector<std::string>& arguments) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
}

// The first words of indented lines: the commands of the help, or a command's options.
std::vector<std::string> listed_words(const std::string& help, const std::string& after) {
    std::vector<std::string> words;
    std::istringstream lines(help.substr(help.find(after)));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream content(line);
        std::string word;
        if (line.starts_with("  ") && !line.starts_with("   ") && content >> word) words.push_back(word);
    }
    return words;
}

std::vector<std::string> commands() {
    return listed_words(output_of({"--help"}), "Subcommands:");
}

std::vector<std::string> options_of(const std::string& command) {
    std::vector<std::string> options;
    for (const std::string& word : listed_words(output_of({command, "--help"}), "Options:"))
        if (word.starts_with("--")) options.push_back(word);
    return options;
}

// Runs a shell's script; what it prints, or nothing where there is no such shell.
std::string run_script(const std::string& shell, const std::string& script) {
    TemporaryFolder folder;
    write_bytes(folder.file("script"), script);
    const std::string line = "cd '" + folder.path() + "' && touch model.npz && mkdir models && ALFCG='" +
                             ALFCG_PROGRAM + "' " + shell + " script >out 2>&1";
    const int status = std::system(line.c_str());
    const std::string text = read_bytes(folder.file("out"));
    EXPECT_EQ(WEXITSTATUS(status), 0) << text;
    return text;
}

bool has_tool(const std::string& name) {
    return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

TEST(Manual, HasEveryCommandOptionAndName) {
    std::string page = output_of({"manual"});
    for (std::size_t at = 0; (at = page.find("\\-", at)) != std::string::npos;) page.erase(at, 1);
    EXPECT_GE(commands().size(), 8U);
    for (const std::string& command : commands()) {
        const std::size_t section = page.find(".SS alfcg " + command + "\n");
        ASSERT_NE(section, std::string::npos) << command;
        const std::string text = page.substr(section, page.find("\n.S", section + 1) - section);
        for (const std::string& option : options_of(command))
            EXPECT_NE(text.find("\\fB" + option + "\\fR"), std::string::npos) << command << " " << option;
    }
    EXPECT_EQ(page.find(".SS alfcg manual"), std::string::npos);
    const auto expect_entries = [&](const auto& rows) {
        for (const auto& row : rows)
            EXPECT_NE(page.find(".TP\n\\fB" + std::string(row.name) + "\\fR\n"), std::string::npos)
                << row.name;
    };
    expect_entries(methods());
    expect_entries(regions());
    expect_entries(losses());
}

TEST(Manual, ManHasNothingToSayAboutIt) {
    if (!has_tool("man")) GTEST_SKIP() << "there is no man here";
    const std::string page = run_script(
        "bash",
        "\"$ALFCG\" manual >alfcg.1 && LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l alfcg.1 2>errors; "
        "cat errors >&2; [[ ! -s errors ]]");
    EXPECT_NE(page.find("EXIT STATUS"), std::string::npos);
    EXPECT_NE(page.find("--max-iterations N"), std::string::npos);
}

// What bash offers after these words, the last of which is being typed.
std::set<std::string> offered(const std::vector<std::string>& words) {
    std::string script = "source <(\"$ALFCG\" completion bash)\ncompopt() { :; }\nCOMP_WORDS=(alfcg";
    for (const std::string& word : words) script += " '" + word + "'";
    script +=
        ")\nCOMP_CWORD=" + std::to_string(words.size()) + "\n_alfcg\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    std::istringstream lines(run_script("bash", script));
    std::set<std::string> result;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) result.insert(line);
    return result;
}

template <class Rows>
std::set<std::string> names_of(const Rows& rows) {
    std::set<std::string> names;
    for (const auto& row : rows) names.emplace(row.name);
    return names;
}

TEST(Completion, BashOffersWhatThereIs) {
    auto all = commands();
    all.insert(all.end(), {"--help", "--version"});
    EXPECT_EQ(offered({""}), std::set<std::string>(all.begin(), all.end()));
    EXPECT_EQ(offered({"tr"}), std::set<std::string>{"train"});
    for (const std::string& command : commands()) {
        auto options = options_of(command);
        options.push_back("--help");
        EXPECT_EQ(offered({command, "--"}), std::set<std::string>(options.begin(), options.end())) << command;
    }
    EXPECT_EQ(offered({"train", "x", "--method", ""}), names_of(methods()));
    EXPECT_EQ(offered({"train", "x", "--region", ""}), names_of(regions()));
    EXPECT_EQ(offered({"compare", "x", "--loss", "="}), names_of(losses()));
    EXPECT_EQ(offered({"compare", "x", "--loss", "=", "hu"}), std::set<std::string>{"huber"});
    EXPECT_EQ(offered({"compare", "x", "--methods", "fw-armijo,alfcg-m"}),
              (std::set<std::string>{"fw-armijo,alfcg-mvr1", "fw-armijo,alfcg-mvr2"}));
    EXPECT_EQ(offered({"train", "x", "--rho", ""}), (std::set<std::string>{"auto", "probe"}));
    EXPECT_EQ(offered({"train", "x", "--radius", ""}), std::set<std::string>{"auto"});
    EXPECT_EQ(offered({"train", "x", "--seed", ""}), std::set<std::string>{});
    EXPECT_EQ(offered({"predict", "mod"}), (std::set<std::string>{"model.npz", "models"}));
    EXPECT_EQ(offered({"train", "x", "--model", "model."}), std::set<std::string>{"model.npz"});
    EXPECT_EQ(offered({"compare", "x", "--output", "mod"}), std::set<std::string>{"models"});
}

TEST(Completion, ZshTakesItsFile) {
    if (!has_tool("zsh")) GTEST_SKIP() << "there is no zsh here";
    EXPECT_EQ(run_script("zsh -f", "\"$ALFCG\" completion zsh >_alfcg && zsh -n _alfcg"), "");
    // What _arguments gets for every command, one line each.
    const std::string calls = run_script("zsh -f", R"(
        compdef() { }
        _arguments() { print -rl -- "$@" }
        source <("$ALFCG" completion zsh)
        for command in train compare; do words=(alfcg $command x) CURRENT=3 _alfcg; done
    )");
    for (const std::string command : {"train", "compare"})
        for (const std::string& option : options_of(command))
            EXPECT_NE(calls.find("\n" + option), std::string::npos) << option;
    EXPECT_NE(calls.find(":NAME:(l1 l2 linf lp "), std::string::npos);
    EXPECT_NE(calls.find(":DATA:_files\n"), std::string::npos);
}

TEST(Completion, OtherShellsAreRefused) {
    const auto result = run_program({"completion", "fish"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, "alfcg: unknown shell 'fish': use bash or zsh\n");
}

}  // namespace
}  // namespace alfcg
