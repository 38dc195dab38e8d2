// armature tune: gains and notches from frequency responses in several postures.
#include <fmt/format.h>

#include <cmath>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/table.hpp"
#include "armature/identification/tuning.hpp"
#include "json_out.hpp"
#include "setting_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

struct TuneOptions {
  std::vector<std::string> files;
  SettingOptions settings;
  std::optional<std::string> coherence;
  bool json = false;
};

/// The responses of a table as `frf -o` or `linearize --bode` writes it; one a number in its column `log`.
void read(const std::string& path, double coherence, std::vector<PlantResponse>& plants) {
  TableReader table(path);
  std::vector<std::string> columns{"frequency", "re", "im"};
  const bool logs = table.has("log"), coherent = table.has("coherence");
  if (logs) columns.emplace_back("log");
  if (coherent) columns.emplace_back("coherence");
  table.select(columns);
  std::vector<double> row(columns.size());
  double current = -1;
  while (table.next(row)) {
    if (current < 0 || (logs && row[3] != current)) {
      current = logs ? row[3] : 0;
      plants.push_back({logs ? fmt::format("{}, log {:g}", path, current) : path, {}, {}});
    }
    if (coherent && row.back() < coherence) continue;
    PlantResponse& plant = plants.back();
    if (!(row[0] > 0) || (!plant.frequency.empty() && row[0] <= plant.frequency.back()))
      throw FormatError(fmt::format("the frequency {} Hz does not increase", row[0]),
                        "one line after the other, from above zero", table.place());
    plant.frequency.push_back(row[0]);
    plant.response.emplace_back(row[1], row[2]);
  }
}

int tune(const TuneOptions& options) {
  TuningSettings s;
  options.settings.read([&](Fields& f) { s.fields(f); });
  if (!(s.to > s.from)) throw Error("--from is not below --to", "for example --from 1Hz --to 100Hz");
  std::vector<PlantResponse> plants;
  for (const std::string& file : options.files)
    read(file, parse_option("--coherence", options.coherence, dimension::none, 0.7), plants);
  Tuning t;
  try {
    t = armature::tune(plants, s);
  } catch (const NoController& none) {
    complain(none.what());
    return exit_no;
  }
  const LoopController& c = t.controller;
  if (options.json) {
    Json answer{{"kp", c.kp},
                {"ki", c.ki},
                {"kd", c.kd},
                {"tick", c.tick},
                {"notches", Json::array()},
                {"postures", Json::array()}};
    for (const Notch& n : c.notches)
      answer["notches"].push_back(
          {{"frequency", n.frequency}, {"zero_damping", n.zero_damping}, {"pole_damping", n.pole_damping}});
    for (std::size_t k = 0; k < plants.size(); ++k)
      answer["postures"].push_back({{"posture", plants[k].posture},
                                    {"bandwidth", t.margins[k].bandwidth},
                                    {"gain_margin_db", std::min(t.margins[k].gain, 1e3)},
                                    {"phase_margin", t.margins[k].phase},
                                    {"sensitivity_db", t.margins[k].sensitivity}});
    answer["worst"] = plants[t.worst].posture;
    print_json(answer);
    return exit_done;
  }
  fmt::print("kp {:.6g}, {}kd {:.6g}, in the unit of the command over that of the position (and s, 1/s); tick {:g} s\n",
             c.kp, s.integral ? fmt::format("ki {:.6g}, ", c.ki) : "", c.kd, c.tick);
  for (const Notch& n : c.notches)
    fmt::print("notch at {:.2f} Hz: (s² + 2 {:.3f} w s + w²)/(s² + 2 {:.3f} w s + w²)\n", n.frequency, n.zero_damping,
               n.pole_damping);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < plants.size(); ++k) {
    const LoopMargins& m = t.margins[k];
    rows.push_back({plants[k].posture, fmt::format("{:.2f}", m.bandwidth),
                    std::isfinite(m.gain) ? fmt::format("{:.1f}", m.gain) : "-", fmt::format("{:.1f}", m.phase / deg),
                    fmt::format("{:.1f}", m.sensitivity)});
  }
  fmt::print("\n{}\n  worst posture: {}\n",
             text_table({"posture", "bandwidth Hz", "gain margin dB", "phase margin deg", "sensitivity dB"}, rows),
             plants[t.worst].posture);
  return exit_done;
}

}  // namespace

void add_tune(CommandLine& line) {
  static TuneOptions options;
  Verb& verb = line.verb("tune", "tune gains and notches from frequency responses, with margins in every posture");
  verb.arguments("FRF.csv", options.files,
                 "frequency responses from command to position, as frf -o or linearize --bode writes them");
  options.settings.add_to(verb, [](Fields& f) { TuningSettings().fields(f); });
  verb.option("--coherence", "LEAST", options.coherence, "leave out lines of lower coherence (default 0.7)")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "Finds the PD (or PID) controller with notches that has the highest bandwidth and keeps the margins in all "
          "responses.")
      .example("armature tune frf.csv --phase-margin 40deg", "all postures of one `armature frf -o frf.csv`")
      .action([] { return tune(options); });
}

}  // namespace armature
