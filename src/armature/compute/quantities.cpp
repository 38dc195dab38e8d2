#include "armature/compute/quantities.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/algorithms/derivatives.hpp"
#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/operational_space.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/compute/internal/with_drives.hpp"
#include "armature/core/error.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::compute {

std::size_t Block::size() const { return static_cast<std::size_t>(rows == 0 ? 1 : cols == 0 ? rows : rows * cols); }

std::vector<std::string> Block::columns() const {
  if (rows == 0) return {name};
  std::vector<std::string> names;
  for (int i = 1; i <= rows; ++i) {
    if (cols == 0) names.push_back(fmt::format("{}{}", name, i));
    for (int j = 1; j <= cols; ++j) names.push_back(fmt::format("{}{}{}{}", name, i, rows < 10 ? "" : "_", j));
  }
  return names;
}

std::vector<std::string> input_columns(std::string_view inputs, int dof) {
  std::vector<std::string> names;
  for (const char input : inputs)
    for (int i = 1; i <= dof; ++i)
      names.push_back(input == 't' ? fmt::format("tau{}", i) : fmt::format("{}{}", input, i));
  return names;
}

std::vector<std::string> columns_of(const std::vector<Block>& blocks) {
  std::vector<std::string> names;
  for (const Block& block : blocks)
    for (const std::string& name : block.columns()) names.push_back(name);
  return names;
}

namespace {

/// Takes numbers in the order of the blocks.
template <Scalar S>
struct Results {
  std::span<S> numbers;
  std::size_t count = 0;
  void add(const S& number) { numbers[count++] = number; }
  template <class Derived>
  void add(const Eigen::MatrixBase<Derived>& matrix) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) add(matrix(i, j));
  }
};
template <class S>
Results(std::span<S>) -> Results<S>;

/// One number per joint, with the unit of a revolute and of a prismatic joint.
Block joint_block(const Arm& arm, const char* name, const char* revolute_unit, const char* prismatic_unit) {
  Block block{name, arm.dof(), 0};
  for (int i = 0; i < arm.dof(); ++i) {
    block.labels.push_back(arm.joint(i).name);
    block.units.emplace_back(arm.body(i).revolute ? revolute_unit : prismatic_unit);
  }
  return block;
}
std::vector<Block> torque_blocks(const Arm& arm, const char* name) { return {joint_block(arm, name, "N m", "N")}; }

/// The frame asked for, or the tool: in the world, and the body that carries it (-1: none).
struct AskedFrame {
  Pose<double> X_WF;
  int body;
};
AskedFrame asked_frame(const Arm& arm, const ComputeSettings& settings, const LinkPoses<double>& poses) {
  if (settings.frame) return {frame_pose(*settings.frame, poses), settings.frame->body};
  return {tool_pose(arm, poses), arm.dof() - 1};
}

DriveParts drives(const ComputeSettings& settings) { return {settings.friction, settings.rotor}; }

/// The wrench on the tool as the algorithms take it; none where none was given.
struct WrenchOnTool {
  std::array<BodyWrench<double>, 1> storage;
  std::size_t count = 0;
  WrenchOnTool(const Arm& arm, const ComputeSettings& settings, const VecX<double>& q) {
    if (!settings.wrench) return;
    const LinkPoses<double> poses = forward_kinematics(arm, q);
    const Vec3<double> force = settings.wrench->head<3>(), moment = settings.wrench->tail<3>();
    storage[0] = wrench_on_body<double>(poses, arm.dof() - 1, tool_pose(arm, poses).p, force, moment);
    count = 1;
  }
  [[nodiscard]] std::span<const BodyWrench<double>> span() const { return {storage.data(), count}; }
};

std::vector<Block> pose_blocks(const Arm&, const ComputeSettings&) {
  std::vector<Block> blocks;
  for (const char* name : {"x", "y", "z"}) blocks.push_back({name, 0, 0, {""}, {"m"}});
  for (const char* name : {"qw", "qx", "qy", "qz"}) blocks.push_back({name, 0, 0});
  return blocks;
}
void compute_pose(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  const Pose<double> X = asked_frame(arm, settings, forward_kinematics(arm, s.q)).X_WF;
  Results results{out};
  results.add(X.p);
  results.add(quaternion_from_rotation(X.R));
}

