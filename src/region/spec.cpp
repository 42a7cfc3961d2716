#include "alfcg/region/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "alfcg/core/error.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

constexpr std::string_view entrywise_terms = "--l1, --l2";
constexpr std::array<RegionInfo, 5> catalogue{{
    {"nuclear", "sum of singular values at most --radius: low-rank matrices", "--nuclear, --l2"},
    {"lp", "l_p norm of the entries at most --radius, --p from 1 to inf", entrywise_terms},
    {"l1", "sum of magnitudes at most --radius: sparse weights (lp with --p 1)", entrywise_terms},
    {"l2", "Euclidean norm at most --radius (lp with --p 2)", entrywise_terms},
    {"linf", "every magnitude at most --radius (lp with --p inf)", entrywise_terms},
}};

void verify_positive(std::string_view option, double value) {
    if (!std::isfinite(value)) throw Error(fmt::format("{} must be a finite number, not {}", option, value));
    if (value <= 0) throw Error(fmt::format("{} must be positive, not {}", option, value));
}

void verify_weight(std::string_view option, double value) {
    if (!std::isfinite(value)) throw Error(fmt::format("{} must be a finite number, not {}", option, value));
    if (value < 0) throw Error(fmt::format("{} must be 0 or positive, not {}", option, value));
}

void reject_combination(std::string_view option, std::string_view set) {
    throw Error(
        fmt::format("{} has no oracle over {}: the regions lp, l1, l2 and linf take --l1, --l2 or both, the "
                    "region nuclear "
                    "takes --nuclear, --l2 or both",
                    option, set));
}

/// The exponent that a name stands for.
double exponent(const RegionSpec& spec) {
    if (spec.name == "l1") return 1;
    if (spec.name == "l2") return 2;
    if (spec.name == "linf") return std::numeric_limits<double>::infinity();
    return spec.p;
}

}  // namespace

void verify(const RegionSpec& spec) {
    const bool known = std::any_of(catalogue.begin(), catalogue.end(),
                                   [&](const RegionInfo& info) { return info.name == spec.name; });
    if (!known) throw Error(fmt::format("--region must be nuclear, lp, l1, l2 or linf, not '{}'", spec.name));
    if (spec.name == "lp") {
        if (spec.p == 0) throw Error("--region lp needs --p, a number of at least 1, or inf");
        if (!(spec.p >= 1)) throw Error(fmt::format("--p must be at least 1, or inf, not {}", spec.p));
    }
    verify_positive("--radius", spec.radius);
    verify_weight("--l1", spec.composite.l1);
    verify_weight("--l2", spec.composite.l2);
    verify_weight("--nuclear", spec.composite.nuclear);
    if (spec.name == "nuclear") {
        if (spec.composite.l1 > 0) reject_combination("--l1", "the nuclear ball");
    } else if (spec.composite.nuclear > 0) {
        reject_combination("--nuclear", "an l_p ball");
    }
}

template <class Real>
std::unique_ptr<Region<Real>> make_region(const RegionSpec& spec, int threads) {
    verify(spec);
    if (spec.name == "nuclear") return nuclear_ball<Real>(spec.radius, spec.composite, threads);
    return lp_ball<Real>(exponent(spec), spec.radius, spec.composite, threads);
}

template std::unique_ptr<Region<float>> make_region(const RegionSpec&, int);
template std::unique_ptr<Region<double>> make_region(const RegionSpec&, int);

std::span<const RegionInfo> region_catalogue() {
    return catalogue;
}

namespace region {

std::string describe(const Composite& composite) {
    std::string text;
    if (composite.l1 > 0) text += fmt::format(" + {} ‖x‖₁", composite.l1);
    if (composite.nuclear > 0) text += fmt::format(" + {} ‖x‖_*", composite.nuclear);
    if (composite.l2 > 0) text += fmt::format(" + ({}/2) ‖x‖₂²", composite.l2);
    return text;
}

template <class Real>
void verify_range(double radius) {
    const double most = static_cast<double>(std::numeric_limits<Real>::max());
    const double least = static_cast<double>(std::numeric_limits<Real>::min());
    if (radius >= least && radius <= most) return;
    throw Error(fmt::format("--radius must be between {:.3g} and {:.3g} in this precision, not {}", least,
                            most, radius));
}

template void verify_range<float>(double);
template void verify_range<double>(double);

void reject_gradient() {
    throw Error(
        "the gradient has an entry that is not a finite number: the problem overflows; scale the data "
        "(--normalize), or "
        "use --precision f64");
}

}  // namespace region
}  // namespace alfcg
