#include "alfcg/core/version.hpp"

namespace alfcg {

std::string_view version() {
    return ALFCG_VERSION;
}

}  // namespace alfcg
