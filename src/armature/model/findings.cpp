// What is wrong or odd about a description.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "armature/core/characters.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/model/arm.hpp"
#include "armature/model/flexible.hpp"
#include "armature/model/spring_law.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/quadrature.hpp"

namespace armature::model {

namespace {

using Severity = Finding::Severity;

// What no machine reaches, by a wide margin: a number beyond these is a slip of the unit or of the exponent.
constexpr double longest_link = 100;           // [m] concrete pumps and the arms of space stations stay below
constexpr double farthest_base = 1e7;          // [m] the base may be given in coordinates of the Earth
constexpr double farthest_limit = 1e6;         // [rad | m] of a joint's position
constexpr double heaviest_body = 1e6;          // [kg]
constexpr double lightest_body = 1e-9;         // [kg] of a body that moves
constexpr double rounded_inertia = 0.01;       // excess of the largest principal moment that rounding explains
constexpr double largest_gear_ratio = 1e6;     // and its inverse the smallest
constexpr double strongest_gravity = 1e4;      // [m/s²] a centrifuge's
constexpr double shortest_beam = 1e-4;         // [m]
constexpr double most_segments = 8;            // of a flexible link
constexpr double largest_drive_number = 1e15;  // of drives, friction and springs, SI
constexpr double spring_range = 4 * pi;        // [rad | m] to both sides of zero, of a joint without limits

class Checker {
 public:
  explicit Checker(const ArmDescription& description) : arm_(description) {}

  std::vector<Finding> run() {
    check_arm();
    for (const JointDescription& joint : arm_.joints) check_joint(joint);
    check_couplings();
    if (!has_error_) check_bodies();
    return std::move(findings_);
  }

 private:
  void error(const std::string& place, std::string finding, std::string hint) {
    has_error_ = true;
    findings_.push_back({Severity::error, place, std::move(finding), std::move(hint)});
  }
  void warning(const std::string& place, std::string finding, std::string hint) {
    findings_.push_back({Severity::warning, place, std::move(finding), std::move(hint)});
  }

  template <class Numbers>
  void finite(const std::string& place, const char* what, const Numbers& numbers) {
    if (!numbers.allFinite()) error(place, fmt::format("{} is not finite", what), "write finite numbers");
  }
  void finite(const std::string& place, const char* what, double number) {
    if (!std::isfinite(number)) error(place, fmt::format("{} is not finite", what), "write a finite number");
  }
  void positive(const std::string& place, const char* what, const std::optional<double>& number,
                bool zero_allowed = false) {
    if (!number) return;
    if (!std::isfinite(*number)) return error(place, fmt::format("{} is not finite", what), "write a finite number");
    if (*number < 0 || (*number == 0 && !zero_allowed))
      error(place, fmt::format("{} is {}", what, *number),
            zero_allowed ? "it cannot be negative" : "it must be positive; leave it out where it is unknown");
    within(place, what, *number, largest_drive_number, "");
  }

  /// No coordinate or number beyond `largest`.
  template <class Numbers>
  void within(const std::string& place, const char* what, const Numbers& numbers, double largest, const char* unit) {
    if (numbers.allFinite() && numbers.cwiseAbs().maxCoeff() > largest)
      too_large(place, what, numbers.cwiseAbs().maxCoeff(), largest, unit);
  }
  void within(const std::string& place, const char* what, double number, double largest, const char* unit) {
    if (std::isfinite(number) && std::abs(number) > largest) too_large(place, what, std::abs(number), largest, unit);
  }
  void too_large(const std::string& place, const char* what, double number, double largest, const char* unit) {
    error(place, fmt::format("{} is {:.4g}{}", what, number, unit),
          fmt::format("no machine has more than {:g}{}; check the unit and the exponent", largest, unit));
  }

  /// Names go into files, programs and pages: they hold nothing that could end a line there. An empty one is found elsewhere.
  void check_name(const std::string& place, const char* what, const std::string& name) {
    const std::string flaw = name.empty() ? "" : flaw_of_name(name);
    if (!flaw.empty()) error(place, fmt::format("the name '{}' of {} {}", printable(name), what, flaw), name_hint);
  }

