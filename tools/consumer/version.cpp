// The installed header and the package are of one version.
#include <armature/version.hpp>
#include <string_view>

static_assert(std::string_view(ARMATURE_VERSION) == PACKAGE_VERSION);
