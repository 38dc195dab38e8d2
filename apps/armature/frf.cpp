// armature frf: frequency responses estimated from logs, with coherence and resonances.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/identification/frf.hpp"
#include "armature/identification/local_modes.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "setting_options.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct FrfOptions {
  std::vector<std::string> logs;
  SettingOptions settings;
  std::optional<std::string> page, out;
  bool json = false;
};

/// How a log is read.
struct SamplingChoice {
  double rate = std::numeric_limits<double>::quiet_NaN();  // [Hz]; NaN: the log has times
  void fields(Fields& f) {
    f.frequency("rate", rate, "sampling rate, for a table without a time column", Range::positive);
  }
};

/// A log, or with --rate a table without time.
Log read(const std::string& path, double rate) {
  if (std::isnan(rate)) return read_log(path);
  TableReader table(path);
  Log log;
  for (const std::string& column : table.columns()) log.add(column, "");
  table.select(table.columns());
  std::vector<double> row(table.columns().size());
  while (table.next(row)) {
    log.time.push_back(static_cast<double>(log.time.size()) / rate);
    for (std::size_t c = 0; c < row.size(); ++c) log.channels[c].values.push_back(row[c]);
  }
  return log;
}

/// "q2 = 0.000, q3 = 1.571": joints that hardly move in the log, in its order.
std::string posture(const Log& log) {
  std::string text;
  for (int i = 1; i <= 16; ++i) {
    const std::string measured = fmt::format("q{}_meas", i), plain = fmt::format("q{}", i);
    const std::string& name = log.has(measured) ? measured : plain;
    if (!log.has(name)) continue;
    double sum = 0, square = 0;
    for (const double q : log.channel(name).values) {
      sum += q;
      square += q * q;
    }
    const auto n = static_cast<double>(log.time.size());
    if (square / n - sum * sum / (n * n) < 1e-3)
      text += fmt::format("{}q{} = {:.3f}", text.empty() ? "" : ", ", i, sum / n);
  }
  return text;
}

struct FrfAnswer {
  std::string file, posture, input_unit, output_unit;
  FrfEstimate frf;
  std::vector<Resonance> modes;
  FrfTrend trend;
};

void write_lines(const FrfOptions& options, const FrfSettings& s, const std::vector<FrfAnswer>& answers) {
  OutputFile file(*options.out);
  file.write("log,frequency,re,im,magnitude_db,phase_deg,coherence,deviation,direct_re,direct_im,direct_coherence\n");
  for (std::size_t a = 0; a < answers.size(); ++a) {
    const FrequencyResponse &best = answers[a].frf.best(), &direct = answers[a].frf.direct;
    const std::vector<double> deviation = relative_deviation(best);
    for (std::size_t k = 1; k < best.frequency.size(); ++k) {
      if (!(std::abs(best.response[k]) > 0) || !std::isfinite(deviation[k])) continue;
      file.write(fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", a + 1, best.frequency[k], best.response[k].real(),
                             best.response[k].imag(), 20 * std::log10(std::abs(best.response[k])),
                             std::arg(best.response[k]) / deg, best.coherence[k], deviation[k],
                             direct.response[k].real(), direct.response[k].imag(), direct.coherence[k]));
    }
  }
  const auto named = [&](const std::string& channel, const std::string& unit) {
    return printable(channel) + (unit.empty() ? "" : fmt::format(" [{}]", printable(unit)));
  };
  const FrfAnswer& first = answers.front();
  file.write(
      fmt::format("# input: {}\n# output: {}\n", named(s.input, first.input_unit), named(s.output, first.output_unit)));
  file.commit();
}

Json json_of_answer(const FrfAnswer& answer, double threshold, double from, double to) {
  Json j{{"log", answer.file},
         {"posture", answer.posture},
         {"segments", answer.frf.direct.segments},
         {"line_spacing", answer.frf.direct.frequency[1]},
         {"direct_reliable", reliable_share(answer.frf.direct, threshold, from, to)}};
  if (answer.frf.indirect) j["indirect_reliable"] = reliable_share(*answer.frf.indirect, threshold, from, to);
  if (std::isfinite(answer.trend.power))
    j["low_frequency"] = {{"power", answer.trend.power}, {"phase", answer.trend.phase}};
  j["resonances"] = Json::array();
  for (const Resonance& m : answer.modes)
    j["resonances"].push_back({{"anti", m.anti},
                               {"frequency", m.frequency},
                               {"frequency_deviation", m.frequency_deviation},
                               {"damping", m.damping},
                               {"damping_deviation", m.damping_deviation}});
  return j;
}

