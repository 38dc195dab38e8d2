// The numbers of an arm file: name, unit and whether they must be there, listed once for reader and writer.
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

// Each list calls visit(key, field, unit, presence) for a double, visit(key, field, unit) for an optional one.

template <class Visit>
void list_fields(DhRow& row, Visit&& visit) {
  visit("theta", row.theta, file_unit::rad, Presence::optional);
  visit("d", row.d, file_unit::m, Presence::optional);
  visit("a", row.a, file_unit::m, Presence::optional);
  visit("alpha", row.alpha, file_unit::rad, Presence::optional);
}

/// The upper triangle of an inertia tensor.
template <class Visit>
void list_fields(Mat3<double>& tensor, Visit&& visit) {
  visit("xx", tensor(0, 0), file_unit::kg_m2, Presence::required);
  visit("yy", tensor(1, 1), file_unit::kg_m2, Presence::required);
  visit("zz", tensor(2, 2), file_unit::kg_m2, Presence::required);
  visit("xy", tensor(0, 1), file_unit::kg_m2, Presence::optional);
  visit("xz", tensor(0, 2), file_unit::kg_m2, Presence::optional);
  visit("yz", tensor(1, 2), file_unit::kg_m2, Presence::optional);
}

/// The position limits stand apart: they are a pair.
template <class Visit>
void list_fields(Limits& limits, const JointUnits& u, Visit&& visit) {
  visit("velocity", limits.velocity, u.velocity);
  visit("acceleration", limits.acceleration, u.acceleration);
  visit("torque", limits.torque, u.effort);
}

template <class Visit>
void list_fields(Drive& drive, const JointUnits& u, Visit&& visit) {
  visit("gear_ratio", drive.gear_ratio, u.gear_ratio);
  visit("rotor_inertia", drive.rotor_inertia, file_unit::kg_m2);
  visit("torque_constant", drive.torque_constant, file_unit::Nm_A);
  visit("resistance", drive.resistance, file_unit::ohm);
  visit("inductance", drive.inductance, file_unit::henry);
  visit("back_emf", drive.back_emf, file_unit::Vs_rad);
  visit("tachometer", drive.tachometer, file_unit::Vs_rad);
  visit("current_limit", drive.current_limit, file_unit::ampere);
  visit("voltage_limit", drive.voltage_limit, file_unit::volt);
  visit("stiffness", drive.stiffness, u.stiffness);
  visit("damping", drive.damping, u.viscous);
  visit("backlash", drive.backlash, u.position);
  visit("hardening", drive.hardening, u.hardening);
  visit("gear_error", drive.gear_error, u.position);
  visit("gear_error_order", drive.gear_error_order, file_unit::number);
  visit("hysteresis_torque", drive.hysteresis_torque, u.effort);
  visit("hysteresis_stiffness", drive.hysteresis_stiffness, u.stiffness);
  visit("efficiency", drive.efficiency, file_unit::number);
  const JointUnits& shaft = revolute_units;  // a motor turns, whatever the joint does
  visit("rotor_coulomb", drive.rotor_coulomb, shaft.effort);
  visit("rotor_viscous", drive.rotor_viscous, shaft.viscous);
  visit("tachometer_inertia", drive.tachometer_inertia, file_unit::kg_m2);
  visit("tachometer_stiffness", drive.tachometer_stiffness, shaft.stiffness);
  visit("tachometer_damping", drive.tachometer_damping, shaft.viscous);
  visit("tachometer_viscous", drive.tachometer_viscous, shaft.viscous);
  visit("gear_inertia", drive.gear_inertia, file_unit::kg_m2);
  visit("coupling_stiffness", drive.coupling_stiffness, shaft.stiffness);
  visit("coupling_damping", drive.coupling_damping, shaft.viscous);
  visit("gear_viscous", drive.gear_viscous, shaft.viscous);
}

