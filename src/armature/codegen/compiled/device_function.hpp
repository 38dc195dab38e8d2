// A function of one arm over many states that lie in the memory of a device: generated, compiled for it once, called with pointers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "armature/codegen/compiled/device.hpp"
#include "armature/codegen/derive/derive.hpp"

namespace armature::codegen {

/// What can be computed on a device: dynamics, mass matrix, gravity, Jacobian and forward kinematics.
std::vector<Target> device_targets();

/// The text: C++17, and CUDA where nvcc reads it. Throws Error for any other target.
std::string device_source(const Arm& arm, Target target, const DeriveSettings& settings = {});

/// May be called by several threads at once, each with arrays of its own.
class DeviceFunction {
 public:
  /// Generated and compiled the first time, kept for the next (kept_shared_object). Throws Error without the device's compiler.
  DeviceFunction(const Arm& arm, Target target, Device device, const DeriveSettings& settings = {});

  /// Reads `inputs`, dof() numbers each, in the order of the target's arguments, and writes all of its results, matrices row by row; of forward
  /// kinematics x, y, z and the quaternion qw, qx, qy, qz with qw >= 0. All arrays hold double numbers, or all float. Results are there on return: the
  /// stream (a cudaStream_t; null is the default stream) is waited for. Numbers are not checked: what is not finite goes in and comes out. Throws Error
  /// with what the device says.
  void compute(std::size_t states, std::span<const DeviceArray> inputs, const DeviceArray& result, bool single,
               void* stream = nullptr) const;

  [[nodiscard]] std::size_t inputs() const { return inputs_; }

 private:
  using Call = const char* (*)(int single, long states, const DeviceArray* arrays, void* stream);
  std::shared_ptr<const SharedObject> object_;
  Call call_ = nullptr;
  std::size_t inputs_ = 0;
};

}  // namespace armature::codegen
