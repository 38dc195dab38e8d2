// A second opinion: computes with Orocos KDL what the program wrote into tables, and prints both side by side.
//   demo_oracle ARM path.csv torques.csv tool.csv
// Shared with the program is the arm's description alone (DH rows, masses, gravity); frames and dynamics are KDL's own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "armature/formats/load_arm.hpp"
#include "table.hpp"

namespace {

using armature::Arm;
using Rows = std::vector<std::vector<double>>;

KDL::RigidBodyInertia kdl_inertia(const armature::model::MassProperties& mass) {
  const armature::spatial::Inertia<double> I = armature::model::inertia_of(mass);
  const armature::Mat3<double> c = armature::spatial::central_inertia(I);
  return KDL::RigidBodyInertia(I.m, KDL::Vector(I.h[0], I.h[1], I.h[2]) / I.m,
                               KDL::RotationalInertia(c(0, 0), c(1, 1), c(2, 2), c(0, 1), c(0, 2), c(1, 2)));
}

/// An arm of revolute joints from its standard DH rows. KDL takes a segment's inertia in the frame at its tip: the DH frame.
KDL::Chain kdl_chain(const Arm& arm) {
  KDL::Chain chain;
  for (const armature::JointDescription& joint : arm.description().joints) {
    const auto& dh = std::get<armature::model::DhRow>(joint.placement);
    chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::RotZ), KDL::Frame::DH(dh.a, dh.alpha, dh.d, dh.theta),
                                  kdl_inertia(joint.link.mass.value())));
  }
  return chain;
}

KDL::JntArray jnt_array(std::span<const double> numbers) {
  KDL::JntArray array(static_cast<unsigned>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) array(static_cast<unsigned>(i)) = numbers[i];
  return array;
}

/// Largest entry of |a - b| over max(1, largest entry of |b|); infinite where either holds no number.
double relative_difference(std::span<const double> a, std::span<const double> b) {
  double difference = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i] - b[i])) return INFINITY;
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

int compare(const std::string& name, const std::string& path_file, const std::string& torque_file,
            const std::string& tool_file) {
  const Arm arm = armature::load_arm(name).arm;
  const auto n = static_cast<std::size_t>(arm.dof());
  std::vector<std::string> state{"t"};
  for (const char* quantity : {"q", "v", "a"})
    for (const std::string& column : numbered(quantity, arm.dof())) state.push_back(column);
  const Rows path = read_columns(path_file, state);
  const Rows torques = read_columns(torque_file, numbered("tau", arm.dof()));
  const Rows tool = read_columns(tool_file, {"x", "y", "z"});
  if (torques.size() != path.size() || tool.size() != path.size()) {
    fmt::print("{} states, but {} torques and {} tool poses\n", path.size(), torques.size(), tool.size());
    return 1;
  }

  const KDL::Chain chain = kdl_chain(arm);
  const auto& g = arm.gravity();
  KDL::ChainIdSolver_RNE inverse_dynamics(chain, KDL::Vector(g[0], g[1], g[2]));
  KDL::ChainFkSolverPos_recursive forward_kinematics(chain);
  const KDL::Wrenches no_wrenches(chain.getNrOfSegments(), KDL::Wrench::Zero());

  fmt::print("  t [s]       tool x, y, z [m]              torques [N m]            torques by KDL [N m]\n");
  double worst_torque = 0, worst_tool = 0;
  for (std::size_t row = 0; row < path.size(); ++row) {
    const std::span<const double> now(path[row]);
    const KDL::JntArray q = jnt_array(now.subspan(1, n));
    KDL::JntArray tau(static_cast<unsigned>(n));
    KDL::Frame tip;
    if (inverse_dynamics.CartToJnt(q, jnt_array(now.subspan(1 + n, n)), jnt_array(now.subspan(1 + 2 * n, n)),
                                   no_wrenches, tau) < 0 ||
        forward_kinematics.JntToCart(q, tip) < 0) {
      fmt::print("KDL refuses the state at t = {} s\n", now[0]);
      return 1;
    }
    const std::vector<double> kdl_torques(tau.data.data(), tau.data.data() + n);
    worst_torque = std::max(worst_torque, relative_difference(torques[row], kdl_torques));
    worst_tool =
        std::max(worst_tool, relative_difference(tool[row], std::vector<double>{tip.p.x(), tip.p.y(), tip.p.z()}));
    if (row % 100 == 0)
      fmt::print("  {:5.3f}  {:8.4f}  {:9.4f}  {:9.4f}\n", now[0], fmt::join(tool[row], " "),
                 fmt::join(torques[row], " "), fmt::join(kdl_torques, " "));
  }

  constexpr double allowed = 1e-9;
  const bool agree = worst_torque <= allowed && worst_tool <= allowed;
  fmt::print("\n  {} states; largest relative difference: torques {:.1e}, tool {:.1e}; allowed {:.0e}: {}\n",
             path.size(), worst_torque, worst_tool, allowed, agree ? "they agree" : "THEY DISAGREE");
  return agree ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) {
    fmt::print(stderr, "demo_oracle ARM path.csv torques.csv tool.csv\n");
    return 2;
  }
  return compare(argv[1], argv[2], argv[3], argv[4]);
} catch (const std::exception& error) {
  fmt::print(stderr, "demo_oracle: {}\n", error.what());
  return 2;
}
