// Closed-form models of the RRR arm [Kostic2002].
#pragma once

#include "armature/model/arm.hpp"
#include "study.hpp"

namespace armature::studies::kostic2002 {

StudyResult run(const std::function<void(const std::string&)>& progress);

/// Kinematics: (4) to (6), sections III and V.
void kinematics(StudyResult& result);
/// Dynamics: (10) to (13), sections IV and V.
void dynamics(StudyResult& result);
/// The writing task: Figs 7 to 9.
void writing(StudyResult& result);

/// Operations of the library's recursions, counted by running them.
struct Counted {
  long inverse_dynamics = 0;
  long ik_iteration = 0;  // one of Newton's: forward kinematics, Jacobian, three equations
};
Counted counted_recursions();
/// Of the recursive Newton-Euler algorithm on any arm.
long counted_inverse_dynamics(const Arm& arm);

}  // namespace armature::studies::kostic2002
