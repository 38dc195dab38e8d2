#include "identification_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "armature/algorithms/friction.hpp"
#include "armature/record/spectrum.hpp"
#include "armature/simulation/scene.hpp"

namespace armature {

namespace {

std::string channel(const char* what, int joint, const char* suffix = "") {
  return fmt::format("{}{}{}", what, joint + 1, suffix);
}

/// Torques joint by joint, then what is left of them, then the motion.
void add_torques(Log& log, const Arm& arm) {
  TimeFigure left{"", "What is left: measured − predicted", {}}, motion{"", "Joint position", {}};
  for (int i = 0; i < arm.dof(); ++i) {
    log.time_figures.push_back({"",
                                fmt::format("Torque of {}, measured and predicted", arm.joint(i).name),
                                {channel("tau", i), channel("tau", i, "_predicted")}});
    left.channels.push_back(channel("tau", i, "_error"));
    motion.channels.push_back(channel("q", i));
  }
  log.time_figures.push_back(std::move(left));
  log.time_figures.push_back(std::move(motion));
  add_scene(log, arm);
}

/// What is left, by frequency.
void add_residual_spectra(Log& log, const Arm& arm) {
  log.spectra.clear();
  if (log.time.size() < 128) return;
  Figure figure{"", "Spectrum of what is left", {"frequency", "Hz", true}, {"amplitude density", "N m/√Hz", true}, {}};
  const double rate = static_cast<double>(log.time.size() - 1) / (log.time.back() - log.time.front());
  for (int i = 0; i < arm.dof(); ++i) {
    std::vector<double> error = log.channel(channel("tau", i, "_error")).values;
    for (double& e : error)
      if (!std::isfinite(e)) e = 0;
    const PowerSpectrum power = welch(error, {.rate = rate, .segment = std::min<std::size_t>(1024, error.size() / 4)});
    FigureSeries series{arm.joint(i).name, {}, {}};
    for (std::size_t k = 1; k < power.frequency.size(); ++k)
      series.x.push_back(power.frequency[k]), series.y.push_back(std::sqrt(power.density[k]));
    figure.series.push_back(std::move(series));
  }
  log.figures.push_back(std::move(figure));
}

/// The law that was found, and what each sample says of it: the measured torque less all that is not friction.
void add_friction(Log& log, const Arm& arm) {
  constexpr std::size_t most = 1500;  // points per joint
  for (int i = 0; i < arm.dof(); ++i) {
    const Friction& law = arm.joint(i).friction;
    const std::vector<double>& v = log.channel(channel("qd", i)).values;
    const std::vector<double>& error = log.channel(channel("tau", i, "_error")).values;
    FigureSeries samples{"samples", {}, {}, FigureSeries::Style::points}, curve{"identified law", {}, {}};
    double fastest = 0;
    for (std::size_t k = 0; k < v.size(); ++k)
      if (std::isfinite(v[k])) fastest = std::max(fastest, std::abs(v[k]));
    if (!(fastest > 0) || friction_torque(law, fastest) == 0) continue;
    const std::size_t stride = 1 + v.size() / most;
    for (std::size_t k = 0; k < v.size(); k += stride) {
      if (!std::isfinite(v[k]) || !std::isfinite(error[k])) continue;
      samples.x.push_back(v[k]), samples.y.push_back(error[k] + friction_torque(law, v[k]));
    }
    for (int k = -200; k <= 200; ++k) {
      const double speed = fastest * k / 200;
      curve.x.push_back(speed), curve.y.push_back(friction_torque(law, speed));
    }
    const bool turns = arm.body(i).revolute;
    log.figures.push_back({"",
                           "Friction of " + arm.joint(i).name,
                           {"speed", turns ? "rad/s" : "m/s"},
                           {"friction", turns ? "N m" : "N"},
                           {samples, curve},
                           false,
                           "Each point is a sample: the measured torque less everything that is not friction."});
  }
}

/// The parameters with their intervals, one figure a unit.
void add_parameters(Log& log, const Identification& r) {
  std::map<std::string, Figure> by_unit;
  std::vector<std::string> order, names;
  std::vector<int> found;
  for (int k = 0; k < r.model->size(); ++k) {
    if (!r.estimate.determined[static_cast<std::size_t>(k)]) continue;
    const ModelColumn& c = r.model->columns()[static_cast<std::size_t>(k)];
    found.push_back(k), names.push_back(c.name);
    if (by_unit.count(c.unit) == 0) {
      order.push_back(c.unit);
      by_unit[c.unit] = {"", "Parameters with their intervals", {"parameter", ""}, {"value", c.unit}, {}};
      by_unit[c.unit].series = {{"estimate, 95 % interval", {}, {}, FigureSeries::Style::points},
                                {"physically consistent fit", {}, {}, FigureSeries::Style::points}};
    }
    Figure& figure = by_unit[c.unit];
    figure.x.categories.push_back(c.name);
    const auto place = static_cast<double>(figure.x.categories.size());
    FigureSeries &estimate = figure.series[0], &bodies = figure.series[1];
    estimate.x.push_back(place), estimate.y.push_back(r.estimate.x[k]);
    estimate.low.push_back(r.estimate.x[k] - r.estimate.half_width(k));
    estimate.high.push_back(r.estimate.x[k] + r.estimate.half_width(k));
    bodies.x.push_back(place), bodies.y.push_back(r.physical.x[k]);
  }
  for (const std::string& unit : order) log.figures.push_back(by_unit[unit]);
  MatrixFigure correlation{"", "Correlation of the estimates", names, names, {}};
  for (const int i : found)
    for (const int j : found)
      correlation.values.push_back(r.estimate.covariance(i, j) / (r.estimate.deviation(i) * r.estimate.deviation(j)));
  if (found.size() > 1) log.matrices.push_back(std::move(correlation));
}

}  // namespace

Report identify_report(const Identification& r, const std::string& from) {
  const Arm arm(r.arm);
  Log log = identification_log(r);
  std::erase_if(log.figures,
                [](const Figure& f) { return f.title.rfind("Friction of ", 0) == 0; });  // below with samples
  log.time_figures.clear();
  add_parameters(log, r);
  add_friction(log, arm);
  add_residual_spectra(log, arm);
  add_torques(log, arm);
  Report report{.kind = "identify", .title = "Identification of " + arm.name()};
  report.subtitle = fmt::format("{} parameters from {}, {} equations; {:.2f} % prediction error on held-out data",
                                r.model->size(), from, r.rows, 100 * r.cross.total);
  report.logs = {std::move(log)};
  return report;
}

Report validate_report(const Arm& arm, const Prediction& prediction, const std::string& from) {
  Log log = prediction.log;
  add_residual_spectra(log, arm);
  add_torques(log, arm);
  Report report{.kind = "validate", .title = "Validation of " + arm.name()};
  report.subtitle = fmt::format("{:.2f} % of the torques of {} are not predicted", 100 * prediction.relative, from);
  for (int i = 0; i < arm.dof(); ++i)
    if (prediction.joints[static_cast<std::size_t>(i)].samples == 0)
      report.subtitle += fmt::format("; {} is at rest and not judged", arm.joint(i).name);
  report.logs = {std::move(log)};
  return report;
}

}  // namespace armature
