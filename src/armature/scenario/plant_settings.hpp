// The world of a scenario: the machine, what touches it, what is seen of it.
#pragma once

#include "armature/scenario/settings.hpp"

namespace armature {

struct StartSettings {
  std::vector<double> q, v;  // empty: zero
  bool on_reference = false;
  void fields(auto& f) {
    f.joints("q", q, joint_dimension::position, "positions at the start (default: zero)");
    f.joints("v", v, joint_dimension::velocity, "velocities at the start (default: zero)");
    f.flag("on_reference", on_reference, "start where the reference starts, with its velocity");
  }
};

struct WallSettings {
  std::string name = "wall";
  std::vector<double> point{0, 0, 0}, normal{0, 0, 1};
  double stiffness = 0, damping = 0, friction = 0, tangential_stiffness = 0;
  void fields(auto& f) {
    f.text("name", name, "how events name it");
    f.numbers("point", point, dimension::length, "a point of the plane", 3);
    f.numbers("normal", normal, dimension::none, "towards the free side; normalised", 3);
    f.number("stiffness", stiffness, {0, 1, -2, 0}, "force per depth", Range::not_negative);
    f.number("damping", damping, {0, 1, -1, 0}, "force per speed of entry", Range::not_negative);
    f.number("friction", friction, dimension::none, "coefficient along the plane", Range::not_negative);
    f.number("tangential_stiffness", tangential_stiffness, {0, 1, -2, 0}, "of the bristles that carry friction",
             Range::not_negative);
  }
};

struct WrenchSettings {
  double from = 0, to = 0, frequency = 0;
  std::string profile = "constant", table;
  std::vector<double> force{0, 0, 0}, moment{0, 0, 0};
  void fields(auto& f) {
    f.number("from", from, dimension::time, "it starts to act", Range::not_negative);
    f.number("to", to, dimension::time, "it ends", Range::not_negative);
    f.numbers("force", force, dimension::force, "on the tool, world axes", 3);
    f.numbers("moment", moment, dimension::torque, "on the tool, world axes", 3);
    f.word("profile", profile, {"constant", "ramp", "half_sine", "sine", "table"},
           "how it runs: at full size; from zero to full; as one arch; as a sine; as a table says");
    f.number("frequency", frequency, dimension::rate, "of the sine, in Hz", Range::not_negative);
    f.text("table", table,
           "a CSV file beside the scenario: time [s] counted from `from`, and any of force_x [N] to moment_z [N m]");
  }
};

/// A body carried at the tool.
struct LoadSettings {
  double mass = 0;
  std::vector<double> com{0, 0, 0}, inertia{0, 0, 0};
  void fields(auto& f) {
    f.number("mass", mass, dimension::mass, "zero: nothing is carried", Range::not_negative);
    f.numbers("com", com, dimension::length, "centre of mass in the tool frame", 3);
    f.numbers("inertia", inertia, dimension::inertia, "xx, yy, zz about the centre of mass", 3);
  }
};

struct PayloadSettings {
  double time = 0;
  LoadSettings load;
  void fields(auto& f) {
    f.number("time", time, dimension::time, "from when on", Range::not_negative);
    load.fields(f);
  }
};

/// A spring at a joint that has no motor: a compliant base or a flexible link is an arm with such joints.
struct PassiveSettings {
  int joint = 1;
  double stiffness = 0, damping = 0;
  void fields(auto& f) {
    f.integer("joint", joint, "number of the joint, from 1", Range::positive);
    f.number("stiffness", stiffness, dimension::torque, "torque per angle", Range::not_negative);
    f.number("damping", damping, {2, 1, -1, 0}, "torque per speed", Range::not_negative);
  }
};

struct PlantSettings {
  std::string drives = "rigid", command = "torque", stick = "smooth";
  bool friction = true, torque_limits = true;
  double smoothing = 1e-3;
  std::vector<double> viscous;
  std::vector<PassiveSettings> passive;
  std::vector<WallSettings> walls;
  std::vector<WrenchSettings> wrenches;
  std::vector<PayloadSettings> payloads;
  void fields(auto& f) {
    f.word("drives", drives, {"ideal", "rigid", "elastic"}, "what stands between motor and joint");
    f.word("command", command, {"torque", "current", "voltage"}, "what the motors are fed with");
    f.flag("friction", friction, "joints rub as the arm's file says");
    f.joints("viscous", viscous, joint_dimension::damping, "viscous friction in place of the arm's file",
             Range::not_negative);
    f.word("stick", stick, {"smooth", "exact"}, "sign of dry friction: smoothed, or true sticking with located events");
    f.number("smoothing", smoothing, dimension::rate, "speed over which a smoothed sign changes", Range::positive);
    f.flag("torque_limits", torque_limits,
           "motors saturate at the limits of the arm: torque, and current and voltage of its drives");
    f.groups("passive", passive, "joints without a motor, held by a spring");
    f.groups("walls", walls, "planes that push back at the tool");
    f.groups("wrenches", wrenches, "forces on the tool for a time");
    f.groups("payloads", payloads, "payloads picked up or let go");
  }
};

struct SensorsSettings {
  double encoder = 0, position_noise = 0, speed_noise = 0, torque_noise = 0, force_noise = 0, moment_noise = 0;
  double speed_range = 0, torque_range = 0, force_range = 0, moment_range = 0;
  std::string side = "joint", speed = "tachometer";
  int bits = 0, delay = 0;
  void fields(auto& f) {
    f.word("side", side, {"joint", "motor"}, "where encoders and tachometers sit: behind elastic gears they differ");
    f.angle("encoder", encoder, "resolution at the joint; zero: exact", Range::not_negative);
    f.angle("position_noise", position_noise, "standard deviation", Range::not_negative);
    f.word("speed", speed, {"tachometer", "difference"}, "measured, or the backward difference of the positions");
    f.number("speed_noise", speed_noise, dimension::rate, "standard deviation of the tachometer", Range::not_negative);
    f.number("torque_noise", torque_noise, dimension::torque, "standard deviation", Range::not_negative);
    f.number("force_noise", force_noise, dimension::force, "standard deviation", Range::not_negative);
    f.number("moment_noise", moment_noise, dimension::torque, "standard deviation", Range::not_negative);
    f.integer("bits", bits, "of the analogue-to-digital converters of what has a range; zero: exact",
              Range::not_negative);
    f.number("speed_range", speed_range, dimension::rate, "full scale ± of the tachometer; zero: no limit",
             Range::not_negative);
    f.number("torque_range", torque_range, dimension::torque, "full scale ± of the torque sensors",
             Range::not_negative);
    f.number("force_range", force_range, dimension::force, "full scale ± of the wrench sensor", Range::not_negative);
    f.number("moment_range", moment_range, dimension::torque, "full scale ± of the wrench sensor", Range::not_negative);
    f.integer("delay", delay, "ticks from plant to controller", Range::not_negative);
  }
};

struct ConvertersSettings {
  int bits = 0, delay = 0;
  double range = 0;
  void fields(auto& f) {
    f.integer("bits", bits, "of the digital-to-analogue converter; zero: exact", Range::not_negative);
    f.number("range", range, dimension::none, "full scale ± in the unit of the command; zero: none",
             Range::not_negative);
    f.integer("delay", delay, "ticks from controller to plant", Range::not_negative);
  }
};

/// The arm that the controller believes in, where it differs from the true one.
struct BeliefSettings {
  std::string robot;
  std::vector<double> mass_factor, gravity, viscous;
  bool friction = true;
  std::vector<LoadSettings> payload;
  void fields(auto& f) {
    f.text("robot", robot, "another arm, with as many joints (default: the true one)");
    f.numbers("mass_factor", mass_factor, dimension::none,
              "mass and inertia of the links times this: one number, or one a moving joint", 0, Range::positive);
    f.flag("friction", friction, "it knows that joints rub");
    f.joints("viscous", viscous, joint_dimension::damping, "viscous friction in place of the arm's file",
             Range::not_negative);
    f.numbers("gravity", gravity, dimension::acceleration, "what it takes for gravity (default: the arm's)", 3);
    f.groups("payload", payload, "the one load it believes to carry (default: what the arm's file says)");
  }
};

}  // namespace armature
