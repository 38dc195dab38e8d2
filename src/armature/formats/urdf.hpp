// URDF, the robot format of ROS: read as a chain out of its tree of links, written from any arm.
#pragma once

#include <string>
#include <string_view>

#include "armature/formats/arm_choice.hpp"
#include "armature/formats/parsed_arm.hpp"

namespace armature::formats {

/// The arm of a URDF: the chain between the links of the choice, or the only limb (formats/urdf_limbs.hpp). What hangs off the
/// chain is lumped into it where it lies with its joints held; warnings say what, and what else was left out. Where the base is
/// not the root, its frame is the world's, with gravity as the root sees it. Throws FormatError with line, column and hint
/// where the text is no URDF, has no such chain, or has several limbs: then the hint lists them.
ParsedArm parse_urdf(std::string_view text, const std::string& file, const ArmChoice& choice = {});

/// A URDF with the same motion and dynamics. Each link's frame lies where its joint moves it, as URDF wants it, which for
/// standard DH is not the frame of the DH row; a last link `tool` holds the tool's frame and the payload. Of friction the
/// Coulomb and viscous parts are written. A comment lists what is left out. Throws ModelError where a link has inertia but no mass.
std::string write_urdf(const Arm& arm);

/// What URDF cannot say of the arm: gravity, drives, couplings, a Stribeck effect.
std::vector<std::string> left_out_of_urdf(const ArmDescription& arm);

}  // namespace armature::formats
