// The torques of an arm as columns times parameters: links and rotors as base parameters, springs, friction of a fixed shape.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "armature/algorithms/base_parameters.hpp"
#include "armature/trajectory/motion.hpp"

namespace armature::identification {

/// Rows in time, one after the other in memory: filters and factorizations run along them.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A friction law as far as it is linear in its parameters; what is not linear is fixed here. s(v) is sgn(v), or tanh(v/width).
struct FrictionShape {
  enum class Law {
    none,
    coulomb_viscous,  ///< c s(v) + b v
    asymmetric,       ///< c+ s(v) + b+ v  for v > 0,  c- s(v) + b- v  for v < 0
    stribeck,         ///< c s(v) + d s(v) exp(-(v/stribeck_velocity)²) + b v
    load_dependent,   ///< c s(v) + b v + m |load| s(v), linearized (TorqueModelSettings::linearized_at)
    sigmoids          ///< sum_k f_k tanh(slope_k v) + b v, of the slopes above zero   [Kostic2004, (10)]
  };
  Law law = Law::coulomb_viscous;
  double width = 0;                // [rad/s | m/s]
  double stribeck_velocity = 0.1;  // [rad/s | m/s]
  std::array<double, 3> slopes{};  // [s/rad | s/m]
  friend bool operator==(const FrictionShape&, const FrictionShape&) = default;
};
/// "coulomb_viscous", ... as in an arm file.
std::string to_string(FrictionShape::Law law);

struct TorqueModelSettings {
  bool nothing_estimated = false;  // no columns at all: everything is known (validate.hpp)
  bool rotors = true;              // their inertias are estimated; else the arm's own are taken as known
  bool offsets = true;             // a constant torque per joint: of the sensor, or of friction
  std::vector<int> springs;  // joints with a torque in the sine and cosine of their angle, besides a described one
  /// Coulomb and viscous friction of every motor that moves more than one joint, at the motor.
  bool coupled_motor_friction = true;
  double motor_friction_width = 0;      // of its sign, as FrictionShape::width
  std::vector<FrictionShape> friction;  // one per joint; a single one is for all; none: coulomb_viscous
  /// The model's parameters about which laws that depend on the load are linearized (load_friction.hpp); empty: without their load.
  Eigen::VectorXd linearized_at;
  /// Typical speeds of the joints: behind all others come columns of torques that the model may lack (internal/unmodelled_torque.hpp); empty: none.
  VecX<double> unmodelled_at;
  /// Torques that are known beforehand, besides those of the arm's springs, added to those of the columns; may be empty. Called by
  /// several threads at once.
  std::function<void(const JointMotion&, VecX<double>& tau)> known;
};

/// A parameter of the model.
struct ModelColumn {
  enum class Kind { inertia, spring, friction, offset, motor_friction, unmodelled };
  std::string name;  // "Izz2", "coulomb3"
  std::string unit;  // [kg m^2]
  Kind kind = Kind::inertia;
  int joint = 0;  // whose link, rotor, spring or friction it is, from 0
};

class TorqueModel {
 public:
  TorqueModel(const Arm& arm, TorqueModelSettings settings = {});

  [[nodiscard]] const Arm& arm() const { return arm_; }
  [[nodiscard]] const TorqueModelSettings& settings() const { return settings_; }
  [[nodiscard]] int dof() const { return arm_.dof(); }
  [[nodiscard]] int size() const { return static_cast<int>(columns_.size()); }
  [[nodiscard]] const std::vector<ModelColumn>& columns() const { return columns_; }
  [[nodiscard]] const BaseParameters& base() const { return base_; }
  /// What a joint carries: the columns of links, rotors and springs, which come first. The springs' (two each: sine, cosine) follow base().
  [[nodiscard]] int carried() const { return base_.count() + 2 * static_cast<int>(settings_.springs.size()); }
  [[nodiscard]] const FrictionShape& friction(int joint) const { return settings_.friction[joint]; }
  /// Where the friction columns of a joint begin, and how many there are (its offset among them, last).
  [[nodiscard]] int friction_begin(int joint) const { return friction_begin_[joint]; }
  [[nodiscard]] int friction_count(int joint) const { return friction_begin_[joint + 1] - friction_begin(joint); }
  /// Motors with friction columns of their own, two each (coulomb, viscous), after those of the joints.
  [[nodiscard]] const std::vector<int>& coupled_motors() const { return coupled_motors_; }
  [[nodiscard]] int motor_friction_begin() const { return friction_begin_.back(); }
  /// Where the columns of unmodelled torques begin, if there are any: unmodelled_functions for each joint.
  [[nodiscard]] int unmodelled_begin() const {
    return motor_friction_begin() + 2 * static_cast<int>(coupled_motors_.size());
  }

  /// One row a joint with rows * x = the torques of this motion, less `known_torque`.
  void rows(const JointMotion& motion, Eigen::Ref<RowMatrix> rows) const;
  /// What is known beforehand: settings().known, the springs of the arm's joints, and the rotors where they are not estimated. Where
  /// nothing is estimated, settings().known alone, which then knows everything.
  void known_torque(const JointMotion& motion, VecX<double>& tau) const;

  /// What the arm's own description gives for the parameters; friction of another law than the model's counts as zero.
  [[nodiscard]] Eigen::VectorXd described() const;
  /// "Izz2 + Iyy3 + 0.04 m3": which combination of link parameters and rotor inertias a column of `inertia` stands for.
  [[nodiscard]] std::string combination(int column) const;

 private:
  void plain_rows(const JointMotion& motion, Eigen::Ref<RowMatrix> rows) const;
  void plain_known(const JointMotion& motion, VecX<double>& tau) const;
  /// Of each joint at linearized_at: its load and m s(v) sgn(load), zero for laws that do not depend on it.
  struct Loads {
    VecX<double> load, share;
  };
  [[nodiscard]] Loads loads(const JointMotion& motion, const Eigen::Ref<const RowMatrix>& plain,
                            const VecX<double>& known) const;

  Arm arm_;
  TorqueModelSettings settings_;
  BaseParameters base_;
  std::vector<ModelColumn> columns_;
  std::vector<int> friction_begin_;  // dof + 1
  std::vector<int> coupled_motors_;
  bool by_load_ = false;  // a law depends on the load, and linearized_at is given
};

/// How many functions of a joint's own motion stand for what a model may lack there.
inline constexpr int unmodelled_functions = 8;

/// The friction columns of one joint at speed v, without the offset: as many as friction_values says.
void friction_row(const FrictionShape& shape, double v, double* row);
std::vector<std::string> friction_parameter_names(const FrictionShape& shape);

/// The law in the words of an arm file, from the values of its columns and the constant torque.
Friction friction_law(const FrictionShape& shape, const double* values, double offset);

}  // namespace armature::identification
