#include "armature/report/identification_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "armature/algorithms/friction.hpp"
#include "armature/record/spectrum.hpp"
#include "armature/simulation/scene.hpp"

namespace armature::report {

namespace {

std::string channel(const char* what, int joint, const char* suffix = "") {
  return fmt::format("{}{}{}", what, joint + 1, suffix);
}

/// Torques joint by joint, then their residuals, then the motion.
void add_torques(Log& log, const Arm& arm) {
  TimeFigure residual{"", "Residual: measured − predicted torque", {}}, motion{"", "Joint position", {}};
  for (int i = 0; i < arm.dof(); ++i) {
    log.time_figures.push_back({"",
                                fmt::format("Torque of {}, measured and predicted", arm.joint(i).name),
                                {channel("tau", i), channel("tau", i, "_predicted")}});
    residual.channels.push_back(channel("tau", i, "_error"));
    motion.channels.push_back(channel("q", i));
  }
  log.time_figures.push_back(std::move(residual));
  log.time_figures.push_back(std::move(motion));
  add_scene(log, arm);
}

/// The residuals by frequency.
void add_residual_spectra(Log& log, const Arm& arm) {
  if (log.time.size() < 128) return;
  Figure figure{"", "Spectrum of the residuals", {"frequency", "Hz", true}, {"amplitude density", "N m/√Hz", true}, {}};
  const double rate = static_cast<double>(log.time.size() - 1) / (log.time.back() - log.time.front());
  for (int i = 0; i < arm.dof(); ++i) {
    std::vector<double> error = log.channel(channel("tau", i, "_error")).values;
    for (double& e : error)
      if (!std::isfinite(e)) e = 0;
    const PowerSpectrum power = welch(error, {.rate = rate, .segment = std::min<std::size_t>(1024, error.size() / 4)});
    FigureSeries series{arm.joint(i).name, {}, {}};
    for (std::size_t k = 1; k < power.frequency.size(); ++k) {
      series.x.push_back(power.frequency[k]);
      series.y.push_back(std::sqrt(power.density[k]));
    }
    figure.series.push_back(std::move(series));
  }
  log.figures.push_back(std::move(figure));
}

/// The law that was found, and what each sample says of it: the measured torque less all that is not friction.
void add_friction(Log& log, const Arm& arm) {
  constexpr std::size_t most = 1500;  // points per joint
  for (int i = 0; i < arm.dof(); ++i) {
    const Friction& law = arm.joint(i).friction;
    const std::vector<double>& v = log.channel(channel("v", i)).values;
    const std::vector<double>& error = log.channel(channel("tau", i, "_error")).values;
    FigureSeries samples{"samples", {}, {}, FigureSeries::Style::points}, curve{"identified law", {}, {}};
    double fastest = 0;
    for (std::size_t k = 0; k < v.size(); ++k)
      if (std::isfinite(v[k])) fastest = std::max(fastest, std::abs(v[k]));
    if (!(fastest > 0) || friction_torque(law, fastest) == 0) continue;
    const std::size_t stride = 1 + v.size() / most;
    for (std::size_t k = 0; k < v.size(); k += stride) {
      if (!std::isfinite(v[k]) || !std::isfinite(error[k])) continue;
      samples.x.push_back(v[k]);
      samples.y.push_back(error[k] + friction_torque(law, v[k]));
    }
    for (int k = -200; k <= 200; ++k) {
      const double speed = fastest * k / 200;
      curve.x.push_back(speed);
      curve.y.push_back(friction_torque(law, speed));
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

/// The parameters with their intervals, relative to those of the physically consistent fit.
void add_relative_parameters(Log& log, const Identification& r) {
  const TorqueModel& model = *r.model;
  FigureSeries free{"estimate, 95 % interval", {}, {}, FigureSeries::Style::points, {}, {}};
  Figure parameters{"",
                    "Parameters with their intervals, relative to the physically consistent fit",
                    {"parameter", "", false, {}},
                    {"ratio", ""},
                    {}};
  for (int k = 0; k < model.size(); ++k) {
    const double scale = r.physical.x[k];
    if (!r.estimate.determined[k] || std::abs(scale) < 1e-12) continue;
    const double x = r.estimate.x[k] / scale, half = r.estimate.half_width(k) / std::abs(scale);
    if (half > 2) continue;  // vague ones are in the table
    parameters.x.categories.push_back(model.columns()[k].name);
    free.x.push_back(static_cast<double>(parameters.x.categories.size()));
    free.y.push_back(x);
    free.low.push_back(x - half);
    free.high.push_back(x + half);
  }
  parameters.series.push_back(free);
  if (!free.x.empty()) log.figures.push_back(parameters);
}

/// The parameters with their intervals, one figure per unit.
void add_parameters(Log& log, const Identification& r) {
  std::map<std::string, Figure> by_unit;
  std::vector<std::string> order, names;
  std::vector<int> found;
  for (int k = 0; k < r.model->size(); ++k) {
    if (!r.estimate.determined[k]) continue;
    const ModelColumn& c = r.model->columns()[k];
    found.push_back(k);
    names.push_back(c.name);
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
    estimate.x.push_back(place);
    estimate.y.push_back(r.estimate.x[k]);
    estimate.low.push_back(r.estimate.x[k] - r.estimate.half_width(k));
    estimate.high.push_back(r.estimate.x[k] + r.estimate.half_width(k));
    bodies.x.push_back(place);
    bodies.y.push_back(r.physical.x[k]);
  }
  for (const std::string& unit : order) log.figures.push_back(by_unit[unit]);
  MatrixFigure correlation{"", "Correlation of the estimates", names, names, {}};
  for (const int i : found)
    for (const int j : found)
      correlation.values.push_back(r.estimate.covariance(i, j) / (r.estimate.deviation(i) * r.estimate.deviation(j)));
  if (found.size() > 1) log.matrices.push_back(std::move(correlation));
}

}  // namespace

std::vector<LogTable> identification_tables(const Identification& r) {
  std::vector<LogTable> tables;
  const TorqueModel& model = *r.model;
  LogTable parameters{"Parameters with 95 % intervals",
                      {"parameter", "unit", "estimate", "std. dev.", "from", "to", "± %", "consistent", "combination"},
                      {}};
  for (int k = 0; k < model.size(); ++k) {
    const ModelColumn& c = model.columns()[k];
    const double x = r.estimate.x[k];
    if (!r.estimate.determined[k]) {
      parameters.rows.push_back({c.name, c.unit, "not excited", "", "", "", "", "", model.combination(k)});
      continue;
    }
    const double half = r.estimate.half_width(k);
    parameters.rows.push_back({c.name, c.unit, fmt::format("{:.5g}", x), fmt::format("{:.2g}", r.estimate.deviation(k)),
                               fmt::format("{:.5g}", x - half), fmt::format("{:.5g}", x + half),
                               x != 0 ? fmt::format("{:.1f}", 100 * half / std::abs(x)) : "",
                               fmt::format("{:.5g}", r.physical.x[k]), model.combination(k)});
  }
  tables.push_back(parameters);
  LogTable errors{"Torque prediction (RMS and noise in N m or N)",
                  {"joint", "RMS", "RMS %", "held-out RMS", "held-out %", "consistent %", "noise", "lag-1 correlation"},
                  {}};
  for (int i = 0; i < model.dof(); ++i) {
    const auto& p = r.prediction.joints[i];
    errors.rows.push_back(
        {model.arm().joint(i).name, fmt::format("{:.4g}", r.training.rms[i]),
         fmt::format("{:.2f}", 100 * r.training.relative[i]), fmt::format("{:.4g}", r.held_out().rms[i]),
         fmt::format("{:.2f}", 100 * r.held_out().relative[i]), fmt::format("{:.2f}", 100 * p.relative),
         fmt::format("{:.3g}", r.estimate.noise[i]), fmt::format("{:.2f}", p.whiteness.lag_one)});
  }
  tables.push_back(errors);
  if (!r.friction_trials.empty()) {
    LogTable laws{"Friction laws: RMS error on held-out data, in N m or N", {"law"}, {}};
    for (int i = 0; i < model.dof(); ++i) laws.header.push_back(model.arm().joint(i).name);
    for (const FrictionTrial& t : r.friction_trials) {
      std::vector<std::string> row{law_text(t.shape)};
      for (const double e : t.error) row.push_back(fmt::format("{:.4g}", e));
      laws.rows.push_back(row);
    }
    tables.push_back(laws);
  }
  LogTable links{
      "Links", {"link", "mass [kg]", "consistent", "thinnest/longest axis", "distance from description"}, {}};
  for (std::size_t i = 0; i < r.links.size(); ++i)
    links.rows.push_back({model.arm().joint(static_cast<int>(i)).link.name, fmt::format("{:.4g}", r.links[i].mass),
                          r.links[i].body.possible() ? "yes" : "no", fmt::format("{:.2g}", r.links[i].thinnest),
                          fmt::format("{:.3g}", r.links[i].moved)});
  tables.push_back(links);
  return tables;
}

Log identification_log(const Identification& r) {
  const Arm arm(r.arm);
  Log log = r.prediction.log;
  log.facts.emplace_back("arm", r.model->arm().name());
  log.facts.emplace_back("processing", describe(r.processing, r.step));
  log.tables = identification_tables(r);
  const auto paragraphs = [](const std::vector<std::string>& said) {
    return fmt::format("{}\n\n", fmt::join(said, "\n\n"));
  };
  log.texts.push_back(
      {LogText::Kind::markdown, "", paragraphs(verdict(r))});  // with the first figure it leads the page
  log.texts.push_back({LogText::Kind::markdown, "What was found", paragraphs(sentences(r))});
  add_relative_parameters(log, r);
  add_parameters(log, r);
  add_friction(log, arm);
  add_residual_spectra(log, arm);
  add_torques(log, arm);
  return log;
}

Report identify_report(const Identification& r, const std::string& from) {
  Report report{.kind = "identify", .title = "Identification of " + r.model->arm().name()};
  report.subtitle = fmt::format("{} parameters from {}, {} equations; {:.2f} % prediction error on held-out data",
                                r.model->size(), from, r.rows, 100 * r.held_out().total);
  report.logs = {identification_log(r)};
  return report;
}

Report joint_filter_report(const Arm& arm, const JointFilter& r, const std::string& from) {
  return {.kind = "identify",
          .title = fmt::format("Joint {} of {}", arm.joint(r.joint).name, arm.name()),
          .subtitle = "filtered from " + from,
          .logs = {joint_filter_log(arm, r)}};
}

Report validate_report(const Arm& arm, const Prediction& prediction, const std::string& from) {
  Log log = prediction.log;
  add_residual_spectra(log, arm);
  add_torques(log, arm);
  Report report{.kind = "validate", .title = "Validation of " + arm.name()};
  report.subtitle = fmt::format("{:.2f} % prediction error on {}", 100 * prediction.relative, from);
  for (int i = 0; i < arm.dof(); ++i)
    if (prediction.joints[i].samples == 0)
      report.subtitle += fmt::format("; {} is at rest and not judged", arm.joint(i).name);
  report.logs = {std::move(log)};
  return report;
}

}  // namespace armature::report