void print_people(const FrfSettings& s, const FrfAnswer& answer, double from, double to) {
  const double threshold = s.threshold;
  const FrfEstimate& frf = answer.frf;
  const bool single = frf.direct.segments < 2;
  fmt::print("{}: {} to {}, {} {}, lines {:.4g} Hz apart{}{}\n", answer.file, s.input, s.output, frf.direct.segments,
             single ? "segment" : "segments", frf.direct.frequency[1],
             answer.posture.empty() ? "" : "; held: ", answer.posture);
  if (single) {
    fmt::print(
        "  a single segment has a coherence of 1 whatever the noise, so nothing tells which lines are reliable: take a "
        "longer log, or a shorter --segment\n");
  } else {
    const double direct = reliable_share(frf.direct, threshold, from, to);
    fmt::print("  direct estimate: {:.0f} % of the lines from {:g} to {:g} Hz have a coherence of {:g} or more{}\n",
               100 * direct, from, to, threshold, direct < 0.9 ? "; the others are not reliable" : "");
    if (frf.indirect)
      fmt::print("  indirect estimate (by the excitation '{}'): {:.0f} % of them\n", s.excitation,
                 100 * reliable_share(*frf.indirect, threshold, from, to));
  }
  if (std::isfinite(answer.trend.power))
    fmt::print("  at low frequencies the magnitude is proportional to f^{:.2f}; phase {:.0f} deg\n", answer.trend.power,
               answer.trend.phase / deg);
  std::vector<std::vector<std::string>> rows;
  for (const Resonance& m : answer.modes)
    rows.push_back({m.anti ? "antiresonance" : "resonance", fmt::format("{:.3f}", m.frequency),
                    fmt::format("{:.3f}", 1.96 * m.frequency_deviation), fmt::format("{:.4f}", m.damping),
                    fmt::format("{:.4f}", 1.96 * m.damping_deviation)});
  if (rows.empty())
    fmt::print("  no resonance stands out of the noise\n");
  else
    fmt::print("\n{}", text_table({"", "Hz", "± (95 %)", "damping", "± (95 %) "}, rows));
  fmt::print("\n");
}

/// How the resonances move from log to log: each of the first log with the nearest of every other.
void print_postures(const std::vector<FrfAnswer>& answers) {
  std::vector<std::string> header{"resonance"};
  for (std::size_t a = 0; a < answers.size(); ++a) header.push_back(fmt::format("log {} [Hz]", a + 1));
  header.emplace_back("range");
  std::vector<std::vector<std::string>> rows;
  for (const Resonance& mode : answers.front().modes) {
    std::vector<std::string> row{fmt::format("{}{:.1f} Hz", mode.anti ? "anti, " : "", mode.frequency)};
    double low = mode.frequency, high = mode.frequency;
    for (const FrfAnswer& answer : answers) {
      const Resonance* nearest = nullptr;
      for (const Resonance& other : answer.modes)
        if (other.anti == mode.anti && std::abs(std::log(other.frequency / mode.frequency)) < 0.3 &&
            (!nearest || std::abs(other.frequency - mode.frequency) < std::abs(nearest->frequency - mode.frequency)))
          nearest = &other;
      row.push_back(nearest ? fmt::format("{:.2f}", nearest->frequency) : "-");
      if (nearest) {
        low = std::min(low, nearest->frequency);
        high = std::max(high, nearest->frequency);
      }
    }
    row.push_back(fmt::format("{:.1f} %", 100 * (high / low - 1)));
    rows.push_back(row);
  }
  if (!rows.empty()) fmt::print("dependence on the posture\n\n{}", text_table(header, rows));
}

