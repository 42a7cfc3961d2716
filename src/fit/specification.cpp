#include "fit/specification.hpp"

#include <fmt/format.h>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "core/memory.hpp"

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
    check_device(device);
    if (device != "cpu" && device != "auto" && ranks != nullptr && ranks->size() > 1)
        throw QuantityError("device", "must be cpu on several ranks");
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

template <class Real>
void check_copies(const Dataset<Real>& data, const Specification& specification, const std::string& quantity,
                  Index copies) {
    if (!std::visit([](const auto& f) { return f.on_disk(); }, data.features)) return;
    const std::optional<Index>& asked = specification.options.memory;
    const double room = asked ? static_cast<double>(*asked) : 0.9 * free_memory();
    const double needed = static_cast<double>(bytes_of(data.features)) * static_cast<double>(copies);
    constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
    if (needed > room)
        throw QuantityError(
            quantity,
            fmt::format("copies what is mapped of {}, {:.3g} GiB, and copies may take {:.3g} GiB "
                        "(`memory`): take fewer rows (`rows`), or convert the data as they are to be",
                        data.name, needed / gibibyte, room / gibibyte));
}

template void check_copies(const Dataset<float>&, const Specification&, const std::string&, Index);
template void check_copies(const Dataset<double>&, const Specification&, const std::string&, Index);

}  // namespace alfcg
