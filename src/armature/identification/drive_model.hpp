// One drive of an arm as a model with numbers that may be fitted: motor, shaft, gear and what the joint carries.
#pragma once

#include <string>
#include <vector>

#include "armature/plant/compose.hpp"
#include "armature/plant/plant.hpp"

namespace armature::identification {

/// A number of a drive. Its name is its key in the arm's file; `load_inertia` is what the joint carries, seen at the joint,
/// and scales with everything beyond it: masses, first moments and tensors alike.
struct DriveParameter {
  std::string name;
  std::string unit;
  double value = 0;    // as described; above zero
  bool usual = true;   // fitted unless told otherwise: not a constant of the winding
  bool linear = true;  // acts on small motions: not play, not dry friction
};

/// The drive of one joint, the other joints welded where they stand. Numbers that the arm's file does not give, or gives as
/// zero, are no parameters: the file says which structure the drive has.
class DriveModel {
 public:
  /// `joint` counts from 0; `q` are the positions of all joints. `options.drives` is taken as elastic. Throws ModelError
  /// where the joint has no elastic drive, where joints are coupled, or where its friction is not coulomb_viscous.
  DriveModel(const Arm& arm, int joint, const VecX<double>& q, ComposeOptions options);

  [[nodiscard]] const std::vector<DriveParameter>& parameters() const { return parameters_; }
  /// Throws Error with the nearest name where there is no such parameter.
  [[nodiscard]] std::size_t index(const std::string& name) const;
  [[nodiscard]] Eigen::VectorXd described() const;

  /// The whole arm with these values, one per parameter.
  [[nodiscard]] ArmDescription arm(const Eigen::VectorXd& values) const;
  /// The drive alone.
  [[nodiscard]] Plant plant(const Eigen::VectorXd& values) const { return Plant(description(values)); }
  /// For small motions while teeth touch and surfaces slide: without play and dry friction.
  [[nodiscard]] Plant linear_plant(const Eigen::VectorXd& values) const;

  /// The state that a log's column shows: "q2" or "q2_meas" of joint 2, "v_waist" of a rotor, "v_waist_tachometer" of its
  /// tachometer (where that has no shaft of its own: of the rotor). Throws Error.
  [[nodiscard]] int state_of(const std::string& column) const;
  [[nodiscard]] bool shows(const std::string& column) const;
  [[nodiscard]] bool is_position(int state) const;
  /// The log's column with the motor's command.
  [[nodiscard]] std::string command_column() const { return "u_" + joint_name(); }
  [[nodiscard]] const std::string& joint_name() const;
  [[nodiscard]] int joint() const { return joint_; }
  [[nodiscard]] double position() const { return q_; }

 private:
  [[nodiscard]] int find_state(const std::string& column) const;  // -1: none
  [[nodiscard]] std::vector<std::string> columns() const;         // that show its states, in their order
  [[nodiscard]] PlantDescription description(const Eigen::VectorXd& values) const;
  [[nodiscard]] ArmDescription changed(ArmDescription arm, const Eigen::VectorXd& values) const;

  ArmDescription whole_, alone_;
  std::size_t place_ = 0;  // of the joint among the described ones, fixed joints counted
  int joint_ = 0;
  double q_ = 0;
  ComposeOptions options_;
  std::vector<DriveParameter> parameters_;
  std::vector<PlantQuantity> states_;
};

}  // namespace armature::identification
