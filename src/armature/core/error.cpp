#include "armature/core/error.hpp"

#include <utility>

namespace armature::core {

std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
  return text;
}

namespace {
std::string sentence(const std::string& finding, const std::string& hint, const Place& place) {
  std::string text = to_string(place);
  if (!text.empty()) text += ": ";
  text += finding;
  if (!hint.empty()) text += "\n  hint: " + hint;
  return text;
}
}  // namespace

Error::Error(std::string finding, std::string hint, Place place)
    : std::runtime_error(sentence(finding, hint, place)),
      finding_(std::move(finding)),
      hint_(std::move(hint)),
      place_(std::move(place)) {}

}  // namespace armature::core
