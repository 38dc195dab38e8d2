// Tasks 18 to 21: full Cartesian impedance with quaternions, damping designed with the Cartesian mass matrix.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/operational_space.hpp"
#include "armature/control/cartesian_impedance.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/spatial/rotation.hpp"
#include "tum2019.hpp"

namespace armature::studies::tum2019 {

using namespace laboratory;

namespace {

void task_18(StudyResult& result) {
  Random random(18);
  double worst = 0, printed_near_half = 0;
  for (int i = 0; i < 2000; ++i) {
    Vec3<double> n(random.normal(), random.normal(), random.normal());
    n.normalize();
    const double angle = random.uniform(0, 179.99 * deg);
    const Quaternion q = quaternion_from_rotation(exp_map(n * angle));
    worst = std::max(worst, (2 * q.tail<3>() - 2 * std::sin(angle / 2) * n).norm());
  }
  const Mat3<double> half = exp_map(Vec3<double>(0, 0, pi * (1 - 1e-9)));
  const double eta = 0.5 * std::sqrt(std::max(0.0, 1 + half.trace()));
  printed_near_half = std::abs((half(1, 0) - half(0, 1)) / (4 * eta) - 1);
  const double ours = std::abs(quaternion_from_rotation(half)[3] - 1);
  result.claims.push_back(
      {"task 18", "the rotational error 2 epsilon of the quaternion", "(15), (16)",
       fmt::format("2 sin(angle/2) about the axis to {:.0e} up to 179.99 deg; at 180 deg off by {:.0e}", worst, ours),
       worst < 1e-11 && ours < 1e-9,
       fmt::format("(15) divides by eta, which vanishes at half a turn: there it is off by {:.1g}",
                   printed_near_half)});
}

/// Torque about z of the law's spring for a tool turned by an angle away from its target.
double spring_torque(const Arm& arm, const VecX<double>& q, double angle, double stiffness) {
  CartesianImpedanceSettings settings;
  settings.stiffness << 0, 0, 0, stiffness, stiffness, stiffness;
  settings.gravity = false;
  CartesianImpedance law(arm, settings);
  Measurement y;
  y.q = q;
  y.qd = VecX<double>::Zero(3);
  Reference r;
  r.X_WT = tool_pose(arm, forward_kinematics<double>(arm, q));
  r.X_WT.R = rotation_z(angle) * r.X_WT.R;
  VecX<double> tau(3);
  law.reset(y);
  law.update(y, r, 1e-3, tau);
  return tau[2];
}

void task_19(StudyResult& result) {
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  VecX<double> q(3);
  q << 10 * deg, 40 * deg, 50 * deg;
  double worst = 0;
  for (int i = 1; i < 36; ++i) {
    const double angle = 5 * i * deg;
    worst = std::max(worst, std::abs(spring_torque(arm, q, angle, 20) - 20 * std::sin(angle)));
  }
  result.claims.push_back(
      {"problem 2.6.3", "with the consistent Jacobian the torque about the axis is K sin(angle)",
       "unstable equilibrium at half a turn",
       fmt::format("to {:.0e} N m; at 179 deg still {:.2f} N m", worst, spring_torque(arm, q, 179 * deg, 20)),
       worst < 1e-12, "the spring is the gradient of a potential; F = -2 K epsilon alone has no equilibrium there"});
  Log log = simulated(scenario(
      "task 19",
      "start: {q: [10 deg, 40 deg, 50 deg]}\nplant: {friction: false, torque_limits: false}\n"
      "reference: {kind: pose, points: [[0.45, 0.5, 0]], rpy: [0, 0, 120 deg]}\n"
      "controller: {kind: cartesian_impedance, kp: [300, 300, 300, 30, 30, 30], zeta: 0.7}\nrun: {duration: 4 s}\n"));
  const std::size_t last = last_row(log);
  const double distance = (tool(log, last) - tool(log, last, "_ref")).norm(),
               angle = std::abs(joints(log, last).sum() - 120 * deg);
  result.claims.push_back({"task 19", "the full impedance law takes position and orientation to their target",
                           "implement", fmt::format("to {:.1e} mm and {:.1e} deg in 4 s", distance * 1e3, angle / deg),
                           distance < 1e-5 && angle < 1e-5, "K = 300 N/m, 30 N m/rad in the tool's axes, ours"});
  log.time_figures = {{"task 19", "The tool", {"tool_x", "tool_x_ref", "tool_y", "tool_y_ref"}},
                      {"task 19", "Torques", {"tau1", "tau2", "tau3"}}};
  result.logs.push_back(kept(std::move(log), "task 19: full Cartesian impedance"));
}

void tasks_20_and_21(StudyResult& result) {
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  VecX<double> at(3);
  at << 10 * deg, 40 * deg, 50 * deg;
  const LinkPoses<double> poses = forward_kinematics<double>(arm, at);
  const Pose<double> X = tool_pose(arm, poses);
  const Eigen::MatrixXd J = TaskRows{0, 1, 5}.of(tool_jacobian(arm, poses)), M = mass_matrix<double>(arm, at);
  const Eigen::Matrix3d K = Eigen::Vector3d(300, 300, 30).asDiagonal();
  const Eigen::MatrixXd Kq = J.transpose() * K * J;
  const RealEigen modes = symmetric_eigen(Kq, M);
  Log figure;
  LogTable table{"Tasks 20 and 21: damping ratios shown by steps along the three modes",
                 {"asked", "mode 1", "mode 2", "mode 3"},
                 {}};
  std::vector<std::string> curves;
  double worst = 0;
  for (const double zeta : {0.2, 0.5, 0.8}) {
    std::vector<std::string> row{fmt::format("{}", zeta)};
    for (int mode = 0; mode < 3; ++mode) {
      const Eigen::VectorXd v = modes.vectors.col(mode), w = M * v;
      const Eigen::VectorXd q = at - 0.05 * deg * v / v.cwiseAbs().maxCoeff();
      const double period = 2 * pi / std::sqrt(modes.values[mode]);
      const Log log = simulated(scenario(
          "task 21", fmt::format("start: {{q: [{}, {}, {}]}}\nplant: {{friction: false, torque_limits: "
                                 "false}}\nreference: {{kind: pose, points: "
                                 "[[{}, {}, 0]], rpy: [0, 0, {}]}}\ncontroller: {{kind: cartesian_impedance, kp: [300, "
                                 "300, 300, 30, 30, 30], "
                                 "zeta: {}, continuous: true}}\nrun: {{duration: {} s, tick: {} s}}\n",
                                 q[0], q[1], q[2], X.p.x(), X.p.y(), at.sum(), zeta, 3 * period, period / 200)));
      std::vector<double> x;
      for (std::size_t i = 0; i < log.time.size(); ++i) x.push_back(w.dot(joints(log, i) - at));
      const double shown = damping_ratio(x, 0);
      worst = std::max(worst, std::abs(shown / zeta - 1));
      row.push_back(fmt::format("{:.4f}", shown));
      if (mode == 0) {
        if (figure.time.empty()) figure.time = log.time;
        curves.push_back(fmt::format("tool_y, zeta {}", zeta));
        figure.add(curves.back(), "m").values = log.channel("tool_y").values;
      }
    }
    table.rows.push_back(row);
  }
  result.claims.push_back(
      {"tasks 20 and 21", "damping designed with the Cartesian mass matrix gives the asked ratio 0.2, 0.5, 0.8",
       "three damping factors", fmt::format("every mode's step shows it to {:.2f} %", 100 * worst), worst < 0.02,
       "small steps at (10, 40, 50) deg; the design in joint space equals that with M_x where M_x exists"});
  figure.title = "tasks 20 and 21: designed Cartesian damping";
  figure.tables.push_back(table);
  figure.time_figures = {{"task 21", "The tool after a step along the first mode", curves}};
  result.logs.push_back(std::move(figure));
}

}  // namespace

void full_impedance(StudyResult& result) {
  task_18(result);
  task_19(result);
  tasks_20_and_21(result);
}

}  // namespace armature::studies::tum2019
