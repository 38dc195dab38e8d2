// A device that text is compiled for and whose memory holds the arrays: a graphics processor, or this machine.
#pragma once

#include <string_view>

#include "armature/codegen/compiled/device_arrays.hpp"
#include "armature/codegen/compiled/shared_object.hpp"

namespace armature::codegen {

enum class Device {
  cuda,  ///< a graphics processor: compiled by nvcc, arrays lie in its memory
  host  ///< this machine: the same text compiled by its C++ compiler, to try a program where there is no graphics processor
};

/// "cuda" or "host". Throws Error for any other word.
Device device_named(const std::string& word);

/// Numbers of consecutive states, or runs, in the device's memory.
using DeviceArray = armature_device::Array;

/// What makes functions for it; of a graphics processor for this machine's, or for the architecture that $CUDA_ARCH names. Throws Error
/// where there is none.
CompileSettings compiler_of(Device device);

/// The file codegen/compiled/device_arrays.hpp, which this library carries with it, with what it needs before generated functions: a text that starts with it
/// is CUDA where nvcc reads it, and C++17 elsewhere.
std::string_view device_header();

/// Throws Error with what a compiled function says went wrong; null: nothing did.
void check_device(const char* failure);

}  // namespace armature::codegen
