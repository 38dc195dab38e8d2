// The RPR arm with all its controllers [Verona2023], printed gains, corrected formulas.
#pragma once

#include "laboratory.hpp"

namespace armature::verona2023 {

StudyResult run(const std::function<void(const std::string&)>& progress);

void kinematics_and_dynamics(StudyResult& result);
void joint_control(StudyResult& result);
void adaptive_control(StudyResult& result);
void operational_control(StudyResult& result);
void compliance_and_impedance(StudyResult& result);
void force_control(StudyResult& result);

/// A scenario of the arm `rpr`; `rest` is appended.
std::string scenario(const std::string& name, const std::string& rest);

/// Holds where every number of `ours` is within `share` of `expected` (of its largest entry).
bool within(const Eigen::VectorXd& ours, const Eigen::VectorXd& expected, double share);
std::string numbers(const Eigen::VectorXd& v, const char* format = "{:.4f}");

}  // namespace armature::verona2023
