#pragma once

#include <string>
#include <string_view>

#include "alfcg/region/region.hpp"

namespace alfcg::region {

/// Throws Error when a weight is wrong, or the region of that name has no oracle for the terms: what verify() does for those
/// that are made from more than a specification can hold.
void verify_terms(std::string_view name, const Composite& composite);

/// " + 0.1 ‖x‖₁ + (2/2) ‖x‖₂²" for describe(); empty when h = 0.
std::string describe(const Composite& composite);

/// Throws Error when the radius becomes 0 or infinite in this precision.
template <class Real>
void verify_range(double radius);

/// Throws Error: an oracle was asked about a gradient with an infinite or undefined entry.
template <class Real>
[[noreturn]] void reject_gradient();

}  // namespace alfcg::region