/// The estimates over each other, one per log, from one frequency to the other, and the resonances found in them.
std::string write_page(const std::string& folder, const FrfSettings& settings, const std::vector<FrfAnswer>& answers,
                       double from, double to) {
  Log log;
  LogTable modes{"Resonances", {"log", "", "frequency [Hz]", "± 95 % [Hz]", "damping", "± 95 %"}, {}};
  const auto spectrum = [&](const std::string& name, const FrequencyResponse& r) {
    Spectrum s{name,
               settings.input,
               settings.output,
               "",
               {},
               {},
               {},
               fmt::format("{} to {}", settings.input, settings.output)};
    for (std::size_t k = 1; k < r.frequency.size(); ++k) {
      if (r.frequency[k] < from || r.frequency[k] > to) continue;  // beyond what was evaluated, and often excited
      s.frequency.push_back(r.frequency[k]);
      s.response.push_back(r.response[k]);
      s.coherence.push_back(r.coherence[k]);
    }
    log.spectra.push_back(std::move(s));
  };
  for (const FrfAnswer& answer : answers) {
    const std::string name = answers.size() > 1 ? answer.file + ", " : "";
    spectrum(name + "direct", answer.frf.direct);
    if (answer.frf.indirect) spectrum(name + "indirect", *answer.frf.indirect);
    for (const Resonance& m : answer.modes)
      modes.rows.push_back({answer.file, m.anti ? "antiresonance" : "resonance", fmt::format("{:.3f}", m.frequency),
                            fmt::format("{:.3f}", 1.96 * m.frequency_deviation), fmt::format("{:.4f}", m.damping),
                            fmt::format("{:.4f}", 1.96 * m.damping_deviation)});
  }
  if (!modes.rows.empty()) log.tables.push_back(std::move(modes));
  Report report{.kind = "frf",
                .title = fmt::format("Frequency response from {} to {}", settings.input, settings.output)};
  report.subtitle = fmt::format("{} segments, lines {:.4g} Hz apart", answers.front().frf.direct.segments,
                                answers.front().frf.direct.frequency[1]);
  report.logs = {std::move(log)};
  return write_report(std::move(report), folder);
}

int frf(const FrfOptions& options) {
  FrfSettings s;
  SamplingChoice sampling;
  const auto list = [&](Fields& f) {
    s.fields(f);
    sampling.fields(f);
  };
  options.settings.read(list);
  if (!(s.threshold < 1)) throw Error("--coherence lies between 0 and 1", "0.7 is usual");
  if (!(s.overlap < 0.95)) throw Error("--overlap lies between 0 and 0.95", "0.5 is usual");
  std::vector<FrfAnswer> answers;
  double from = 0, to = 0;
  for (const std::string& path : options.logs) {
    const Log log = read(path, sampling.rate);
    FrfAnswer answer{path, posture(log), "", "", {}, {}, {}};
    try {
      answer.frf = estimate_frf(log, s);
    } catch (const Error& error) {
      throw Error(error.finding(), error.hint(), {path});
    }
    answer.input_unit = log.channel(s.input).unit;
    answer.output_unit = log.channel(s.output).unit;
    std::tie(from, to) = evaluated_band(answer.frf, s);
    answer.modes = find_modes(log, s, from, to);
    const double first = answer.modes.empty() ? to : answer.modes.front().frequency;
    answer.trend = frf_trend(answer.frf.best(), s.threshold, from, std::min(10 * from, 0.5 * first));
    answers.push_back(std::move(answer));
  }
  if (options.out) write_lines(options, s, answers);
  const std::string page = options.page ? write_page(*options.page, s, answers, from, to) : "";
  if (options.json) {
    Json all = Json::array();
    for (const FrfAnswer& answer : answers) all.push_back(json_of_answer(answer, s.threshold, from, to));
    print_json(all);
  } else if (options.out != "-") {
    for (const FrfAnswer& answer : answers) print_people(s, answer, from, to);
    if (answers.size() > 1) print_postures(answers);
    if (options.page) fmt::print("  page: {}\n", page);
  }
  return exit_done;
}

}  // namespace

void add_frf(CommandLine& line) {
  static FrfOptions options;
  Verb& verb = line.verb("frf", "frequency response, coherence and resonances from logs");
  verb.arguments("LOG.csv", options.logs, "a log (.csv, .csv.xz, .npz, .mcap), or several of different postures");
  options.settings.add_to(verb, [](Fields& f) {
    FrfSettings().fields(f);
    SamplingChoice().fields(f);
  });
  verb.option("-o,--out", "FILE", options.out, "write the lines as CSV")
      .option("--page", "DIR", options.page, "folder for a page with Bode plots, coherence and resonances")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "The direct estimate is output over input; it is biased where noise passes through a feedback loop. The "
          "indirect estimate is not: it divides the response from excitation to output by that from excitation to "
          "input. Resonances and antiresonances are fitted to the spectra of the whole log, not to its segments, and "
          "named "
          "where they stand out of the noise.")
      .example("armature frf log.csv --input u_waist --output q1_meas --excitation v1 --segment 4s -o frf.csv",
               "in closed loop, with the signal that was added")
      .example("armature frf a.csv b.csv --input u_waist --output q1_meas --segment 4s",
               "how resonances move with the posture")
      .action([] { return frf(options); });
}

}  // namespace armature::app
