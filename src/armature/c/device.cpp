#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/derive_settings.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/codegen/compiled/device_function.hpp"
#include "armature/core/text.hpp"

struct armature_device_function {
  armature::codegen::DeviceFunction function;
};

namespace armature::c {

namespace {

Target device_target(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  std::vector<std::string> known;
  for (const Target target : device_targets()) {
    known.emplace_back(word_for(target));
    if (known.back() == name) return target;
  }
  throw Error(fmt::format("'{}' is not computed on a device", printable(name)), suggestion(name, known));
}

/// The setting `device`, taken out of the others.
Device device_of(SettingPairs& pairs) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.first == "device"; });
  if (found == pairs.end()) return Device::cuda;
  const std::string name = found->second;
  pairs.erase(found);
  if (name == "cuda") return Device::cuda;
  if (name == "host") return Device::host;
  throw Error(fmt::format("there is no device '{}'", printable(name)), "cuda or host");
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_device_function_new(const armature_arm* arm, const char* quantity, const char* const* settings,
                                             size_t count, armature_device_function** function) {
  return guarded([&] {
    armature_device_function*& out = needed(function, "function");
    const Arm& a = needed(arm, "arm").arm;
    const Target target = device_target(&needed(quantity, "quantity"));
    SettingPairs pairs = setting_pairs(settings, count);
    const Device device = device_of(pairs);
    out = std::make_unique<armature_device_function>(
              armature_device_function{DeviceFunction(a, target, device, {.effort = effort_of(pairs)})})
              .release();
  });
}

void armature_device_function_free(armature_device_function* function) { delete function; }

armature_status armature_device_function_states(const armature_device_function* function, size_t states,
                                                const armature_input* inputs, size_t input_count,
                                                const armature_output* result, void* stream) {
  return guarded([&] {
    const DeviceFunction& f = needed(function, "function").function;
    needed(inputs, "inputs");
    const armature_output& out = needed(result, "result");
    if (states > 0) needed(static_cast<char*>(out.data), "result->data");
    std::array<DeviceArray, 3> arrays;
    if (input_count > arrays.size()) throw Error(fmt::format("{} inputs", input_count), "at most three are read");
    for (size_t i = 0; i < input_count; ++i) {
      if (inputs[i].type != out.type)
        throw Error("float and double numbers are mixed", "on a device all arrays are of one type");
      if (states > 0) needed(static_cast<const char*>(inputs[i].data), "inputs[i].data");
      arrays[i] = {const_cast<void*>(inputs[i].data), inputs[i].state_step, inputs[i].number_step};
    }
    if (out.type != ARMATURE_DOUBLE && out.type != ARMATURE_FLOAT)
      throw Error(fmt::format("an array is of type {}", out.type), "ARMATURE_DOUBLE or ARMATURE_FLOAT");
    f.compute(states, std::span(arrays).first(input_count), {out.data, out.state_step, out.number_step},
              out.type == ARMATURE_FLOAT, stream);
  });
}
