// An arm between text and model: what the text says, and where it says it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/model/arm.hpp"

namespace armature::formats {

struct ParsedArm {
  ArmDescription description;
  /// Keys are the places of findings: "joint 'elbow', limits", "link 'forearm'".
  std::map<std::string, Place> places;
  std::vector<std::string> warnings;  // what the reader changed or left out; each is a sentence with place and hint
  std::vector<Finding> lacking;       // what the text does not say and dynamics needs; kinematics works without
  bool as_given = false;              // what is lacking is zero, and inertia that no body has is computed with
};

/// Links and joints of a text to look at, and all that cannot be read in it, each with place and hint.
struct ArmTree {
  std::string text;
  std::vector<std::string> faults;
};

/// Where the text says what `finding` complains about.
Place place_of(const ParsedArm& parsed, const Finding& finding);

/// What becomes the arm: the description, with the reason for its unphysical inertia where it is to be taken as given.
ArmDescription description_to_use(const ParsedArm& parsed);

/// The arm, checked, with those of `kernels` that were written for it; throws ModelError at the place in the text that the first error
/// is about.
Arm checked_arm(const ParsedArm& parsed, const KernelSet& kernels = {});

/// The reader's warnings and those of the check; first of all why the arm is unphysical, if it is.
std::vector<std::string> all_warnings(const ParsedArm& parsed);

}  // namespace armature::formats
