#pragma once

#include <memory>

#include "method/table.hpp"

namespace alfcg {

enum class Alf { d, fs, mvr1, mvr2 };

/// One of the four ALFCG methods in the form that ρ asks for: a number is the printed method, "probe" looks once at the
/// curvature, "auto" finds the scale and follows it along the way.
template <class Real>
std::unique_ptr<Method<Real>> alf_method(const MethodParts<Real>& parts, Alf variant);

}  // namespace alfcg
