// What makes the runs of a campaign: a simulation for each of them, or a loop that many go through at a time.
#pragma once

#include <memory>
#include <optional>

#include "armature/campaign/kernel_runs.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "names.hpp"

namespace armature::app {

class CampaignEngine {
 public:
  /// `device`: none, or the word of --device: threads, simulation, host or cuda. Throws Error for any other word, and where a kernel
  /// cannot be compiled or has no device to run on.
  CampaignEngine(const std::optional<std::string>& device, const CampaignRuns& runs, int threads);

  /// Fills in who makes the rows.
  void put_into(ExecuteSettings& settings) const;
  /// "lockstep", "simulation", "host" or "cuda": runs of one name on one machine are equal bit for bit.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Why every run is simulated by itself where that was not asked for; else empty.
  [[nodiscard]] const std::string& why_simulated() const { return why_; }

 private:
  void compile();
  [[nodiscard]] bool cuda() const { return name_ == "cuda"; }

  int threads_;
  std::string name_ = "simulation", why_;
  std::unique_ptr<KernelRuns> kernel_;  // none: every run is simulated
  std::unique_ptr<codegen::SharedObject> library_;
  KernelFunction function_;
};

/// The whole text of a campaign's kernel, C++ and CUDA alike, and after it, as arrays, what it is called with for the first runs, what was drawn
/// for them, and how the numbers follow from that (kernel_clock, kernel_numbers, ... as tools/gpu/loops.cu reads them). Throws Error where no
/// kernel can make the runs.
std::string kernel_source_text(const CampaignRuns& runs, int threads);

}  // namespace armature::app
