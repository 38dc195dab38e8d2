#include "armature/formats/arm_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "armature/core/text.hpp"
#include "armature/formats/internal/arm_fields.hpp"

namespace armature::formats {

namespace {

/// Collects the fields of a list, whose values are those of a new record.
class ArmKeyLister {
 public:
  std::vector<ArmKey> keys;

  void operator()(const char* key, double field, const FileUnit& unit, Presence presence, const char* meaning) {
    add(key, value_in(unit), presence == Presence::required ? "" : exact_text(field), meaning,
        presence == Presence::required);
  }
  void operator()(const char* key, const std::optional<double>&, const FileUnit& unit, const char* meaning) {
    add(key, value_in(unit), "", meaning);
  }
  void operator()(const char* key, const Vec3<double>& field, const FileUnit& unit, const char* meaning) {
    add(key, fmt::format("[x, y, z] in {}", unit.text), fmt::format("[{}, {}, {}]", field[0], field[1], field[2]),
        meaning);
  }
  void operator()(const char* key, const std::vector<double>&, const FileUnit& unit, const char* meaning) {
    add(key, fmt::format("list in {}", unit.text), "", meaning);
  }
  template <class E>
  void operator()(const char* key, E field, const std::vector<std::string>& words, const char* meaning) {
    add(key, fmt::format("{}", fmt::join(words, ", ")), words.at(static_cast<std::size_t>(field)), meaning);
  }
  void operator()(const char* key, const std::string&, const char* meaning) { add(key, "text", "", meaning); }
  void operator()(const char* key, const Placement&, const char* meaning) { add(key, "{xyz, rpy}", "", meaning); }
  void operator()(const char* key, const std::vector<Shape>&, const char* meaning) {
    add(key, "list of shapes", "", meaning);
  }
  void operator()(const char* key, const std::optional<Flexibility>&, const char*, const JointUnits&, const char* value,
                  const char* meaning) {
    add(key, value, "", meaning);
  }
  void operator()(const char* key, const Part& part, const char* meaning) {
    add(key, std::string(part.value), "", meaning, part.presence == Presence::required);
  }

 private:
  static std::string value_in(const FileUnit& unit) { return unit.text.empty() ? "number" : std::string(unit.text); }
  void add(const char* key, const std::string& value, std::string fallback, const char* meaning,
           bool required = false) {
    keys.push_back({key, value, value, std::move(fallback), meaning, required});
  }
};

template <class Record>
std::vector<ArmKey> keys_of(Record record) {
  ArmKeyLister lister;
  list_fields(record, lister);
  return std::move(lister.keys);
}

/// Of a record whose units depend on the joint.
template <class Record>
std::vector<ArmKey> joint_keys_of(Record record) {
  ArmKeyLister turning, sliding;
  list_fields(record, revolute_units, turning);
  list_fields(record, prismatic_units, sliding);
  for (std::size_t i = 0; i < turning.keys.size(); ++i) turning.keys[i].sliding = sliding.keys[i].turning;
  return std::move(turning.keys);
}

template <std::size_t... Index>
void add_laws(std::vector<ArmKeySection>& sections, std::index_sequence<Index...>) {
  (sections.push_back({"friction: " + friction_laws.at(Index), "joints[].friction.", friction_laws.at(Index),
                       joint_keys_of(std::variant_alternative_t<Index, Friction>{})}),
   ...);
}

}  // namespace

std::vector<ArmKeySection> arm_key_sections() {
  ArmKeyLister friction;
  JointDescription joint;
  list_friction(joint, friction);
  std::vector<ArmKeySection> sections{{"The arm", "", "", keys_of(ArmDescription{})},
                                      {"A joint", "joints[].", "", keys_of(JointDescription{})},
                                      {"Looks", "joints[].link.visual[].", "", keys_of(Shape{})},
                                      {"dh", "joints[].dh.", "", keys_of(DhRow{})},
                                      {"link", "joints[].link.", "", keys_of(LinkDescription{})},
                                      {"inertia", "joints[].link.inertia.", "", keys_of(MassProperties{})},
                                      {"limits", "joints[].limits.", "", joint_keys_of(Limits{})},
                                      {"drive", "joints[].drive.", "", joint_keys_of(Drive{})},
                                      {"spring", "joints[].spring.", "", joint_keys_of(JointSpring{})},
                                      {"flexible", "joints[].flexible.", "", keys_of(FlexibleLink{})},
                                      {"friction", "joints[].friction.", "", std::move(friction.keys)}};
  add_laws(sections, std::make_index_sequence<std::variant_size_v<Friction>>{});
  return sections;
}

std::string ArmKey::value() const {
  return turning == sliding ? turning : fmt::format("{} (sliding: {})", turning, sliding);
}

std::vector<SettingKey> arm_keys() {
  std::vector<SettingKey> all;
  for (const ArmKeySection& section : arm_key_sections())
    for (const ArmKey& key : section.keys) {
      const std::string name = section.prefix + key.key, value = key.value() + (key.required ? "; required" : "");
      auto row = std::find_if(all.begin(), all.end(), [&](const SettingKey& other) {  // laws share a row
        return other.key == name && other.value == value && other.fallback == key.fallback &&
               other.meaning == key.meaning;
      });
      if (row == all.end()) row = all.insert(all.end(), {name, value, key.fallback, key.meaning, {}, {}});
      if (!section.law.empty()) row->kinds.push_back(section.law);
    }
  return all;
}

}  // namespace armature::formats
