#include "campaign_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "armature/campaign/kernel_text.hpp"
#include "armature/campaign/lockstep.hpp"
#include "armature/codegen/compiled/device.hpp"
#include "armature/core/text.hpp"
#include "armature/scalar/pack.hpp"
#include "terminal.hpp"

namespace armature::app {

namespace {

template <class T>
std::string array_text(const char* type, const char* name, const std::vector<T>& numbers) {
  std::string text = fmt::format("static const {} {}[] = {{", type, name);
  for (std::size_t i = 0; i < numbers.size(); ++i) text += fmt::format("{}{},", i % 8 == 0 ? "\n  " : " ", numbers[i]);
  return text + (numbers.empty() ? "0" : "") + "\n};\n";
}

// Standard normal scores at which the distributions of the inputs are written down.
constexpr int score_reach = 7, scores_per_unit = 32;

/// Of each input the values at those scores, so that a normal number draws it, tails included. Empty where an input depends on others.
std::vector<double> quantiles_of(const Variation& variation, std::size_t inputs) {
  std::vector<double> quantiles;
  if (inputs > variation.dimensions()) return {};
  const std::vector<double> middle(variation.dimensions(), 0.5), values = variation.values(middle);
  for (std::size_t i = 0; i < inputs; ++i)
    for (int k = -score_reach * scores_per_unit; k <= score_reach * scores_per_unit; ++k) {
      const double score = static_cast<double>(k) / scores_per_unit;
      std::vector<double> point = middle;
      point[i] = 0.5 * std::erfc(-score / std::numbers::sqrt2);
      std::vector<double> drawn = variation.values(point);
      quantiles.push_back(drawn[i]);
      drawn[i] = values[i];
      if (drawn != values) return {};
    }
  return quantiles;
}

}  // namespace

std::string kernel_source_text(const CampaignRuns& runs, int threads) {
  const KernelRuns kernel(runs, motion_parameters);
  constexpr std::uint64_t most_shown = 512;
  const std::uint64_t shown = std::min(most_shown, runs.plan().runs());
  const KernelRuns::Batch batch = kernel.batch(0, shown, threads);
  const std::size_t inputs =
      kernel.straight_lines() ? kernel.slopes().size() / static_cast<std::size_t>(kernel.varied_count()) : 0;
  const std::vector<double> quantiles = quantiles_of(runs.variation(), inputs);
  std::string text = kernel_text(kernel);
  const auto count = [&](const char* name, std::size_t value) {
    text += fmt::format("static const int {} = {};\n", name, value);
  };
  count("kernel_runs", batch.seeds.size());
  count("kernel_varied_count", static_cast<std::size_t>(kernel.varied_count()));
  count("kernel_inputs", quantiles.empty() ? 0 : inputs);
  count("kernel_score_reach", score_reach);
  count("kernel_scores_per_unit", scores_per_unit);
  return text + array_text("double", "kernel_clock", kernel.clock()) +
         array_text("double", "kernel_numbers", kernel.common()) +
         array_text("double", "kernel_table", kernel.table().rows) +
         array_text("double", "kernel_varied", batch.varied) +
         array_text("unsigned long long", "kernel_seeds", batch.seeds) +
         array_text("double", "kernel_quantiles", quantiles) + array_text("double", "kernel_origin", kernel.origin()) +
         array_text("double", "kernel_slopes", kernel.slopes()) +
         array_text("double", "kernel_start", kernel.varied_at_origin());
}

CampaignEngine::CampaignEngine(const std::optional<std::string>& device, const CampaignRuns& runs, int threads)
    : threads_(threads) {
  const std::string asked = device.value_or("threads");
  if (asked != "threads" && asked != "simulation" && asked != "host" && asked != "cuda")
    throw Error(fmt::format("--device {}: there is no such engine", printable(asked)),
                suggestion(asked, {"threads", "simulation", "host", "cuda", "source"}));
  if (asked == "simulation") return;
  const bool in_lockstep = asked == "threads";
  try {
    kernel_ = std::make_unique<KernelRuns>(runs, in_lockstep ? body_parameters : motion_parameters);
  } catch (const NotForKernels& why) {
    why_ = why.finding() + (why.hint().empty() ? "" : "\n  hint: " + why.hint());
    return;
  } catch (const Error& error) {
    if (!in_lockstep) throw;
    why_ = error.finding();  // of one of the first runs: the simulation says it in its place
    return;
  }
  name_ = in_lockstep ? "lockstep" : asked;
  if (in_lockstep)
    function_ = lockstep(*kernel_);
  else
    compile();
}

void CampaignEngine::compile() {
  const CompileSettings settings =
      cuda() ? compiler_of(Device::cuda)
             : CompileSettings{.options = "-O3 -march=native -fno-math-errno -DARMATURE_LANES=8"};
  const std::string path = kept_shared_object(
      kernel_loop_key(*kernel_), [&] { return kernel_text(*kernel_); }, settings);
  library_ = std::make_unique<SharedObject>(path);
  if (cuda()) {
    const auto problem_of = reinterpret_cast<const char* (*)()>(library_->find("armature_campaign_device"));
    if (const char* problem = problem_of ? problem_of() : "its code is another program's")
      throw Error(fmt::format("no graphics processor can be used: {}", problem),
                  "--device host, or none, does without");
  }
  const auto compiled = reinterpret_cast<CompiledKernel>(library_->find(kernel_function_name));
  if (!compiled) throw Error("the compiled kernel lacks its function", "remove it", {path});
  function_ = compiled;
}

void CampaignEngine::put_into(ExecuteSettings& settings) const {
  if (!kernel_) return;
  settings.threads = cuda() ? 1 : threads_;
  settings.block = cuda() ? 131072 : name_ == "lockstep" ? Pack::width : 64;  // what an interrupt waits for
  const int inner = cuda() ? threads_ : 1;
  settings.rows = [this, inner](std::uint64_t first, std::uint64_t count) {
    return kernel_->rows(first, count, function_, inner);
  };
}

}  // namespace armature::app
