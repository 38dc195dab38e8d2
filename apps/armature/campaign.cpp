// armature campaign: with what probability does this machine keep what it must?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "armature/campaign/answers.hpp"
#include "armature/campaign/tune.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/report/campaign_report.hpp"
#include "armature/report/campaign_tables.hpp"
#include "campaign_engine.hpp"
#include "campaign_folder.hpp"
#include "campaign_json.hpp"
#include "campaign_slurm.hpp"
#include "kernel_option.hpp"
#include "report_folder.hpp"
#include "run_folder.hpp"
#include "scenario_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "threads_option.hpp"
#include "unfinished.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

struct CampaignOptions {
  std::string file;
  KernelOption kernels;
  std::vector<std::string> settings;
  std::optional<std::string> out, threads, runs, until, replay, shard, slurm, tune, device;
  bool json = false;
};

std::uint64_t whole_number(const char* option, const std::string& text, double least) {
  const double n = parse_double(text).value_or(-1);
  if (!(n >= least && n <= Plan::most_runs && n == std::floor(n)))
    throw Error(fmt::format("{} {}: not a number of runs", option, printable(text)),
                fmt::format("a whole number up to {}, e.g. 10000", Plan::most_runs));
  return static_cast<std::uint64_t>(n);
}

std::optional<double> asked_width(const CampaignOptions& o) {
  if (!o.until) return std::nullopt;
  const double width = parse_quantity(*o.until, dimension::none);
  if (!(width > 0 && width < 1))
    throw Error(fmt::format("--until {}: not the width of an interval", printable(*o.until)), "e.g. --until 0.1%");
  return width;
}

/// One run of a campaign as a folder of its own: everything that `armature simulate` needs to make it again.
std::string write_one(const CampaignRuns& runs, std::uint64_t run, OutputFolder& folder, const std::string& under) {
  const LoadedScenario loaded = runs.scenario(run);
  folder.write(under + "arm.yaml", write_arm_yaml(loaded.arm.description()));
  folder.write(under + "believed.yaml", write_arm_yaml(runs.variation().believed().description()));
  return write_run(loaded, run_timed(loaded), folder, under);
}

int replay(const CampaignOptions& o, const CampaignRuns& runs) {
  const std::uint64_t run = whole_number("--replay", *o.replay, 0);
  OutputFolder folder(*o.out);
  const std::string page = write_one(runs, run, folder, "");
  folder.commit();
  const std::vector<double> values = runs.variation().values(runs.plan().point(run));
  if (!o.json)
    fmt::print("run {}: {}\n  written: {}\n  page: {}\n", run, runs.variation().text(values), folder.path_of("log.csv"),
               page);
  return exit_done;
}

/// Goes on with the runs until there are as many as planned, the interval is narrow enough, or somebody interrupts. Returns how many of
/// them count and the level of their intervals.
struct Extent {
  std::uint64_t count = 0;
  double level = default_level;
  bool narrow = false;
};
Extent go_on(const CampaignOptions& o, const CampaignRuns& runs, const CampaignEngine& engine, RunStore& store,
             const RunRange& range, const std::atomic<bool>& stop) {
  ProgressLine line;
  const std::uint64_t planned = range.last - range.first;
  Probability so_far;
  const auto progress = [&](std::uint64_t rows) {
    std::string text = fmt::format("{} of {} runs", rows, planned);
    if (so_far.runs > 0) text += ", kept " + probability_text(so_far);
    line.update(static_cast<double>(rows) / static_cast<double>(planned), text);
  };
  ExecuteSettings settings{.threads = threads_of(o.threads), .stop = &stop, .progress = progress};
  engine.put_into(settings);
  const std::optional<double> width = asked_width(o);
  const std::vector<std::uint64_t> stages = looks(planned, runs.plan().replicate_size());
  const double level = width ? level_of_a_look(stages.size(), default_level) : default_level;
  for (const std::uint64_t stage : stages) {
    if (!o.shard || stage == planned) execute(runs, range.first, range.first + stage, store, settings);
    if (store.rows() < stage) return {store.rows(), level};
    if (o.shard) continue;
    so_far = probability_of_all(runs, store, stage, level);
    if (width && so_far.interval.width() <= *width) return {stage, level, true};
  }
  return {planned, level};
}

