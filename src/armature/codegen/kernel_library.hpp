// Functions for one arm as a library of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "armature/codegen/derive.hpp"

namespace armature {

/// What the algorithms see of an arm, as one number: joints, placements, inertia, gravity and tool. Names and limits do not matter.
std::uint64_t checksum(const Arm& arm);

/// Functions written for one arm, on arrays, matrices row by row; they neither allocate nor throw.
struct Kernels {
  std::uint64_t arm = 0;  // its checksum
  void (*inverse_dynamics)(const double* q, const double* qd, const double* qdd, double* tau) = nullptr;
  void (*forward_dynamics)(const double* q, const double* qd, const double* tau, double* qdd) = nullptr;
  void (*mass_matrix)(const double* q, double* M) = nullptr;
  void (*coriolis)(const double* q, const double* qd, double* C) = nullptr;
  void (*gravity)(const double* q, double* g) = nullptr;
};

/// C++17 text of these functions for an arm, with the arm's checksum. `tag` makes their names unique; without it
/// they have the names that load_kernels looks for, and functions for eight states at once, armature_inverse_dynamics_eight and so
/// on, stand beside them: each number in an array is followed by those of the seven other states.
std::string kernel_source(const Arm& arm, const std::string& version, const std::string& tag = {},
                          const DeriveSettings& settings = {});

/// The functions of a shared object made from kernel_source. They stay loaded while somebody holds them. Throws Error where the file
/// holds none, or those of another arm.
std::shared_ptr<const Kernels> load_kernels(const std::string& path, const Arm& arm);

}  // namespace armature
