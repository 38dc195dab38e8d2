// The meshes of an arm's links, for its page. They are read by a program of their own (apps/mesh_reader), in a process with
// limits of time and memory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "armature/model/description.hpp"
#include "armature/record/report.hpp"
#include "command_line.hpp"

namespace armature::app {

/// Adds --no-meshes and --packages to a verb that draws an arm; the second alone to one that only names its meshes.
void add_mesh_options(Verb& verb);
void add_package_option(Verb& verb);

/// Where a mesh lies: a path from the folder of the file that names it, or package://name/path below --packages,
/// ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the folders above the file. Nothing where there is no such file.
std::optional<std::filesystem::path> find_mesh(const std::string& mesh, const std::string& folder);

/// A mesh, made light, scaled and cut into pieces along its longest side: the hulls of their points hold all of its surface. Empty where it
/// cannot be had, or is too large to be in metres.
std::vector<std::vector<Vec3<double>>> mesh_pieces(const std::string& mesh, const std::string& folder,
                                                   const Vec3<double>& factors);

/// Reads what the scenes of the report name. A mesh that cannot be had is left out, with one warning for all such: a capsule
/// stands in.
void read_meshes(Report& report);

/// The same arm as `file` says it: with its meshes named from there. package://name/... stays what it is where it is not
/// found, or is to be kept.
ArmDescription with_meshes_from(ArmDescription arm, const std::string& file, bool keep_packages);
/// The text of the arm file `file`.
std::string arm_yaml_for(const ArmDescription& arm, const std::string& file);

}  // namespace armature::app
