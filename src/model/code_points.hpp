#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace alfcg {

/// UTF-8 to code points, as NumPy stores text. Bytes that are not UTF-8 (a label from a Latin-1 file) become
/// U+DC80 .. U+DCFF, Python's "surrogateescape" convention, so that any label survives the trip.
std::u32string to_code_points(std::string_view text);

/// Back again; nothing when a code point is not one of Unicode (nor such an escaped byte).
std::optional<std::string> to_bytes(std::u32string_view code_points);

}  // namespace alfcg
