#include <fmt/format.h>

#include "alfcg/method/catalogue.hpp"
#include "alfcg/objective/loss.hpp"
#include "alfcg/region/spec.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

std::string in_words(const RegionInfo& region) {
    std::string text = fmt::format("{}; {}", region.description, describe(region.parameters));
    if (!region.terms.empty()) text += fmt::format("; terms of h: {}", fmt::join(region.terms, ", "));
    return text;
}

Command add_methods(CommandOptions /*options*/) {
    return [] {
        for (const MethodInfo& method : methods()) {
            say("{:<15} {:<13} {:<30} {:<17} {}; {}\n", method.name, method.setting, method.estimator,
                method.step, describe(method.parameters), method.reference);
        }
        return 0;
    };
}

Command add_regions(CommandOptions /*options*/) {
    return [] {
        for (const RegionInfo& region : regions()) {
            say("{:<15} {:<10} {}\n", region.name, region.family, in_words(region));
        }
        return 0;
    };
}

Command add_losses(CommandOptions /*options*/) {
    return [] {
        for (const LossInfo& loss : losses()) {
            const std::string parameters = loss.parameters.empty() ? "" : "; " + describe(loss.parameters);
            say("{:<12} {}{}\n", loss.name, loss.description, parameters);
        }
        return 0;
    };
}

}  // namespace alfcg::cli
