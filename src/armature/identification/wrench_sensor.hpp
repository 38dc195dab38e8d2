// A calibrated force/torque sensor as a file holds it, and what it then says of the world: the wrench of the surroundings on the tool.
#pragma once

#include "armature/core/fields.hpp"
#include "armature/identification/wrench_calibration.hpp"

namespace armature::identification {

struct WrenchSensor {
  enum class Reads { reaction, load };
  Reads reads = Reads::reaction;                 // what the arm does to the tool, or the tool to the arm
  Vec3<double> position = Vec3<double>::Zero();  // of the sensor's origin in the tool's frame [m]
  Vec3<double> rpy = Vec3<double>::Zero();       // of its axes [rad]
  Vec3<double> gravity = Vec3<double>::Zero();   // in the world [m/s²]
  Vec6<double> force_and_moment_offset = Vec6<double>::Zero();
  Mat6<double> gain = Mat6<double>::Identity();      // channels per part of the wrench
  double mass = 0;                                   // of the tool [kg]
  Vec3<double> first_moment = Vec3<double>::Zero();  // about the tool frame's origin, in its axes [kg m]
  Vec6<double> inertia = Vec6<double>::Zero();       // likewise: Ixx, Ixy, Iyy, Ixz, Iyz, Izz [kg m²]

  void fields(Fields& f);
  /// What the surroundings do to the tool, about the sensor's origin and in its axes: the reading without offset, weight and inertia.
  [[nodiscard]] Vec6<double> contact(const Arm& arm, const JointMotion& motion, const Vec6<double>& reading) const;
};

/// With the offsets of the last run, at its end.
WrenchSensor sensor_of(const WrenchCalibration& found);

}  // namespace armature::identification
