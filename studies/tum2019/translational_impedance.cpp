// Tasks 13 to 17: translational Cartesian impedance, null-space damping, singularity avoidance.
#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/operational_space.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/null_space.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/numerics/decompositions.hpp"
#include "tum2019.hpp"

namespace armature::studies::tum2019 {

using namespace laboratory;

namespace {

std::string impedance(double k, double d) {
  return fmt::format("{{kind: operational_pd, name: impedance, task: plane, kp: [{}, {}], kd: [{}, {}]}}", k, k, d, d);
}

void task_13(StudyResult& result) {
  const std::string world =
      "start: {q: [10 deg, 40 deg, 50 deg]}\nplant: {viscous: [0.5, 0.5, 0.5], torque_limits: false}\n";
  double worst = 0;
  for (const char* target : {"[0.5, 0.5, 0]", "[0.2, 0.7, 0]", "[-0.3, 0.6, 0]"}) {
    const Log log =
        simulated(scenario("task 13", world + "reference: {kind: pose, points: [" + target +
                                          "]}\ncontroller: " + impedance(300, 60) + "\nrun: {duration: 5 s}\n"));
    worst = std::max(worst, (tool(log, last_row(log)) - tool(log, last_row(log), "_ref")).norm());
  }
  result.claims.push_back({"task 13, reachable", "the tool goes to the wanted point", "try various positions",
                           fmt::format("to {:.1e} mm after 5 s, three targets", worst * 1e3), worst < 1e-3,
                           "K_t = 300 N/m, D_t = 60 N s/m, ours"});
  Log log = simulated(scenario("task 13", world + "reference: {kind: pose, points: [[0, 1.5, 0]]}\ncontroller: " +
                                              impedance(300, 60) + "\nrun: {duration: 15 s, tick: 2 ms}\n"));
  const Vec3<double> tip = tool(log, last_row(log));
  const double short_by = (tip - Vec3<double>(0, 1.5, 0)).norm();
  const VecX<double> q = joints(log, last_row(log));
  result.claims.push_back(
      {"task 13, unreachable", "towards (0, 1.5) m the arm stretches out and pulls in vain", "what happens?",
       fmt::format("tip at ({:.4f}, {:.4f}) m, {:.4f} m short, arm at {}", tip.x(), tip.y(), short_by, degrees(q)),
       std::abs(short_by - 0.5) < 1e-4 && std::abs(q[1]) < 0.01 && std::abs(q[2]) < 0.01,
       "its reach is 1 m: stretched, J^T F of the radial force is zero"});
  log.time_figures = {{"task 13", "The tool towards (0, 1.5) m", {"tool_x", "tool_x_ref", "tool_y", "tool_y_ref"}},
                      {"task 13", "Joints", {"q1", "q2", "q3"}}};
  result.logs.push_back(kept(std::move(log), "task 13: a target out of reach"));
}

void task_14(StudyResult& result) {
  Log all;
  std::vector<std::string> curves;
  double overshoot[4] = {}, rise[4] = {};
  const double gains[4][2] = {{100, 40}, {300, 60}, {300, 15}, {1000, 120}};
  for (std::size_t k = 0; k < 4; ++k) {
    const Log log = simulated(scenario("task 14",
                                       "start: {q: [10 deg, 40 deg, 50 deg]}\nplant: {viscous: [0.5, 0.5, 0.5], "
                                       "torque_limits: false}\nreference: {kind: "
                                       "pose, points: [[0.5, 0.5, 0]]}\ncontroller: " +
                                           impedance(gains[k][0], gains[k][1]) + "\nrun: {duration: 3 s}\n"));
    const std::vector<double>& x = log.channel("tool_x").values;
    const double from = x.front(), to = 0.5;
    bool risen = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double share = (x[i] - from) / (to - from);
      overshoot[k] = std::max(overshoot[k], share - 1);
      if (!risen && share >= 0.9) {
        rise[k] = log.time[i];
        risen = true;
      }
    }
    if (all.time.empty()) all.time = log.time;
    curves.push_back(fmt::format("tool_x, K {} D {}", gains[k][0], gains[k][1]));
    all.add(curves.back(), "m").values = x;
  }
  result.claims.push_back(
      {"task 14", "stiffer is faster, less damping overshoots", "plots for some K_p, K_d",
       fmt::format(
           "90 % after {:.2f}, {:.2f}, {:.2f} s for K = 100, 300, 1000 N/m; overshoot {:.0f} % with a quarter of "
           "the damping, {:.1f} % with all",
           rise[0], rise[1], rise[3], 100 * overshoot[2], 100 * overshoot[1]),
       rise[0] > rise[1] && rise[1] > rise[3] && overshoot[2] > overshoot[1] + 0.05, ""});
  all.title = "task 14: translational impedance";
  all.time_figures = {{"task 14", "The tool's x for several gains", curves}};
  result.logs.push_back(std::move(all));
}

/// Largest acceleration of the tip by the null-space torque of a joint damper.
double tip_acceleration(const Arm& arm, Projector projector) {
  NullSpaceTerm term(arm, AnyController(JointDamping{VecX<double>::Constant(3, 5)}),
                     {.rows = TaskRows{0, 1}, .inverse = {.weighting = projector, .threshold = 0, .damping = 0}});
  Random random(15);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    Measurement y;
    y.q = y.qd = VecX<double>(3);
    for (int k = 0; k < 3; ++k) {
      y.q[k] = random.uniform(-pi, pi);
      y.qd[k] = random.uniform(-2, 2);
    }
    const TaskJacobian<double> J = TaskRows{0, 1}.of(tool_jacobian(arm, forward_kinematics<double>(arm, y.q)));
    if (manipulability<double>(J) < 0.02) continue;
    VecX<double> tau = VecX<double>::Zero(3);
    term.reset(y);
    term.update(y, Reference{}, 1e-3, tau);
    const Eigen::MatrixXd M = mass_matrix<double>(arm, y.q);
    const Eigen::VectorXd a = J * solved_symmetric(M, tau);
    worst = std::max(worst, a.cwiseAbs().maxCoeff());
  }
  return worst;
}

