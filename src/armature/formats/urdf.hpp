// URDF, the robot format of ROS: read as a chain out of its tree of links, written from any arm.
#pragma once

#include <string>
#include <string_view>

#include "armature/formats/parsed_arm.hpp"

namespace armature {

/// The chain from link `base` to link `tip` (empty: from the root to the only leaf that moves). What hangs off the chain
/// is lumped into it as it lies when every joint is at zero; warnings say what, and what else was left out. Throws
/// FormatError with line, column and hint where the text is no URDF, no tree, or has no such chain.
ParsedArm parse_urdf(std::string_view text, const std::string& file, const std::string& base = {},
                     const std::string& tip = {});

/// A URDF with the same motion and dynamics. Each link's frame lies where its joint moves it, as URDF wants it, which for
/// standard DH is not the frame of the DH row; a last link `tool` holds the tool's frame and the payload. A comment lists
/// what URDF cannot say: gravity, drives, couplings, friction other than Coulomb and viscous. Throws ModelError where a link
/// has inertia but no mass.
std::string write_urdf(const Arm& arm);

}  // namespace armature
