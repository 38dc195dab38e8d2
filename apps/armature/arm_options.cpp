#include "arm_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "terminal.hpp"

namespace armature::app {

void ArmOptions::add_to(Verb& verb) {
  verb.argument("ARM", arm, "a built-in arm, an arm file (.yaml) or a URDF (.urdf)");
  verb.option("--base", "LINK", base, "of a URDF: the link at which the chain begins");
  verb.option("--tip", "LINK", tip,
              "of a URDF: the link at which the chain ends (default: the tool frame of its only limb)");
  verb.list("--lock", "JOINT=VALUE", lock, "of a URDF: hold a joint at a position, e.g. torso=20cm; may be repeated");
  verb.flag(
      "--as-given", as_given,
      "use the file as it is: inertia that is missing or physically impossible, numbers that look like other units");
}

void ArmOptions::add_overrides_to(Verb& verb) {
  verb.option("--gravity", "GX,GY,GZ", gravity, "replace the arm's gravity [m/s^2], e.g. 0,0,-1.62");
  verb.option("--payload", "MASS[,X,Y,Z]", payload,
              "replace the arm's payload by a point mass in the tool frame, e.g. 2kg,0,0,50mm");
}

ParsedArm ArmOptions::read() const {
  ParsedArm parsed = read_arm(arm, {base.value_or(""), tip.value_or(""), parse_locks(lock), as_given});
  if (gravity) {
    const auto g = parse_quantities("--gravity", *gravity, std::vector(3, dimension::acceleration), "gx,gy,gz");
    parsed.description.gravity = Vec3<double>(g[0], g[1], g[2]);
  }
  if (payload) {
    const bool with_place = split_words(*payload).size() > 1;
    std::vector<FileUnit> units{unit_of(dimension::mass)};
    if (with_place) units.resize(4, unit_of(dimension::length));
    const auto p = parse_quantities("--payload", *payload, units, with_place ? "mass,x,y,z" : "mass");
    if (p[0] < 0) throw Error(fmt::format("--payload: the mass is {} kg", p[0]), "mass is not negative");
    MassProperties point;
    point.mass = p[0];
    if (with_place) point.position = Vec3<double>(p[1], p[2], p[3]);
    parsed.description.payload = point;
  }
  return parsed;
}

LoadedArm ArmOptions::load(ArmUse use, const KernelSet& kernels) const {
  ParsedArm parsed = read();
  if (use == ArmUse::kinematics) parsed.as_given = true;
  LoadedArm loaded{checked_arm(parsed, kernels), all_warnings(parsed)};
  for (const std::string& warning : loaded.warnings) warn(warning);
  refuse_useless(loaded.arm, as_given && use == ArmUse::torques ? ArmUse::kinematics : use);
  return loaded;
}

std::vector<std::pair<std::string, std::string>> parse_locks(const std::vector<std::string>& options) {
  std::vector<std::pair<std::string, std::string>> locks;
  for (const std::string& option : options) {
    const std::size_t equals = option.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("--lock {}: there is no '='", printable(option)), "write --lock joint=20deg");
    locks.emplace_back(option.substr(0, equals), option.substr(equals + 1));
  }
  return locks;
}

double parse_option(const std::string& option, const std::optional<std::string>& text, const FileUnit& unit,
                    double otherwise) {
  if (!text) return otherwise;
  try {
    return quantity_in(*text, unit);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", option, error.finding()), error.hint());
  }
}

double parse_option(const std::string& option, const std::optional<std::string>& text, Dimension dimension,
                    double otherwise) {
  return parse_option(option, text, FileUnit{"", dimension}, otherwise);
}

std::vector<double> parse_quantities(const std::string& option, const std::string& text,
                                     const std::vector<FileUnit>& units, const std::string& expected) {
  const std::vector<std::string> words = split_words(text);
  if (words.size() != units.size())
    throw Error(fmt::format("{}: '{}' has {} {}, not {}", option, printable(text), words.size(),
                            words.size() == 1 ? "value" : "values", units.size()),
                fmt::format("give {}, separated by commas", expected));
  std::vector<double> values;
  for (std::size_t i = 0; i < words.size(); ++i)
    values.push_back(parse_option(fmt::format("{}, value {}", option, i + 1), words[i], units[i], 0));
  return values;
}

std::vector<double> parse_quantities(const std::string& option, const std::string& text,
                                     const std::vector<Dimension>& dimensions, const std::string& expected) {
  std::vector<FileUnit> units;
  for (const Dimension& dimension : dimensions) units.push_back({"", dimension});
  return parse_quantities(option, text, units, expected);
}

std::vector<double> parse_joint_quantities(const std::string& option, const std::string& text, const Arm& arm,
                                           Dimension revolute, Dimension prismatic, const std::string& expected) {
  const std::vector<std::string> words = split_words(text);
  std::vector<FileUnit> units;
  for (int i = 0; i < arm.dof(); ++i) {
    const JointDescription& joint = arm.joint(i);
    const bool turns = joint.type == JointType::revolute;
    units.push_back(unit_of(JointDimension{revolute, prismatic}, !turns));
    const FileUnit& unit = units.back();
    const Limits& range = joint.limits;
    const auto k = static_cast<std::size_t>(i);
    const std::optional<double> bare = k < words.size() ? parse_double(words[k]) : std::nullopt;
    if (!bare || unit.largest_bare <= 0 || !range.lower || !range.upper) continue;
    if (std::abs(*bare) <= std::max({std::abs(*range.lower), std::abs(*range.upper), turns ? pi : 1.0})) continue;
    const double scale = turns ? deg : 1;
    throw Error(fmt::format("{}, value {}: {} without a unit means {} {}, beyond the range of joint '{}', {:.4g} to "
                            "{:.4g} {}",
                            option, i + 1, words[k], words[k], unit.text, printable(joint.name), *range.lower / scale,
                            *range.upper / scale, turns ? unit.slip : unit.text),
                fmt::format("write `{0}{1}`, or `{0}{2}` if that is meant", words[k], unit.slip, unit.text));
  }
  return parse_quantities(option, text, units, expected);
}

}  // namespace armature::app