std::vector<KeptRun> write_worst(const CampaignRuns& runs, const Answers& answers, OutputFolder& folder) {
  std::vector<KeptRun> kept;
  std::set<std::uint64_t> written;
  for (const RequirementAnswer& a : answers.requirements)
    for (std::size_t i = 0; i < a.worst.size(); ++i) {
      if (!written.insert(a.worst[i]).second) continue;
      kept.push_back(
          {a.worst[i], fmt::format("worst {} in {}", i + 1, a.requirement.metric), fmt::format("run_{}", a.worst[i])});
      write_one(runs, a.worst[i], folder, kept.back().folder + "/");
    }
  return kept;
}

/// Folders of runs that were the worst when there were fewer.
void remove_other_runs(const std::string& folder, const std::vector<KeptRun>& kept) {
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.starts_with("run_") && name.find_first_not_of("0123456789", 4) == std::string::npos;
    const auto is_it = [&](const KeptRun& k) { return k.folder == name; };
    if (ours && entry.is_directory() && std::none_of(kept.begin(), kept.end(), is_it)) old.push_back(entry.path());
  }
  for (const fs::path& path : old) fs::remove_all(path);
}

void print_answers(const CampaignRuns& runs, const Answers& answers, const Extent& extent) {
  const Campaign& c = runs.campaign();
  fmt::print("{}{}{}\n", c.name, c.question.empty() ? "" : ": ", c.question);
  fmt::print("  {} runs", answers.runs);
  if (answers.runs < runs.plan().runs())
    fmt::print(" of {}: {}", runs.plan().runs(), extent.narrow ? "the interval is narrow enough" : "stopped early");
  fmt::print("; {} of them ended early\n\n", answers.ended_early);
  const LogTable verdict = verdict_table(answers), quantiles = quantile_table(answers);
  fmt::print("{}\n{}\n", text_table(verdict.header, verdict.rows), text_table(quantiles.header, quantiles.rows));
  for (const RequirementAnswer& a : answers.requirements) {
    const LogTable table = influence_table(a);
    fmt::print("  {}\n{}\n", table.title, text_table(table.header, table.rows));
  }
  fmt::print("  {}\n", wrapped(verdict_sentence(runs, answers), 2));
}

int finish(const CampaignOptions& o, const CampaignRuns& runs, const RunStore& store, const Extent& extent,
           bool interrupted) {
  const Answers answers = answers_of(runs, store, extent.count, extent.level);
  if (answers.unbalanced > 0)
    warn(fmt::format(
        "the energy balance of {} runs does not close: their integrator does not follow the machine\n  hint: "
        "--replay one of them (column outcome is 2) and see what it says",
        answers.unbalanced));
  std::string page;
  std::vector<KeptRun> kept;
  if (!interrupted) {
    OutputFolder folder(*o.out);
    kept = write_worst(runs, answers, folder);
    folder.write("answers.json", answers_json(runs, answers).dump(1) + "\n");
    page = write_report(campaign_report(runs, store, answers, kept), folder);
    folder.commit();
    remove_other_runs(*o.out, kept);
  }
  if (o.json) {
    print_json(answers_json(runs, answers));
  } else {
    print_answers(runs, answers, extent);
    for (const KeptRun& k : kept) fmt::print("  {}: run {}, {}/{}\n", k.why, k.run, *o.out, k.folder);
    fmt::print("  runs: {}\n", (fs::path(*o.out) / runs_file).string());
    if (!page.empty()) fmt::print("  page: {}\n", page);
  }
  if (interrupted) {
    complain(fmt::format("stopped after {} of {} runs\n  hint: the same command goes on where it stopped", store.rows(),
                         runs.plan().runs()));
    return exit_no;
  }
  const std::optional<double>& target = runs.campaign().target;
  return target && !(answers.all.interval.low >= *target) ? exit_no : exit_done;
}

