#include "armature/formats/load_arm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/file_kind.hpp"
#include "armature/formats/internal/xml.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/formats/urdf_limbs.hpp"
#include "armature/formats/yaml.hpp"

namespace armature::formats {

namespace {

void refuse_chain(const ArmChoice& choice, const std::string& what) {
  if (!choice.picks_chain()) return;
  throw FormatError(fmt::format("base, tip and lock pick a chain out of a URDF; {} is a chain already", what),
                    "leave --base, --tip and --lock out", {what});
}

/// An arm file or a built-in arm.
ParsedArm taken(ParsedArm parsed, const ArmChoice& choice, const std::string& what) {
  refuse_chain(choice, what);
  parsed.as_given = choice.as_given;
  return parsed;
}

/// With the folder from which the meshes are named.
ParsedArm placed(ParsedArm parsed, const std::filesystem::path& file) {
  const std::string folder = file.parent_path().string();
  const auto place = [&](LinkShapes& shapes) {
    for (std::vector<Shape>* list : {&shapes.visual, &shapes.collision})
      for (Shape& shape : *list) shape.folder = shape.kind == Shape::Kind::mesh ? folder : "";
  };
  place(parsed.description.base_shapes);
  for (JointDescription& joint : parsed.description.joints) place(joint.link.shapes);
  return parsed;
}

/// The ending of its name in small letters; a URDF that is called .xml is one.
std::string kind_by_name(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".xml" ? ".urdf" : ending;
}

}  // namespace

ParsedArm read_arm(const std::string& name_or_path, const ArmChoice& choice) {
  const std::filesystem::path path(name_or_path);
  const std::string kind = kind_by_name(path);
  refuse_other_kinds(name_or_path, {FileKind::arm, FileKind::urdf}, "an arm");
  if (kind == ".yaml" || kind == ".yml")
    return placed(taken(read_arm_yaml(read_text_file(name_or_path, largest_yaml), name_or_path), choice, name_or_path),
                  path);
  if (kind == ".urdf") return placed(parse_urdf(read_text_file(name_or_path, largest_xml), name_or_path, choice), path);
  if (!kind.empty() || path.has_parent_path())
    throw FormatError(fmt::format("'{}' is no kind of arm file", printable(path.filename().string())),
                      kind == ".xacro" ? expand_xacro(name_or_path)
                                       : fmt::format("arms are .yaml or .urdf files, or built-in: {}",
                                                     fmt::join(catalogue_names(), ", ")),
                      {name_or_path});
  return taken(read_arm_yaml(catalogue_text(name_or_path), fmt::format("arms/{}.yaml", name_or_path)), choice,
               name_or_path);
}

LoadedArm load_arm(const std::string& name_or_path, const ArmChoice& choice, const KernelSet& kernels) {
  const ParsedArm parsed = read_arm(name_or_path, choice);
  return {checked_arm(parsed, kernels), all_warnings(parsed)};
}

ArmTree arm_tree_text(const std::string& name_or_path) {
  if (kind_by_name(name_or_path) == ".urdf") {
    refuse_other_kinds(name_or_path, {FileKind::arm, FileKind::urdf}, "an arm");
    return urdf_tree_text(read_text_file(name_or_path, largest_xml), name_or_path);
  }
  const ArmDescription arm = read_arm(name_or_path).description;
  std::string text = fmt::format("{}: a chain of {} joints\n", arm.name, arm.joints.size());
  std::string indent = "  ";
  for (const JointDescription& joint : arm.joints) {
    const char* type = joint.type == JointType::fixed       ? "fixed"
                       : joint.type == JointType::prismatic ? "prismatic"
                                                            : "revolute";
    text += fmt::format("{}{} ({}): {}{}\n", indent, joint.name, type, joint.link.name,
                        joint.link.mass ? fmt::format(", {:.6g} kg", joint.link.mass->mass) : "");
    indent += "  ";
  }
  return {text, {}};
}

LoadedArm arm_from_yaml_text(std::string_view text, const std::string& file) {
  const ParsedArm parsed = read_arm_yaml(text, file);
  return {checked_arm(parsed), all_warnings(parsed)};
}

}  // namespace armature::formats
