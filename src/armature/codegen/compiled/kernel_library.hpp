// Functions for one arm as a library of their own.
#pragma once

#include <memory>
#include <string>

#include "armature/codegen/derive/derive.hpp"
#include "armature/model/kernels.hpp"

namespace armature::codegen {

/// C++17 text of the functions of model/kernels.hpp for an arm, with the arm's checksum. `tag` makes their names unique; without it
/// they have the names that load_kernels looks for, and functions for eight states at once, armature_inverse_dynamics_eight and so
/// on, stand beside them: each number in an array is followed by those of the seven other states.
std::string kernel_source(const Arm& arm, const std::string& version, const std::string& tag = {},
                          const DeriveSettings& settings = {});

/// The functions of a shared object made from kernel_source. They stay loaded while somebody holds them. Throws Error where the file
/// holds none.
std::shared_ptr<const Kernels> load_kernels(const std::string& path);

}  // namespace armature::codegen