/// The ways in which it yields stand apart: each is a map.
template <class Visit>
void list_fields(FlexibleLink& link, Visit&& visit) {
  visit("mass", link.mass, file_unit::kg);
  visit("mass_per_length", link.mass_per_length, file_unit::kg_per_m);
  visit("axial_inertia", link.axial_inertia, file_unit::kg_m2);
  visit("segments", link.segments, file_unit::number);
}
template <class Visit>
void list_ways(FlexibleLink& link, Visit&& visit) {
  const auto bends = [&](const char* key, std::optional<Flexibility>& way) { visit(key, way, "EI", prismatic_units); };
  bends("bending", link.bending);
  bends("bending_x", link.bending_x);
  bends("bending_y", link.bending_y);
  bends("bending_z", link.bending_z);
  visit("torsion", link.torsion, "GJ", revolute_units);
}
template <class Visit>
void list_fields(Flexibility& way, const char* rigidity, const JointUnits& u, Visit&& visit) {
  visit(rigidity, way.rigidity, file_unit::N_m2);
  visit("stiffness", way.stiffness, u.stiffness);
  visit("damping", way.damping, u.viscous);
}

/// In the order of the alternatives of Friction.
inline const std::vector<std::string> friction_laws{"none",  "coulomb_viscous", "stribeck",      "three_sigmoid",
                                                    "lugre", "asymmetric",      "load_dependent"};

template <class Visit>
void list_fields(NoFriction&, const JointUnits&, Visit&&) {}
template <class Visit>
void list_fields(CoulombViscous& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb", f.coulomb, u.effort, Presence::optional);
  visit("viscous", f.viscous, u.viscous, Presence::optional);
}
template <class Visit>
void list_fields(Stribeck& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb", f.coulomb, u.effort, Presence::required);
  visit("static", f.stiction, u.effort, Presence::required);
  visit("stribeck_velocity", f.stribeck_velocity, u.velocity, Presence::required);
  visit("viscous", f.viscous, u.viscous, Presence::optional);
  visit("exponent", f.exponent, file_unit::number, Presence::optional);
  visit("offset", f.offset, u.effort, Presence::optional);
}
template <class Visit>
void list_fields(ThreeSigmoid& f, const JointUnits& u, Visit&& visit) {
  visit("f1", f.f[0], u.effort, Presence::required);
  visit("f2", f.f[1], u.effort, Presence::required);
  visit("f3", f.f[2], u.effort, Presence::required);
  visit("w1", f.w[0], u.inverse_velocity, Presence::required);
  visit("w2", f.w[1], u.inverse_velocity, Presence::required);
  visit("w3", f.w[2], u.inverse_velocity, Presence::required);
  visit("viscous", f.viscous, u.viscous, Presence::optional);
  visit("offset", f.offset, u.effort, Presence::optional);
}
template <class Visit>
void list_fields(LuGre& f, const JointUnits& u, Visit&& visit) {
  visit("sigma0", f.sigma0, u.stiffness, Presence::required);
  visit("sigma1", f.sigma1, u.viscous, Presence::optional);
  visit("sigma2", f.sigma2, u.viscous, Presence::optional);
  visit("coulomb", f.coulomb, u.effort, Presence::required);
  visit("static", f.stiction, u.effort, Presence::required);
  visit("stribeck_velocity", f.stribeck_velocity, u.velocity, Presence::required);
}
template <class Visit>
void list_fields(AsymmetricFriction& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb_positive", f.coulomb_positive, u.effort, Presence::optional);
  visit("coulomb_negative", f.coulomb_negative, u.effort, Presence::optional);
  visit("viscous_positive", f.viscous_positive, u.viscous, Presence::optional);
  visit("viscous_negative", f.viscous_negative, u.viscous, Presence::optional);
  visit("offset", f.offset, u.effort, Presence::optional);
}
template <class Visit>
void list_fields(LoadDependent& f, const JointUnits& u, Visit&& visit) {
  visit("coulomb", f.coulomb, u.effort, Presence::optional);
  visit("viscous", f.viscous, u.viscous, Presence::optional);
  visit("load_coefficient", f.load_coefficient, file_unit::number, Presence::required);
}

}  // namespace armature::formats
