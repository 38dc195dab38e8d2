#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "armature/algorithms/regressor.hpp"
#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/settings.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/formats/whole_file.hpp"
#include "armature/scenario/robot_yaml.hpp"

namespace armature::c {

namespace {

armature_arm* handle_of(const ParsedArm& parsed) {
  auto handle = std::make_unique<armature_arm>(
      armature_arm{checked_arm(parsed, built_in_kernels()), all_warnings(parsed), parsed.as_given, ""});
  handle->text = write_arm_yaml(handle->arm.description());
  return handle.release();
}

/// base, tip, lock and as_given, as a scenario's robot has them.
ArmChoice choice_of_settings(const SettingPairs& pairs) {
  Yaml robot = yaml_of(pairs), map;
  Yaml file;
  file.kind = Yaml::Kind::text;
  robot.entries.push_back({"file", {}, file});
  map.kind = Yaml::Kind::map;
  map.entries.push_back({"robot", {}, std::move(robot)});
  return take_choice(map, "robot", "robot");
}

const std::vector<std::string>& built_in_names() {
  static const std::vector<std::string> names = catalogue_names();
  return names;
}

void copy_limit(double* out, const Arm& arm, std::optional<double> Limits::*limit, double none) {
  if (!out) return;
  for (int i = 0; i < arm.dof(); ++i) out[i] = (arm.joint(i).limits.*limit).value_or(none);
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_arm_load(const char* name_or_path, const char* const* settings, size_t count,
                                  armature_arm** arm) {
  return guarded([&] {
    armature_arm*& out = needed(arm, "arm");
    out =
        handle_of(read_arm(&needed(name_or_path, "name_or_path"), choice_of_settings(setting_pairs(settings, count))));
  });
}

armature_status armature_arm_from_text(const char* text, const char* file, const char* const* settings, size_t count,
                                       armature_arm** arm) {
  return guarded([&] {
    armature_arm*& out = needed(arm, "arm");
    const ArmChoice choice = choice_of_settings(setting_pairs(settings, count));
    if (choice.picks_chain()) throw Error("base, tip and lock pick a chain out of a URDF", "leave them out");
    ParsedArm parsed = read_arm_yaml(&needed(text, "text"), file ? file : "arm");
    parsed.as_given = choice.as_given;
    out = handle_of(parsed);
  });
}

armature_status armature_arm_replace(const armature_arm* arm, const char* const* settings, size_t count,
                                     armature_arm** replaced) {
  return guarded([&] {
    armature_arm*& out = needed(replaced, "replaced");
    const armature_arm& handle = needed(arm, "arm");
    Yaml tree = parse_yaml(handle.text, handle.arm.name());
    for (const auto& [key, value] : setting_pairs(settings, count)) {
      std::erase_if(tree.entries, [&key = key](const Yaml::Entry& entry) { return entry.key == key; });
      tree.entries.push_back({key, {key}, parse_yaml(value, key)});
    }
    ParsedArm parsed = read_arm_yaml(tree);
    parsed.as_given = handle.as_given;
    out = handle_of(parsed);
  });
}

void armature_arm_free(armature_arm* arm) { delete arm; }

const char* armature_arm_built_in(size_t index) { return listed(built_in_names, index); }

armature_status armature_arm_save(const armature_arm* arm, const char* path) {
  return guarded([&] {
    const armature_arm& handle = needed(arm, "arm");
    const std::string file = &needed(path, "path");
    const bool urdf = file.ends_with(".urdf");
    if (!urdf && !file.ends_with(".yaml") && !file.ends_with(".yml"))
      throw Error("the name ends neither in .yaml nor in .urdf", "an arm is saved as one of them", {file});
    write_whole_file(file, urdf ? write_urdf(handle.arm) : handle.text);
  });
}

const char* armature_arm_name(const armature_arm* arm) { return arm ? arm->arm.name().c_str() : nullptr; }

size_t armature_arm_dof(const armature_arm* arm) { return arm ? static_cast<size_t>(arm->arm.dof()) : 0; }

const char* armature_arm_joint_name(const armature_arm* arm, size_t joint) {
  return joint < armature_arm_dof(arm) ? arm->arm.joint(static_cast<int>(joint)).name.c_str() : nullptr;
}

const char* armature_arm_link_name(const armature_arm* arm, size_t link) {
  return arm && link < arm->arm.frames().size() ? arm->arm.frames()[link].name.c_str() : nullptr;
}

const char* armature_arm_warning(const armature_arm* arm, size_t index) {
  return arm && index < arm->warnings.size() ? arm->warnings[index].c_str() : nullptr;
}

const char* armature_arm_text(const armature_arm* arm) { return arm ? arm->text.c_str() : nullptr; }

int armature_arm_joint_slides(const armature_arm* arm, size_t joint) {
  return joint < armature_arm_dof(arm) && !arm->arm.body(static_cast<int>(joint)).revolute ? 1 : 0;
}

armature_status armature_arm_limits(const armature_arm* arm, double* lower, double* upper, double* velocity,
                                    double* acceleration, double* torque) {
  return guarded([&] {
    const Arm& a = needed(arm, "arm").arm;
    constexpr double none = std::numeric_limits<double>::infinity();
    copy_limit(lower, a, &Limits::lower, -none);
    copy_limit(upper, a, &Limits::upper, none);
    copy_limit(velocity, a, &Limits::velocity, none);
    copy_limit(acceleration, a, &Limits::acceleration, none);
    copy_limit(torque, a, &Limits::torque, none);
  });
}

armature_status armature_arm_parameters(const armature_arm* arm, double* parameters) {
  return guarded([&] {
    const LinkParameters<double> found = link_parameters(needed(arm, "arm").arm);
    std::copy(found.begin(), found.end(), &needed(parameters, "parameters"));
  });
}

int armature_arm_generated(const armature_arm* arm) { return arm && arm->arm.kernels() ? 1 : 0; }
