// Sections IV and V: the dynamics in closed form, (10) to (13), derived by machine and compared with the printed ones.
#include <fmt/format.h>

#include <algorithm>

#include "armature/algorithms/base_parameters.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/codegen/derive/derive.hpp"
#include "armature/codegen/formulas/check_model.hpp"
#include "armature/control/rigid_terms.hpp"
#include "armature/core/random.hpp"
#include "armature/formats/catalogue.hpp"
#include "kostic2002/kostic2002.hpp"
#include "kostic2002/printed.hpp"
#include "kostic2004/writing.hpp"

namespace armature::studies::kostic2002 {

namespace {

/// How far the kept columns times the base parameters are from the recursion, as a share of the torque.
double base_parameter_torques(const Arm& arm) {
  const BaseParameters base = base_parameters(arm);
  const Eigen::VectorXd p = base_parameter_values(arm, base);
  Random random(13);
  const auto draw = [&] {
    return (VecX<double>(3) << random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)).finished();
  };
  double worst = 0;
  for (int k = 0; k < 1000; ++k) {
    const VecX<double> q = draw(), v = draw(), a = draw(), tau = inverse_dynamics<double>(arm, q, v, a);
    const Regressor<double> W = torque_regressor<double>(arm, q, v, a);
    VecX<double> found = VecX<double>::Zero(3);
    for (int c = 0; c < base.count(); ++c) found += W.col(base.columns.kept[c]) * p[c];
    worst = std::max(worst, (found - tau).norm() / tau.norm());
  }
  return worst;
}

std::vector<Claim> printed_model() {
  const Arm arm = catalogue_arm("rrr_generic", built_in_kernels());
  const int count = base_parameters(arm, {.rotors = true}).count();
  const ModelCheck check =
      check_model(arm, read_statements(printed_dynamics, "kostic2002_dynamics.model"), "kostic2002_dynamics.model");
  std::string blamed, repair;
  for (const ModelCheck::Blame& b : check.blames)
    for (const std::string& name : b.names) {
      blamed += (blamed.empty() ? "" : ", ") + name;
      repair = b.repair;
    }
  // with the one repair the printed model must be right: the torques of its regressor and parameters, to 1e-12
  std::string text(printed_dynamics);
  const std::string wrong = "r1_1 = qd1*cos(q2)^2";
  const std::size_t at = text.find(wrong);
  if (at != std::string::npos) text.replace(at, wrong.size(), "r1_1 = qdd1*cos(q2)^2");
  const ModelCheck repaired = check_model(arm, read_statements(text, "repaired"), "repaired");
  const double off = base_parameter_torques(arm);
  return {{"base parameters", "the dynamics are linear in 16 base parameters, with motor inertias", "16",
           fmt::format("{} found by rank, their torques those of the recursion to {:.0e} in 1000 states; with r11 "
                       "repaired the printed (12), (13) {}",
                       count, off, repaired.equal() ? "give the recursion's torques" : "DIFFER from the recursion"),
           count == 16 && repaired.equal() && off < 1e-12,
           "random numbers for all lengths and inertias; 1e-12 of the torque is asked for"},
          {"misprint", "(13) as printed has one wrong entry", "not noticed",
           fmt::format("wrong: {}; {}", blamed.empty() ? "none" : blamed, repair),
           check.blames.size() == 1 && blamed.find("r1_1") != std::string::npos,
           "found by `armature derive rrr_generic --against`"}};
}

/// Fig. 6: the derived program and the recursion, along the writing task.
Claim differences(Log& figure) {
  const Arm arm = catalogue_arm("rrr", built_in_kernels());
  const kostic2004::WritingTask task = kostic2004::writing_task(arm);
  const Program closed = derive(arm, Target::inverse_dynamics, {.effort = 0});
  std::vector<std::string> names;
  for (int i = 1; i <= 3; ++i) figure.add(names.emplace_back(fmt::format("difference{}", i)), "N m");
  double worst = 0;
  for (std::size_t k = 0; k < task.motion.size(); k += 5) {
    const JointMotion& m = task.motion[k];
    std::vector<double> inputs;
    for (const VecX<double>* part : {&m.q, &m.qd, &m.qdd}) inputs.insert(inputs.end(), part->begin(), part->end());
    const std::vector<double> tau = evaluate(closed, inputs);
    const VecX<double> recursive = inverse_dynamics<double>(arm, m.q, m.qd, m.qdd);
    figure.time.push_back(task.tick * static_cast<double>(k));
    for (int i = 0; i < 3; ++i) {
      const double off = tau[i] - recursive[i];
      figure.channel(names[i]).values.push_back(off);
      worst = std::max(worst, std::abs(off));
    }
  }
  figure.title = "Closed form against recursion";
  figure.time_figures = {{"Fig. 6", "Inverse dynamics: closed form against recursion", names}};
  return {"closed form against recursion",
          "both give the same torques along the writing task",
          "round-off (Fig. 6)",
          fmt::format("within {:.0e} N m", worst),
          worst < 1e-10,
          "the derived closed form and the recursive Newton-Euler algorithm; 1e-10 N m is asked for"};
}

Claim cost() {
  const int closed =
      count(derive(catalogue_arm("rrr_generic", built_in_kernels()), Target::inverse_dynamics, {.effort = 0.2}).net)
          .total();
  const long recursive = counted_recursions().inverse_dynamics;
  return {"cost of inverse dynamics",
          "the closed form costs less than the recursion",
          "393 against 1050 flops: 2.7 times",
          fmt::format("{} operations derived against {} of our recursion: {:.1f} times", closed, recursive,
                      static_cast<double>(recursive) / closed),
          closed <= 99 && recursive > closed,
          "all 15 parameters non-zero; 99 operations are asked for"};
}

Claim effects(Log& figure) {
  const Arm arm = catalogue_arm("rrr", built_in_kernels());
  const kostic2004::WritingTask task = kostic2004::writing_task(arm);
  const char* names[] = {"inertia", "coriolis", "gravity", "friction"};
  for (const char* name : names)
    for (int i = 1; i <= 3; ++i) figure.add(fmt::format("{}{}", name, i), "N m");
  TermTorques t;
  double worst = 0;
  for (std::size_t k = 0; k < task.motion.size(); k += 5) {
    const JointMotion& m = task.motion[k];
    term_torques(arm, {.friction = true}, m.q, m.qd, m.qdd, t);
    figure.time.push_back(task.tick * static_cast<double>(k));
    std::size_t next = 0;
    for (const VecX<double>* part : {&t.inertia, &t.coriolis, &t.gravity, &t.friction})
      for (int i = 0; i < 3; ++i) figure.channels[next++].values.push_back((*part)[i]);
    const VecX<double> whole = inverse_dynamics<double>(arm, m.q, m.qd, m.qdd);
    worst = std::max(worst, (t.inertia + t.coriolis + t.gravity - whole).cwiseAbs().maxCoeff() /
                                std::max(1.0, whole.cwiseAbs().maxCoeff()));
  }
  figure.title = "Effects along the writing task";
  for (const char* name : names)
    figure.time_figures.push_back({"",
                                   std::string("Torques of ") + name,
                                   {std::string(name) + "1", std::string(name) + "2", std::string(name) + "3"}});
  return {"separate effects", "inertia, Coriolis and centripetal, gravity and friction can be told apart",
          "section IV",       fmt::format("parts add up to the whole within {:.0e}", worst),
          worst < 1e-12,      "plotted along the writing task"};
}

}  // namespace

void dynamics(StudyResult& result) {
  for (const Claim& claim : printed_model()) result.claims.push_back(claim);
  Log difference, parts;
  result.claims.push_back(differences(difference));
  result.claims.push_back(cost());
  result.claims.push_back(effects(parts));
  result.logs.push_back(std::move(difference));
  result.logs.push_back(std::move(parts));
}

}  // namespace armature::studies::kostic2002
