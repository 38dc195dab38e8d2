// What makes the runs of a campaign: threads that simulate each of them, or a kernel that makes many at a time.
#pragma once

#include <memory>
#include <optional>

#include "armature/campaign/kernel_runs.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "names.hpp"

namespace armature::app {

class CampaignEngine {
 public:
  /// `device`: none, or the word of --device: threads, host or cuda. Warns where a kernel cannot make the runs, which threads do then.
  /// Throws Error for any other word, and where a kernel cannot be compiled or has no device to run on.
  CampaignEngine(const std::optional<std::string>& device, const CampaignRuns& runs, int threads);

  /// Fills in who makes the rows.
  void put_into(ExecuteSettings& settings) const;

 private:
  void compile(const CampaignRuns& runs, bool cuda);

  int threads_;
  bool cuda_ = false;
  std::unique_ptr<KernelRuns> kernel_;  // none: threads alone
  std::unique_ptr<codegen::SharedObject> library_;
  KernelFunction function_ = nullptr;
};

/// The whole text of a campaign's kernel, C++ and CUDA alike, and after it, as arrays, what it is called with for the first runs, what was drawn
/// for them, and how the numbers follow from that (kernel_clock, kernel_numbers, ... as tools/gpu/loops.cu reads them). Throws Error where no
/// kernel can make the runs.
std::string kernel_source_text(const CampaignRuns& runs, int threads);

}  // namespace armature::app
