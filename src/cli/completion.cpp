#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

namespace {

// What a shell can offer for a value: a list of words, names of files or folders, or nothing.
enum class Offer { nothing, words, list, files, folders };

Offer offer_of(const OptionDescription& option) {
    if (option.word == "LIST") return Offer::list;
    if (!option.values.empty()) return Offer::words;
    if (option.word == "FILE" || option.word == "DATA" || option.word == "MODEL") return Offer::files;
    return option.word == "FOLDER" ? Offer::folders : Offer::nothing;
}

// The values, and those that a word like auto|probe|NUMBER names.
std::vector<std::string> values_of(const OptionDescription& option) {
    std::vector<std::string> values = option.values;
    std::string_view word = option.word;
    while (word.find('|') != std::string_view::npos) {
        values.emplace_back(word.substr(0, word.find('|')));
        word.remove_prefix(word.find('|') + 1);
    }
    return values;
}

// The options with these words filled in.
std::vector<CommandDescription> completed(std::vector<CommandDescription> commands) {
    for (CommandDescription& command : commands)
        for (OptionDescription& option : command.options) option.values = values_of(option);
    return commands;
}

// The branch of a bash `case` for an option's value, or for the arguments when `pattern` is *.
std::string bash_branch(const std::string& pattern, const OptionDescription& option) {
    const std::string words = fmt::format("'{}'", fmt::join(option.values, " "));
    switch (offer_of(option)) {
        case Offer::words:
            return fmt::format("            {}) _alfcg_words {} ;;\n", pattern, words);
        case Offer::list:
            return fmt::format("            {}) _alfcg_list {} ;;\n", pattern, words);
        case Offer::files:
            return fmt::format("            {}) _alfcg_names -f ;;\n", pattern);
        case Offer::folders:
            return fmt::format("            {}) _alfcg_names -d ;;\n", pattern);
        case Offer::nothing:
            break;
    }
    return fmt::format("            {}) ;;\n", pattern);
}

std::string bash_completion(const std::vector<CommandDescription>& commands) {
    std::string names;
    std::string branches;
    for (const CommandDescription& command : commands) {
        names += command.name + " ";
        std::string values;
        std::string arguments;
        std::string flags;
        for (const OptionDescription& option : command.options) {
            if (option.names.empty()) {
                arguments = bash_branch("*", option);
                continue;
            }
            flags += fmt::format("{} ", fmt::join(option.names, " "));
            if (!option.word.empty())
                values += bash_branch(fmt::format("{}", fmt::join(option.names, "|")), option);
        }
        branches += fmt::format(
            "    {})\n        options='{}'\n        case $before in\n{}{}        esac\n        ;;\n",
            command.name, flags, values, arguments);
    }
    return R"(# bash completion for alfcg, made by: alfcg completion bash

_alfcg_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

_alfcg_list() {  # several words by commas
    local first=
    [[ $current == *,* ]] && first=${current%,*},
    mapfile -t COMPREPLY < <(compgen -P "$first" -W "$1" -- "${current##*,}")
    compopt -o nospace
}

_alfcg_names() {
    mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
    compopt -o filenames
}

_alfcg() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=
    COMPREPLY=()
    # bash takes --loss=huber for three words
    if [[ $current == = ]]; then
        current=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        _alfcg_words ')" +
           names + R"(--help --version'
        return
    fi
    case ${COMP_WORDS[1]} in
)" + branches +
           R"(    esac
    [[ $current == -* ]] && _alfcg_words "$options"
}

complete -F _alfcg alfcg
)";
}

// Help for zsh, in single quotes: brackets and colons have a meaning there.
std::string zsh_text(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
            result += c;
        }
    }
    return result;
}

std::string zsh_action(const OptionDescription& option) {
    const std::string words = fmt::format("{}", fmt::join(option.values, " "));
    const std::string word = zsh_text(option.word);
    switch (offer_of(option)) {
        case Offer::words:
            return ":" + word + ":(" + words + ")";
        case Offer::list:
            return ":" + word + ":_sequence compadd - " + words;
        case Offer::files:
            return ":" + word + ":_files";
        case Offer::folders:
            return ":" + word + ":_files -/";
        case Offer::nothing:
            break;
    }
    return ":" + word + ": ";
}

std::string zsh_completion(const std::vector<CommandDescription>& commands) {
    std::string names;
    std::string branches;
    for (const CommandDescription& command : commands) {
        names += fmt::format("        '{}:{}'\n", command.name, zsh_text(command.help));
        branches += fmt::format("    {})\n        _arguments -s", command.name);
        for (const OptionDescription& option : command.options) {
            const std::string value = option.word.empty() ? std::string() : zsh_action(option);
            if (option.names.empty())
                branches += fmt::format(" \\\n            '{}{}'", option.required ? "" : "*", value);
            for (const std::string& name : option.names)
                branches += fmt::format(" \\\n            '{}{}[{}]{}'", name, value.empty() ? "" : "=",
                                        zsh_text(option.help), value);
        }
        branches += "\n        ;;\n";
    }
    return R"(#compdef alfcg
# zsh completion for alfcg, made by: alfcg completion zsh

_alfcg() {
    local -a commands=(
)" + names +
           R"(    )
    if ((CURRENT == 2)); then
        _describe command commands
        _arguments '--help[explain the commands]' '--version[tell the version]'
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT--))
    case $command in
)" + branches +
           R"(    esac
}

if [[ $funcstack[1] == _alfcg ]]; then
    _alfcg "$@"
else
    compdef _alfcg alfcg
fi
)";
}

}  // namespace

Command add_completion(CommandOptions options, const CommandLine& line) {
    auto shell = std::make_shared<std::string>();
    options.add_argument("shell", *shell, "bash or zsh", "SHELL");
    return [shell, &line] {
        if (*shell != "bash" && *shell != "zsh")
            throw Error("unknown shell '" + *shell + "': use bash or zsh");
        const auto commands = completed(line.describe());
        put(stdout, *shell == "bash" ? bash_completion(commands) : zsh_completion(commands));
        return 0;
    };
}

}  // namespace alfcg::cli
