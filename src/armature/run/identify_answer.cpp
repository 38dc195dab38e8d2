#include "armature/run/identify_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "armature/core/text.hpp"
#include "armature/identification/diagnosis.hpp"
#include "armature/run/internal/json_text.hpp"

namespace armature::run {

namespace {

Json rows_of(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (const auto& row : matrix.rowwise()) rows.push_back(std::vector<double>(row.begin(), row.end()));
  return rows;
}

Json parameter_json(const Identification& r) {
  Json list = Json::array();
  for (int k = 0; k < r.model->size(); ++k) {
    const ModelColumn& c = r.model->columns()[k];
    Json p{{"name", c.name},
           {"unit", c.unit},
           {"stands_for", r.model->combination(k)},
           {"determined", bool(r.estimate.determined[k])}};
    if (r.estimate.determined[k]) {
      p["estimate"] = r.estimate.x[k];
      p["deviation"] = r.estimate.deviation(k);
      p["interval_95"] = {r.estimate.x[k] - r.estimate.half_width(k), r.estimate.x[k] + r.estimate.half_width(k)};
      p["bodies"] = r.physical.x[k];
    }
    list.push_back(p);
  }
  return list;
}

Json own_json(const OwnParameters& own) {
  Json list = Json::array();
  for (int i = 0; i < own.estimate.x.size(); ++i) {
    Json p{{"name", own.names[i]}, {"determined", bool(own.estimate.determined[i])}};
    if (own.estimate.determined[i]) {
      const double x = own.estimate.x[i], half = own.estimate.half_width(i);
      p["estimate"] = x;
      p["deviation"] = own.estimate.deviation(i);
      p["interval_95"] = {x - half, x + half};
    }
    list.push_back(std::move(p));
  }
  return list;
}

}  // namespace

OwnAnswer own_answer(const Identification& r, const OwnColumns& asked) {
  OwnAnswer answer{own_parameters(*r.model, r.estimate, asked.columns, asked.zero), {}};
  const OwnParameters whole = own_parameters(*r.model, r.estimate, asked.columns);
  for (int i = 0; i < whole.estimate.x.size(); ++i) {
    const double x = whole.estimate.x[i], half = whole.estimate.half_width(i);
    if (std::find(asked.zero.begin(), asked.zero.end(), whole.names[i]) != asked.zero.end() &&
        whole.estimate.determined[i] && std::abs(x) > half)
      answer.warnings.push_back(fmt::format("--without {}: the log says that it is {} ± {}, not zero", whole.names[i],
                                            short_text(x), short_text(half)));
  }
  return answer;
}

std::string identification_json(const Identification& r, const MeasuredLog& log, const std::optional<OwnAnswer>& own) {
  Json answer{{"arm", r.model->arm().name()},
              {"log", log.notes()},
              {"processing", describe(r.processing, r.step)},
              {"parameters", parameter_json(r)}};
  answer["covariance"] = rows_of(r.estimate.covariance);
  answer["condition"] = r.estimate.condition;
  answer["condition_unscaled"] = r.estimate.condition_unscaled;
  answer["equations"] = r.rows;
  answer["error"] = {{"training", r.training.total},
                     {"cross_validation", r.cross.total},
                     {"cross_validation_deviation", r.cross.deviation},
                     {"bodies_training", r.physical_training.total}};
  if (r.physical_cross) answer["error"]["bodies_cross_validation"] = r.physical_cross->total;
  answer["reference_weight"] = r.reference_weight;
  if (r.gravity)
    answer["gravity"] = {{"estimate", {r.gravity->gravity[0], r.gravity->gravity[1], r.gravity->gravity[2]}},
                         {"tilt", r.gravity->tilt},
                         {"half_width_95", r.gravity->half_width},
                         {"error_before", r.gravity->error_before},
                         {"error", r.gravity->error}};
  answer["joints"] = Json::array();
  for (int i = 0; i < r.model->dof(); ++i) {
    const JointError& e = r.prediction.joints[i];
    answer["joints"].push_back({{"name", r.model->arm().joint(i).name},
                                {"friction", to_string(r.model->friction(i).law)},
                                {"friction_width", r.model->friction(i).width},
                                {"rms", r.training.rms[i]},
                                {"relative", r.training.relative[i]},
                                {"cross_rms", r.cross.rms[i]},
                                {"cross_relative", r.cross.relative[i]},
                                {"bodies_rms", e.rms},
                                {"bodies_relative", e.relative},
                                {"noise", r.estimate.noise[i]},
                                {"unmodelled_torque", r.unmodelled.size() > 0 ? r.unmodelled[i] : 0.0},
                                {"lag_one", e.whiteness.lag_one},
                                {"white_chance", e.whiteness.chance}});
  }
  answer["links"] = Json::array();
  for (std::size_t i = 0; i < r.links.size(); ++i)
    answer["links"].push_back({{"name", r.model->arm().joint(static_cast<int>(i)).link.name},
                               {"mass", r.links[i].mass},
                               {"possible", r.links[i].body.possible()},
                               {"at_the_edge", r.links[i].at_the_edge}});
  answer["verdict"] = verdict(r);
  answer["duality_gap"] = r.physical.gap;
  answer["sentences"] = sentences(r);
  if (own) {
    answer["own_parameters"] = own_json(own->parameters);
    for (const std::string& warning : own->warnings) answer["sentences"].push_back(warning);
  }
  return text_of(answer);
}

std::string drive_gains_json(const Arm& arm, const std::vector<DriveGain>& gains) {
  Json list = Json::array();
  for (int j = 0; j < arm.dof(); ++j) {
    const DriveGain& g = gains[j];
    Json entry{{"joint", arm.joint(j).name}, {"determined", g.determined}, {"payload_torque_rms", g.load}};
    if (g.determined) {
      entry["gain"] = g.gain;
      entry["interval_95"] = {g.gain - g.half_width, g.gain + g.half_width};
    }
    list.push_back(std::move(entry));
  }
  return text_of(Json{{"arm", arm.name()}, {"gains", list}});
}

std::string payload_json(const Arm& arm, const PayloadEstimate& p) {
  Json list = Json::array();
  for (int k = 0; k < 10; ++k) {
    Json entry{{"name", payload_names[k]}, {"determined", bool(p.estimate.determined[k])}, {"body", p.body[k]}};
    if (p.estimate.determined[k]) {
      const double x = p.estimate.x[k], half = p.estimate.half_width(k);
      entry["estimate"] = x;
      entry["interval_95"] = {x - half, x + half};
    }
    list.push_back(entry);
  }
  return text_of(Json{{"arm", arm.name()},
                      {"payload", list},
                      {"explained", p.explained},
                      {"relative_error", p.relative},
                      {"possible", p.verdict.possible()}});
}

std::string joint_filter_json(const Arm& arm, const JointFilter& r) {
  Json list = Json::array();
  const auto& names = friction_ekf_names();
  const auto values = r.filter.values();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double half = r.filter.half_width(static_cast<int>(k));
    list.push_back({{"name", names[k]},
                    {"estimate", values[k]},
                    {"deviation", r.filter.deviation[k]},
                    {"interval_95", {values[k] - half, values[k] + half}}});
  }
  return text_of(Json{{"arm", arm.name()},
                      {"joint", arm.joint(r.joint).name},
                      {"parameters", list},
                      {"phase", r.filter.estimate.phase},
                      {"innovation", r.filter.innovation},
                      {"reading", r.reading},
                      {"fastest", r.fastest}});
}