/// A warning where a kernel was asked for; in the default it is good to know.
void say_why_simulated(const CampaignOptions& o, const CampaignEngine& engine) {
  if (o.device && *o.device != "threads")
    warn("no kernel can make these runs, each is simulated: " + engine.why_simulated());
  else if (!o.json)
    fmt::print("  each run is simulated by itself, not in lockstep: {}\n", engine.why_simulated());
}

int run_campaign(const CampaignOptions& o);

/// --tune: settings with more room to spare, then the whole campaign with the old ones and with the new ones, on draws that neither has seen.
int tune_and_compare(const CampaignOptions& o) {
  if (o.replay || o.shard || o.slurm)
    throw Error("--tune goes with neither --replay, --shard nor --slurm", "one at a time");
  TuneSettings settings{.threads = threads_of(o.threads), .kernels = o.kernels.set()};
  for (std::size_t start = 0; start <= o.tune->size();) {
    const std::size_t comma = std::min(o.tune->find(',', start), o.tune->size());
    if (comma > start) settings.keys.push_back(o.tune->substr(start, comma - start));
    start = comma + 1;
  }
  Tuned tuned;
  {
    ProgressLine line;
    settings.progress = [&](int trial, double best) {
      line.update(static_cast<double>(trial) / settings.trials,
                  fmt::format("trial {}, margin {:.1f} %", trial, 100 * best));
    };
    tuned = tune_campaign(o.file, parse_settings(o.settings), settings);
  }
  CampaignOptions before = o, after = o;
  before.tune.reset();
  after.tune.reset();
  before.out = (fs::path(*o.out) / "before").string();
  after.out = (fs::path(*o.out) / "after").string();
  std::string command;
  for (const auto& [key, value] : tuned.settings) {
    after.settings.push_back(key + "=" + value);
    command += fmt::format(" --set '{}={}'", key, value);
  }
  if (!o.json) {
    fmt::print(
        "Tuned in {} trials of {} runs: the margin that {:g} % of the runs fall below goes from {:.1f} to {:.1f} % of "
        "the bound.\n",
        tuned.trials, settings.runs, 100 * settings.quantile, 100 * tuned.before, 100 * tuned.after);
    fmt::print("  settings:{}\n", command);
    for (const std::string& key : tuned.at_bound)
      fmt::print("  {} stopped at the bound of the search, a factor of {:g}: go on from these settings for more\n", key,
                 settings.most);
    fmt::print("\nBefore, on fresh draws: ");
  }
  before.json = false;
  if (!o.json) run_campaign(before);
  if (!o.json) fmt::print("\nAfter, on the same fresh draws: ");
  return run_campaign(after);
}

int run_campaign(const CampaignOptions& o) {
  if (!o.out) throw Error("a campaign needs a folder for its runs", "add -o DIR");
  if (o.shard && o.until)
    throw Error("a part of a campaign does not know the others: --until does not go with --shard", "leave one out");
  if (o.tune) return tune_and_compare(o);
  Campaign campaign = load_campaign(o.file, parse_settings(o.settings), o.kernels.set());
  for (const std::string& warning : campaign.scenario.warnings) warn(warning);
  if (o.runs) campaign.plan.runs = static_cast<int>(whole_number("--runs", *o.runs, 1));
  (void)asked_width(o);
  (void)threads_of(o.threads);
  const CampaignRuns runs(campaign);
  if (o.replay) return replay(o, runs);
  if (o.slurm)
    return submit_to_slurm(o.file, *o.out, static_cast<int>(whole_number("--slurm", *o.slurm, 1)), campaign.plan.runs,
                           o.settings, o.device.value_or(""));
  if (o.device == "source") {
    OutputFolder folder(*o.out);
    folder.write("kernel.cu", kernel_source_text(runs, threads_of(o.threads)));
    folder.commit();
    if (!o.json) fmt::print("  written: {}\n", folder.path_of("kernel.cu"));
    return exit_done;
  }
  const CampaignEngine engine(o.device, runs, threads_of(o.threads));
  const Shard shard = o.shard ? parse_shard(*o.shard) : Shard{};
  const fs::path folder = o.shard ? shard_folder(*o.out, shard) : fs::path(*o.out);
  claim_folder(folder, runs.identity());
  const RunRange range = shard.of(runs.plan().runs());
  if (o.shard) write_range(folder, range);
  RunStore store((folder / runs_file).string(), runs.columns());
  const std::uint64_t before = store.rows();
  if (before > 0 && before < range.last - range.first && !o.json)
    fmt::print("  going on after {} runs that are there\n", before);
  if (before < range.last - range.first) {
    const std::string mixed = mixed_engines_text(note_engine(folder, range.first + before, before > 0, engine.name()));
    if (!mixed.empty()) warn(mixed);
    if (!engine.why_simulated().empty()) say_why_simulated(o, engine);
  }
  const std::atomic<bool>& stop = keep_on_interrupt();
  const Extent extent = go_on(o, runs, engine, store, range, stop);
  const bool interrupted = stop.load() && store.rows() < range.last - range.first && !extent.narrow;
  if (!o.shard) return finish(o, runs, store, extent, interrupted);
  if (!o.json)
    fmt::print("  part {} of {}: {} of {} runs, {}\n", shard.number, shard.count, store.rows(),
               range.last - range.first, (folder / runs_file).string());
  return interrupted ? exit_no : exit_done;
}

}  // namespace