void task_15(StudyResult& result) {
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  const double consistent = tip_acceleration(arm, Projector::dynamically_consistent),
               penrose = tip_acceleration(arm, Projector::moore_penrose);
  result.claims.push_back(
      {"task 15, tip", "null-space damping does not interfere with the tool", "pseudo-inverse of Moore-Penrose",
       fmt::format("tip acceleration from it {:.0e} m/s^2 dynamically consistent, {:.1f} m/s^2 with Moore-Penrose",
                   consistent, penrose),
       consistent < 1e-9 && penrose > 1e-3,
       "the hinted pseudo-inverse does interfere; 1000 random states, 5 N m s/rad"});
  const auto swing = [&](const std::string& term) {
    return simulated(
        scenario("task 15",
                 "start: {q: [10 deg, 40 deg, 50 deg], v: [1, -2, 1]}\nplant: {friction: false, torque_limits: false}\n"
                 "reference: {kind: pose, points: [[0.5, 0.5, 0]]}\ncontroller:\n  kind: sum\n  terms:\n    - " +
                     impedance(300, 80) + "\n" + term + "run: {duration: 6 s}\n"));
  };
  Log off = swing(""),
      on = swing(
          "    - {kind: null_space, name: damping, task: plane, terms: [{kind: joint_damping, kd: [3, 3, 3]}]}\n");
  const auto speed = [](const Log& log) {
    double most = 0;
    for (const char* v : {"v1", "v2", "v3"}) most = std::max(most, largest(log, v, 5));
    return most;
  };
  const double tip = (tool(on, last_row(on)) - tool(on, last_row(on), "_ref")).norm();
  result.claims.push_back(
      {"task 15, motion", "the motion that the tool does not see is damped", "nullspace motion is damped",
       fmt::format("joint speed after 5 s {:.0e} rad/s, without the term {:.2f} rad/s; tip off by {:.0e} m", speed(on),
                   speed(off), tip),
       speed(on) < 0.01 * speed(off) && tip < 1e-4, "joints without friction, started with (1, -2, 1) rad/s"});
  for (const char* q : {"q1", "q2", "q3"}) on.add(std::string(q) + "_undamped", "rad").values = off.channel(q).values;
  on.time_figures = {{"task 15",
                      "Null-space motion with and without damping",
                      {"q1", "q2", "q3", "q1_undamped", "q2_undamped", "q3_undamped"}},
                     {"task 15", "The tool", {"tool_x", "tool_y"}}};
  result.logs.push_back(kept(std::move(on), "task 15: null-space damping"));
}

