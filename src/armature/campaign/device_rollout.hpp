// Many runs of a scenario's closed loop whose numbers lie in the memory of a device: generated, compiled for it once, called with pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "armature/codegen/compiled/device.hpp"
#include "armature/codegen/compiled/rollout_layout.hpp"
#include "armature/codegen/compiled/rollout_text.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature::campaign {

struct DeviceRolloutSettings {
  /// Keys that differ from run to run: of the scenario, or "arm." and a key of the arm's file, as in `vary` of a campaign. A key of a list is all of its
  /// numbers.
  std::vector<std::string> vary{};
  std::vector<std::string> metrics{};  // their names; none: all of the whole machine
  codegen::Device device = codegen::Device::cuda;
  double effort = codegen::RolloutFunctions().effort;  // DeriveSettings
};

/// May be called by several threads at once, each with arrays of its own.
class DeviceRollout {
 public:
  /// An array that is read: so many numbers of each run.
  struct Input {
    std::string key;
    int width = 1;
  };

  /// Generated and compiled the first time, kept for the next (codegen::kept_shared_object). Throws Error without the device's compiler, and where no kernel
  /// computes this loop or what varies in it.
  explicit DeviceRollout(const LoadedScenario& scenario, const DeviceRolloutSettings& settings = {});

  [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }
  /// What the result holds of a run, number by number: outcome (0: complete; 1: it diverged, and the metrics are not numbers; 2: its energy balance does not close),
  /// the metrics, q.0, ... and qd.0, ..., where it ends.
  [[nodiscard]] const std::vector<std::string>& results() const { return results_; }

  /// Reads one array per input [SI]; those without data take what the scenario says. `seeds` holds a 64-bit integer of each run, by which it has noise of its own; without
  /// data all runs have the scenario's. All other arrays hold double numbers, or all float, and are computed as such. Results are there on return:
  /// the stream (a cudaStream_t; null is the default stream) is waited for. Numbers are not checked: what is not finite goes in, and the run is one that diverged.
  /// Throws Error with what the device says.
  void compute(std::size_t runs, std::span<const codegen::DeviceArray> inputs, const codegen::DeviceArray& seeds,
               const codegen::DeviceArray& result, bool single, void* stream = nullptr) const;

 private:
  using Call = const char* (*)(int single, long runs, const armature_rollout::Shared* shared,
                               const codegen::DeviceArray* arrays, void* stream);
  std::vector<Input> inputs_;
  std::vector<std::string> results_;
  std::vector<double> clock_, numbers_, line_, table_, rests_;
  std::uint64_t seed_ = 1;
  std::shared_ptr<const codegen::SharedObject> object_;
  Call call_ = nullptr;
};

}  // namespace armature::campaign