  void check_arm() {
    const std::string place = fmt::format("arm '{}'", printable(arm_.name));
    if (arm_.name.empty()) error("arm", "has no name", "give it one: `arm: my_robot`");
    check_name(place, "arm", arm_.name);
    finite(place, "gravity", arm_.gravity);
    within(place, "gravity", arm_.gravity, strongest_gravity, " m/s²");
    if (arm_.gravity.allFinite() && arm_.gravity.stableNorm() > 100)
      warning(place, fmt::format("gravity is {:.4g} m/s²", arm_.gravity.stableNorm()),
              "on Earth it is about 9.81 m/s²");
    finite(place + ", base", "the position", arm_.base.xyz);
    within(place + ", base", "the position", arm_.base.xyz, farthest_base, " m");
    finite(place + ", base", "rpy", arm_.base.rpy);
    finite(place + ", tool", "the position", arm_.tool.xyz);
    within(place + ", tool", "the position", arm_.tool.xyz, longest_link, " m");
    finite(place + ", tool", "rpy", arm_.tool.rpy);
    if (arm_.payload) check_mass(place + ", payload", *arm_.payload);
    int moving = 0;
    std::set<std::string> names, links;
    for (const JointDescription& joint : arm_.joints) {
      moving += joint.type != JointType::fixed;
      check_name(place, "joint", joint.name);
      check_name(place, "link", joint.link.name);
      if (joint.name.empty()) error(place, "a joint has no name", "name every joint");
      if (!names.insert(joint.name).second)
        error(place, fmt::format("two joints are called '{}'", printable(joint.name)), "names must differ");
      if (joint.link.name.empty())
        error(place, fmt::format("the link of joint '{}' has no name", printable(joint.name)), "name every link");
      else if (!links.insert(joint.link.name).second)
        error(place, fmt::format("two links are called '{}'", printable(joint.link.name)), "names must differ");
    }
    if (moving == 0) error(place, "has no moving joint", "an arm needs at least one revolute or prismatic joint");
    if (moving > max_joints)
      error(place, fmt::format("has {} moving joints", moving), fmt::format("at most {} are supported", max_joints));
  }

  void check_joint(const JointDescription& joint) {
    const std::string place = fmt::format("joint '{}'", printable(joint.name));
    if (const auto* row = std::get_if<DhRow>(&joint.placement)) {
      finite(place, "its DH row", Eigen::Vector4d(row->theta, row->d, row->a, row->alpha));
      within(place, "the length d", row->d, longest_link, " m");
      within(place, "the length a", row->a, longest_link, " m");
    } else {
      const auto& [origin, axis] = std::get<OriginAxis>(joint.placement);
      finite(place, "its position", origin.xyz);
      within(place, "its distance from the joint before", origin.xyz, longest_link, " m");
      finite(place, "its rpy", origin.rpy);
      finite(place, "its axis", axis);
      if (joint.type != JointType::fixed && axis.allFinite() && std::abs(axis.norm() - 1) > 1e-6)
        error(place, fmt::format("its axis has length {:.6g}", axis.norm()), "an axis is a unit vector");
    }
    check_limits(place, joint.limits);
    check_friction(place + ", friction", joint.friction);
    const Drive& d = joint.drive;
    const std::string drive = place + ", drive";
    if (d.gear_ratio && (!std::isfinite(*d.gear_ratio) || *d.gear_ratio == 0))
      error(drive, "the gear ratio is zero or not finite", "motor turns a joint turn; negative for a reversing gear");
    else if (d.gear_ratio &&
             (std::abs(*d.gear_ratio) > largest_gear_ratio || std::abs(*d.gear_ratio) < 1 / largest_gear_ratio))
      error(drive, fmt::format("the gear ratio is {:.4g}", *d.gear_ratio),
            fmt::format("gears have ratios between {:g} and {:g}; check the exponent", 1 / largest_gear_ratio,
                        largest_gear_ratio));
    positive(drive, "the rotor inertia", d.rotor_inertia, true);
    positive(drive, "the torque constant", d.torque_constant);
    positive(drive, "the resistance", d.resistance);
    positive(drive, "the inductance", d.inductance, true);
    positive(drive, "the back-emf constant", d.back_emf, true);
    positive(drive, "the tachometer constant", d.tachometer);
    positive(drive, "the current limit", d.current_limit);
    positive(drive, "the voltage limit", d.voltage_limit);
    if (d.current_limit && !d.torque_constant)
      error(drive, "it has a current_limit and no torque_constant", "give the torque an ampere makes");
    if (d.voltage_limit && !(d.torque_constant && d.resistance))
      error(drive, "it has a voltage_limit and no torque_constant or no resistance",
            "give both: a voltage drives a current through the winding");
    positive(drive, "the stiffness", d.stiffness);
    positive(drive, "the damping", d.damping, true);
    positive(drive, "the backlash", d.backlash, true);
    positive(drive, "the efficiency", d.efficiency);
    if (d.efficiency && *d.efficiency > 1)
      error(drive, fmt::format("the efficiency is {}", *d.efficiency), "at most 1");
    check_harmonic_drive(drive, d);
    check_shaft(drive, d);
    if (joint.link.mass) check_mass(fmt::format("link '{}'", printable(joint.link.name)), *joint.link.mass);
    if (joint.flexible && !has_error_) check_flexible(place + ", flexible", joint);
    if (joint.spring && !has_error_) check_spring(place + ", spring", joint);
  }

