#include "armature/formats/load_arm.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/file_kind.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/formats/xml.hpp"
#include "armature/formats/yaml.hpp"

namespace armature {

namespace {

LoadedArm checked(const ParsedArm& parsed) { return {checked_arm(parsed), all_warnings(parsed)}; }

void refuse_chain(const std::string& base, const std::string& tip, const std::string& what) {
  if (base.empty() && tip.empty()) return;
  throw FormatError(fmt::format("base and tip pick a chain out of a URDF; {} is a chain already", what),
                    "leave --base and --tip out", {what});
}

}  // namespace

ParsedArm read_arm(const std::string& name_or_path, const std::string& base, const std::string& tip) {
  const std::filesystem::path path(name_or_path);
  const std::string kind = path.extension().string();
  refuse_other_kinds(name_or_path, {FileKind::arm, FileKind::urdf}, "an arm");
  if (kind == ".yaml" || kind == ".yml") {
    refuse_chain(base, tip, name_or_path);
    return read_arm_yaml(read_text_file(name_or_path, largest_yaml), name_or_path);
  }
  if (kind == ".urdf") return parse_urdf(read_text_file(name_or_path, largest_xml), name_or_path, base, tip);
  if (!kind.empty() || path.has_parent_path())
    throw FormatError(fmt::format("'{}' is no kind of arm file", printable(path.filename().string())),
                      kind == ".xacro" ? "expand it first: `xacro robot.urdf.xacro > robot.urdf`"
                                       : "arms are .yaml or .urdf files, or built-in: " +
                                             fmt::format("{}", fmt::join(catalogue_names(), ", ")),
                      {name_or_path});
  refuse_chain(base, tip, name_or_path);
  return read_arm_yaml(catalogue_text(name_or_path), fmt::format("arms/{}.yaml", name_or_path));
}

LoadedArm load_arm(const std::string& name_or_path, const std::string& base, const std::string& tip) {
  return checked(read_arm(name_or_path, base, tip));
}

LoadedArm arm_from_yaml_text(std::string_view text, const std::string& file) {
  return checked(read_arm_yaml(text, file));
}

}  // namespace armature
