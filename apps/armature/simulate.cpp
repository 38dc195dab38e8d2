// armature simulate: what does this machine do?
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "armature/run/comparison.hpp"
#include "armature/run/payload_changes.hpp"
#include "armature/run/run_report.hpp"
#include "collisions.hpp"
#include "comparison_text.hpp"
#include "json_out.hpp"
#include "kernel_option.hpp"
#include "meshes.hpp"
#include "report_folder.hpp"
#include "run_folder.hpp"
#include "run_names.hpp"
#include "scenario_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "threads_option.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

std::map<std::string, int> count_events(const Log& log) {
  std::map<std::string, int> counts;
  for (const LogEvent& event : log.events) ++counts[event.kind + " " + event.detail];
  std::erase_if(counts, [](const auto& event) { return event.first.starts_with(payload_event); });  // said in full
  return counts;
}

/// Why a run did not come to its end, and what helps.
std::string early_end(const Log& log) {
  std::string sentence = "the run ended early: " + log.incomplete;
  for (const auto& [name, text] : log.facts)
    if (name == "hint") sentence += "\n  hint: " + text;
  return sentence;
}

void warn_of_collisions(const LoadedScenario& loaded, Log& log, const std::string& run = "") {
  if (!loaded.scenario.warns_of_limits) return;
  for (const std::string& sentence : note_collisions(log, loaded.arm)) warn(run + sentence);
}

struct SimulateOptions {
  ScenarioOptions scenario;
  KernelOption kernels;
  std::vector<std::string> compare;
  std::optional<std::string> out, threads;
  bool json = false, npz = false, mcap = false;
};

/// Returns where the page will be.
std::string write_results(const LoadedScenario& loaded, const RunResult& result, OutputFolder& folder,
                          const std::string& under, const SimulateOptions& options) {
  const Log& log = result.log;
  using Writer = void (*)(const Log&, std::FILE*, const std::string&);
  const auto binary = [&](const std::string& name, bool wanted, Writer write) {
    if (!wanted) return folder.without(under + name);
    OutputFile file = folder.file(under + name);
    write(log, file.stream(), file.name());
    file.commit();
  };
  binary("log.npz", options.npz, write_npz);
  binary("log.mcap", options.mcap, write_mcap);
  return write_run(loaded, result, folder, under);
}

/// How the joint that follows its reference worst does so, over time.
void print_worst_error(const LoadedScenario& loaded, const Log& log, const RunMetrics& metrics) {
  const auto worst = std::max_element(metrics.joints.begin(), metrics.joints.end(),
                                      [](const AxisMetrics& a, const AxisMetrics& b) { return a.rms < b.rms; });
  if (worst == metrics.joints.end() || !(worst->rms > 0)) return;
  const auto i = static_cast<int>(worst - metrics.joints.begin());
  const bool turns = loaded.arm.body(i).revolute;
  std::vector<double> error = log.channel(fmt::format("q{}_ref", i + 1)).values;
  const std::vector<double>& q = log.channel(fmt::format("q{}", i + 1)).values;
  for (std::size_t k = 0; k < error.size(); ++k) error[k] = (error[k] - q[k]) * (turns ? 1 / deg : 1e3);
  print_plot(fmt::format("error of {} [{}]", loaded.arm.joint(i).name, turns ? "deg" : "mm"), log.time, error);
}

void print_payloads(const Log& log) {
  const std::vector<CarriedPayload> carried = carried_payloads(log);
  for (std::size_t i = 0; i < carried.size(); ++i)
    fmt::print(
        "  {}: {}\n",
        i == 0 ? "payload at the start"
               : fmt::format("payload changed at {:.2f} s, noticed at {:.2f} s", carried[i].from, carried[i].noticed),
        carried[i].text());
}

void print_people(const LoadedScenario& loaded, const RunResult& result) {
  const Log& log = result.log;
  const double simulated = log.time.back(), seconds = result.seconds;
  const std::string& question = loaded.scenario.question;
  fmt::print("{}{}{}\n", loaded.scenario.scenario, question.empty() ? "" : ": ", question);
  fmt::print("  {:.6g} s simulated in {:.3g} s, {:.3g} times real time; {} samples\n", simulated, seconds,
             simulated / seconds, log.time.size());
  fmt::print("  integrator: {}\n\n", result.integration);
  const RunMetrics metrics = metrics_of(log);
  if (std::isfinite(metrics.diverged)) {
    fmt::print("  diverged at t = {:.4g} s: the log ends there\n", metrics.diverged);
    return;
  }
  const LogTable summary = run_summary(loaded, result, metrics);
  fmt::print("{}\n", text_table(summary.header, summary.rows));
  print_worst_error(loaded, log, metrics);
  for (const Saturation& motor : result.saturation) fmt::print("  {}: saturated {}\n", motor.motor, share_text(motor));
  print_payloads(log);
  const auto counts = count_events(log);
  if (!counts.empty()) {
    fmt::print("  events:");
    for (const auto& [event, count] : counts) fmt::print(" {} ({})", event, count);
    fmt::print("\n");
  }
  fmt::print(
      "  energy: {:.6g} J supplied, {:.6g} J dissipated, stored energy changed by {:.6g} J; the balance closes to "
      "within "
      "{:.2g} J\n",
      log.channel("energy_supplied").values.back(), log.channel("energy_dissipated").values.back(),
      log.channel("energy_stored").values.back() - log.channel("energy_stored").values.front(),
      largest_magnitude(log.channel("energy_error").values));
}

