// Settings that list themselves (core/fields.hpp) to and from YAML, and as a table for people.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/core/fields.hpp"
#include "armature/formats/yaml.hpp"
#include "armature/model/arm.hpp"

namespace armature::formats {

using JointKinds = std::vector<bool>;  // one per joint; true: slides
JointKinds joint_kinds(const Arm& arm);

/// Where each setting that was given stands: "controller.kp", "plant.walls[0].stiffness".
class SettingPlaces {
 public:
  void put(const std::string& key, const Place& place) { places_[key] = place; }
  [[nodiscard]] bool given(const std::string& key) const { return places_.count(key) > 0; }
  /// Of the setting, or of the nearest block around it that was given.
  [[nodiscard]] Place of(std::string key) const;
  /// The keys given directly inside `block`.
  [[nodiscard]] std::vector<std::string> inside(const std::string& block) const;

 private:
  std::map<std::string, Place> places_;
};

/// What lists the fields of some settings: [&](Fields& f) { settings.fields(f); }
using ListFields = std::function<void(Fields&)>;

/// Reads a map of settings; keys left out keep their values. Units of joint quantities follow `joints_slide`. Throws
/// FormatError with place and hint.
void read_settings(const Yaml& map, const JointKinds& joints_slide, SettingPlaces& places, const ListFields& list);

/// The settings as YAML that reads back as the same; every key, in order.
std::string write_settings(const JointKinds& joints_slide, const ListFields& list);

/// A key for people: "run.duration", "s", "1", "simulated time". `words` are what it can be, where it is a word; `kinds` are
/// those that it belongs to, none where it is a key of every kind.
struct SettingKey {
  std::string key, value, fallback, meaning;
  std::vector<std::string> words, kinds;
};
/// Every key, in order.
std::vector<SettingKey> list_settings(const ListFields& list);

}  // namespace armature::formats