void add_campaign(CommandLine& line) {
  static CampaignOptions options;
  Verb& verb = line.verb("campaign",
                         "run a scenario many times with random variations: how likely does it meet its requirements?");
  verb.argument("CAMPAIGN", options.file, "a campaign file (.yaml): scenario, vary, plan, require (docs/campaign.md)")
      .option(
          "-o,--out", "DIR", options.out,
          "folder for the runs (runs.npy), the answers, the worst runs and the page; the same command goes on where it "
          "stopped")
      .list("--set", "KEY=VALUE", options.settings, "replace a setting of the scenario; may be repeated");
  options.kernels.add_to(verb);
  verb.option("--runs", "N", options.runs, "number of runs (default: plan.runs of the file)")
      .option("--until", "WIDTH", options.until,
              "stop once the interval of keeping all requirements is this narrow, e.g. 0.1%")
      .option("--threads", "N", options.threads, "runs at a time (default: one per core); results do not depend on it")
      .option(
          "--device", "ENGINE", options.device,
          "threads (default): eight runs in lockstep in vector registers, on every core, or, where a run has events or "
          "another step than its neighbours, each simulated by itself; simulation: every run as armature simulate does "
          "it; host: that loop as one kernel, compiled here; cuda: the kernel on a graphics processor, compiled by "
          "nvcc; "
          "source: its text is written to DIR/kernel.cu, and nothing runs. "
          "Where a kernel cannot do it, the program says so and simulates every run")
      .option("--replay", "K", options.replay, "make run K alone, as a log with its page in DIR")
      .option("--shard", "K/N", options.shard, "make the K-th of N parts; armature merge puts them together")
      .option("--slurm", "N", options.slurm, "write and submit an array job of N parts, which are merged at its end")
      .option("--tune", "KEYS", options.tune,
              "first search factors on these settings that leave the most room to spare, then compare before and after "
              "on fresh "
              "draws, in DIR/before and DIR/after")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "Run k is the same run whatever the number of threads, parts or runs. Intervals are exact (Clopper and "
          "Pearson) for "
          "monte_carlo, and come from independent replicates for the other plans; under --until they allow for every "
          "look.")
      .example("armature campaign payload.yaml -o out/payload",
               "probabilities, quantiles, what matters, the worst runs")
      .example("armature campaign payload.yaml -o out/payload --until 0.5%", "as many runs as the interval needs")
      .example("armature campaign payload.yaml -o out/tuned --tune controller.kp,controller.kd",
               "gains with room to spare")
      .example("armature campaign payload.yaml -o out/payload --device cuda", "a million runs in seconds")
      .example("armature campaign payload.yaml --replay 4711 -o out/run_4711", "one of its runs, byte for byte")
      .action([] { return run_campaign(options); });
}

}  // namespace armature::app