  /// It can be evaluated, and gives sensible torques wherever the joint may be.
  void check_spring(const std::string& place, const JointDescription& joint) {
    const JointSpring& spring = *joint.spring;
    if (joint.type == JointType::fixed)
      return error(place, "the joint is fixed", "remove it, or give the joint a moving type");
    finite(place, "the stiffness", spring.stiffness.value_or(0));
    within(place, "the stiffness", spring.stiffness.value_or(0), largest_drive_number, "");
    finite(place, "the rest position", spring.rest.value_or(0));
    for (const std::optional<double>& amplitude : {spring.sine, spring.cosine}) {
      finite(place, "the amplitude of its torque", amplitude.value_or(0));
      within(place, "the amplitude of its torque", amplitude.value_or(0), largest_drive_number, "");
    }
    if ((spring.sine || spring.cosine) && joint.type == JointType::prismatic)
      return error(place, "it has a sine, and the joint slides", "give `stiffness`, `torque` or a table");
    if (has_error_) return;
    try {
      const SpringLaw law(spring, joint.limits);
      check_spring_torque(place, law, joint);
    } catch (const Error& e) {
      const Place& at = e.place();
      error(place,
            (at.line > 0 ? fmt::format("its torque, line {}, column {}: ", at.line, at.column) : "") + e.finding(),
            e.hint());
    }
    if (spring.positions.empty() || has_error_) return;
    const Limits& limits = joint.limits;
    if ((limits.lower && *limits.lower < spring.positions.front()) ||
        (limits.upper && *limits.upper > spring.positions.back()))
      error(place,
            fmt::format("its table from {:.4g} to {:.4g} does not reach the position limits of the joint",
                        spring.positions.front(), spring.positions.back()),
            "add points up to the limits: beyond its ends a table is not known");
  }
  void check_spring_torque(const std::string& place, const SpringLaw& law, const JointDescription& joint) {
    constexpr int steps = 200;
    const double from = joint.limits.lower.value_or(-spring_range), to = joint.limits.upper.value_or(spring_range);
    for (int k = -1; k <= steps; ++k) {
      const double q = k < 0 ? std::min(std::max(0.0, from), to) : from + (to - from) * k / steps;
      const double torque = law.torque<double>(q);
      if (!std::isfinite(torque) || !std::isfinite(law.stiffness<double>(q)))
        return error(place, fmt::format("its torque or the slope of its torque is not finite at q = {:.6g}", q),
                     "it must be so wherever the joint may be: within `limits: {position: ...}`");
      within(place, "its torque", torque, largest_drive_number, "");
      if (has_error_) return;
    }
  }

  void check_flexibility(const std::string& place, const char* way, const std::optional<Flexibility>& f) {
    if (!f) return;
    const std::string name = fmt::format("{}, {}", place, way);
    if (f->rigidity.has_value() == f->stiffness.has_value())
      error(name, f->rigidity ? "it has the rigidity of a section and a stiffness" : "it has no stiffness",
            "give EI (torsion: GJ) of the section, or the stiffness at the far end");
    positive(name, "the rigidity of the section", f->rigidity);
    positive(name, "the stiffness", f->stiffness);
    positive(name, "the damping", f->damping, true);
  }

