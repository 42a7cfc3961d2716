#include "fit/specification.hpp"

#include <fmt/format.h>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"

namespace alfcg {

Options Specification::default_options() {
    Options options;
    options.tolerance = 1e-4;
    options.max_epochs = 1000;
    return options;
}

RegionSpec complete(RegionSpec region, const std::string& name) {
    if (region.name.empty()) region.name = name;
    const RegionInfo info = region_info(region.name);
    for (const Parameter& parameter : info.parameters)
        if (parameter.fallback.kind == Default::Kind::number && !region.parameters.has(parameter.info.name))
            region.parameters.set(parameter.info.name, parameter.fallback.number);
    verify(region);
    return region;
}

void Specification::verify() const {
    if (threads < 0 || threads > 1024)
        throw QuantityError("threads", "must be from 1 to 1024, or 0 for all cores");
    if (hold_out != 0 && !(hold_out > 0 && hold_out < 1))
        throw QuantityError("holdout", fmt::format("must be between 0 and 1, not {}", hold_out));
    if (patience < 0) throw QuantityError("patience", fmt::format("must be at least 1, not {}", patience));
    if (patience > 0 && hold_out == 0)
        throw QuantityError("early-stop", "needs rows to look at: give `holdout`");
    if (!loss.name.empty()) alfcg::verify(loss);
    // Either may be chosen: what neither takes is wrong in any case.
    try {
        static_cast<void>(complete(region, "nuclear"));
    } catch (const Error&) {
        static_cast<void>(complete(region, "l1"));
    }
    options.verify();
    check_parameters(options.method, options.parameters);
}

}  // namespace alfcg
