// The version of the library as it was built.
#include "sbdl/version.hpp"

namespace sbdl {

const char* version() {
    return SBDL_VERSION;
}

}  // namespace sbdl