  /// The beam exists, yields in some way across its length, and is part of its link.
  void check_flexible(const std::string& place, const JointDescription& joint) {
    const FlexibleLink& link = *joint.flexible;
    check_flexibility(place, "bending", link.bending);
    check_flexibility(place, "bending_x", link.bending_x);
    check_flexibility(place, "bending_y", link.bending_y);
    check_flexibility(place, "bending_z", link.bending_z);
    check_flexibility(place, "torsion", link.torsion);
    if (link.mass.has_value() == link.mass_per_length.has_value())
      error(place, link.mass ? "it has a mass and a mass_per_length" : "the mass of the beam is not given",
            "give `mass` or `mass_per_length`");
    positive(place, "the mass", link.mass);
    positive(place, "the mass per length", link.mass_per_length);
    positive(place, "the axial inertia", link.axial_inertia, true);
    const double segments = link.segments.value_or(most_segments);
    if (!(segments >= 1 && segments <= most_segments && segments == std::floor(segments)))
      error(place, fmt::format("it has {} segments", segments),
            fmt::format("a whole number from 1 to {}", most_segments));
    const bool along_axes = link.bending_x || link.bending_y || link.bending_z;
    if (!link.bending && !along_axes && !link.torsion)
      error(place, "it neither bends nor twists", "give `bending`, `bending_y`, `torsion`, ...");
    if (link.bending && along_axes)
      error(place, "it has bending in all directions and along an axis",
            "give `bending`, or `bending_y` and `bending_z`");
    if ((link.bending || along_axes) && segments < 2)
      error(place, "it bends at one segment", "a beam bends at 2 segments or more; one may only twist");
    if (has_error_) return;
    const Beam beam = beam_of(joint, arm_.convention);
    if (!(beam.length > shortest_beam))
      return error(place, "the beam has no length: the link's frame lies at the joint",
                   "move it to a fixed joint whose origin is the far end, or describe the joint by a standard DH row");
    const std::optional<Flexibility>* const axes[] = {&link.bending_x, &link.bending_y, &link.bending_z};
    for (int k = 0; k < 3; ++k)
      if (*axes[k] && std::abs(beam.along.dot(beam.X_SE.R.col(k))) > 1e-6)
        error(
            place, fmt::format("bending_{} is not across the beam", "xyz"[k]),
            fmt::format("in the link's frame it runs along [{:.3g}, {:.3g}, {:.3g}]; `bending` is for every direction "
                        "across it",
                        (beam.X_SE.R.transpose() * beam.along)[0], (beam.X_SE.R.transpose() * beam.along)[1],
                        (beam.X_SE.R.transpose() * beam.along)[2]));
    check_beam_mass(place, joint, beam);
  }

  /// What rides at the end of the beam, with the beam's last piece, is a body: its second moments are not negative.
  void check_beam_mass(const std::string& place, const JointDescription& joint, const Beam& beam) {
    const Inertia<double> link = joint.link.mass ? inertia_of(*joint.link.mass) : Inertia<double>{};
    const Inertia<double> part =
        seen_from(beam.X_SE.inverse(), beam.inertia(0, gauss_legendre(beam.segments).at.back()));
    const Inertia<double> end{link.m - part.m, link.h - part.h, link.I_Bo - part.I_Bo};
    bool body = end.m >= -1e-9 * link.m && link.m >= (1 - 1e-9) * beam.mass;
    if (body && end.m > 1e-9 * link.m) {
      const Mat3<double> I = central_inertia(end);
      const Mat3<double> moments = I.trace() / 2 * Mat3<double>::Identity() - I;
      body = symmetric_eigen(moments).values[0] >= -1e-6 * (link.I_Bo.trace() + link.m * beam.length * beam.length);
    }
    if (!body && arm_.unphysical.empty())
      error(place,
            fmt::format(
                "link '{}' is less than its beam: a uniform beam of {:.4g} kg and {:.4g} m has its centre half way "
                "and {:.4g} kg m² across it there",
                printable(joint.link.name), beam.mass, beam.length,
                beam.mass * beam.length * beam.length / 12 + beam.axial_inertia / 2),
            "mass, centre and inertia of the link include the beam's; what is more rides at its end");
  }

