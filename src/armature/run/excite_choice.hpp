// What a person may change about the design of an excitation, as settings that list themselves: the words of `armature excite`.
#pragma once

#include <string>
#include <vector>

#include "armature/core/fields.hpp"
#include "armature/identification/excitation.hpp"

namespace armature::run {

/// Lists with one value per joint are empty where they are not given: the arm's own limits count then.
struct ExciteChoice {
  ExcitationSettings settings;       // those that it lists itself; the others follow from what stands below
  std::vector<double> harmonics{5};  // of the Fourier series: one number for all joints, or one per joint
  ExcitationCriterion criterion = ExcitationCriterion::condition;
  std::string parameters;  // file with the base parameters to design for; empty: our own
  std::string without;     // "p4,p15": those of them that are known
  bool friction = false;   // columns of Coulomb friction, viscous friction and offsets too
  std::string scale;       // "parameters,torques": what columns and rows are scaled by
  VecX<double> noise;      // standard deviation of each torque [N m | N]
  VecX<double> velocity, acceleration, lower, upper, torque;  // limits
  bool torque_limits = false;                                 // the arm's limits of torque count
  std::vector<double> workspace;  // xmin, xmax, ymin, ymax, zmin, zmax of the tool [m]; empty: anywhere
  VecX<double> centre;            // posture about which the random starts move
  int seed = 1;
  int threads = 0;  // 0: all cores
  int periods = 1;  // in the log

  void fields(Fields& f);
};

/// The task of the design, before complete_limits(). Throws Error with a hint where a word or a number makes no sense for this arm.
ExcitationTask excitation_task(const ExciteChoice& choice, const Arm& arm);
/// Throws Error with a hint, also where a log of so many periods would have too many rows.
ExcitationSettings excitation_settings(const ExciteChoice& choice, const Arm& arm);

}  // namespace armature::run