std::string prediction_failure(const Arm& arm, const Prediction& p, std::optional<double> required) {
  constexpr double useless = 0.6;  // of the torques
  if (required && !(p.relative_all_rows <= *required))
    return fmt::format("an error of {:.2f} % of the torques over all rows, at most {:.4g} % is required",
                       100 * p.relative_all_rows, 100 * *required);
  if (!(p.relative_all_rows <= useless))
    return fmt::format("the model does not predict this log: an error of {:.0f} % of the torques over all rows",
                       100 * p.relative_all_rows);
  VecX<double> torque(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) {
    const JointError& e = p.joints[i];
    torque[i] = e.relative > 0 ? e.rms / e.relative : 0;
  }
  const VecX<double> against = judged_against(torque);
  std::string failure;
  for (int i = 0; i < arm.dof(); ++i)
    if (const double error = p.joints[i].rms / against[i]; !(error <= 1))
      failure = fmt::format("joint {} is predicted no better than by no torque at all (an error of {:.0f} %)", i + 1,
                            100 * error);
  return failure;
}

std::string validation_json(const Arm& arm, const Prediction& p, const std::string& failure, const MeasuredLog& log) {
  Json answer{{"arm", arm.name()},
              {"log", log.notes()},
              {"relative_error", p.relative},
              {"relative_error_all_rows", p.relative_all_rows},
              {"predicts", failure.empty()},
              {"joints", Json::array()}};
  for (int i = 0; i < arm.dof(); ++i) {
    const JointError& e = p.joints[i];
    const Stretch& w = p.worst[i];
    if (e.samples == 0) {
      answer["joints"].push_back(
          {{"name", arm.joint(i).name}, {"rms", nullptr}, {"relative", nullptr}, {"samples", 0}});
      continue;
    }
    answer["joints"].push_back(
        {{"name", arm.joint(i).name},
         {"rms", e.rms},
         {"relative", e.relative},
         {"relative_all_rows", e.relative_all_rows},
         {"mean", e.mean},
         {"largest", e.largest},
         {"largest_at", e.largest_at},
         {"rms_slow", e.slow},
         {"rms_fast", e.fast},
         {"lag_one", e.whiteness.lag_one},
         {"samples", e.samples},
         {"worst", {{"from", w.from}, {"to", w.to}, {"rms", w.rms}, {"at", w.at}, {"error", w.error}}}});
  }
  return text_of(answer);
}

}  // namespace armature::run