  void check_harmonic_drive(const std::string& place, const Drive& d) {
    positive(place, "the hardening", d.hardening, true);
    positive(place, "the kinematic error of the gear", d.gear_error, true);
    positive(place, "the order of the kinematic error", d.gear_error_order);
    positive(place, "the hysteresis torque", d.hysteresis_torque);
    positive(place, "the hysteresis stiffness", d.hysteresis_stiffness);
    if (d.hysteresis_torque.has_value() != d.hysteresis_stiffness.has_value())
      error(place, "a hysteresis needs a torque and a stiffness", "give hysteresis_torque and hysteresis_stiffness");
    if (d.gear_error.has_value() != d.gear_error_order.has_value())
      error(place, "a kinematic error needs an amplitude and an order",
            "give gear_error and gear_error_order: 2 for a harmonic drive, two waves a turn of its wave generator");
    if (!d.stiffness && (d.hardening || d.gear_error || d.hysteresis_torque))
      error(place, "hardening, kinematic error and hysteresis belong to an elastic transmission", "give its stiffness");
  }

  void check_shaft(const std::string& place, const Drive& d) {
    positive(place, "the dry friction of the rotor", d.rotor_coulomb, true);
    positive(place, "the viscous friction of the rotor", d.rotor_viscous, true);
    positive(place, "the tachometer's inertia", d.tachometer_inertia);
    positive(place, "the stiffness of the tachometer's shaft", d.tachometer_stiffness);
    positive(place, "the damping of the tachometer's shaft", d.tachometer_damping, true);
    positive(place, "the viscous friction of the tachometer", d.tachometer_viscous, true);
    positive(place, "the inertia at the gear's input", d.gear_inertia);
    positive(place, "the stiffness of the coupling", d.coupling_stiffness);
    positive(place, "the damping of the coupling", d.coupling_damping, true);
    positive(place, "the viscous friction at the gear's input", d.gear_viscous, true);
    const auto carried = [&](const char* shaft, const std::optional<double>& stiffness, const char* body,
                             const std::optional<double>& inertia) {
      if (stiffness && !inertia)
        error(place, fmt::format("it has a {} and no {}", shaft, body), "a shaft needs an inertia at its end");
    };
    carried("tachometer_stiffness", d.tachometer_stiffness, "tachometer_inertia", d.tachometer_inertia);
    carried("coupling_stiffness", d.coupling_stiffness, "gear_inertia", d.gear_inertia);
    if ((d.tachometer_inertia || d.gear_inertia) && !(d.rotor_inertia.value_or(0) > 0))
      error(place, "it has inertias on the motor's shaft and no rotor_inertia", "give the rotor's inertia too");
  }

  void check_limits(const std::string& joint, const Limits& limits) {
    const std::string place = joint + ", limits";
    if (limits.lower) finite(place, "the lower position limit", *limits.lower);
    if (limits.upper) finite(place, "the upper position limit", *limits.upper);
    for (const std::optional<double>& bound : {limits.lower, limits.upper})
      if (bound) within(place, "a position limit", *bound, farthest_limit, "");
    if (limits.lower && limits.upper && *limits.lower > *limits.upper)
      error(place, fmt::format("lower {:.6g} is above upper {:.6g}", *limits.lower, *limits.upper), "swap them");
    if (limits.lower && limits.upper && *limits.lower == *limits.upper)
      warning(place, "lower and upper position limits are equal", "should this joint be fixed?");
    positive(place, "the velocity limit", limits.velocity);
    positive(place, "the acceleration limit", limits.acceleration);
    positive(place, "the torque limit", limits.torque);
  }

  void check_friction(const std::string& place, const Friction& friction) {
    std::visit([&](const auto& law) { check_law(place, law); }, friction);
  }

