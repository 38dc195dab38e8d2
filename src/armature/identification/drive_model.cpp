#include "armature/identification/drive_model.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::identification {

namespace {

/// What may be fitted, in the order of reports; units at a turning joint and at a sliding one.
struct Entry {
  const char* name;
  std::optional<double> Drive::*field;
  const char *turning, *sliding;
  bool usual = true, linear = true;
};
constexpr const char *kg_m2 = "kg*m^2", *Nm_rad = "N*m/rad", *Nms_rad = "N*m*s/rad";
const Entry drive_entries[] = {
    {"tachometer_inertia", &Drive::tachometer_inertia, kg_m2, kg_m2},
    {"tachometer_stiffness", &Drive::tachometer_stiffness, Nm_rad, Nm_rad},
    {"tachometer_damping", &Drive::tachometer_damping, Nms_rad, Nms_rad},
    {"tachometer_viscous", &Drive::tachometer_viscous, Nms_rad, Nms_rad},
    {"rotor_inertia", &Drive::rotor_inertia, kg_m2, kg_m2},
    {"rotor_viscous", &Drive::rotor_viscous, Nms_rad, Nms_rad},
    {"rotor_coulomb", &Drive::rotor_coulomb, "N*m", "N*m", true, false},
    {"coupling_stiffness", &Drive::coupling_stiffness, Nm_rad, Nm_rad},
    {"coupling_damping", &Drive::coupling_damping, Nms_rad, Nms_rad},
    {"gear_inertia", &Drive::gear_inertia, kg_m2, kg_m2},
    {"gear_viscous", &Drive::gear_viscous, Nms_rad, Nms_rad},
    {"stiffness", &Drive::stiffness, Nm_rad, "N/m"},
    {"damping", &Drive::damping, Nms_rad, "N*s/m"},
    {"backlash", &Drive::backlash, "rad", "m", true, false},
    {"torque_constant", &Drive::torque_constant, "N*m/A", "N*m/A", false},
    {"back_emf", &Drive::back_emf, "V*s/rad", "V*s/rad", false},
    {"resistance", &Drive::resistance, "ohm", "ohm", false},
    {"inductance", &Drive::inductance, "H", "H", false},
};

/// Whether a number acts apart from others: what turns with the rotor adds to its inertia and friction.
bool acts_alone(const Drive& drive, const std::string& name) {
  if (name.starts_with("tachometer_")) return drive.tachometer_stiffness.has_value();
  if (name.starts_with("gear_") || name.starts_with("coupling_")) return drive.coupling_stiffness.has_value();
  return true;
}

/// The joint as it stands at q, moving no more.
JointDescription welded(JointDescription joint, double q) {
  const bool turns = joint.type == JointType::revolute;
  if (auto* row = std::get_if<DhRow>(&joint.placement)) {
    (turns ? row->theta : row->d) += q;
  } else {
    auto& [origin, axis] = std::get<OriginAxis>(joint.placement);
    const Mat3<double> R = rotation_from_rpy(origin.rpy);
    if (turns)
      origin.rpy = rpy_from_rotation(R * Eigen::AngleAxisd(q, axis).toRotationMatrix()).angles;
    else
      origin.xyz += R * axis * q;
  }
  joint.type = JointType::fixed;
  joint.limits = {};
  joint.friction = NoFriction{};
  joint.drive = {};
  return joint;
}

void scale(std::optional<MassProperties>& mass, double factor) {
  if (!mass) return;
  mass->mass *= factor;
  mass->tensor *= factor;
  if (mass->position_is_first_moment) mass->position *= factor;
}

std::string without_suffix(const std::string& column) {
  return column.ends_with("_meas") ? column.substr(0, column.size() - 5) : column;
}

}  // namespace

