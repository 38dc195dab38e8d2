// libFuzzer calls this with bytes; ARMATURE_TARGET is the target it was built for.
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armature::fuzz::ARMATURE_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
