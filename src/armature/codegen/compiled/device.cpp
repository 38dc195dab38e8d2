#include "armature/codegen/compiled/device.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"

namespace armature::codegen {

Device device_named(const std::string& word) {
  if (word == "cuda") return Device::cuda;
  if (word == "host") return Device::host;
  throw Error(fmt::format("there is no device '{}'", printable(word)), "cuda or host");
}

CompileSettings compiler_of(Device device) {
  if (device == Device::host) return {.options = "-O2"};
  const char* const arch = std::getenv("CUDA_ARCH");
  return {
      .compiler = find_nvcc(), .options = fmt::format("-O3 -arch={}", arch && *arch ? arch : "native"), .cuda = true};
}

void check_device(const char* failure) {
  if (failure)
    throw Error(fmt::format("the device could not compute: {}", failure),
                "arrays lie in the memory of one graphics processor; the device host does without");
}

}  // namespace armature::codegen
