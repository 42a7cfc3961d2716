#pragma once

#include <string>

namespace alfcg {

/// JSON on one line, or indented; bytes that are no UTF-8 (a file's name may have them) are replaced, not refused.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace alfcg
