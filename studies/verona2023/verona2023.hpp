// The RPR arm with all its controllers [Verona2023], printed gains, corrected formulas.
#pragma once

#include "laboratory.hpp"

namespace armature::studies::verona2023 {

StudyResult run(const std::function<void(const std::string&)>& progress);

void kinematics_and_dynamics(StudyResult& result);
void joint_control(StudyResult& result);
void adaptive_control(StudyResult& result);
void operational_control(StudyResult& result);
void compliance_and_impedance(StudyResult& result);
void force_control(StudyResult& result);

/// A scenario of the arm `rpr`; `rest` is appended.
std::string scenario(const std::string& name, const std::string& rest);

/// Holds where every number of `ours` is within `share` of that of `expected`.
bool within(const Eigen::VectorXd& ours, const Eigen::VectorXd& expected, double share);
std::string numbers(const Eigen::VectorXd& v, const char* format = "{:.4f}");

/// Adds phi, theta, psi: the ZYZ angles of the tool, without jumps by 2 pi, and phi_ref, ... where the log has a wanted pose.
void add_euler_angles(Log& log);
/// The channels of position or orientation, actual and wanted; `suffix` as in "_sagged" stands for the actual ones.
std::vector<std::string> position_channels(const std::string& suffix = "");
std::vector<std::string> orientation_channels(const std::string& suffix = "");

}  // namespace armature::studies::verona2023