void manipulabilities(StudyResult& result) {
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  Random random(14);
  const double l = 1.0 / 3;
  double full = 0, plane = 0;
  for (int i = 0; i < 1000; ++i) {
    VecX<double> q(3);
    for (int k = 0; k < 3; ++k) q[k] = random.uniform(-pi, pi);
    const Mat6X<double> J = tool_jacobian(arm, forward_kinematics<double>(arm, q));
    const double s2 = std::sin(q[1]), s3 = std::sin(q[2]), s23 = std::sin(q[1] + q[2]);
    full = std::max(full, std::abs(manipulability<double>(TaskRows{0, 1, 5}.of(J)) - l * l * std::abs(s2)));
    const double a = l * (l * s2 + l * s23), b = l * (l * s23 + l * s3), c = l * l * s3;
    plane = std::max(plane, std::abs(manipulability<double>(TaskRows{0, 1}.of(J)) - std::sqrt(a * a + b * b + c * c)));
  }
  result.claims.push_back(
      {"(14)", "manipulability in closed form", "sqrt(l1^2 l2^2 sin^2 q2)",
       fmt::format("of the 3x3 Jacobian to {:.0e}; of the 2x3 one {:.0e} by its own formula", full, plane),
       full < 1e-14 && plane < 1e-14,
       "(14) is that of x, y and angle; for the redundant task of x and y it is another one"});
}

void tasks_16_and_17(StudyResult& result) {
  const auto hold = [&](bool avoid) {
    std::string terms =
        "    - " + impedance(800, 150) +
        "\n    - {kind: null_space, name: damping, task: plane, terms: [{kind: joint_damping, kd: [3, 3, 3]}]}\n";
    if (avoid)
      terms +=
          "    - {kind: null_space, name: avoidance, task: plane, terms: [{kind: singularity_avoidance, task: planar, "
          "threshold: 0.06, gain: 8000}]}\n";
    return simulated(scenario(
        "tasks 16 and 17",
        "start: {q: [20 deg, 4 deg, 60 deg]}\nplant: {friction: false, torque_limits: false}\n"
        "reference: {kind: pose, points: [[0.64, 0.44, 0]], task: position}\ncontroller:\n  kind: sum\n  terms:\n" +
            terms + "run: {duration: 6 s}\n"));
  };
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  Log on = hold(true), off = hold(false);
  const auto measures = [&](Log& log) {
    Channel& full = log.add("manipulability_3x3", "m^2");
    for (std::size_t i = 0; i < log.time.size(); ++i) full.values.push_back(std::abs(std::sin(joints(log, i)[1])) / 9);
    Channel& plane = log.add("manipulability_2x3", "m^2");
    Channel& error = log.add("cartesian_error", "m");
    for (std::size_t i = 0; i < log.time.size(); ++i) {
      plane.values.push_back(manipulability<double>(
          TaskRows{0, 1}.of(tool_jacobian(arm, forward_kinematics<double>(arm, joints(log, i))))));
      error.values.push_back((tool(log, i) - tool(log, i, "_ref")).norm());
    }
  };
  measures(on);
  measures(off);
  const double m_on = end(on, "manipulability_3x3"), m_off = end(off, "manipulability_3x3");
  result.claims.push_back(
      {"tasks 16 and 17", "a potential in the null space keeps the arm away from the singularity", "compare on and off",
       fmt::format("manipulability ends at {:.4f} m^2 with, {:.4f} m^2 without; tip off by {:.0e} and {:.0e} m", m_on,
                   m_off, end(on, "cartesian_error"), end(off, "cartesian_error")),
       m_on > 0.045 && m_on > 1.5 * m_off && end(on, "cartesian_error") < 1e-3,
       "V = k_s/2 (m - m_0)^2 below m_0 = 0.06 m^2, k_s = 8000 N m/m^4, ours; 3x3 manipulability, dynamically "
       "consistent null space"});
  for (const char* name : {"manipulability_3x3", "manipulability_2x3", "cartesian_error", "q2"})
    on.add(std::string(name) + "_off", on.channel(name).unit).values = off.channel(name).values;
  on.time_figures = {{"task 17",
                      "Manipulability with avoidance on and off",
                      {"manipulability_3x3", "manipulability_3x3_off", "manipulability_2x3", "manipulability_2x3_off"}},
                     {"task 17", "Cartesian error", {"cartesian_error", "cartesian_error_off"}},
                     {"task 17", "Elbow", {"q2", "q2_off"}}};
  result.logs.push_back(kept(std::move(on), "tasks 16 and 17: singularity avoidance"));
}

}  // namespace

void translational_impedance(StudyResult& result) {
  task_13(result);
  task_14(result);
  task_15(result);
  manipulabilities(result);
  tasks_16_and_17(result);
}

}  // namespace armature::studies::tum2019
