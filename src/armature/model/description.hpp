// An arm as a person describes it: plain data, in the words of the file it came from. Arm (arm.hpp) is what becomes of
// it once it is checked.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "armature/model/friction.hpp"
#include "armature/spatial/inertia.hpp"

namespace armature::model {

enum class JointType { revolute, prismatic, fixed };
enum class DhConvention { standard, modified };

/// A row of a Denavit–Hartenberg table. theta (revolute) or d (prismatic) is added to the joint variable.
struct DhRow {
  double theta = 0;  // [rad]
  double d = 0;      // [m]
  double a = 0;      // [m]
  double alpha = 0;  // [rad]
  friend bool operator==(const DhRow&, const DhRow&) = default;
};

/// A pose written as a position and roll-pitch-yaw angles.
struct Placement {
  Vec3<double> xyz = Vec3<double>::Zero();  // [m]
  Vec3<double> rpy = Vec3<double>::Zero();  // [rad]
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// URDF's way: the joint frame in the parent link's frame, and the axis of motion in the joint frame.
struct OriginAxis {
  Placement origin;
  Vec3<double> axis = Vec3<double>::UnitZ();
  friend bool operator==(const OriginAxis&, const OriginAxis&) = default;
};

/// A body's inertia as written, in its link frame.
struct MassProperties {
  double mass = 0;                               // [kg]
  Vec3<double> position = Vec3<double>::Zero();  // centre of mass [m], or first moment [kg m]
  bool position_is_first_moment = false;
  Mat3<double> tensor = Mat3<double>::Zero();  // [kg m²], products with the tensor's sign
  bool tensor_about_origin = false;            // else about the centre of mass
  std::string source;
  friend bool operator==(const MassProperties&, const MassProperties&) = default;
};
Inertia<double> inertia_of(const MassProperties& properties);

struct Limits {
  std::optional<double> lower, upper;  // [rad | m]
  std::optional<double> velocity;      // [rad/s | m/s], magnitude
  std::optional<double> acceleration;  // [rad/s² | m/s²], magnitude
  std::optional<double> torque;        // [N m | N], magnitude
  std::string source;
  friend bool operator==(const Limits&, const Limits&) = default;
};

/// What stands between the amplifier and the joint. Motor quantities are at the motor's shaft.
struct Drive {
  std::optional<double> gear_ratio;       // motor turns a joint turn [-]; for a prismatic joint [rad/m]
  std::optional<double> rotor_inertia;    // [kg m²]
  std::optional<double> torque_constant;  // [N m/A]
  std::optional<double> resistance;       // [ohm]
  std::optional<double> inductance;       // [H]
  std::optional<double> back_emf;         // [V s/rad]
  std::optional<double> tachometer;       // [V s/rad]
  std::optional<double> current_limit;    // of the amplifier, magnitude [A]
  std::optional<double> voltage_limit;    // of the amplifier, magnitude [V]
  std::optional<double> stiffness;        // of the transmission, at the joint [N m/rad]
  std::optional<double> damping;          // of the transmission, at the joint [N m s/rad]
  std::optional<double> backlash;         // half the free play, at the joint [rad]
  // What a harmonic drive has besides, at the joint; they need a stiffness.
  std::optional<double> hardening;   // torque by the cube of the twist: stiffness that grows with the load [N m/rad³]
  std::optional<double> gear_error;  // amplitude of the kinematic error [rad]
  std::optional<double> gear_error_order;      // its waves a turn of the gear's input [-]
  std::optional<double> hysteresis_torque;     // most that a Dahl element beside the spring carries [N m]
  std::optional<double> hysteresis_stiffness;  // its slope where the motion turns round [N m/rad]
  std::optional<double> efficiency;            // of the gear, 0 < e <= 1
  // The motor's shaft, closer [Vandeven1986, (10)-(13)]: a tachometer behind the rotor and what turns at the gear's input
  // before it, each on a shaft of its own; without a stiffness it turns with the rotor.
  std::optional<double> rotor_coulomb;         // dry friction of the rotor [N m]
  std::optional<double> rotor_viscous;         // [N m s/rad]
  std::optional<double> tachometer_inertia;    // [kg m²]
  std::optional<double> tachometer_stiffness;  // of the shaft from tachometer to rotor [N m/rad]
  std::optional<double> tachometer_damping;    // of that shaft [N m s/rad]
  std::optional<double> tachometer_viscous;    // of its bearing [N m s/rad]
  std::optional<double> gear_inertia;          // at the gear's input: a wave generator, a pinion [kg m²]
  std::optional<double> coupling_stiffness;    // of the shaft from rotor to gear [N m/rad]
  std::optional<double> coupling_damping;      // of that shaft [N m s/rad]
  std::optional<double> gear_viscous;          // of its bearing [N m s/rad]
  std::string source;
  friend bool operator==(const Drive&, const Drive&) = default;
};

/// A spring between a joint and the link before it, or a counterbalance: a torque that depends on the joint's position alone. It is
/// written as the torque that holds the joint against it, beside those of gravity and friction:
///     tau = M qdd + c + g + friction + spring
/// One of `stiffness`, `torque`, the table of `positions` and `torques`, and `sine` with `cosine` is given.
struct JointSpring {
  std::optional<double> stiffness;         // spring = stiffness (q - rest) [N m/rad]
  std::optional<double> rest;              // [rad]
  std::string torque;                      // spring as a formula of q (numerics/written_function.hpp) [N m]
  std::vector<double> positions, torques;  // points of a smooth curve, held beyond its ends [rad] [N m]
  std::optional<double> sine, cosine;      // spring = sine sin q + cosine cos q, of a joint that turns [N m]
  std::string source;
  friend bool operator==(const JointSpring&, const JointSpring&) = default;
};

/// How far a beam yields in one way. One of the first two is given.
struct Flexibility {
  std::optional<double> rigidity;   // of the cross-section: EI of bending, GJ of torsion [N m²]
  std::optional<double> stiffness;  // at the far end: force a deflection [N/m], or torque a twist [N m/rad]
  std::optional<double> damping;    // at the far end, beside the stiffness [N s/m | N m s/rad]
  friend bool operator==(const Flexibility&, const Flexibility&) = default;
};

/// A link, or the part of it, that bends and twists: a straight uniform beam from the joint's axis (of a fixed joint: from the
/// frame before it) to the link's frame. The link's inertia includes the beam's; what is more than the beam rides at its far end.
struct FlexibleLink {
  std::optional<double> mass;             // of the beam [kg]
  std::optional<double> mass_per_length;  // in its place [kg/m]
  std::optional<double> axial_inertia;    // of the beam about its axis [kg m²]
  std::optional<double> segments;         // elastic points along the beam
  /// Deflection in every direction across the beam, or along an axis of the link's frame.
  std::optional<Flexibility> bending, bending_x, bending_y, bending_z;
  std::optional<Flexibility> torsion;
  std::string source;
  friend bool operator==(const FlexibleLink&, const FlexibleLink&) = default;
};

/// A solid that stands for a link, or for a part of it, where it is looked at or touched. It changes no number of the dynamics.
struct Shape {
  enum class Kind { box, cylinder, sphere, mesh };
  Kind kind = Kind::box;
  /// [m] box: its edges; cylinder (about z): radius, length; sphere: radius; mesh: the factor of each axis [-].
  Vec3<double> size = Vec3<double>::Ones();
  Placement place;                              // of its centre, or the mesh's origin, in the link's frame
  std::optional<std::array<double, 4>> colour;  // red, green, blue, opacity, each from 0 to 1
  std::string mesh;                             // a path from `folder`, or package://name/path; as the file writes it
  std::string folder;                           // of the file that names the mesh; empty: the working folder
  friend bool operator==(const Shape&, const Shape&) = default;
};
struct LinkShapes {
  std::vector<Shape> visual, collision;
  friend bool operator==(const LinkShapes&, const LinkShapes&) = default;
};

struct LinkDescription {
  std::string name;
  std::optional<MassProperties> mass;  // none: only a frame
  LinkShapes shapes{};
  friend bool operator==(const LinkDescription&, const LinkDescription&) = default;
};

/// A joint is described together with the link that it carries.
struct JointDescription {
  std::string name;
  JointType type = JointType::revolute;
  std::variant<DhRow, OriginAxis> placement;
  Limits limits;
  Friction friction;
  std::string friction_source;
  Drive drive;
  LinkDescription link;
  std::optional<FlexibleLink> flexible{};  // none: the link is rigid
  std::optional<JointSpring> spring{};
  friend bool operator==(const JointDescription&, const JointDescription&) = default;
};

/// A description is an arm as a file states it: names, joints, bodies, friction, drives and limits, not yet checked. Arm checks it.
struct ArmDescription {
  std::string name;
  std::string description;
  std::string source;                    // where the numbers come from
  std::string notes;                     // what is estimated, what could not be sourced
  std::string unphysical;                // reason for carrying inertia that no body has; empty: such inertia is refused
  Vec3<double> gravity{0, 0, -9.80665};  // in the world [m/s²]
  DhConvention convention = DhConvention::standard;
  Placement base;                        // of the first joint's parent frame in the world
  LinkShapes base_shapes{};              // of what stands still, in that frame
  std::vector<JointDescription> joints;  // from base to tool
  /// Motor angles are gear_ratio_i * (couplings * q)_i; empty: every motor moves its own joint.
  std::optional<Eigen::MatrixXd> couplings;
  std::string couplings_source;
  Placement tool;                         // in the last link's frame
  std::optional<MassProperties> payload;  // in the tool's frame
  friend bool operator==(const ArmDescription& a, const ArmDescription& b);
};

}  // namespace armature::model

namespace armature {
using model::ArmDescription;
using model::JointDescription;
}  // namespace armature
