#include "armature/control/status.hpp"

namespace armature::control {

std::string to_string(Status status) {
  std::string text;
  for (std::size_t k = 0; k < condition_names.size(); ++k)
    if (status.bits() >> k & 1u) text += (text.empty() ? "" : ", ") + std::string(condition_names[k]);
  return text.empty() ? "ok" : text;
}

}  // namespace armature::control
