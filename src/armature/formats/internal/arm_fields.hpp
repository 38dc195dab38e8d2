// The keys of an arm file: name, unit, default and meaning, listed once for the reader, the writer, `armature check --help-keys` and
// the tables of docs/arm_files.md.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "armature/formats/yaml.hpp"
#include "armature/model/description.hpp"

namespace armature::formats {

namespace file_unit {
inline constexpr FileUnit number{"", dimension::none};
inline constexpr FileUnit rad{"rad", dimension::angle, 2 * pi * 1.0001, "deg"};
inline constexpr FileUnit m{"m", dimension::length, 10, "mm"};
inline constexpr FileUnit kg{"kg", dimension::mass};
inline constexpr FileUnit kg_m{"kg*m", dimension::first_moment};
inline constexpr FileUnit kg_m2{"kg*m^2", dimension::inertia};
inline constexpr FileUnit kg_per_m{"kg/m", {-1, 1, 0, 0}};
inline constexpr FileUnit N_m2{"N*m^2", {3, 1, -2, 0}};
inline constexpr FileUnit m_s2{"m/s^2", dimension::acceleration};
inline constexpr FileUnit Nm_A{"N*m/A", {2, 1, -2, -1}};
inline constexpr FileUnit Vs_rad{"V*s/rad", {2, 1, -2, -1}};
inline constexpr FileUnit ohm{"ohm", {2, 1, -3, -2}};
inline constexpr FileUnit henry{"H", {2, 1, -2, -2}};
inline constexpr FileUnit ampere{"A", {0, 0, 0, 1}};
inline constexpr FileUnit volt{"V", {2, 1, -3, -1}};
}  // namespace file_unit

/// The units in which the quantities of a joint are written.
struct JointUnits {
  FileUnit position, range, velocity, acceleration, effort, viscous, stiffness, hardening, inverse_velocity, gear_ratio;
};
inline constexpr JointUnits revolute_units{
    .position = file_unit::rad,
    .range = {"rad", dimension::angle, 4 * pi * 1.0001, "deg"},  // an axis may turn more than once
    .velocity = {"rad/s", dimension::rate},
    .acceleration = {"rad/s^2", dimension::angular_acceleration},
    .effort = {"N*m", dimension::torque},
    .viscous = {"N*m*s/rad", {2, 1, -1, 0}},
    .stiffness = {"N*m/rad", dimension::torque},
    .hardening = {"N*m/rad^3", dimension::torque},
    .inverse_velocity = {"s/rad", dimension::time},
    .gear_ratio = file_unit::number,
};
inline constexpr JointUnits prismatic_units{
    .position = file_unit::m,
    .range = file_unit::m,
    .velocity = {"m/s", dimension::speed},
    .acceleration = {"m/s^2", dimension::acceleration},
    .effort = {"N", dimension::force},
    .viscous = {"N*s/m", {0, 1, -1, 0}},
    .stiffness = {"N/m", {0, 1, -2, 0}},
    .hardening = {"N/m^3", {-2, 1, -2, 0}},
    .inverse_velocity = {"s/m", {-1, 0, 1, 0}},
    .gear_ratio = {"rad/m", {-1, 0, 0, 0}},
};
inline const JointUnits& units_of(JointType type) {
  return type == JointType::prismatic ? prismatic_units : revolute_units;
}

enum class Presence { required, optional };

/// A key whose value the reader and the writer treat in their own way: one of two ways to say the same, or a map with keys of its own.
struct Part {
  std::string_view value = {};  // "[x, y, z] in m"
  Presence presence = Presence::optional;
};

inline const std::vector<std::string> joint_types{"revolute", "prismatic", "fixed"};  // in the order of JointType
inline const std::vector<std::string> dh_conventions{"standard", "modified"};         // in the order of DhConvention
inline const std::vector<std::string> tensor_points{"com", "origin"};

// Each list calls visit(key, field, ..., meaning), where ... is the unit and the presence of a double, the unit of an optional double or a
// vector or list, the words of an enumeration, and nothing for a text, a placement or a list of shapes.

template <class Visit>
void list_fields(ArmDescription& arm, Visit&& visit) {
  visit("arm", Part{"text", Presence::required}, "its name");
  visit("description", arm.description, "what it is, for people");
  visit("source", arm.source, "where the numbers come from");
  visit("notes", arm.notes, "what is estimated, what could not be sourced");
  visit("unphysical", Part{"text"},
        "the reason for keeping inertia that no body has; without it such inertia is refused");
  visit("gravity", arm.gravity, file_unit::m_s2, "in the world");
  visit("convention", arm.convention, dh_conventions, "of the DH rows");
  visit("base", arm.base, "the first joint's parent frame in the world");
  visit("base_visual", arm.base_shapes.visual, "what the base looks like, in that frame");
  visit("base_collision", arm.base_shapes.collision, "what the base can collide with, in that frame");
  visit("joints", Part{"list", Presence::required}, "the joints, from base to tool");
  visit("couplings", Part{"{matrix: [[..], ..]}"}, "motor angles over gear ratios = matrix * q");
  visit("tool", arm.tool, "the tool's frame in the last link's frame");
  visit("payload", Part{"mass, com, inertia as of a link"},
        "what the tool carries, in its frame; com and inertia may be left out");
}

template <class Visit>
void list_fields(Placement& placement, Visit&& visit) {
  visit("xyz", placement.xyz, file_unit::m, "position");
  visit("rpy", placement.rpy, file_unit::rad, "roll, pitch and yaw, about fixed x, y and z");
}

template <class Visit>
void list_fields(JointDescription& joint, Visit&& visit) {
  visit("name", Part{"text", Presence::required}, "its name");
  visit("type", joint.type, joint_types, "how it moves");
  visit("dh", Part{"{theta, d, a, alpha}"}, "a Denavit-Hartenberg row");
  visit("origin", Part{"{xyz, rpy}"}, "instead of a DH row: the joint's frame in the parent link's frame");
  visit("axis", Part{"[x, y, z]"},
        "with `origin`: the direction along or about which the joint moves, in its own frame");
  visit("limits", Part{"map"}, "how far, how fast and how strong; not for a fixed joint");
  visit("friction", Part{"map with a law"}, "of the joint; not for a fixed joint");
  visit("drive", Part{"map"}, "motor, gear and transmission; not for a fixed joint");
  visit("spring", Part{"map"}, "a spring or counterbalance that acts on the joint; not for a fixed joint");
  visit("flexible", Part{"map"}, "the link bends and twists");
  visit("link", Part{"map"}, "the body that the joint carries");
}

template <class Visit>
void list_fields(LinkDescription& link, Visit&& visit) {
  visit("name", Part{"text"}, "its name; `<joint>_link` unless given");
  visit("mass", Part{"kg"}, "without it the link is only a frame");
  visit("com", Part{"[x, y, z] in m"}, "centre of mass; needed with `mass`, unless `first_moment` is given");
  visit("first_moment", Part{"[x, y, z] in kg*m"}, "mass times centre of mass, in place of `com`");
  visit("inertia", Part{"map"}, "the inertia tensor; needed with `mass`");
  visit("source", Part{"text"}, "where these numbers come from");
  visit("visual", link.shapes.visual, "what it looks like, in the link's frame");
  visit("collision", link.shapes.collision, "what it can collide with, in the link's frame");
}

template <class Visit>
void list_fields(Shape& shape, Visit&& visit) {
  visit("box", Part{"[x, y, z] in m"}, "its edges; a shape is a box, a cylinder, a sphere or a mesh");
  visit("cylinder", Part{"{radius, length} in m"}, "along z, about its centre");
  visit("sphere", Part{"m"}, "its radius");
  visit("mesh", Part{"text"}, "file (STL, DAE, OBJ) from the arm file's folder, or package://name/path");
  visit("scale", Part{"[x, y, z]"}, "factors on the mesh, one per axis; 1 unless given");
  list_fields(shape.place, visit);
  visit("colour", Part{"[red, green, blue, opacity]"}, "each from 0 to 1");
}

template <class Visit>
void list_fields(DhRow& row, Visit&& visit) {
  visit("theta", row.theta, file_unit::rad, Presence::optional, "added to the position of a revolute joint");
  visit("d", row.d, file_unit::m, Presence::optional, "added to the position of a prismatic joint");
  visit("a", row.a, file_unit::m, Presence::optional, "along x");
  visit("alpha", row.alpha, file_unit::rad, Presence::optional, "about x");
}

/// The upper triangle of the tensor, and the point about which it is.
template <class Visit>
void list_fields(MassProperties& mass, Visit&& visit) {
  visit("about", mass.tensor_about_origin, tensor_points, "the point that it is about: centre of mass or link frame");
  visit("xx", mass.tensor(0, 0), file_unit::kg_m2, Presence::required, "moment of inertia");
  visit("yy", mass.tensor(1, 1), file_unit::kg_m2, Presence::required, "moment of inertia");
  visit("zz", mass.tensor(2, 2), file_unit::kg_m2, Presence::required, "moment of inertia");
  visit("xy", mass.tensor(0, 1), file_unit::kg_m2, Presence::optional, "product of inertia, -∫ x y dm");
  visit("xz", mass.tensor(0, 2), file_unit::kg_m2, Presence::optional, "product of inertia, -∫ x z dm");
  visit("yz", mass.tensor(1, 2), file_unit::kg_m2, Presence::optional, "product of inertia, -∫ y z dm");
}

template <class Visit>
void list_fields(Limits& limits, const JointUnits& u, Visit&& visit) {
  visit("position", Part{u.range.text == "m" ? "[lower, upper] in m" : "[lower, upper] in rad"},
        "`none` on a side without a limit");
  visit("velocity", limits.velocity, u.velocity, "magnitude");
  visit("acceleration", limits.acceleration, u.acceleration, "magnitude");
  visit("torque", limits.torque, u.effort, "magnitude");
  visit("source", limits.source, "where these numbers come from");
}

template <class Visit>
void list_fields(Drive& drive, const JointUnits& u, Visit&& visit) {
  visit("gear_ratio", drive.gear_ratio, u.gear_ratio, "motor angle per joint position; negative for a reversing gear");
  visit("rotor_inertia", drive.rotor_inertia, file_unit::kg_m2, "at the motor's shaft");
  visit("torque_constant", drive.torque_constant, file_unit::Nm_A, "at the motor's shaft");
  visit("resistance", drive.resistance, file_unit::ohm, "of the winding");
  visit("inductance", drive.inductance, file_unit::henry, "of the winding");
  visit("back_emf", drive.back_emf, file_unit::Vs_rad, "at the motor's shaft");
  visit("tachometer", drive.tachometer, file_unit::Vs_rad, "at the motor's shaft");
  visit("current_limit", drive.current_limit, file_unit::ampere, "of the amplifier; needs the torque constant");
  visit("voltage_limit", drive.voltage_limit, file_unit::volt,
        "of the amplifier; needs torque constant and resistance");
  visit("stiffness", drive.stiffness, u.stiffness, "of the transmission, at the joint");
  visit("damping", drive.damping, u.viscous, "of the transmission, at the joint");
  visit("backlash", drive.backlash, u.position, "half the free play, at the joint");
  visit("hardening", drive.hardening, u.hardening, "torque per cube of the twist: stiffness that grows with the load");
  visit("gear_error", drive.gear_error, u.position, "amplitude of the gear's kinematic error, at the joint");
  visit("gear_error_order", drive.gear_error_order, file_unit::number,
        "waves of that error per turn of the gear's input: 2 for a harmonic drive");
  visit("hysteresis_torque", drive.hysteresis_torque, u.effort,
        "largest torque of the hysteresis (a Dahl element beside the spring)");
  visit("hysteresis_stiffness", drive.hysteresis_stiffness, u.stiffness, "its slope where the motion reverses");
  visit("efficiency", drive.efficiency, file_unit::number,
        "of the gear, also as `85 %`; the rest of the torque is lost against the motion");
  const JointUnits& shaft = revolute_units;  // a motor turns, whatever the joint does
  visit("rotor_coulomb", drive.rotor_coulomb, shaft.effort, "Coulomb friction of the rotor, at the motor's shaft");
  visit("rotor_viscous", drive.rotor_viscous, shaft.viscous, "viscous friction of the rotor, at the motor's shaft");
  visit("tachometer_inertia", drive.tachometer_inertia, file_unit::kg_m2, "of a tachometer behind the rotor");
  visit("tachometer_stiffness", drive.tachometer_stiffness, shaft.stiffness,
        "of its shaft; without it the tachometer turns with the rotor");
  visit("tachometer_damping", drive.tachometer_damping, shaft.viscous, "of its shaft");
  visit("tachometer_viscous", drive.tachometer_viscous, shaft.viscous, "of its bearing");
  visit("gear_inertia", drive.gear_inertia, file_unit::kg_m2,
        "of what turns at the gear's input: a wave generator, a pinion");
  visit("coupling_stiffness", drive.coupling_stiffness, shaft.stiffness,
        "of the shaft from rotor to gear; without it the gear's input turns with the rotor");
  visit("coupling_damping", drive.coupling_damping, shaft.viscous, "of that shaft");
  visit("gear_viscous", drive.gear_viscous, shaft.viscous, "of the bearing at the gear's input");
  visit("source", drive.source, "where these numbers come from");
}

/// One of stiffness, torque, positions with torques, and sine with cosine.
template <class Visit>
void list_fields(JointSpring& spring, const JointUnits& u, Visit&& visit) {
  visit("stiffness", spring.stiffness, u.stiffness, "of a linear spring: it takes stiffness*(q - rest) to hold it");
  visit("rest", spring.rest, u.range, "with `stiffness`: the position at which it carries nothing; 0 unless given");
  visit("torque", spring.torque,
        "in place of a stiffness: what it takes to hold the joint against it (N*m; sliding: N), a formula of the "
        "position q "
        "(rad; sliding: m)");
  visit("positions", spring.positions, u.range,
        "in place of a stiffness: points of a table, increasing, up to the limits");
  visit("torques", spring.torques, u.effort, "with `positions`: what it takes to hold the joint there");
  visit("sine", spring.sine, u.effort,
        "in place of a stiffness, of a joint that turns: it takes sine*sin(q) + cosine*cos(q) to hold it");
  visit("cosine", spring.cosine, u.effort, "with `sine`, or without");
  visit("source", spring.source, "where these numbers come from");
}

template <class Visit>
void list_fields(FlexibleLink& link, Visit&& visit) {
  visit("mass", link.mass, file_unit::kg,
        "of the beam; the link's mass, centre and inertia include it, and what is more sits at the beam's end");
  visit("mass_per_length", link.mass_per_length, file_unit::kg_per_m, "in place of `mass`");
  visit("axial_inertia", link.axial_inertia, file_unit::kg_m2,
        "of the beam about its own axis; needed where it twists and carries nothing wide");
  visit("segments", link.segments, file_unit::number,
        "elastic points along the beam, 3 unless given: from 2 where it bends, from 1 where it only twists");
  const char* bending = "{EI [N*m^2], or stiffness [N/m] at the far end, and damping [N*s/m] there}";
  const auto bends = [&](const char* key, std::optional<Flexibility>& way, const char* meaning) {
    visit(key, way, "EI", prismatic_units, bending, meaning);
  };
  bends("bending", link.bending, "in every direction across the beam; stiffness = 3 EI/l^3");
  bends("bending_x", link.bending_x, "along x of the link's frame, in place of `bending`");
  bends("bending_y", link.bending_y, "along y of the link's frame, in place of `bending`");
  bends("bending_z", link.bending_z, "along z of the link's frame, in place of `bending`");
  visit("torsion", link.torsion, "GJ", revolute_units,
        "{GJ [N*m^2], or stiffness [N*m/rad] at the far end, and damping [N*m*s/rad] there}",
        "about the beam; stiffness = GJ/l");
  visit("source", link.source, "where these numbers come from");
}
template <class Visit>
void list_fields(Flexibility& way, const char* rigidity, const JointUnits& u, Visit&& visit) {
  visit(rigidity, way.rigidity, file_unit::N_m2, "of the cross-section");
  visit("stiffness", way.stiffness, u.stiffness, "at the far end");
  visit("damping", way.damping, u.viscous, "at the far end");
}

/// In the order of the alternatives of Friction.
inline const std::vector<std::string> friction_laws{"none",  "coulomb_viscous", "stribeck",      "three_sigmoid",
                                                    "lugre", "asymmetric",      "load_dependent"};

/// The keys of friction that do not depend on its law.
template <class Visit>
void list_friction(JointDescription& joint, Visit&& visit) {
  visit("law", Part{"word", Presence::required}, "which of the laws below");
  visit("source", joint.friction_source, "where these numbers come from");
}
template <class Visit>
void list_fields(NoFriction&, const JointUnits&, Visit&&) {}
template <class Visit>
void list_fields(CoulombViscous& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb", f.coulomb, u.effort, Presence::optional, "Coulomb friction");
  visit("viscous", f.viscous, u.viscous, Presence::optional, "viscous friction");
}
template <class Visit>
void list_fields(Stribeck& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb", f.coulomb, u.effort, Presence::required, "Coulomb friction");
  visit("static", f.stiction, u.effort, Presence::required, "static friction; at least `coulomb`");
  visit("stribeck_velocity", f.stribeck_velocity, u.velocity, Presence::required,
        "where static has passed into Coulomb friction");
  visit("viscous", f.viscous, u.viscous, Presence::optional, "viscous friction");
  visit("exponent", f.exponent, file_unit::number, Presence::optional, "shape of that passage");
  visit("offset", f.offset, u.effort, Presence::optional, "constant torque");
}
template <class Visit>
void list_fields(ThreeSigmoid& f, const JointUnits& u, Visit&& visit) {
  visit("f1", f.f[0], u.effort, Presence::required, "height of the first sigmoid; may be negative");
  visit("f2", f.f[1], u.effort, Presence::required, "height of the second");
  visit("f3", f.f[2], u.effort, Presence::required, "height of the third");
  visit("w1", f.w[0], u.inverse_velocity, Presence::required, "slope of the first sigmoid");
  visit("w2", f.w[1], u.inverse_velocity, Presence::required, "slope of the second");
  visit("w3", f.w[2], u.inverse_velocity, Presence::required, "slope of the third");
  visit("viscous", f.viscous, u.viscous, Presence::optional, "viscous friction");
  visit("offset", f.offset, u.effort, Presence::optional, "constant torque");
}
template <class Visit>
void list_fields(LuGre& f, const JointUnits& u, Visit&& visit) {
  visit("sigma0", f.sigma0, u.stiffness, Presence::required, "bristle stiffness");
  visit("sigma1", f.sigma1, u.viscous, Presence::optional, "bristle damping");
  visit("sigma2", f.sigma2, u.viscous, Presence::optional, "viscous friction");
  visit("coulomb", f.coulomb, u.effort, Presence::required, "Coulomb friction");
  visit("static", f.stiction, u.effort, Presence::required, "static friction; at least `coulomb`");
  visit("stribeck_velocity", f.stribeck_velocity, u.velocity, Presence::required,
        "where static has passed into Coulomb friction");
}
template <class Visit>
void list_fields(AsymmetricFriction& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb_positive", f.coulomb_positive, u.effort, Presence::optional, "Coulomb friction for v > 0");
  visit("coulomb_negative", f.coulomb_negative, u.effort, Presence::optional,
        "Coulomb friction for v < 0; not negative");
  visit("viscous_positive", f.viscous_positive, u.viscous, Presence::optional, "viscous friction for v > 0");
  visit("viscous_negative", f.viscous_negative, u.viscous, Presence::optional,
        "viscous friction for v < 0; not negative");
  visit("offset", f.offset, u.effort, Presence::optional, "constant torque");
}
template <class Visit>
void list_fields(LoadDependent& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb", f.coulomb, u.effort, Presence::optional, "Coulomb friction");
  visit("viscous", f.viscous, u.viscous, Presence::optional, "viscous friction");
  visit("load_coefficient", f.load_coefficient, file_unit::number, Presence::required,
        "Coulomb friction per torque that the joint carries; below 1");
  visit("offset", f.offset, u.effort, Presence::optional, "constant torque");
}

}  // namespace armature::formats
