#include "linearize_observer.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <span>

#include "arm_options.hpp"
#include "armature/control/kalman_motion_observer.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/report/linearization_report.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

/// What the observer gives of a joint: the deviation from the reference, its first and its second derivative.
struct ObservedQuantity {
  std::string name, unit;
  double gain = 0;                             // of (20)
  std::vector<std::complex<double>> response;  // to the measured deviation
  double bandwidth = 0, amplified_at = 0;      // [Hz]
  double amplified = 0;                        // most beyond the derivative that it stands for [dB]
};

/// The k-th derivative of what is measured: what the observer would give if nothing had to be smoothed.
std::complex<double> derivative(int k, double frequency) {
  return std::pow(std::complex<double>(0, 2 * pi * frequency), k);
}

std::array<ObservedQuantity, 3> observed(const KalmanMotionFilter& filter, double tick, bool turns,
                                         const std::vector<double>& frequencies) {
  const std::string unit = turns ? "rad" : "m";
  std::array<ObservedQuantity, 3> all{
      {{"position", unit, 0, {}}, {"speed", unit + "/s", 0, {}}, {"acceleration", unit + "/s^2", 0, {}}}};
  for (int k = 0; k < 3; ++k) {
    ObservedQuantity& one = all[k];
    one.gain = filter.k[k];
    bool followed = true;
    for (const double f : frequencies) {
      one.response.push_back(filter.response(f, k, tick));
      const double decibel = 20 * std::log10(std::abs(one.response.back() / derivative(k, f)));
      followed = followed && decibel > -3;
      if (followed) one.bandwidth = f;
      if (decibel > one.amplified) {
        one.amplified = decibel;
        one.amplified_at = f;
      }
    }
  }
  return all;
}

int joint_number(const std::string& text, int joints) {
  const double number = parse_option("--observer", text, dimension::none, 1);
  if (!(number >= 1 && number <= joints && number == std::floor(number)))
    throw Error(fmt::format("--observer {}", printable(text)), fmt::format("a joint from 1 to {}", joints));
  return static_cast<int>(number);
}

void write_observer(const std::string& name, std::span<const ObservedQuantity> all,
                    const std::vector<double>& frequencies, int joint, double tick) {
  OutputFile file(name);
  file.write("frequency");
  for (const ObservedQuantity& one : all) file.write(fmt::format(",{0}_db,{0}_deg", one.name));
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    file.write(fmt::format("\n{}", frequencies[i]));
    for (const ObservedQuantity& one : all)
      file.write(fmt::format(",{},{}", 20 * std::log10(std::abs(one.response[i])), std::arg(one.response[i]) / deg));
  }
  file.write(fmt::format("\n# from the measured deviation of joint {} to what the observer makes of it, tick {} s\n",
                         joint, tick));
  file.commit();
}

Json observed_json(const ObservedQuantity& one) {
  Json re = Json::array(), im = Json::array();
  for (const auto& value : one.response) {
    re.push_back(value.real());
    im.push_back(value.imag());
  }
  return {{"name", one.name},
          {"gain", one.gain},
          {"bandwidth", one.bandwidth},
          {"amplified_db", one.amplified},
          {"amplified_at", one.amplified_at},
          {"re", re},
          {"im", im}};
}

}  // namespace

int show_observer(const LoadedScenario& loaded, const std::string& joint_text, const std::vector<double>& frequencies,
                  const std::optional<std::string>& bode, const std::optional<std::string>& page, bool json) {
  const ObserverSettings& settings = loaded.scenario.controller.observer;
  if (settings.kind != ObserverSettings::Kind::kalman)
    throw Error("the scenario's controller has no observer",
                "controller.observer: {kind: kalman, resolution: [...], jerk: [...]}");
  const int joint = joint_number(joint_text, loaded.arm.dof());
  const double tick = loaded.scenario.run.tick;
  const KalmanMotionFilter filter =
      kalman_motion_filter(tick, settings.resolution[joint - 1], settings.jerk[joint - 1]);
  const auto all = observed(filter, tick, loaded.arm.body(joint - 1).revolute, frequencies);

  if (bode) {
    write_observer(*bode, all, frequencies, joint, tick);
  }
  std::string written;
  if (page) {
    std::vector<Spectrum> spectra;
    for (const ObservedQuantity& one : all)
      spectra.push_back({fmt::format("reconstructed {}", one.name),
                         "measured deviation",
                         one.name,
                         one.unit,
                         frequencies,
                         one.response,
                         {}});
    Report report = linearization_report(loaded.scenario.scenario, {}, std::move(spectra));
    report.subtitle =
        fmt::format("The Kalman observer of joint {}, from the measured deviation to the reconstructed one", joint);
    written = write_report(std::move(report), *page);
  }
  if (json) {
    Json answer{{"scenario", loaded.scenario.scenario}, {"joint", joint}, {"tick", tick}, {"frequency", frequencies}};
    for (const ObservedQuantity& one : all) answer["observer"].push_back(observed_json(one));
    print_json(answer);
    return exit_done;
  }
  fmt::print("The Kalman observer of joint {} ({}), from the measured deviation to the reconstructed one\n\n", joint,
             loaded.arm.joint(joint - 1).name);
  std::vector<std::vector<std::string>> rows;
  for (const ObservedQuantity& one : all)
    rows.push_back({one.name, short_text(one.gain), short_text(one.bandwidth), fmt::format("{:.2f}", one.amplified),
                    one.amplified > 0 ? short_text(one.amplified_at) : ""});
  fmt::print("{}", text_table({"of the joint", "gain", "-3 dB at Hz", "amplified by dB", "at Hz"}, rows));
  fmt::print(
      "\n  Speed and acceleration beside the derivatives that they stand for. Resolution {}, jerk {}, tick {} s.\n",
      short_text(settings.resolution[joint - 1]), short_text(settings.jerk[joint - 1]), short_text(tick));
  if (bode) fmt::print("  written: {}\n", *bode);
  if (page) fmt::print("  page: {}\n", written);
  return exit_done;
}

}  // namespace armature::app
