#include "armature/control/status.hpp"

namespace armature::control {

std::string to_string(Status status) {
  std::string text;
  for (const auto& [condition, name] : condition_names)
    if (status.has(condition)) text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "ok" : text;
}

}  // namespace armature::control