void compute_eight_poses(const Arm& arm, EightStates& s, std::span<Pack> out) {
  forward_kinematics(arm, s.q, s.poses);
  const Pose<Pack> X = tool_pose(arm, s.poses);
  Results{out}.add(X.p);
  for (int lane = 0; lane < Pack::width; ++lane) {
    Mat3<double> R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R(i, j) = X.R(i, j)[lane];
    const Quaternion turned = quaternion_from_rotation(R);
    for (int i = 0; i < 4; ++i) out[3 + i].set(lane, turned[i]);
  }
}

std::vector<Block> jacobian_blocks(const Arm& arm, const ComputeSettings& settings) {
  Block J{"j", 6, arm.dof(), {"vx", "vy", "vz", "wx", "wy", "wz"}};
  if (settings.angles == EulerConvention::zyz) J.labels = {"vx", "vy", "vz", "dphi", "dtheta", "dpsi"};
  if (settings.angles == EulerConvention::rpy) J.labels = {"vx", "vy", "vz", "droll", "dpitch", "dyaw"};
  return {J};
}
void compute_jacobian(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  const LinkPoses<double> poses = forward_kinematics(arm, s.q);
  if (settings.angles) {
    const auto analytical = analytical_jacobian<double>(arm, poses, *settings.angles);
    if (analytical.singular)
      throw Error("the angles of the tool are singular at this state: their rates are not determined",
                  "try the other --representation, or leave it out for angular velocity");
    return Results{out}.add(analytical.J);
  }
  const AskedFrame frame = asked_frame(arm, settings, poses);
  Mat6X<double> J = Mat6X<double>::Zero(6, arm.dof());
  if (frame.body >= 0) jacobian(arm, poses, frame.body, frame.X_WF.p, J);
  Results{out}.add(J);
}

void compute_eight_jacobians(const Arm& arm, EightStates& s, std::span<Pack> out) {
  forward_kinematics(arm, s.q, s.poses);
  Mat6X<Pack> J;
  jacobian<Pack>(arm, s.poses, arm.dof() - 1, tool_pose(arm, s.poses).p, J);
  Results{out}.add(J);
}

std::vector<Block> tau_blocks(const Arm& arm, const ComputeSettings&) { return torque_blocks(arm, "tau"); }
void compute_inverse_dynamics(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  VecX<double> tau(arm.dof());
  if (settings.lagrange)
    tau = lagrange_inverse_dynamics(arm, s.q, s.v, s.a);
  else
    inverse_dynamics(arm, s.q, s.v, s.a, WrenchOnTool(arm, settings, s.q).span(), tau);
  if (settings.friction || settings.rotor) tau += drive_torque(arm, drives(settings), s.v, s.a, tau);
  Results{out}.add(tau);
}

void compute_eight_inverse_dynamics(const Arm& arm, EightStates& s, std::span<Pack> out) {
  VecX<Pack> tau;
  inverse_dynamics<Pack>(arm, s.q, s.v, s.a, {}, tau);
  Results{out}.add(tau);
}

std::vector<Block> acceleration_blocks(const Arm& arm, const ComputeSettings&) {
  return {joint_block(arm, "a", "rad/s²", "m/s²")};
}
void compute_forward_dynamics(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  const WrenchOnTool wrench(arm, settings, s.q);
  Results{out}.add(driven_acceleration(arm, drives(settings), s.q, s.v, s.tau, wrench.span()));
}

void compute_eight_forward_dynamics(const Arm& arm, EightStates& s, std::span<Pack> out) {
  VecX<Pack> qdd;
  forward_dynamics<Pack>(arm, s.q, s.v, s.tau, {}, qdd);
  Results{out}.add(qdd);
}