  void at_least_zero(const std::string& place, const char* what, double number) {
    if (!(number >= 0) || !std::isfinite(number))
      error(place, fmt::format("{} is {}", what, number), "friction takes energy: it cannot be negative");
    within(place, what, number, largest_drive_number, "");
  }
  void above_zero(const std::string& place, const char* what, double number) {
    if (!(number > 0) || !std::isfinite(number))
      error(place, fmt::format("{} is {}", what, number), "it must be positive");
    within(place, what, number, largest_drive_number, "");
  }
  void check_stiction(const std::string& place, double coulomb, double stiction) {
    at_least_zero(place, "coulomb", coulomb);
    if (!(stiction >= coulomb) || !std::isfinite(stiction))
      error(place, fmt::format("static {} is below coulomb {}", stiction, coulomb),
            "it takes more to start than to keep going");
  }

  void check_law(const std::string&, const NoFriction&) {}
  void check_law(const std::string& place, const CoulombViscous& f) {
    at_least_zero(place, "coulomb", f.coulomb);
    at_least_zero(place, "viscous", f.viscous);
  }
  void check_law(const std::string& place, const Stribeck& f) {
    check_stiction(place, f.coulomb, f.stiction);
    at_least_zero(place, "viscous", f.viscous);
    above_zero(place, "stribeck_velocity", f.stribeck_velocity);
    above_zero(place, "exponent", f.exponent);
    finite(place, "offset", f.offset);
  }
  void check_law(const std::string& place, const ThreeSigmoid& f) {
    at_least_zero(place, "viscous", f.viscous);
    for (const double width : f.w) above_zero(place, "a sigmoid's w", width);
    finite(place, "offset", f.offset);
    for (const double height : f.f) finite(place, "a sigmoid's f", height);  // may be negative: the Stribeck dip
  }
  void check_law(const std::string& place, const LuGre& f) {
    check_stiction(place, f.coulomb, f.stiction);
    above_zero(place, "coulomb", f.coulomb);
    above_zero(place, "sigma0", f.sigma0);
    at_least_zero(place, "sigma1", f.sigma1);
    at_least_zero(place, "sigma2", f.sigma2);
    above_zero(place, "stribeck_velocity", f.stribeck_velocity);
    // The bristles never give more than they took when sigma1 (stiction/coulomb - 1) <= sigma2 [Barabanov2000].
    const double needed = f.sigma1 * (f.stiction / f.coulomb - 1);
    if (f.coulomb > 0 && f.sigma1 >= 0 && needed > f.sigma2)
      warning(place,
              fmt::format("the LuGre law can create energy: sigma2 is {:.6g}, {:.6g} is needed", f.sigma2, needed),
              "it is passive when sigma2 >= sigma1 (static/coulomb - 1): lower sigma1 or raise sigma2");
  }
  void check_law(const std::string& place, const AsymmetricFriction& f) {
    at_least_zero(place, "coulomb_positive", f.coulomb_positive);
    at_least_zero(place, "coulomb_negative", f.coulomb_negative);
    at_least_zero(place, "viscous_positive", f.viscous_positive);
    at_least_zero(place, "viscous_negative", f.viscous_negative);
    finite(place, "offset", f.offset);
  }
  void check_law(const std::string& place, const LoadDependent& f) {
    at_least_zero(place, "coulomb", f.coulomb);
    at_least_zero(place, "viscous", f.viscous);
    at_least_zero(place, "load_coefficient", f.load_coefficient);
    finite(place, "offset", f.offset);
    if (f.load_coefficient >= 1)
      error(place,
            fmt::format("load_coefficient is {:.6g}: friction grows as fast as the load, and no torque moves the joint",
                        f.load_coefficient),
            "a load coefficient is below 1, most often below 0.3");
  }

  void check_mass(const std::string& place, const MassProperties& p) {
    finite(place, "its mass", p.mass);
    finite(place, "its centre of mass", p.position);
    finite(place, "its inertia", p.tensor);
    within(place, "its mass", p.mass, heaviest_body, " kg");
    within(place, "its inertia", p.tensor, heaviest_body * longest_link * longest_link, " kg m²");
    within(place, p.position_is_first_moment ? "its first moment" : "its centre of mass", p.position,
           p.position_is_first_moment ? heaviest_body * longest_link : longest_link,
           p.position_is_first_moment ? " kg m" : " m");
    if (p.position_is_first_moment && !p.tensor_about_origin && p.mass == 0)
      error(place, "has a first moment but no mass, and its inertia is about the centre of mass",
            "give the inertia about the origin");
    if (std::isfinite(p.mass) && p.mass < 0 && arm_.unphysical.empty())
      error(place, fmt::format("its mass is {} kg", p.mass),
            "mass is positive; identified sets may say `unphysical: <reason>`");
  }

