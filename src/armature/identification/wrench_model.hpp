// What a force/torque sensor between flange and tool reads, as a law that is linear in quantities of the motion: whatever is known of the
// sensor and the tool, the same few sums over a log say how well it fits.
#pragma once

#include <vector>

#include "armature/identification/evidence.hpp"
#include "armature/model/arm.hpp"

namespace armature::identification {

inline constexpr int wrench_channels = 6;  // fx fy fz tx ty tz

/// The sensor, what it carries, and what it adds. T is the frame of the arm's tool (the flange, where none is described), S that of the sensor.
/// m, h and I are negative where the sensor reads what the tool does to the arm instead of what the arm does to the tool.
struct WrenchParameters {
  double m = 0;                                  // of all that hangs on the sensor [kg]
  Vec3<double> h = Vec3<double>::Zero();         // its first moment about S's origin, axes of T [kg m]
  Mat3<double> I = Mat3<double>::Zero();         // its inertia about S's origin, axes of T [kg m²]
  Vec3<double> p = Vec3<double>::Zero();         // of S's origin in T [m]
  Mat3<double> R_TS = Mat3<double>::Identity();  // of the sensor's axes
  Vec3<double> gravity = Vec3<double>::Zero();   // in the world [m/s²]
  Eigen::Matrix<double, 6, 6> gain = Eigen::Matrix<double, 6, 6>::Identity();  // reading per wrench in S
  struct Zero {
    Vec6<double> offset = Vec6<double>::Zero();  // in the middle of the run [N] [N m]
    Vec6<double> drift = Vec6<double>::Zero();   // [N/s] [N m/s]
  };
  std::vector<Zero> runs;  // of each run
};

/// Quantities of the motion in which readings are linear: acceleration of T's origin, the axes of the world in T, angular acceleration, products
/// of the angular velocity; all in axes of T. Behind them one and the time for each run.
inline constexpr int wrench_motion_columns = 21;
using WrenchMotion = Eigen::Matrix<double, wrench_motion_columns, 1>;
WrenchMotion wrench_motion(const Arm& arm, const JointMotion& motion);
constexpr int wrench_columns(std::size_t runs) { return wrench_motion_columns + 2 * static_cast<int>(runs); }

/// Readings per quantity: six rows, wrench_columns(runs) columns.
Eigen::MatrixXd wrench_coefficients(const WrenchParameters& x);

}  // namespace armature::identification
