// Other people's kinematics and dynamics of the same arm: what tests compare with and benchmarks run against.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "armature/algorithms/forward_kinematics.hpp"

namespace armature::testing {

/// An arm as another library computes it. Built from the arm's bodies, in memory. Not constant: these libraries keep their
/// results in objects of their own.
class Oracle {
 public:
  virtual ~Oracle() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;

  virtual void forward_kinematics(const VecX<double>& q, LinkPoses<double>& poses) = 0;
  virtual Pose<double> tool_pose(const VecX<double>& q) = 0;
  /// Rows (v; w), world axes, at the tool.
  virtual void tool_jacobian(const VecX<double>& q, Mat6X<double>& J) = 0;
  virtual void inverse_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd,
                                VecX<double>& tau) = 0;
  virtual void mass_matrix(const VecX<double>& q, MatX<double>& M) = 0;
  virtual void forward_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& tau,
                                VecX<double>& qdd) = 0;
};

std::unique_ptr<Oracle> mujoco_oracle(const Arm& arm);
std::unique_ptr<Oracle> kdl_oracle(const Arm& arm);
std::unique_ptr<Oracle> dart_oracle(const Arm& arm);

/// Those of the three that were found when this was configured. They take a body's centre of mass, so every body of `arm`
/// needs a mass.
std::vector<std::unique_ptr<Oracle>> oracles(const Arm& arm);

/// Whether the oracles can hold this arm: base parameters taken from a paper may leave bodies without mass.
bool has_oracles(const Arm& arm);

}  // namespace armature::testing