  void check_couplings() {
    if (!arm_.couplings) return;
    const Eigen::MatrixXd& C = *arm_.couplings;
    Eigen::Index moving = 0;
    for (const JointDescription& joint : arm_.joints) moving += joint.type != JointType::fixed;
    if (C.rows() != moving || C.cols() != moving)
      return error("couplings", fmt::format("the matrix is {} x {}", C.rows(), C.cols()),
                   fmt::format("one row and one column a moving joint: {} x {}", moving, moving));
    if (!C.allFinite() || std::abs(determinant(C)) < 1e-9)
      error("couplings", "the matrix cannot be inverted", "every joint needs a motor that moves it");
  }

  /// The bodies that move: links welded together, payload included.
  void check_bodies() {
    const Chain chain = chain_of(arm_);
    for (std::size_t i = 0; i < chain.bodies.size(); ++i) {
      const JointDescription& joint = arm_.joints[chain.moving[i]];
      const std::string place = fmt::format("link '{}'", printable(joint.link.name));
      const Inertia<double>& inertia = chain.bodies[i].inertia;
      const BodyVerdict verdict = judge_body(inertia);
      if (verdict.possible()) {
        check_extent(place, inertia.m, verdict.principal_moments[2]);
        continue;
      }
      std::string finding, hint;
      const Vec3<double>& e = verdict.principal_moments;
      // Such a body still has a positive-definite inertia, so the arm's mass matrix is positive definite too.
      if (const double excess = (e[2] - e[0] - e[1]) / e[2];
          verdict.mass_positive && verdict.positive_definite && excess <= rounded_inertia) {
        warning(place,
                fmt::format("principal moments {:.6g}, {:.6g}, {:.6g} kg m² break the triangle inequality by {:.2g} %",
                            e[0], e[1], e[2], 100 * excess),
                "as little as rounding does; taken as given");
        check_extent(place, inertia.m, e[2]);
        continue;
      }
      if (!verdict.mass_positive) {
        finding = fmt::format("moves with joint '{}' but has mass {} kg", printable(joint.name), inertia.m);
        hint = "give it mass and inertia, or make the joint fixed";
      } else if (!verdict.positive_definite) {
        finding =
            fmt::format("principal moments {:.4g}, {:.4g}, {:.4g} kg m² about its centre of mass are not all positive",
                        e[0], e[1], e[2]);
        hint =
            "is the inertia given about the centre of mass instead of the origin, or are products of inertia too "
            "large?";
      } else {
        finding = fmt::format(
            "principal moments {:.4g}, {:.4g}, {:.4g} kg m² about its centre of mass break the triangle inequality",
            e[0], e[1], e[2]);
        hint = "is the inertia given about the joint instead of the centre of mass?";
      }
      if (arm_.unphysical.empty())
        error(place, finding, hint);
      else
        warning(place, finding, "accepted in an arm that is marked as unphysical");
    }
  }

  /// A body that could exist, but not on any machine.
  void check_extent(const std::string& place, double mass, double largest_moment) {
    if (mass < lightest_body)
      error(place, fmt::format("moves and has mass {:.4g} kg", mass),
            fmt::format("what moves has at least {:g} kg; check the unit and the exponent", lightest_body));
    else if (const double radius = std::sqrt(largest_moment / mass); radius > longest_link)
      error(place, fmt::format("its inertia is that of its mass at {:.4g} m from its centre", radius),
            fmt::format("no link is longer than {:g} m; is the inertia in g mm², or the mass in t?", longest_link));
  }

  const ArmDescription& arm_;
  std::vector<Finding> findings_;
  bool has_error_ = false;
};

}  // namespace

std::vector<Finding> findings(const ArmDescription& description) { return Checker(description).run(); }

}  // namespace armature::model
