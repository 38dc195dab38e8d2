#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "armature/identification/identify.hpp"
#include "armature/identification/internal/residual_sentence.hpp"

namespace armature::identification {

namespace {

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string names_of(const Identification& r, const std::vector<int>& columns) {
  std::vector<std::string> names;
  for (const int c : columns) names.push_back(r.model->columns()[c].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Parameters whose interval is wider than they are large.
std::vector<int> vague(const Identification& r) {
  std::vector<int> list;
  for (int k = 0; k < r.model->size(); ++k)
    if (r.estimate.determined[k] && r.estimate.half_width(k) > std::abs(r.estimate.x[k]) &&
        r.model->columns()[k].kind != ModelColumn::Kind::offset)
      list.push_back(k);
  return list;
}

std::vector<int> undetermined(const Identification& r) {
  std::vector<int> list;
  for (int k = 0; k < r.model->size(); ++k)
    if (!r.estimate.determined[k]) list.push_back(k);
  return list;
}

std::string grade(double error) {
  return error < 0.02 ? "excellent" : error < 0.05 ? "good" : error < 0.1 ? "fair" : error < 0.25 ? "poor" : "bad";
}

/// The first few of a list, and how many more there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::vector<std::string> first(names.begin(), names.begin() + std::min(most, names.size()));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

/// What keeps the error from being smaller, by its looks, and what can be done about it.
struct Limit {
  std::string by, next;
};
Limit limit_of(const Identification& r) {
  const CrossValidation& held = r.held_out();
  int worst = 0;  // the joint that adds most to the total
  held.rms.maxCoeff(&worst);
  const JointError& e = r.prediction.joints[worst];
  const std::string joint = fmt::format("most of it at joint {}", worst + 1);
  if (r.physical_training.total > 1.5 * r.training.total && r.reference_weight > 1e-2)
    return {
        fmt::format("the described inertia: without it and without physical consistency the residual is {}, with it {}",
                    percent(r.training.total), percent(r.physical_training.total)),
        "record a longer or livelier log, which would outweigh the description (armature excite), or use "
        "--ignore-inertia"};
  if (held.total > 1.5 * r.physical_training.total)
    return {fmt::format("the motion: a model fitted to one part of it does not predict the others ({} held-out error, "
                        "{} in training)",
                        percent(held.total), percent(r.physical_training.total)),
            "record a motion that excites more (armature excite), or more runs"};
  if (std::abs(e.whiteness.lag_one) < 0.3)
    return {fmt::format("noise of the readings ({})", joint),
            "record a longer log; lower --cutoff if the positions are noisy"};
  if (std::abs(e.mean) > 0.5 * e.rms)
    return {fmt::format("an offset ({})", joint),
            "zero the torque sensors, or look for a spring or a cable that loads the joint: an arm file states it "
            "(`spring`)"};
  if (e.slow > 1.5 * e.fast)
    return {fmt::format("friction near standstill ({})", joint),
            "try another --friction law, or record slow motions, which show friction"};
  if (e.fast > 1.5 * e.slow)
    return {fmt::format("effects that grow with speed: elasticity, timing or friction ({})", joint),
            "try --torque-delay find or another --friction law, or record slower motions"};
  return {fmt::format("effects that the model does not have, such as elasticity, play or friction that changes with "
                      "temperature ({})",
                      joint),
          "compare --friction laws; look at the residuals on the page (--page)"};
}

}  // namespace

std::string law_text(const FrictionShape& shape) {
  std::string text = to_string(shape.law);
  if (shape.width > 0) text += fmt::format(", sign smoothed over {:.3g}", shape.width);
  if (shape.law == FrictionShape::Law::stribeck)
    text += fmt::format(", Stribeck speed {:.3g}", shape.stribeck_velocity);
  if (shape.law == FrictionShape::Law::sigmoids)
    text += fmt::format(", slopes {:.3g} {:.3g} {:.3g}", shape.slopes[0], shape.slopes[1], shape.slopes[2]);
  return text;
}

std::vector<std::string> verdict(const Identification& r) {
  const CrossValidation& held = r.held_out();
  std::vector<std::string> joints, open;
  for (int i = 0; i < r.model->dof(); ++i)
    joints.push_back(fmt::format("{} {:.1f} %", r.model->arm().joint(i).name, 100 * held.relative[i]));
  for (const std::vector<int>& list : {undetermined(r), vague(r)})
    for (const int c : list) open.push_back(r.model->columns()[c].name);
  const Limit limit = limit_of(r);
  return {
      fmt::format("Verdict: {} model; {} prediction error on {}{}.", grade(held.total), percent(held.total),
                  r.held_out_runs ? "runs that were held out" : "parts of this log that were held out",
                  r.physical_cross ? "" : " (by least squares)"),
      fmt::format("Held-out error by joint: {}.", fmt::join(joints, ", ")),
      open.empty() ? fmt::format("Not or poorly determined: none of {} parameters.", r.model->size())
                   : fmt::format("Not or poorly determined: {} of {} parameters, {}.", open.size(), r.model->size(),
                                 some_of(open)),
      fmt::format("Limited by {}.", limit.by),
      fmt::format("Next: {}{}.", r.held_out_runs ? "" : "validate on another log (armature validate); ", limit.next)};
}

namespace {

void say_what_shows(const Identification& r, std::vector<std::string>& s) {
  const TorqueModel& model = *r.model;
  const int n = model.dof(), base = model.base().count(), all = static_cast<int>(model.base().grouping().cols());
  s.push_back("Processing: " + describe(r.processing, r.step) + ".");
  for (const std::string& choice : r.choices) s.push_back("Chosen: " + choice + ".");
  if (r.delay)
    s.push_back(
        fmt::format("The delay of the torques was estimated from this log: the residual of least squares is {} of "
                    "torque RMS with it, {} without.",
                    percent(r.delay->error), percent(r.delay->error_before)));
  if (r.gravity)
    s.push_back(
        fmt::format("The direction of gravity was estimated from this log: [{:.4f}, {:.4f}, {:.4f}] m/s², {:.3g}° off "
                    "the described "
                    "one, with 95 % intervals of ±{:.2g}° and ±{:.2g}° along two axes across it; the residual of least "
                    "squares is {} "
                    "of torque RMS with it, {} without.",
                    r.gravity->gravity[0], r.gravity->gravity[1], r.gravity->gravity[2], r.gravity->tilt / deg,
                    r.gravity->half_width[0] / deg, r.gravity->half_width[1] / deg, percent(r.gravity->error),
                    percent(r.gravity->error_before)));
  s.push_back(fmt::format(
      "The torques depend on {} combinations of the {} inertial parameters (the base parameters); with friction, {} "
      "parameters were estimated from {:.0f} equations.",
      base, all, model.size(), r.rows));
  std::vector<std::string> sprung;
  for (int i = 0; i < n; ++i)
    if (model.arm().joint(i).spring) sprung.push_back(model.arm().joint(i).name);
  if (!sprung.empty())
    s.push_back(fmt::format("Known beforehand, from the arm file, and taken off the torques: the spring of joint {}.",
                            fmt::join(sprung, ", of joint ")));
  std::vector<std::string> hidden;
  for (const int c : model.base().columns.zero) hidden.push_back(parameter_name(n, c));
  if (!hidden.empty())
    s.push_back(fmt::format("Not identifiable by any motion of this arm: {}.", fmt::join(hidden, ", ")));
  const std::vector<int> none = undetermined(r), wide = vague(r);
  if (!none.empty())
    s.push_back(fmt::format("Not determined by this log: {}; {}. No value is given for them.", names_of(r, none),
                            r.standing.empty() ? "the motion does not excite them apart from others"
                                               : "their joints stood still, or they cannot be told apart"));
  if (!wide.empty())
    s.push_back(
        fmt::format("Poorly determined (uncertainty exceeds the value): {}. A motion that excites them more would help "
                    "(armature excite).",
                    names_of(r, wide)));
  s.push_back(fmt::format(
      "Condition number of the weighted equations, columns scaled to equal length: {:.3g}{}.", r.estimate.condition,
      r.estimate.condition > 200 ? "; above about 100, small errors in the log become large errors in the parameters"
                                 : ""));
}

void say_friction(const Identification& r, std::vector<std::string>& s) {
  const TorqueModel& model = *r.model;
  const int n = model.dof();
  if (!r.friction_trials.empty()) {
    std::vector<std::string> laws;
    for (int i = 0; i < n; ++i) laws.push_back(fmt::format("joint {} {}", i + 1, law_text(model.friction(i))));
    s.push_back(
        fmt::format("Friction laws, chosen among {} by prediction error on held-out data (speeds in rad/s or m/s, "
                    "slopes in their inverse): {}.",
                    r.friction_trials.size(), fmt::join(laws, "; ")));
  }
  for (std::size_t i = 0; i < r.friction_shapes.size(); ++i) {
    const FrictionFit& f = r.friction_shapes[i];
    const double doubt = f.shape_deviation.size() > 0 ? f.shape_deviation.maxCoeff() : INFINITY;
    s.push_back(fmt::format("Friction of joint {}: {}; {}.", i + 1, law_text(f.shape),
                            f.shape.law == FrictionShape::Law::sigmoids
                                ? "only its curve is determined, other values give the same one"
                            : doubt < 0.5 ? fmt::format("known to ± {:.1g} %", 100 * doubt)
                                          : "this log hardly determines it: other speeds fit as well"));
  }
  for (std::size_t i = 0; i < r.lugre.size(); ++i)
    if (const LuGreFit& f = r.lugre[i].fit; r.lugre[i].reason.empty())
      s.push_back(
          fmt::format("LuGre friction of joint {}: bristle stiffness {:.4g}, damping {:.4g}, viscous {:.4g}; Coulomb "
                      "{:.4g}, stiction {:.4g}, "
                      "Stribeck speed {:.3g}; residual RMS {:.3g} (SI units).",
                      i + 1, f.law.sigma0, f.law.sigma1, f.law.sigma2, f.law.coulomb, f.law.stiction,
                      f.law.stribeck_velocity, f.rms));
}

void say_how_well(const Identification& r, std::vector<std::string>& s) {
  s.push_back(
      fmt::format("Unconstrained fit: residual {} of torque RMS; {} ± {:.2f} % prediction error on held-out data{}.",
                  percent(r.training.total), percent(r.cross.total), 100 * r.cross.deviation,
                  r.physical_cross ? "" : " (by least squares)"));
  s.push_back(fmt::format(
      "Physically consistent fit: residual {} of torque RMS{}, with the described inertia as a reference of weight "
      "{:g}{}.",
      percent(r.physical_training.total),
      r.physical_cross ? fmt::format(", {} prediction error on held-out data", percent(r.physical_cross->total)) : "",
      r.reference_weight, r.weight_trials.empty() ? "" : ", the largest weight within one standard error of the best"));
  s.push_back(fmt::format(
      "This fit is optimal: no physically consistent parameters lower its objective by more than {:.1g} of its "
      "value (relative duality gap).",
      std::max(r.physical.gap, 1e-16)));
}

void say_what_lacks(const Identification& r, std::vector<std::string>& s) {
  std::vector<std::string> joints;
  for (int i = 0; i < r.unmodelled.size(); ++i)
    if (r.unmodelled[i] > 0)
      joints.push_back(
          fmt::format("{:.2g} {} at joint {}", r.unmodelled[i], r.model->arm().body(i).revolute ? "N m" : "N", i + 1));
  if (!joints.empty())
    s.push_back(fmt::format(
        "The residuals show torques that the model lacks, of the order of {}; the intervals allow for what they do to "
        "the parameters, which differs from motion to motion.",
        fmt::join(joints, ", ")));
}

}  // namespace

std::vector<std::string> sentences(const Identification& r) {
  std::vector<std::string> s;
  say_what_shows(r, s);
  say_friction(r, s);
  say_how_well(r, s);
  std::vector<std::string> edge, bad;
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    if (r.links[i].at_the_edge) edge.push_back(std::to_string(i + 1));
    if (!r.links[i].body.possible()) bad.push_back(std::to_string(i + 1));
  }
  if (bad.empty())
    s.push_back(fmt::format(
        "Every link is physically consistent{}.",
        edge.empty() ? ""
                     : fmt::format("; link {} lies on the boundary of physical consistency", fmt::join(edge, ", "))));
  else
    s.push_back(fmt::format("Link {} is not physically consistent.", fmt::join(bad, ", ")));
  std::vector<Whiteness> residuals;
  for (const JointError& joint : r.prediction.joints) residuals.push_back(joint.whiteness);
  if (const std::string correlated = correlation_sentence(residuals); !correlated.empty()) s.push_back(correlated);
  say_what_lacks(r, s);
  for (const std::string& w : r.warnings) s.push_back("Note: " + w + ".");
  return s;
}

}  // namespace armature::identification