/// How far a run is, and how much faster than the world it runs.
class RunProgress {
 public:
  explicit RunProgress(double simulated) : simulated_(simulated) {}
  void update(double share) {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    line_.update(share, fmt::format("{:.4g} of {:.4g} s simulated, {:.3g} times real time", share * simulated_,
                                    simulated_, share * simulated_ / elapsed));
  }

 private:
  double simulated_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int compare(const SimulateOptions& options, const std::vector<LoadedScenario>& runs, OutputFolder* out,
            const std::atomic<bool>& stop) {
  const std::vector<std::string> names = run_names(runs), folders = folder_names(names);
  double simulated = 0;
  for (const LoadedScenario& run : runs) simulated += run.scenario.run.duration;
  std::vector<RunResult> results;
  {
    RunProgress progress(simulated);
    results = run_all(runs, threads_of(options.threads), &stop, [&](double share) { progress.update(share); });
  }
  std::vector<RunMetrics> metrics;
  bool complete = true;
  Report report{.kind = "compare", .title = runs.front().scenario.scenario, .subtitle = runs.front().scenario.question};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunResult& r = results[i];
    for (const std::string& warning : r.warnings) warn(names[i] + ": " + warning);
    warn_of_collisions(runs[i], r.log, names[i] + ": ");
    metrics.push_back(metrics_of(r));
    metrics.back().name = names[i];
    complete = complete && r.log.incomplete.empty() && r.unbalanced.empty();
    if (!r.log.incomplete.empty()) complain(names[i] + ": " + early_end(r.log));
    if (!r.unbalanced.empty()) complain(names[i] + ": " + r.unbalanced);
    if (!out) continue;
    write_results(runs[i], r, *out, folders[i] + "/", options);
    report.logs.push_back(r.log);
    report.logs.back().title = names[i];
    files.push_back(folders[i] + "/log.csv");
  }
  std::string page;
  if (out) {
    std::vector<RunMetrics> named = metrics;
    for (std::size_t i = 0; i < runs.size(); ++i)
      for (std::size_t k = 0; k < named[i].joints.size(); ++k)
        named[i].joints[k].name = runs[i].arm.joint(static_cast<int>(k)).name;
    report.logs.front().tables = comparison_tables(named);
    page = write_report(std::move(report), *out, "", files);
    out->commit();
  }
  if (options.json)
    print_json(Json::parse(comparison_json(metrics)));
  else
    fmt::print("{}{}", runs.front().scenario.question.empty() ? "" : runs.front().scenario.question + "\n\n",
               comparison_text(metrics));
  if (out && !options.json) fmt::print("  page: {}\n", page);
  return complete ? exit_done : exit_no;
}

int simulate(const SimulateOptions& options) {
  if ((options.npz || options.mcap) && !options.out)
    throw Error("--npz and --mcap need a folder to write to", "add -o DIR");
  const KernelSet kernels = options.kernels.set();
  std::vector<LoadedScenario> runs = load_cases(options.scenario.scenario, options.scenario.overrides(), kernels);
  for (const std::string& file : options.compare)
    for (LoadedScenario& loaded : load_cases(file, options.scenario.overrides(), kernels))
      runs.push_back(std::move(loaded));
  for (const LoadedScenario& loaded : runs) options.kernels.check(loaded.arm);
  std::optional<OutputFolder> out;
  if (options.out) out.emplace(*options.out);
  const std::atomic<bool>& stop = keep_on_interrupt();  // a run that is stopped keeps what it has
  if (runs.size() > 1) return compare(options, runs, out ? &*out : nullptr, stop);

  const LoadedScenario& loaded = runs.front();
  RunResult result;
  {
    RunProgress progress(loaded.scenario.run.duration);
    result = run_timed(loaded, &stop, [&](double share) { progress.update(share); });
  }
  for (const std::string& warning : result.warnings) warn(warning);
  warn_of_collisions(loaded, result.log);
  const Log& log = result.log;
  std::string page;
  if (out) {
    page = write_results(loaded, result, *out, "", options);
    out->commit();
  }
  options.json ? print_json(Json::parse(run_json(loaded, result))) : print_people(loaded, result);
  if (out && !options.json) fmt::print("  written: {}\n  page: {}\n", out->path_of("log.csv"), page);
  if (!log.incomplete.empty()) {
    complain(early_end(log));
    return exit_no;
  }
  if (!result.unbalanced.empty()) {
    complain(result.unbalanced);
    return exit_no;
  }
  return exit_done;
}

}  // namespace

void add_simulate(CommandLine& line) {
  static SimulateOptions options;
  Verb& verb = line.verb("simulate", "run a scenario: a machine, a controller, a reference");
  options.scenario.add_to(verb);
  options.kernels.add_to(verb);
  add_mesh_options(verb);
  verb.option("-o,--out", "DIR", options.out,
              "folder for the page (index.html), log.csv and the scenario with all its settings")
      .list("--compare", "SCENARIO", options.compare,
            "another scenario to run beside it, in one table; may be repeated")
      .option("--threads", "N", options.threads, "runs at a time (default: one per core); results do not depend on it")
      .flag("--npz", options.npz, "also write log.npz (NumPy)")
      .flag("--mcap", options.mcap, "also write log.mcap (Foxglove and others)")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .example("armature simulate scenarios/rrr_pd_step.yaml -o out/step", "runs it and leaves a log and a page")
      .example("armature simulate scenarios/rrr_pd_step.yaml --set run.duration=3s --set sensors.encoder=1e-3",
               "with other settings")
      .example("armature simulate pd.yaml --compare computed_torque.yaml", "two controllers in one table")
      .action([] { return simulate(options); });
}

}  // namespace armature::app