std::vector<Block> mass_blocks(const Arm& arm, const ComputeSettings&) {
  return {{"m", arm.dof(), arm.dof(), joint_block(arm, "", "", "").labels}};
}
void compute_mass_matrix(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  MatX<double> M(arm.dof(), arm.dof());
  mass_matrix(arm, s.q, M);
  if (settings.rotor) M += reflected_inertia(arm);
  Results{out}.add(M);
}

void compute_eight_mass_matrices(const Arm& arm, EightStates& s, std::span<Pack> out) {
  MatX<Pack> M;
  mass_matrix<Pack>(arm, s.q, M);
  Results{out}.add(M);
}

std::vector<Block> coriolis_blocks(const Arm& arm, const ComputeSettings&) { return torque_blocks(arm, "c"); }
void compute_coriolis(const Arm& arm, const ComputeSettings&, const State& s, std::span<double> out) {
  Results{out}.add(coriolis_torque(arm, s.q, s.v));
}

void compute_eight_coriolis(const Arm& arm, EightStates& s, std::span<Pack> out) {
  Results{out}.add(coriolis_torque<Pack>(arm, s.q, s.v));
}

std::vector<Block> gravity_blocks(const Arm& arm, const ComputeSettings&) { return torque_blocks(arm, "g"); }
void compute_gravity(const Arm& arm, const ComputeSettings&, const State& s, std::span<double> out) {
  Results{out}.add(gravity_torque(arm, s.q));
}

void compute_eight_gravity(const Arm& arm, EightStates& s, std::span<Pack> out) {
  Results{out}.add(gravity_torque<Pack>(arm, s.q));
}

std::vector<Block> energy_blocks(const Arm&, const ComputeSettings&) {
  return {{"kinetic", 0, 0, {""}, {"J"}}, {"potential", 0, 0, {""}, {"J"}}};
}
void compute_energy(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  Energy<double> e = energy(arm, s.q, s.v);
  if (settings.rotor) e.kinetic += 0.5 * s.v.dot(rotor_torque(arm, s.v));  // the rotors' inertia is constant
  Results results{out};
  results.add(e.kinetic);
  results.add(e.potential);
}

/// The inertia matrix of the task, mu and p, and how many of the task's directions are independent.
std::vector<Block> operational_blocks(const Arm&, const ComputeSettings& settings) {
  const std::array<const char*, 6> names{"x", "y", "z", "rx", "ry", "rz"};
  std::vector<std::string> labels, units;
  for (int i = 0; i < settings.task.count; ++i) {
    const int row = settings.task.row[i];
    labels.emplace_back(names[row]);
    units.emplace_back(row < 3 ? "N" : "N m");
  }
  const int n = settings.task.count;
  return {{"lambda", n, n, labels}, {"mu", n, 0, labels, units}, {"p", n, 0, labels, units}, {"rank", 0, 0}};
}
void compute_operational_space(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  const OperationalSpace<double> tool = operational_space(arm, s.q, s.v, settings.task);
  Results results{out};
  results.add(tool.Lambda);
  results.add(tool.mu);
  results.add(tool.p);
  results.add(tool.rank);
}

/// The columns for the links' parameters; with friction those for coulomb, viscous and offset, with rotor those for the
/// rotors' inertias.
std::vector<Block> regressor_blocks(const Arm& arm, const ComputeSettings& settings) {
  const int n = arm.dof();
  const std::vector<std::string> labels = joint_block(arm, "", "", "").labels;
  std::vector<Block> blocks{{"w", n, parameters_per_link * n, labels}};
  if (settings.friction) blocks.push_back({"f", n, friction_parameters_per_joint * n, labels});
  if (settings.rotor) blocks.push_back({"r", n, n, labels});
  return blocks;
}
void compute_regressor(const Arm& arm, const ComputeSettings& settings, const State& s, std::span<double> out) {
  Results results{out};
  results.add(torque_regressor(arm, s.q, s.v, s.a));
  if (settings.friction) results.add(friction_regressor(s.v));
  if (settings.rotor) results.add(rotor_regressor(arm, s.a));
}