DriveModel::DriveModel(const Arm& arm, int joint, const VecX<double>& q, ComposeOptions options)
    : whole_(arm.description()), joint_(joint), q_(q[joint]), options_(options) {
  options_.drives = ComposeOptions::Drives::elastic;
  const JointDescription& driven = arm.joint(joint);
  const std::string place = fmt::format("joint '{}'", driven.name);
  const Drive& drive = driven.drive;
  if (!drive.stiffness || !(drive.rotor_inertia.value_or(0) > 0))
    throw ModelError(place + ", drive: it is not elastic",
                     "give rotor_inertia and stiffness in the arm's file: they are where the fit starts");
  if (arm.couplings() != MatX<double>::Identity(arm.dof(), arm.dof()))
    throw ModelError(fmt::format("arm '{}': its joints are coupled", arm.name()),
                     "a drive is fitted alone: leave the couplings out");
  const auto* friction = std::get_if<CoulombViscous>(&driven.friction);
  if (!friction && !std::holds_alternative<NoFriction>(driven.friction))
    throw ModelError(place + ", friction: its law is not coulomb_viscous",
                     "drives are fitted with dry and viscous friction");

  alone_ = whole_;
  int moving = -1;
  for (std::size_t i = 0; i < alone_.joints.size(); ++i) {
    if (alone_.joints[i].type == JointType::fixed) continue;
    if (++moving == joint)
      place_ = i;
    else
      alone_.joints[i] = welded(alone_.joints[i], q[moving]);
  }
  alone_.couplings.reset();

  const bool turns = driven.type == JointType::revolute;
  const Arm one(alone_);
  const double load = mass_matrix<double>(one, VecX<double>::Constant(1, q_))(0, 0);
  if (load > 0) parameters_.push_back({"load_inertia", turns ? kg_m2 : "kg", load});
  for (const Entry& entry : drive_entries) {
    const std::optional<double>& value = drive.*entry.field;
    const std::string name = entry.name;
    const bool friction_off = !options_.friction && (name.ends_with("_viscous") || name.ends_with("_coulomb"));
    const bool voltage = options_.command == Motor::Command::voltage;
    const bool acts =
        entry.usual || (name == "torque_constant" && options_.command != Motor::Command::torque) || voltage;
    if (acts && !friction_off && acts_alone(drive, name) && value.value_or(0) > 0)
      parameters_.push_back({name, turns ? entry.turning : entry.sliding, *value, entry.usual, entry.linear});
  }
  if (options_.friction && friction && friction->viscous > 0)
    parameters_.push_back({"viscous", turns ? Nms_rad : "N*s/m", friction->viscous});
  if (options_.friction && friction && friction->coulomb > 0)
    parameters_.push_back({"coulomb", turns ? "N*m" : "N", friction->coulomb, true, false});
  states_ = plant(described()).state_names();
}

const std::string& DriveModel::joint_name() const { return whole_.joints[place_].name; }

std::size_t DriveModel::index(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == name) return i;
    names.push_back(parameters_[i].name);
  }
  const bool known =
      std::any_of(std::begin(drive_entries), std::end(drive_entries), [&](const Entry& e) { return e.name == name; });
  throw Error(fmt::format("the drive of joint '{}' has no parameter '{}'", joint_name(), printable(name)),
              known || name == "coulomb" || name == "viscous"
                  ? "give it in the arm's file, above zero: the fit starts there"
                  : suggestion(name, names));
}

Eigen::VectorXd DriveModel::described() const {
  Eigen::VectorXd values(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) values[i] = parameters_[i].value;
  return values;
}

ArmDescription DriveModel::changed(ArmDescription arm, const Eigen::VectorXd& values) const {
  JointDescription& joint = arm.joints[place_];
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const std::string& name = parameters_[k].name;
    const double value = values[k];
    if (name == "load_inertia") {
      const double factor = value / parameters_[k].value;
      for (std::size_t i = place_; i < arm.joints.size(); ++i) scale(arm.joints[i].link.mass, factor);
      scale(arm.payload, factor);
    } else if (name == "viscous") {
      std::get<CoulombViscous>(joint.friction).viscous = value;
    } else if (name == "coulomb") {
      std::get<CoulombViscous>(joint.friction).coulomb = value;
    } else {
      for (const Entry& entry : drive_entries)
        if (name == entry.name) joint.drive.*entry.field = value;
    }
  }
  return arm;
}

ArmDescription DriveModel::arm(const Eigen::VectorXd& values) const { return changed(whole_, values); }

PlantDescription DriveModel::description(const Eigen::VectorXd& values) const {
  return compose(Arm(changed(alone_, values)), options_).plant;
}

Plant DriveModel::linear_plant(const Eigen::VectorXd& values) const {
  PlantDescription plant = description(values);
  for (Spring& spring : plant.springs) spring.backlash = 0;
  for (AxisFriction& friction : plant.friction)
    if (auto* law = std::get_if<CoulombViscous>(&friction.law)) law->coulomb = 0;
  return Plant(std::move(plant));
}

std::vector<std::string> DriveModel::columns() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 2 < states_.size(); ++i) {  // without the energies
    const std::string& name = states_[i].name;
    names.push_back(name == "q1" || name == "v1" ? fmt::format("{}{}", name[0], joint_ + 1) : name);
  }
  return names;
}

int DriveModel::find_state(const std::string& column) const {
  const std::vector<std::string> names = columns();
  const auto place = [&](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found != names.end() ? static_cast<int>(found - names.begin()) : -1;
  };
  const std::string name = without_suffix(column);
  if (const int state = place(name); state >= 0) return state;
  for (const char* part : {"_tachometer", "_gear"})  // on a stiff shaft they turn with the rotor
    if (name.ends_with(part)) return place(name.substr(0, name.size() - std::string(part).size()));
  return -1;
}

bool DriveModel::shows(const std::string& column) const { return find_state(column) >= 0; }

int DriveModel::state_of(const std::string& column) const {
  if (const int state = find_state(column); state >= 0) return state;
  const std::vector<std::string> names = columns();
  throw Error(fmt::format("the column '{}' shows nothing of the drive of joint '{}'", printable(column), joint_name()),
              fmt::format("it has {}; behind them may stand _meas", fmt::join(names, ", ")));
}

bool DriveModel::is_position(int state) const { return states_[state].name[0] == 'q'; }

}  // namespace armature::identification
