#include "armature/formats/internal/urdf_element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "armature/core/characters.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/urdf_tree.hpp"

namespace armature::formats {

void fail(const Place& place, const std::string& finding, const std::string& hint) {
  throw FormatError(finding, hint, place);
}

const XmlAttribute* UrdfElement::find(const char* name) {
  attributes_.emplace_back(name);
  for (const XmlAttribute& attribute : element_.attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

const XmlAttribute* UrdfElement::find_filled(const char* name) {
  const XmlAttribute* attribute = find(name);
  if (!attribute || attribute->value.find_first_not_of(' ') != std::string::npos) return attribute;
  beside_.ignored.emplace(fmt::format("empty attribute {} in <{}>", name, element_.name), attribute->place);
  return nullptr;
}

const XmlAttribute& UrdfElement::at(const char* name) {
  if (const XmlAttribute* attribute = find(name)) return *attribute;
  for (const XmlAttribute& attribute : element_.attributes)
    judge_slip("attribute " + attribute.name, attribute.name, attributes_, {name}, attribute.place);
  fail(element_.place, fmt::format("<{}> has no attribute {}", element_.name, name),
       fmt::format("add {}=\"...\"", name));
}

std::string UrdfElement::name_at(const char* name) {
  const XmlAttribute& attribute = at(name);
  const std::string value = without_blanks(attribute);
  if (const std::string flaw = flaw_of_name(value); !flaw.empty())
    fail(attribute.place, fmt::format("'{}' is not a name: it {}", printable(value), flaw), name_hint);
  return value;
}

std::string UrdfElement::without_blanks(const XmlAttribute& attribute) {
  const std::string& value = attribute.value;
  const std::size_t begin = std::min(value.find_first_not_of(' '), value.size());
  const std::string name = value.substr(begin, value.find_last_not_of(' ') + 1 - begin);
  if (name != value) beside_.ignored.emplace("a blank at the end of a name", attribute.place);
  return name;
}

std::vector<const XmlElement*> UrdfElement::children(const char* name) {
  children_.emplace_back(name);
  std::vector<const XmlElement*> found;
  for (const XmlElement& child : element_.children)
    if (child.name == name) found.push_back(&child);
  return found;
}

const XmlElement* UrdfElement::child(const char* name) {
  const auto found = children(name);
  if (found.size() > 1) {  // other readers take the first; where mass is and which links a joint joins must be clear
    const std::string_view word = name;
    if (word == "inertial" || word == "mass" || word == "inertia" || word == "parent" || word == "child")
      fail(found[1]->place, fmt::format("<{}> has two <{}>", element_.name, name), "keep one of them");
    beside_.ignored.emplace(fmt::format("second <{}> of a <{}>: the first one counts", name, element_.name),
                            found[1]->place);
  }
  return found.empty() ? nullptr : found[0];
}

const XmlElement& UrdfElement::child_at(const char* name) {
  if (const XmlElement* found = child(name)) return *found;
  for (const XmlElement& other : element_.children)
    judge_slip("<" + other.name + ">", other.name, children_, {name}, other.place);
  fail(element_.place, fmt::format("<{}> has no <{}>", element_.name, name), fmt::format("add <{} .../>", name));
}

void UrdfElement::ignore(std::initializer_list<const char*> names) {
  children_.insert(children_.end(), names.begin(), names.end());
}

void UrdfElement::finish() {
  for (const XmlAttribute& attribute : element_.attributes)
    judge("attribute " + attribute.name, attribute.name, attributes_, attribute.place);
  for (const XmlElement& child : element_.children) judge("<" + child.name + ">", child.name, children_, child.place);
}

bool UrdfElement::judge_slip(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                             const std::vector<std::string>& meant, const Place& place) const {
  if (std::find(known.begin(), known.end(), name) != known.end()) return false;
  if (name.starts_with("xacro:") && !beside_.as_given)
    fail(place, fmt::format("{} is a xacro macro", printable(what)),
         expand_xacro(place.file) +
             (beside_.whole_without_xacro ? "; or leave out what xacro has left: --as-given" : ""));
  if (name.starts_with("xacro:")) return true;
  if (name.find(':') != std::string::npos || name == "xmlns") return false;  // of another namespace
  if (const auto near = nearest_word(name, meant); near && is_missed(*near))
    fail(place, fmt::format("unknown {} in <{}>", printable(what), element_.name),
         fmt::format("did you mean {}?", *near));
  return true;
}

bool UrdfElement::is_missed(const std::string& name) const {
  static const std::set<std::string> harmless{
      "visual",      "collision",         "material",     "sensor", "gazebo",  "group",      "contact",
      "calibration", "safety_controller", "transmission", "type",   "version", "loop_joint", "ros2_control"};
  if (name == "link" || name == "joint") return true;  // one of many
  const auto called = [&](const auto& part) { return part.name == name; };
  const bool there = std::any_of(element_.attributes.begin(), element_.attributes.end(), called) ||
                     std::any_of(element_.children.begin(), element_.children.end(), called);
  return !there && !harmless.contains(name);
}

void UrdfElement::judge(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                        const Place& place) {
  if (judge_slip(what, name, known, known, place))
    beside_.ignored.emplace(fmt::format("unknown {} in <{}>", printable(what), element_.name), place);
}

}  // namespace armature::formats
