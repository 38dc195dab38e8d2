// Which column of a log is what, seen from the joints: by a map in YAML, by the names of the columns where the map says nothing.
//
//   time: stamp                  # the column of the time, where it has an unusual name
//   side: motor                  # or joint (default); position_side and torque_side where they differ
//   position: q_mot{}            # {} is the joint's number from 1 ({0}: from 0); {name} its name; or a list of names
//   velocity: dq_mot{}           # `none`: do not use any
//   torque: tau_mot{}            # or  current: i{}  (times the torque constants of the arm's drives)
//   reference: q_ref{}           # positions that were asked for: instruments against noise in closed loops
//   torque_scale: [35.15]        # N m (or N) per unit of the torque column, one per motor
//   offset: [0, -90 deg, 0]      # added to the positions, at the joints
//   wrench: [f1, f2, f3, m1, m2, m3]   # of a force/torque sensor: forces and moments along x, y, z
//   units: {position: deg, velocity: deg/s, torque: N*m}     # of columns whose header says none
// Gear ratios and couplings are the arm's. A map names only what differs from what guess_columns() finds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/log_source.hpp"
#include "armature/model/arm.hpp"

namespace armature::formats {

struct LogMap {
  enum class Side { joint, motor };
  Side positions = Side::joint, torques = Side::joint;
  std::string time;  // empty: the usual names
  std::vector<std::string> position, velocity, torque,
      reference;                     // one per joint or motor; empty: not named (velocity, reference: may not be there)
  bool currents = false;             // the torques are currents
  bool no_velocity = false;          // velocities are not to be used
  std::vector<std::string> wrench;   // of a force/torque sensor: fx fy fz tx ty tz; empty: not named
  std::vector<double> torque_scale;  // empty: 1, or the torque constants for currents
  std::vector<double> offset;        // empty: 0
  std::string position_unit, velocity_unit, torque_unit;
};

/// Columns whose names say what they are: families such as q1.., joint_1_position.., field.effort0.., actual_q_0.., position_NAME.
/// Measured ones (_meas, actual) come before others; those of a target are the reference.
struct GuessedColumns {
  std::vector<std::string> position, velocity, torque, reference;  // empty where there are none
  bool currents = false;
  bool motor_positions = false,
       motor_torques = false;  // of the motors: where joints have no columns of their own; currents always
  int joints = 0;              // so many were found, where it was not said
};
/// `joints`: 0 where it is to be found; `names`: of the joints, where they are known.
GuessedColumns guess_columns(const std::vector<LogColumn>& columns, int joints,
                             const std::vector<std::string>& names = {});

/// The six columns of a force/torque sensor: fx.., mx.., force_x.., wrench.torque.x.., or wrench_0..; empty where there are not all of them.
std::vector<std::string> guess_wrench_columns(const std::vector<LogColumn>& columns);

/// Throws FormatError with place and hint. What the map does not name is left empty.
LogMap parse_log_map(std::string_view text, const std::string& file, const Arm& arm);
LogMap read_log_map(const std::string& path, const Arm& arm);
/// The map with what it leaves open filled in by the names of the columns. Throws FormatError that names what is missing, with a map
/// to begin with.
LogMap complete_map(LogMap map, const Arm& arm, const std::vector<LogColumn>& columns, const std::string& file);

/// As a YAML file.
std::string write_log_map(const LogMap& map);
/// "q1_meas to q6_meas", or the names.
std::string columns_text(const std::vector<std::string>& names);

}  // namespace armature::formats
