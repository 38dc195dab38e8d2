// Tasks 4 to 9: gravity compensation, joint PD, damping designed by square roots of matrices.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/run/comparison.hpp"
#include "tum2019.hpp"

namespace armature::studies::tum2019 {

using namespace laboratory;

namespace {

const std::string start =
    "start: {q: [-60 deg, -30 deg, 20 deg]}\nplant: {viscous: [0.5, 0.5, 0.5], torque_limits: false}\n";

std::string pd_and_gravity(const std::string& kp, const std::string& kd, const std::string& more = "") {
  return "controller:\n  kind: sum\n  terms:\n    - {kind: gravity}\n    - {kind: joint_pd, name: pd, kp: [" + kp +
         "], kd: [" + kd + "]}\n" + more;
}

void task_4(StudyResult& result) {
  Log on = simulated(scenario("task 4, on", start + "controller: {kind: gravity}\nrun: {duration: 5 s}\n"));
  const Log off = simulated(scenario("task 4, off", start + "controller: {kind: open_loop}\nrun: {duration: 5 s}\n"));
  double with = 0, without = 0;
  for (std::size_t i = 0; i < on.time.size(); ++i) {
    with = std::max(with, (joints(on, i) - joints(on, 0)).cwiseAbs().maxCoeff());
    without = std::max(without, (joints(off, i) - joints(off, 0)).cwiseAbs().maxCoeff());
  }
  result.claims.push_back({"task 4", "with gravity compensation the arm stays where it is put", "compare the behaviour",
                           fmt::format("moves by {:.0e} deg in 5 s; without by {:.1f} deg", with / deg, without / deg),
                           with < 1e-9 && without > 0.3, ""});
  for (int i = 1; i <= 3; ++i) {
    on.add(fmt::format("q{}_off", i), "rad").values = off.channel(fmt::format("q{}", i)).values;
  }
  on.time_figures = {{"task 4", "Gravity compensation on and off", {"q1", "q2", "q3", "q1_off", "q2_off", "q3_off"}}};
  result.logs.push_back(kept(std::move(on), "task 4: gravity compensation"));
}

/// Where K (q_d - q) = g(q): Newton's method from q_d.
VecX<double> sagging(const Arm& arm, const VecX<double>& wanted, const Vec3<double>& kp) {
  VecX<double> q = wanted;
  for (int k = 0; k < 100; ++k) q = wanted - VecX<double>(gravity_torque<double>(arm, q).cwiseQuotient(kp));
  return q;
}

void tasks_5_and_6(StudyResult& result) {
  Log log =
      simulated(scenario("tasks 5 and 6", start + "reference: {kind: hold, to: [30 deg, 40 deg, 50 deg]}\n" +
                                              pd_and_gravity("120, 80, 30", "28, 13, 3",
                                                             "  switches: [{time: 3 s, term: gravity, on: false}]\n") +
                                              "run: {duration: 8 s}\n"));
  const RunMetrics first = metrics_of(cut(log, 0, 2.9));
  double settled = 0, overshoot = 0;
  for (const AxisMetrics& joint : first.joints) {
    settled = std::max(settled, joint.settling);
    overshoot = std::max(overshoot, joint.overshoot);
  }
  result.claims.push_back({"task 5", "gains for a fast, well damped step of up to 90 deg", "tune K_p, K_d",
                           fmt::format("2 % after {:.2f} s, overshoot {:.1f} %", settled, 100 * overshoot),
                           settled < 1.0 && overshoot < 0.05, "K_p = (120, 80, 30), K_d = (28, 13, 3), ours"});
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  VecX<double> wanted(3);
  wanted << 30 * deg, 40 * deg, 50 * deg;
  const VecX<double> q = joints(log, last_row(log)), expected = sagging(arm, wanted, {120, 80, 30});
  result.claims.push_back(
      {"task 6", "without gravity compensation it sags to where K_p (q_d - q) = g(q)", "what happens?",
       fmt::format("error {} where the statics say {}", degrees(wanted - q), degrees(wanted - expected)),
       (q - expected).cwiseAbs().maxCoeff() < 0.01 * (wanted - expected).cwiseAbs().maxCoeff(),
       "the term is switched off at 3 s while the arm runs"});
  log.time_figures = {
      {"task 6", "Gravity compensation switched off at 3 s", {"q1", "q1_ref", "q2", "q2_ref", "q3", "q3_ref"}},
      {"task 6", "Terms of the controller, joint 1", {"part_gravity1", "part_pd1", "tau1"}}};
  result.logs.push_back(kept(std::move(log), "tasks 5 and 6: PD with and without gravity compensation"));
}

void task_7(StudyResult& result) {
  struct Gains {
    const char *kp, *kd, *name;
  };
  const Gains gains[] = {{"60, 40, 15", "16, 8, 2", "soft"},
                         {"120, 80, 30", "28, 13, 3", "chosen"},
                         {"120, 80, 30", "8, 3.5, 0.8", "little damping"},
                         {"480, 320, 120", "48, 22, 5", "stiff"}};
  LogTable table{"Task 7: joint PD for several gains",
                 {"gains", "settled [s]", "overshoot [%]", "peak torque [N m]", "energy [J]"},
                 {}};
  Log all;
  std::vector<std::string> angles, torques;
  double settled[4] = {}, overshoot[4] = {}, peak[4] = {};
  for (std::size_t k = 0; k < 4; ++k) {
    const Log log =
        simulated(scenario("task 7", start + "reference: {kind: hold, to: [30 deg, 40 deg, 50 deg]}\n" +
                                         pd_and_gravity(gains[k].kp, gains[k].kd) + "run: {duration: 3 s}\n"));
    const RunMetrics m = metrics_of(log);
    for (const AxisMetrics& joint : m.joints) {
      settled[k] = std::max(settled[k], std::isfinite(joint.settling) ? joint.settling : 3);
      overshoot[k] = std::max(overshoot[k], joint.overshoot);
      peak[k] = std::max(peak[k], joint.peak);
    }
    table.rows.push_back({gains[k].name, fmt::format("{:.2f}", settled[k]), fmt::format("{:.1f}", 100 * overshoot[k]),
                          fmt::format("{:.0f}", peak[k]), fmt::format("{:.1f}", m.supplied)});
    if (all.time.empty()) all.time = log.time;
    for (const char* what : {"q1", "tau1"}) {
      const std::string name = fmt::format("{} {}", what, gains[k].name);
      all.add(name, log.channel(what).unit).values = log.channel(what).values;
      (what[0] == 'q' ? angles : torques).push_back(name);
    }
  }
  result.claims.push_back({"task 7", "higher stiffness is faster and costs torque; less damping overshoots",
                           "plots for representative gains",
                           fmt::format("settled {:.2f} / {:.2f} / {:.2f} s soft / chosen / stiff, peak {:.0f} / {:.0f} "
                                       "/ {:.0f} N m; overshoot {:.0f} % "
                                       "with a third of the damping, {:.1f} % with all",
                                       settled[0], settled[1], settled[3], peak[0], peak[1], peak[3],
                                       100 * overshoot[2], 100 * overshoot[1]),
                           settled[0] > settled[1] && settled[1] > settled[3] && peak[0] < peak[1] &&
                               peak[1] < peak[3] && overshoot[2] > 3 * overshoot[1],
                           "gains ours"});
  all.title = "task 7: joint PD for several gains";
  all.tables.push_back(table);
  all.time_figures = {{"task 7", "Joint 1", angles}, {"task 7", "Torque of joint 1", torques}};
  result.logs.push_back(std::move(all));
}

/// The damping ratios that a step along each mode of (M, K) shows, for a given design.
std::vector<double> shown_ratios(const Arm& arm, const VecX<double>& at, const Vec3<double>& kp, double zeta,
                                 const std::string& design, Log* log) {
  const Eigen::MatrixXd M = mass_matrix<double>(arm, at), K = kp.asDiagonal();
  const RealEigen modes = symmetric_eigen(K, M);
  std::vector<double> ratios;
  for (int mode = 0; mode < 3; ++mode) {
    const Eigen::VectorXd v = modes.vectors.col(mode), w = M * v;  // wᵀ (q - q_d) is the mode's own coordinate
    const Eigen::VectorXd q = at - 0.1 * deg * v / v.cwiseAbs().maxCoeff();
    const double period = 2 * pi / std::sqrt(modes.values[mode]);
    const std::string text = scenario(
        "task 9",
        fmt::format(
            "start: {{q: [{}, {}, {}]}}\nplant: {{friction: false, torque_limits: false}}\n"
            "reference: {{kind: hold, to: [{}, {}, {}]}}\ncontroller:\n  kind: sum\n  continuous: true\n"
            "  terms:\n    - {{kind: gravity}}\n    - {{kind: designed_pd, name: pd, kp: [{}, {}, {}], zeta: {}, "
            "design: {}}}\nrun: {{duration: {} s, tick: {} s}}\n",
            q[0], q[1], q[2], at[0], at[1], at[2], kp[0], kp[1], kp[2], zeta, design, 3 * period, period / 200));
    Log step = simulated(text);
    std::vector<double> x;
    for (std::size_t i = 0; i < step.time.size(); ++i) x.push_back(w.dot(joints(step, i) - at));
    ratios.push_back(damping_ratio(x, 0));
    if (log && mode == 0) *log = std::move(step);
  }
  return ratios;
}

/// Away from the pose for which constant damping was designed.
void damping_elsewhere(const Arm& arm, StudyResult& result) {
  VecX<double> folded(3);
  folded << 30 * deg, 130 * deg, 50 * deg;
  const auto off = [&](const std::string& design) {
    double most = 0;
    for (const double ratio : shown_ratios(arm, folded, {60, 60, 60}, 0.5, design, nullptr))
      most = std::max(most, std::abs(ratio / 0.5 - 1));
    return most;
  };
  const double follows = off("square_roots"), constant = off("square_roots, design_position: [30 deg, 40 deg, 50 deg]");
  result.claims.push_back(
      {"task 8, elsewhere", "damping that follows M(q) keeps its ratio, constant damping only at its design pose",
       "K_d should be designed",
       fmt::format("at (30, 130, 50) deg off by {:.2f} % and by {:.0f} %", 100 * follows, 100 * constant),
       follows < 0.02 && constant > 0.05, "ratio 0.5; constant: designed at (30, 40, 50) deg"});
}

void tasks_8_and_9(StudyResult& result) {
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  VecX<double> at(3);
  at << 30 * deg, 40 * deg, 50 * deg;
  Log figure;
  LogTable table{"Tasks 8 and 9: damping ratios shown by steps along the three modes",
                 {"K_p", "design", "asked", "mode 1", "mode 2", "mode 3"},
                 {}};
  double worst_equal = 0, worst_exact = 0, worst_roots = 0;
  std::vector<std::string> curves;
  for (const double zeta : {0.2, 0.5, 0.8}) {
    struct Case {
      Vec3<double> kp;
      const char *name, *design;
      double& worst;
    };
    const Case cases[] = {{{60, 60, 60}, "60 1", "square_roots", worst_equal},
                          {{8, 80, 800}, "(8, 80, 800)", "double_diagonal", worst_exact},
                          {{8, 80, 800}, "(8, 80, 800)", "square_roots", worst_roots}};
    for (const Case& c : cases) {
      Log log;
      const std::vector<double> shown = shown_ratios(arm, at, c.kp, zeta, c.design, &log);
      table.rows.push_back({c.name, c.design, fmt::format("{}", zeta), fmt::format("{:.4f}", shown[0]),
                            fmt::format("{:.4f}", shown[1]), fmt::format("{:.4f}", shown[2])});
      for (const double ratio : shown) c.worst = std::max(c.worst, std::abs(ratio / zeta - 1));
      if (&c == &cases[0]) {
        if (figure.time.empty()) figure.time = log.time;
        curves.push_back(fmt::format("q1, zeta {}", zeta));
        figure.add(curves.back(), "rad").values = log.channel("q1").values;
      }
    }
  }
  result.claims.push_back(
      {"tasks 8 and 9", "damping designed by square roots gives the asked ratio 0.2, 0.5, 0.8", "three damping factors",
       fmt::format("every mode's step shows it to {:.2f} %", 100 * worst_equal), worst_equal < 0.02,
       "K_p = 60 N m/rad for every joint, so that K and M commute; steps of 0.1 deg at the design pose"});
  result.claims.push_back(
      {"problem 2.2.3", "for other stiffness the double diagonalisation is exact, the square roots are not",
       "derive K_d for a given ratio",
       fmt::format("double diagonalisation to {:.2f} %, square roots to {:.0f} %", 100 * worst_exact,
                   100 * worst_roots),
       worst_exact < 0.005 && worst_roots > 0.05,
       "K_p = (8, 80, 800) N m/rad, where the two differ; 0.5 % at most and 5 % at least are asked for"});
  damping_elsewhere(arm, result);
  figure.title = "tasks 8 and 9: designed damping";
  figure.tables.push_back(table);
  figure.time_figures = {{"task 9", "A step along the first mode, joint 1", curves}};
  result.logs.push_back(std::move(figure));
}

}  // namespace

void joint_control(StudyResult& result) {
  task_4(result);
  tasks_5_and_6(result);
  task_7(result);
  tasks_8_and_9(result);
}

}  // namespace armature::studies::tum2019
