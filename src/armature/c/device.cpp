#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/derive_settings.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/one_scenario.hpp"
#include "armature/campaign/device_rollout.hpp"
#include "armature/codegen/compiled/device_function.hpp"
#include "armature/core/text.hpp"

struct armature_device_function {
  armature::codegen::DeviceFunction function;
};
struct armature_device_rollout {
  armature::campaign::DeviceRollout rollout;
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

/// A setting of ours, taken out of the others.
std::optional<std::string> taken(SettingPairs& pairs, const char* name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
  if (found == pairs.end()) return std::nullopt;
  std::string value = found->second;
  pairs.erase(found);
  return value;
}

Device device_of(SettingPairs& pairs) {
  const std::optional<std::string> word = taken(pairs, "device");
  return word ? device_named(*word) : Device::cuda;
}

/// "[tool_rms, q1_end]"
std::vector<std::string> names_in(const std::string& list, const char* what) {
  std::vector<std::string> names;
  const Yaml value = parse_yaml(list, what);
  for (const Yaml& name : list_of(value, what)) names.push_back(text_of(name, what));
  return names;
}

/// Arrays as a device takes them, all of the type of the result. Those that are `optional` may have no data.
std::vector<DeviceArray> device_arrays(const armature_input* inputs, size_t count, const armature_output& out,
                                       size_t states, bool optional) {
  if (count > 0) needed(inputs, "inputs");
  if (states > 0) needed(static_cast<char*>(out.data), "result->data");
  if (out.type != ARMATURE_DOUBLE && out.type != ARMATURE_FLOAT)
    throw Error(fmt::format("an array is of type {}", out.type), "ARMATURE_DOUBLE or ARMATURE_FLOAT");
  std::vector<DeviceArray> arrays;
  for (size_t i = 0; i < count; ++i) {
    if (optional && !inputs[i].data) {
      arrays.emplace_back();
      continue;
    }
    if (inputs[i].type != out.type)
      throw Error("float and double numbers are mixed", "on a device all arrays are of one type");
    if (states > 0) needed(static_cast<const char*>(inputs[i].data), "inputs[i].data");
    arrays.push_back({const_cast<void*>(inputs[i].data), inputs[i].state_step, inputs[i].number_step});
  }
  return arrays;
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
    const armature_output& out = needed(result, "result");
    f.compute(states, device_arrays(inputs, input_count, out, states, false),
              {out.data, out.state_step, out.number_step}, out.type == ARMATURE_FLOAT, stream);
  });
}

armature_status armature_device_rollout_new(const char* scenario, const char* folder, const char* const* keys,
                                            size_t key_count, const char* const* settings, size_t count,
                                            armature_device_rollout** rollout) {
  return guarded([&] {
    armature_device_rollout*& out = needed(rollout, "rollout");
    SettingPairs pairs = setting_pairs(settings, count);
    DeviceRolloutSettings how{.device = device_of(pairs)};
    for (size_t i = 0; i < key_count; ++i) how.vary.emplace_back(&needed((&needed(keys, "keys"))[i], "keys[i]"));
    if (const auto list = taken(pairs, "metrics")) how.metrics = names_in(*list, "metrics");
    if (const auto effort = taken(pairs, "effort")) how.effort = effort_of({{"effort", *effort}});
    out = std::make_unique<armature_device_rollout>(
              armature_device_rollout{DeviceRollout(one_scenario(scenario, folder, std::move(pairs)), how)})
              .release();
  });
}

void armature_device_rollout_free(armature_device_rollout* rollout) { delete rollout; }

size_t armature_device_rollout_width(const armature_device_rollout* rollout, size_t input) {
  if (!rollout || input >= rollout->rollout.inputs().size()) return 0;
  return static_cast<size_t>(rollout->rollout.inputs()[input].width);
}

const char* armature_device_rollout_result(const armature_device_rollout* rollout, size_t index) {
  if (!rollout || index >= rollout->rollout.results().size()) return nullptr;
  return rollout->rollout.results()[index].c_str();
}

armature_status armature_device_rollout_runs(const armature_device_rollout* rollout, size_t runs,
                                             const armature_input* inputs, size_t input_count, const uint64_t* seeds,
                                             const armature_output* result, void* stream) {
  return guarded([&] {
    const DeviceRollout& r = needed(rollout, "rollout").rollout;
    const armature_output& out = needed(result, "result");
    const DeviceArray own_seeds{const_cast<uint64_t*>(seeds), sizeof(uint64_t), 0};
    r.compute(runs, device_arrays(inputs, input_count, out, runs, true), own_seeds,
              {out.data, out.state_step, out.number_step}, out.type == ARMATURE_FLOAT, stream);
  });
}