std::vector<Block> derivative_blocks(const Arm& arm, const char* of_the_third) {
  const std::vector<std::string> labels = joint_block(arm, "", "", "").labels;
  return {{"dq", arm.dof(), arm.dof(), labels},
          {"dv", arm.dof(), arm.dof(), labels},
          {of_the_third, arm.dof(), arm.dof(), labels}};
}
std::vector<Block> torque_derivative_blocks(const Arm& arm, const ComputeSettings&) {
  return derivative_blocks(arm, "da");
}
void compute_torque_derivatives(const Arm& arm, const ComputeSettings&, const State& s, std::span<double> out) {
  const InverseDynamicsDerivatives<double> d = inverse_dynamics_derivatives<double>(arm, s.q, s.v, s.a);
  Results results{out};
  results.add(d.dq);
  results.add(d.dqd);
  results.add(d.M);
}
std::vector<Block> acceleration_derivative_blocks(const Arm& arm, const ComputeSettings&) {
  return derivative_blocks(arm, "dtau");
}
void compute_acceleration_derivatives(const Arm& arm, const ComputeSettings&, const State& s, std::span<double> out) {
  const ForwardDynamicsDerivatives<double> d = forward_dynamics_derivatives<double>(arm, s.q, s.v, s.tau);
  Results results{out};
  results.add(d.dq);
  results.add(d.dqd);
  results.add(d.dtau);
}

}  // namespace

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all{
      {"forward-kinematics", "q", "frame", "where the tool is: x,y,z and the quaternion qw,qx,qy,qz", pose_blocks,
       compute_pose, compute_eight_poses},
      {"jacobian", "q", "frame representation", "6 x n, velocity rows first, base frame, at the tool: j11..j6n",
       jacobian_blocks, compute_jacobian, compute_eight_jacobians},
      {"inverse-dynamics", "qva", "friction rotor wrench method kernels", "torques that produce a motion: tau1..",
       tau_blocks, compute_inverse_dynamics, compute_eight_inverse_dynamics},
      {"forward-dynamics", "qvt", "friction rotor wrench kernels", "accelerations that torques produce: a1..",
       acceleration_blocks, compute_forward_dynamics, compute_eight_forward_dynamics},
      {"mass-matrix", "q", "rotor kernels", "M(q): m11,m12,..,mnn", mass_blocks, compute_mass_matrix,
       compute_eight_mass_matrices},
      {"coriolis", "qv", "kernels", "the torques C(q,v) v: c1..", coriolis_blocks, compute_coriolis,
       compute_eight_coriolis},
      {"gravity", "q", "kernels", "torques that hold the arm still: g1..", gravity_blocks, compute_gravity,
       compute_eight_gravity},
      {"energy", "qv", "rotor", "kinetic,potential [J]", energy_blocks, compute_energy},
      {"operational-space", "qv", "task",
       "Lambda xdd + mu + p = F at the tool: lambda11..,mu1..,p1..,rank (below full: directions lost)",
       operational_blocks, compute_operational_space},
      {"regressor", "qva", "friction rotor",
       "W with W p = tau, ten columns per link: w11..; with friction f11.., rotor r11..", regressor_blocks,
       compute_regressor},
      {"inverse-dynamics-derivatives", "qva", "",
       "how the torques change with q, v and a: dq11.., dv11.., da11.. (the mass matrix)", torque_derivative_blocks,
       compute_torque_derivatives},
      {"forward-dynamics-derivatives", "qvt", "",
       "how the accelerations change with q, v and tau: dq11.., dv11.., dtau11..", acceleration_derivative_blocks,
       compute_acceleration_derivatives},
  };
  return all;
}

bool computes_eight(const Quantity& quantity, const Arm& arm, const ComputeSettings& s) {
  const bool generated = arm.kernels() && quantity.options.find("kernels") != std::string_view::npos;
  return quantity.compute_eight && !generated && !s.friction && !s.rotor && !s.lagrange && !s.angles && !s.wrench &&
         !s.frame;
}

}  // namespace armature::compute
