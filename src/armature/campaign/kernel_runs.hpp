// The runs of a campaign by a kernel: one text, compiled once, and the numbers of many runs at a time.
#pragma once

#include <functional>
#include <optional>

#include "armature/campaign/execute.hpp"
#include "armature/campaign/kernel_loop.hpp"
#include "armature/codegen/compiled/rollout_metrics.hpp"

namespace armature::campaign {

/// What a compiled kernel is called with (run() of codegen/compiled/rollout.hpp): the clock (tick, step, ticks, steps a tick, ticks a sample), the
/// numbers that all runs share, the reference's table, those that vary (each of all runs after the other), a seed a run, and room for
/// the figures in the same order. Returns null, or what went wrong.
using KernelFunction =
    std::function<const char*(const double* clock, const double* numbers, const double* table, const double* varied,
                              int varied_count, const std::uint64_t* seeds, long count, double* figures)>;
/// The name of such a function in a text that is compiled, and its type there.
inline constexpr const char* kernel_function_name = "armature_campaign_runs";
using CompiledKernel = const char* (*)(const double*, const double*, const double*, const double*, int,
                                       const std::uint64_t*, long, double*);

/// A metric as a kernel knows it: Judged::value() of codegen/compiled/rollout_metrics.hpp.
struct KernelMetric {
  armature_rollout::Metric metric = armature_rollout::Metric::outcome;
  int joint = 0;
};
/// By the name that metrics_of_arm() gives it.
KernelMetric kernel_metric(const std::string& name);

class KernelRuns {
 public:
  /// `states`: where runs end is kept, too. Throws NotForKernels where a kernel cannot make the runs of this campaign: with what it cannot do, and what
  /// would help.
  KernelRuns(const CampaignRuns& runs, MotionParameters parameters, bool states = false);

  [[nodiscard]] const Arm& arm() const { return arm_; }
  [[nodiscard]] const Arm& believed() const { return believed_; }
  [[nodiscard]] const KernelLoop& loop() const { return base_; }
  [[nodiscard]] const KernelTable& table() const { return table_; }
  /// How far the reference still goes: joint by joint, from every sample on.
  [[nodiscard]] const std::vector<double>& rests() const { return rests_; }
  /// Which numbers of the equations of motion vary, as arguments of the functions of the loop.
  [[nodiscard]] const std::vector<std::size_t>& varied_parameters() const { return varied_parameters_; }
  /// The numbers of run 0, those of the equations of motion at the end and all of them, and which of them vary.
  [[nodiscard]] const std::vector<double>& numbers() const { return all_; }
  [[nodiscard]] const std::vector<std::size_t>& varied() const { return varied_; }
  /// Whether what varies is computed from the draws alone, without a scenario for every run.
  [[nodiscard]] bool straight_lines() const { return !slopes_.empty(); }
  /// Then: of each number that varies how it changes with the drawn values, input by input; and where these start from.
  [[nodiscard]] std::vector<double> slopes() const;
  [[nodiscard]] const std::vector<double>& origin() const { return origin_; }
  [[nodiscard]] std::vector<double> varied_at_origin() const;
  [[nodiscard]] int varied_count() const { return static_cast<int>(varied_.size()); }
  /// The struct Loop of codegen/compiled/rollout.hpp for this campaign; the functions that it calls stand before it.
  [[nodiscard]] std::string text() const;
  /// Clock and common numbers, as the kernel takes them.
  [[nodiscard]] std::vector<double> clock() const;
  [[nodiscard]] std::vector<double> common() const;

  /// The numbers of the runs from `first` on; those that the kernel cannot make are left out and come back in `others`.
  struct Batch {
    std::vector<double> varied;  // number by number, `count` of them each
    std::vector<std::uint64_t> seeds;
    std::vector<std::uint64_t> runs, others;
  };
  [[nodiscard]] Batch batch(std::uint64_t first, std::uint64_t count, int threads) const;
  /// The rows of these runs, those that the kernel cannot make by the simulation. Throws what a run throws.
  [[nodiscard]] std::vector<double> rows(std::uint64_t first, std::uint64_t count, const KernelFunction& kernel,
                                         int threads) const;

 private:
  /// All numbers of a run one after the other: those of the loop, then those of the equations of motion.
  struct Numbers {
    std::vector<double> all;
    std::uint64_t seed = 1;
  };
  /// None where the run is another loop.
  [[nodiscard]] std::optional<Numbers> numbers_of(const LoadedScenario& loaded) const;
  [[nodiscard]] bool predict(const std::vector<double>& values, std::vector<double>& all) const;
  void find_what_varies();
  void try_steps() const;
  [[nodiscard]] std::optional<std::vector<double>> numbers_at(const std::vector<double>& values) const;
  [[nodiscard]] std::optional<double> end_of(std::size_t input, bool largest, double tail) const;
  void find_slopes();
  [[nodiscard]] bool slopes_hold() const;
  [[nodiscard]] std::size_t samples() const { return static_cast<std::size_t>(base_.ticks / base_.every + 1); }
  void find_rests();

  const CampaignRuns& runs_;
  MotionParameters parameters_;
  KernelFigures figures_;
  Arm arm_, believed_;
  KernelLoop base_;
  KernelTable table_;
  std::vector<double> all_;                     // numbers of run 0
  std::vector<std::size_t> varied_;             // of `all_`: what differs from run to run, in increasing order
  std::vector<std::size_t> varied_parameters_;  // of the equations of motion, counted from their first
  std::vector<double> rests_;
  std::vector<KernelMetric> metrics_;
  // where the numbers are straight lines of what is drawn: all = all_ + slopes (values - origin), within low <= values <= high
  std::vector<double> origin_, low_, high_;
  std::vector<std::vector<double>> slopes_;  // input by input; empty: every run is worked out from its scenario
};

}  // namespace armature::campaign
