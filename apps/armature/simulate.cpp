// armature simulate: what does this machine do?
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "armature/formats/scenario_yaml.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "scenario_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

std::atomic<bool> interrupted = false;
extern "C" void interrupt(int) { interrupted = true; }

/// How a joint followed its reference.
struct Tracking {
  double rms = 0, largest = 0, effort = 0, peak = 0;
};

Tracking tracking(const Log& log, int joint) {
  const auto& q = log.channel(fmt::format("q{}", joint)).values;
  const auto& wanted = log.channel(fmt::format("q{}_ref", joint)).values;
  Tracking t;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double error = wanted[i] - q[i];
    t.rms += error * error, t.largest = std::max(t.largest, std::abs(error));
  }
  t.rms = std::sqrt(t.rms / static_cast<double>(q.size()));
  return t;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

std::map<std::string, int> count_events(const Log& log) {
  std::map<std::string, int> counts;
  for (const LogEvent& event : log.events) ++counts[event.kind + " " + event.detail];
  return counts;
}

void write_file(const std::filesystem::path& path, const std::function<void(OutputFile&)>& write) {
  OutputFile file(path.string());
  write(file);
  file.commit();
}

void write_results(const LoadedScenario& loaded, const Log& log, const std::string& folder, bool npz, bool mcap) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error(fmt::format("the folder cannot be made: {}", failed.message()), "choose another with -o", {folder});
  const std::filesystem::path out(folder);
  write_file(out / "scenario.yaml", [&](OutputFile& file) { file.write(loaded.text); });
  write_file(out / "log.csv", [&](OutputFile& file) { write_log(log, file.stream(), file.name()); });
  if (npz) write_file(out / "log.npz", [&](OutputFile& file) { write_npz(log, file.stream(), file.name()); });
  if (mcap) write_file(out / "log.mcap", [&](OutputFile& file) { write_mcap(log, file.stream(), file.name()); });
}

void print_people(const LoadedScenario& loaded, const Log& log, double seconds) {
  const double simulated = log.time.back();
  fmt::print("{}: {}\n", loaded.scenario.scenario, loaded.scenario.question);
  fmt::print("  {:.6g} s simulated in {:.3g} s, {:.3g} times real time; {} samples\n\n", simulated, seconds,
             simulated / seconds, log.time.size());
  std::vector<std::vector<std::string>> rows;
  for (int i = 1; i <= loaded.arm.dof(); ++i) {
    const Tracking t = tracking(log, i);
    const bool turns = loaded.arm.body(i - 1).revolute;
    const double scale = turns ? 1 / deg : 1e3;
    const std::string torque = "torque_" + loaded.arm.joint(i - 1).name;
    rows.push_back({loaded.arm.joint(i - 1).name, turns ? "deg" : "mm",
                    short_text(log.channel(fmt::format("q{}", i)).values.back() * scale), short_text(t.rms * scale),
                    short_text(t.largest * scale),
                    log.has(torque) ? short_text(largest(log.channel(torque).values)) : ""});
  }
  fmt::print("{}\n", text_table({"joint", "unit", "ends at", "RMS error", "largest", "peak torque"}, rows));
  const auto counts = count_events(log);
  if (!counts.empty()) {
    fmt::print("  events:");
    for (const auto& [event, count] : counts) fmt::print(" {} ({})", event, count);
    fmt::print("\n");
  }
  fmt::print(
      "  energy: {:.6g} J supplied, {:.6g} J dissipated, {:.6g} J stored more; the books differ by at most {:.2g} J\n",
      log.channel("energy_supplied").values.back(), log.channel("energy_dissipated").values.back(),
      log.channel("energy_stored").values.back() - log.channel("energy_stored").values.front(),
      largest(log.channel("energy_error").values));
}

void print_machine(const LoadedScenario& loaded, const Log& log, double seconds) {
  Json answer{
      {"scenario", loaded.scenario.scenario}, {"robot", loaded.arm.name()}, {"complete", log.incomplete.empty()}};
  if (!log.incomplete.empty()) answer["incomplete"] = log.incomplete;
  answer["simulated"] = log.time.back();
  answer["real_time_factor"] = log.time.back() / seconds;
  answer["joints"] = Json::array();
  for (int i = 1; i <= loaded.arm.dof(); ++i) {
    const Tracking t = tracking(log, i);
    answer["joints"].push_back({{"name", loaded.arm.joint(i - 1).name},
                                {"end", log.channel(fmt::format("q{}", i)).values.back()},
                                {"rms_error", t.rms},
                                {"largest_error", t.largest}});
  }
  answer["events"] = Json::object();
  for (const auto& [event, count] : count_events(log)) answer["events"][event] = count;
  answer["energy"] = {{"supplied", log.channel("energy_supplied").values.back()},
                      {"dissipated", log.channel("energy_dissipated").values.back()},
                      {"largest_error", largest(log.channel("energy_error").values)}};
  print_json(answer);
}

void print_keys() { fmt::print("{}", text_table({"key", "value", "default", "meaning"}, scenario_keys())); }

struct Options {
  ScenarioOptions scenario;
  std::optional<std::string> out;
  bool json = false, npz = false, mcap = false;
};

int simulate(const Options& options) {
  const LoadedScenario loaded = options.scenario.load();
  if ((options.npz || options.mcap) && !options.out)
    throw Error("--npz and --mcap need a folder to write to", "add -o DIR");
  std::signal(SIGINT, interrupt);  // a run that is stopped keeps what it has
  Progress progress(1000);
  std::uint64_t calls = 0;
  const auto start = std::chrono::steady_clock::now();
  const Log log = run_scenario(loaded, &interrupted, [&](double share) {
    progress.update(static_cast<std::uint64_t>(share * 1000), 256 * ++calls);
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.out) write_results(loaded, log, *options.out, options.npz, options.mcap);
  options.json ? print_machine(loaded, log, seconds) : print_people(loaded, log, seconds);
  if (options.out && !options.json)
    fmt::print("  written: {}\n", (std::filesystem::path(*options.out) / "log.csv").string());
  if (!log.incomplete.empty()) {
    complain("the run ended early: " + log.incomplete);
    return exit_no;
  }
  return exit_done;
}

}  // namespace

void add_simulate(CommandLine& line) {
  static Options options;
  Verb& verb = line.verb("simulate", "run a scenario: a machine, a controller, a reference");
  options.scenario.add_to(verb);
  verb.option("-o,--out", "DIR", options.out, "folder for log.csv and the scenario with all its settings")
      .flag("--npz", options.npz, "also write log.npz (NumPy)")
      .flag("--mcap", options.mcap, "also write log.mcap (Foxglove and others)")
      .flag("--json", options.json, "for machines")
      .immediate("--help-keys", "list every key of a scenario file and exit", print_keys)
      .example("armature simulate scenarios/rrr_pd_step.yaml -o out/step", "runs it and leaves a log")
      .example("armature simulate scenarios/rrr_pd_step.yaml --set run.duration=3s --set sensors.encoder=1e-3",
               "with other settings")
      .action([] { return simulate(options); });
}

}  // namespace armature
