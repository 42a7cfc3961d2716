// Command lines made of words that the program knows, numbers, and anything else, about data that are not there: each is help, or is
// refused in one line.
#include <unistd.h>

#include <array>
#include <memory>

#include "../temporary_folder.hpp"
#include "alfcg/core/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "fuzz.hpp"

namespace alfcg::fuzz {
namespace {

std::unique_ptr<cli::CommandLine> command_line() {
    auto line = std::make_unique<cli::CommandLine>("alfcg", "fuzz", "0");
    line->add("train", "", cli::add_train);
    line->add("predict", "", cli::add_predict);
    line->add("show", "", cli::add_show);
    line->add("path", "", cli::add_path);
    line->add("convert", "", cli::add_convert);
    line->add("complete", "", cli::add_complete);
    line->add("recommend", "", cli::add_recommend);
    line->add("compare", "", cli::add_compare);
    line->add("methods", "", cli::add_methods);
    line->add("regions", "", cli::add_regions);
    line->add("losses", "", cli::add_losses);
    return line;
}

const std::vector<std::string>& words() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> list{
            "absent", "m.npz", "--help",  "--version", "auto", "none",
            "-1",     "0",     "1",       "1e3",       "0x10", "18446744073709551616",
            "nan",    "inf",   "1,2,3",   "",          "--",   "-",
            "0.5",    "f64",   "balanced"};
        for (const auto& command : command_line()->describe()) {
            list.push_back(command.name);
            for (const auto& option : command.options) {
                list.insert(list.end(), option.names.begin(), option.names.end());
                list.insert(list.end(), option.values.begin(), option.values.end());
            }
        }
        return list;
    }();
    return all;
}

// Nothing that begins a run, or leads out of the folder.
bool harmless_word(const std::string& word) {
    return word.find('/') == std::string::npos && word.find("randn") == std::string::npos &&
           word.find("mnist") == std::string::npos && word.find('\0') == std::string::npos;
}

}  // namespace
}  // namespace alfcg::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace alfcg;
    static const TemporaryFolder folder;
    static const bool quiet =
        chdir(folder.path().c_str()) == 0 && std::freopen("/dev/null", "w", stdout) != nullptr;
    fuzz::require(quiet, "no place to be quiet in");
    fuzz::Input input(data, size);
    static const std::array<std::string, 8> commands{"train",    "predict",   "show",    "path",
                                                     "complete", "recommend", "compare", "convert"};
    std::vector<std::string> arguments{"alfcg"};
    if (input.below(16) != 0) arguments.push_back(input.one_of(commands));
    while (!input.ended() && arguments.size() < 24) {
        std::string word = input.below(4) == 0 ? std::string(input.take(1 + input.byte() % 12))
                                               : input.one_of(fuzz::words());
        if (input.below(6) == 0) word += "=" + input.one_of(fuzz::words());
        if (fuzz::harmless_word(word)) arguments.push_back(word);
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    try {
        fuzz::command_line()->run(static_cast<int>(arguments.size()), argv.data());
    } catch (const Error& error) {
        // Line ends in what was typed are left out when the message is printed.
        fuzz::require(!std::string_view(error.what()).empty(), "an empty message");
    }
    return 0;
}
