// Kinematic calibration: the geometry of an arm from measurements of its tool, with intervals.
//
//   const Calibration found = calibrate(arm, measurements, {.measured = ToolMeasured::position});
//   found.arm;                                   // the description with the geometry found
#pragma once

#include <optional>

#include "armature/core/fields.hpp"
#include "armature/identification/calibration_model.hpp"

namespace armature::identification {

/// What is known of the tool in each posture.
enum class ToolMeasured {
  position,  ///< of its origin, by a laser tracker or a camera
  pose,      ///< position and orientation
  point,     ///< it is at one and the same point, which is not known
  plane      ///< it touches one and the same plane, which is not known
};

struct ToolMeasurement {
  VecX<double> q;                                // as the joints' encoders say [rad | m]
  Vec3<double> position = Vec3<double>::Zero();  // in the frame of the instrument [m]
  Mat3<double> rotation = Mat3<double>::Identity();
};

struct CalibrationSettings {
  ToolMeasured measured = ToolMeasured::position;
  bool gears = false;        // fit a factor per joint as well
  bool compliances = false;  // fit how far each joint yields under its gravity torque as well
  double confidence = 0.95;  // of the intervals

  /// All but what was measured.
  void fields(Fields& f);
};

struct FoundParameter {
  GeometryParameter parameter;
  double value = 0, interval = 0;  // ± [SI]
};

/// How far the tool is from where the model says it is.
struct ToolError {
  double position = 0;     // RMS length [m]; of the distance from the plane where that was measured
  double orientation = 0;  // RMS angle [rad]; zero where it was not measured
};

struct Calibration {
  ArmDescription arm;
  std::vector<FoundParameter> parameters;     // those that the measurements determine
  std::vector<GeometryParameter> unresolved;  // those that act as combinations of the others: as described
  ToolError before, after, held_out;          // held out: each fifth of the measurements predicted by the rest
  double position_noise = 0;                  // standard deviation per axis that the residuals show [m]
  double orientation_noise = 0;               // per axis [rad]
  Eigen::VectorXd singular_values;            // of the tool's motion per parameter, largest first
  /// Condition number of the columns, and O1 = (σ1 ... σm)^(1/m) / √postures [Borm1991].
  double condition = 0, observability = 0;
};

/// Gauss–Newton from the described geometry; with positions or poses the arm is first placed in the instrument's frame. Throws Error
/// where there are too few measurements, where it does not converge, and where the result is not near the description.
Calibration calibrate(const Arm& arm, const std::vector<ToolMeasurement>& measurements,
                      const CalibrationSettings& settings = {});

}  // namespace armature::identification
