// The planar 3R control laboratory [Tum2019]: its 25 tasks, by theme. Lengths, masses and gains are ours: the course prints none.
#pragma once

#include "laboratory.hpp"

namespace armature::studies::tum2019 {

StudyResult run(const std::function<void(const std::string&)>& progress);

// Tasks 1 to 3, 4 to 9, 10 to 12, 13 to 17, 18 to 21, 22 to 25.
void kinematics_and_dynamics(StudyResult& result);
void joint_control(StudyResult& result);
void inverse_kinematics_tasks(StudyResult& result);
void translational_impedance(StudyResult& result);
void full_impedance(StudyResult& result);
void collisions(StudyResult& result);

/// The scenario that all tasks start from; `rest` is appended.
std::string scenario(const std::string& name, const std::string& rest);

}  // namespace armature::studies::tum2019
