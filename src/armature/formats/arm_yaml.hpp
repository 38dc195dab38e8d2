// Arm files: a robot as data, every number with its unit and source.
//
//   arm: elbow                          # required, as is joints; everything else may be left out
//   description: …   source: …   notes: …
//   unphysical: <reason>                # lets inertia pass that no body has
//   gravity: [0, 0, -9.80665 m/s^2]     # in the world
//   convention: standard                # or modified: of the DH rows
//   base: {xyz: [0, 0, 0], rpy: [0, 0, 0]}
//   joints:                             # from base to tool
//     - name: shoulder
//       type: revolute                  # or prismatic, fixed
//       dh: {theta: 0, d: 560 mm, a: 0, alpha: 90 deg}     # or  origin: {xyz, rpy}  and  axis: [0, 0, 1]
//       limits: {position: [-90 deg, 90 deg], velocity: …, acceleration: …, torque: …, source: …}
//       link: {name: upper_arm, mass: …, com: [x, y, z],   # or first_moment: [x, y, z]
//              inertia: {about: com, xx: …, yy: …, zz: …, xy: …, xz: …, yz: …}, source: …}     # or about: origin
//       friction: {law: coulomb_viscous, coulomb: …, viscous: …, source: …}      # laws: see arm_fields.hpp
//       drive: {gear_ratio: 60, rotor_inertia: …, …, source: …}
//   couplings: {matrix: [[1, 0], [1, 1]], source: …}       # motor angles over gear ratios = matrix * q
//   tool: {xyz, rpy}                    # in the last link's frame
//   payload: {mass: …, com: […], inertia: {…}, source: …}  # in the tool's frame
//
// A bare number is SI. Joint quantities are in rad and N m for a revolute joint, in m and N for a prismatic one.
#pragma once

#include <string>
#include <string_view>

#include "armature/formats/parsed_arm.hpp"
#include "armature/formats/yaml.hpp"

namespace armature::formats {

/// What the text says; throws FormatError with line, column and hint where it says nothing readable. Whether such an arm
/// can be is for checked_arm to judge.
ParsedArm read_arm_yaml(std::string_view text, const std::string& file);
/// The same from the tree of such a text.
ParsedArm read_arm_yaml(const Yaml& tree);
ArmDescription parse_arm_yaml(std::string_view text, const std::string& file);

/// Writes an arm file that reads back as exactly this description, number for number.
std::string write_arm_yaml(const ArmDescription& description);

}  // namespace armature::formats

namespace armature {
using formats::write_arm_yaml;
}  // namespace armature
