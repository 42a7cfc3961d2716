#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/version.hpp"
#include "alfcg/method/catalogue.hpp"
#include "alfcg/objective/loss.hpp"
#include "alfcg/region/spec.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

namespace {

// Text for troff: dashes that can be copied, and nothing that it would take for a command.
std::string roff(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\') {
            result += "\\e";
        } else if (c == '-') {
            result += "\\-";
        } else if (c == '\'') {
            result += "\\(aq";
        } else {
            result += c;
        }
    }
    return result.starts_with('.') ? "\\&" + result : result;
}

std::string bold(std::string_view text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + roff(text) + "\\fR";
}

std::string entry(const std::string& head, std::string_view text) {
    return ".TP\n" + head + "\n" + roff(text) + "\n";
}

std::string option_entry(const OptionDescription& option) {
    std::string head;
    for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
    if (!option.word.empty()) head += (head.empty() ? "" : " ") + italic(option.word);
    return entry(head, option.help);
}

std::string command_section(const CommandDescription& command) {
    std::string text = ".SS " + roff("alfcg " + command.name) + "\n" + roff(command.help) + ".\n";
    std::string usage = bold("alfcg " + command.name);
    bool has_options = false;
    for (const OptionDescription& option : command.options) {
        has_options |= !option.names.empty() && option.names.front() != "--help";
        if (option.names.empty())
            usage += option.required ? " " + italic(option.word) : " [" + italic(option.word) + " ...]";
    }
    text += ".PP\n" + usage + (has_options ? " [options]" : "") + "\n";
    std::string group;
    for (const OptionDescription& option : command.options) {
        if (!option.names.empty() && option.names.front() == "--help") continue;
        if (!option.names.empty() && option.group != group)
            text += ".PP\n" + roff(group = option.group) + ":\n";
        text += option_entry(option);
    }
    return text;
}

std::string manual_page(const std::vector<CommandDescription>& commands) {
    std::string text = fmt::format(".TH ALFCG 1 \"\" \"alfcg {}\" \"User Commands\"\n", roff(version()));
    text +=
        ".SH NAME\nalfcg \\- constrained training without projections\n.SH SYNOPSIS\n.B alfcg\n.I command\n"
        "[\\fIarguments\\fR] [\\fIoptions\\fR]\n.br\n.B alfcg\n.I command\n.B \\-\\-help\n.br\n.B alfcg "
        "\\-\\-version\n"
        ".SH DESCRIPTION\nFits sparse and low\\-rank linear models over balls of many norms, boxes, "
        "simplices and other sets with "
        "conditional gradient\n(Frank\\-Wolfe) methods, ALFCG among them, and compares these.\n.SH "
        "COMMANDS\n";
    for (const CommandDescription& command : commands) text += command_section(command);
    text += ".SH METHODS\n";
    for (const MethodInfo& method : methods())
        text +=
            entry(bold(method.name), fmt::format("{}; {}; step: {}; {}; {}", method.setting, method.estimator,
                                                 method.step, describe(method.parameters), method.reference));
    text += ".SH REGIONS\n";
    for (const RegionInfo& region : regions()) text += entry(bold(region.name), in_words(region));
    text += ".SH LOSSES\n";
    for (const LossInfo& loss : losses())
        text += entry(bold(loss.name), std::string(loss.description) +
                                           (loss.parameters.empty() ? "" : "; " + describe(loss.parameters)));
    text += ".SH EXIT STATUS\n";
    text += entry("0", "the model was written, whatever ended the run; for other commands: all is well");
    text += entry(std::to_string(exit_bad_input),
                  "bad usage or bad input, which one line on the standard error names, and no output file "
                  "was touched; or output could not be written");
    text += entry(std::to_string(exit_interrupted),
                  "interrupted (Ctrl-C): the model and trace of the last complete iteration were written");
    text += ".SH ENVIRONMENT\n";
    text += entry(bold("ALFCG_DATA"), "folder of the MNIST files, where --data-dir is not given");
    text += ".SH EXAMPLES\n.nf\n";
    for (const char* example : {"alfcg train a9a.gz --holdout 0.2 --region l1 --radius 20",
                                "alfcg predict a9a.model.npz a9a.t.gz --output predictions.txt",
                                "alfcg compare a9a.gz --methods deterministic --max-epochs 50"})
        text += roff(example) + "\n";
    return text + ".fi\n";
}

}  // namespace

Command add_manual(CommandOptions /*options*/, const CommandLine& line) {
    return [&line] {
        put(stdout, manual_page(line.describe()));
        return 0;
    };
}

}  // namespace alfcg::cli
