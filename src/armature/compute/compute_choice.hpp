// What a person may change about a computation, as settings that list themselves.
#pragma once

#include <string>
#include <vector>

#include "armature/compute/quantities.hpp"
#include "armature/core/fields.hpp"

namespace armature::compute {

/// As it is written; what is empty is left as it is.
struct ComputeChoice {
  bool friction = false, rotor = false;  // of the drives, on top of rigid bodies
  std::string method;                    // newton-euler or lagrange
  std::string representation;            // zyz or rpy: rates of angles in place of angular velocity
  std::string task;                      // "x,y,rz"
  std::string frame;                     // a link, in place of the tool
  std::vector<double> wrench;            // on the tool, (force; moment) in base axes [N] [N m]

  void fields(Fields& f);
};

/// The same, checked against what the quantity obeys and the arm has. Throws Error with a hint.
ComputeSettings settings_for(const ComputeChoice& choice, const Quantity& quantity, const Arm& arm);

/// The quantity of this name, written with dashes or underscores. Throws Error with a suggestion.
const Quantity& quantity_called(std::string_view name);

/// `word`, if it is one of `words`; else throws Error with a suggestion. `what` names the setting.
std::string one_of(const std::string& what, const std::string& word, const std::vector<std::string>& words);

}  // namespace armature::compute
