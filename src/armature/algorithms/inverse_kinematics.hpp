// Inverse kinematics by iteration, for any arm. Arms of a known family have closed forms: closed_form_ik.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "armature/algorithms/forward_kinematics.hpp"

namespace armature::algorithms {

/// What of the target's pose counts.
enum class IkTask {
  position,  ///< where the tool is
  planar,    ///< where it is in the plane across the first joint's axis, and its angle about that axis: x, y, phi
  pose       ///< where it is and how it is turned
};

enum class IkMethod {
  newton,                ///< full steps with the pseudo-inverse: fast near a solution, wild near a singularity
  damped_least_squares,  ///< Levenberg–Marquardt: every step lowers the error
  transposed_jacobian    ///< steps along Jᵀ e: needs no inverse, converges slowly
};

struct IkSettings {
  IkTask task = IkTask::pose;
  IkMethod method = IkMethod::damped_least_squares;
  double tolerance = 1e-10;  // on the position [m] and on the angle [rad]
  int max_iterations = 300;  // from one starting point
  int restarts = 50;         // from random points, when the guess leads nowhere
  std::uint64_t seed = 1;    // of the random points
  double angle_weight = 1;   // metres that count as much as a radian [m/rad]
  double gain = 0;           // of the transposed Jacobian; 0: the step that is best to first order
  bool keep_limits = true;   // stay within the joints' limits
};

enum class IkStatus {
  reached,         ///< position and angle within the tolerance
  stuck,           ///< the error stopped falling: target out of reach, or a local minimum
  out_of_patience  ///< still improving when max_iterations ran out
};

/// How far the tool is from where it should be, as far as the task asks for it.
struct IkError {
  double position = 0;  // [m]
  double angle = 0;     // [rad]
};

struct IkResult {
  IkStatus status = IkStatus::stuck;
  VecX<double> q;      // the best found, whatever the status
  IkError error;       // there
  int iterations = 0;  // of all starting points together
  int restarts = 0;    // that were needed
};

/// Searches joint positions that bring the tool to `target`, starting from `guess` (of another size than the arm: from zero).
/// An unreachable target gives the nearest position found, and `stuck`. `history` receives the weighted error norm before
/// each iteration [m], as far as it has room. The same input gives the same result. Allocates nothing.
IkResult inverse_kinematics(const Arm& arm, const Pose<double>& target, const VecX<double>& guess = {},
                            const IkSettings& settings = {}, std::span<double> history = {});

IkError ik_error(const Arm& arm, const VecX<double>& q, const Pose<double>& target, IkTask task);

/// Gain below which the transposed-Jacobian iteration converges near a solution q: 2 / sigma_max(J)², J of the weighted task.
double transposed_jacobian_gain_bound(const Arm& arm, const VecX<double>& q, const IkSettings& settings = {});

}  // namespace armature::algorithms

namespace armature {
using algorithms::inverse_kinematics;
}  // namespace armature
