// What the tool carries, as the difference between a log with it and an arm that was identified without it.
#pragma once

#include "armature/identification/estimate.hpp"
#include "armature/identification/motion_source.hpp"

namespace armature::identification {

struct PayloadEstimate {
  Estimate estimate;               // of m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz in the tool's frame
  InertiaParameters<double> body;  // the nearest that can exist; what the log leaves open is that of a ball
  BodyVerdict verdict;             // of it
  double explained = 0;            // share of the torque's difference (squares) that the payload explains
  double relative = 0;             // error of the torques with it, as in validate
};

/// Of its ten parameters, in their order.
inline constexpr const char* payload_names[] = {"m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};

/// The nearest body to equations R (p; -1) = 0 whose errors have standard deviation 1; what they leave open is that of a ball.
InertiaParameters<double> nearest_body(double estimated_mass, const std::vector<RowMatrix>& equations);

/// `without` is the arm without payload, friction and rotors included. Its own payload, if described, counts as part of it.
PayloadEstimate identify_payload(const Arm& without, const MotionSource& with, const Processing& processing);

}  // namespace armature::identification
