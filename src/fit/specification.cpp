#include "fit/specification.hpp"

#include <fmt/format.h>

#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"

namespace alfcg {

namespace {

void verify_positive(const std::string& quantity, const std::optional<double>& value) {
    if (value && !(*value > 0 && std::isfinite(*value)))
        throw QuantityError(quantity, fmt::format("must be positive, not {}", *value));
}

}  // namespace

Options Specification::default_options() {
    Options options;
    options.max_epochs = 100;
    return options;
}

LossOptions resolve_loss(const Specification& specification, Loss kind) {
    LossOptions loss;
    loss.kind = kind;
    if (specification.threshold) {
        if (kind != Loss::huber) throw QuantityError("threshold", "belongs to `loss` huber");
        loss.threshold = *specification.threshold;
    }
    if (specification.width) {
        if (kind != Loss::welsch) throw QuantityError("width", "belongs to `loss` welsch");
        loss.width = *specification.width;
    }
    return loss;
}

RegionSpec resolve_region(const Specification& specification, const std::string& name) {
    RegionSpec region{name, {{"radius", specification.radius}}, specification.composite};
    if (specification.p) region.parameters.set("p", *specification.p);
    verify(region);
    return region;
}

void Specification::verify() const {
    if (threads < 0 || threads > 1024)
        throw QuantityError("threads", "must be from 1 to 1024, or 0 for all cores");
    if (hold_out != 0 && !(hold_out > 0 && hold_out < 1))
        throw QuantityError("holdout", fmt::format("must be between 0 and 1, not {}", hold_out));
    verify_positive("threshold", threshold);
    verify_positive("width", width);
    if (!loss.empty()) static_cast<void>(resolve_loss(*this, parse_loss(loss)));
    if (!region.empty()) {
        static_cast<void>(resolve_region(*this, region));
    } else {
        // Either may be chosen: what neither takes is wrong in any case.
        try {
            static_cast<void>(resolve_region(*this, "nuclear"));
        } catch (const Error&) {
            static_cast<void>(resolve_region(*this, "l1"));
        }
    }
    options.verify();
    check_parameters(options.method, options.parameters);
}

}  // namespace alfcg
