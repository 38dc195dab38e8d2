// A scenario is the whole truth of a run, as plain data that lists itself. Reading, writing, `--set`, `--help-keys` and
// forms all go through fields(); a new setting is added in one place.
//
// A visitor offers: number, numbers (any count), joints (one a joint), integer, flag, word (one of a list), text,
// group (a struct), groups (a list of structs), maybe (a struct that may be absent).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "armature/core/units.hpp"

namespace armature {

/// The dimension of a joint's quantity, for joints that turn and joints that slide.
struct JointDimension {
  Dimension turning, sliding;
};
namespace joint_dimension {
inline constexpr JointDimension position{dimension::angle, dimension::length};
inline constexpr JointDimension velocity{dimension::rate, dimension::speed};
inline constexpr JointDimension acceleration{dimension::angular_acceleration, dimension::acceleration};
inline constexpr JointDimension jerk{{0, 0, -3, 0}, {1, 0, -3, 0}};
inline constexpr JointDimension torque{dimension::torque, dimension::force};
inline constexpr JointDimension stiffness{dimension::torque, {0, 1, -2, 0}};
inline constexpr JointDimension damping{{2, 1, -1, 0}, {0, 1, -1, 0}};
}  // namespace joint_dimension

struct StartSettings {
  std::vector<double> q, v;  // empty: zero
  void fields(auto& f) {
    f.joints("q", q, joint_dimension::position, "positions at the start (default: zero)");
    f.joints("v", v, joint_dimension::velocity, "velocities at the start (default: zero)");
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
    f.number("stiffness", stiffness, {0, 1, -2, 0}, "force per depth");
    f.number("damping", damping, {0, 1, -1, 0}, "force per speed of entry");
    f.number("friction", friction, dimension::none, "coefficient along the plane");
    f.number("tangential_stiffness", tangential_stiffness, {0, 1, -2, 0}, "of the bristles that carry friction");
  }
};

struct WrenchSettings {
  double from = 0, to = 0;
  std::vector<double> force{0, 0, 0}, moment{0, 0, 0};
  void fields(auto& f) {
    f.number("from", from, dimension::time, "it starts to act");
    f.number("to", to, dimension::time, "it ends");
    f.numbers("force", force, dimension::force, "on the tool, world axes", 3);
    f.numbers("moment", moment, dimension::torque, "on the tool, world axes", 3);
  }
};

struct PayloadSettings {
  double time = 0, mass = 0;
  std::vector<double> com{0, 0, 0}, inertia{0, 0, 0};
  void fields(auto& f) {
    f.number("time", time, dimension::time, "from when on");
    f.number("mass", mass, dimension::mass, "zero: the payload is let go");
    f.numbers("com", com, dimension::length, "centre of mass in the tool frame", 3);
    f.numbers("inertia", inertia, dimension::inertia, "xx, yy, zz about the centre of mass", 3);
  }
};

/// A spring at a joint that has no motor: a compliant base or a flexible link is an arm with such joints.
struct PassiveSettings {
  int joint = 1;
  double stiffness = 0, damping = 0;
  void fields(auto& f) {
    f.integer("joint", joint, "number of the joint, from 1");
    f.number("stiffness", stiffness, dimension::torque, "torque per angle");
    f.number("damping", damping, {2, 1, -1, 0}, "torque per speed");
  }
};

struct PlantSettings {
  std::string drives = "rigid", command = "torque", stick = "smooth";
  bool friction = true, torque_limits = true;
  double smoothing = 1e-3;
  std::vector<PassiveSettings> passive;
  std::vector<WallSettings> walls;
  std::vector<WrenchSettings> wrenches;
  std::vector<PayloadSettings> payloads;
  void fields(auto& f) {
    f.word("drives", drives, {"ideal", "rigid", "elastic"}, "what stands between motor and joint");
    f.word("command", command, {"torque", "current", "voltage"}, "what the motors are fed with");
    f.flag("friction", friction, "joints rub as the arm's file says");
    f.word("stick", stick, {"smooth", "exact"}, "sign of dry friction: smoothed, or true sticking with located events");
    f.number("smoothing", smoothing, dimension::rate, "speed over which a smoothed sign changes");
    f.flag("torque_limits", torque_limits, "motors saturate at the arm's limits");
    f.groups("passive", passive, "joints without a motor, held by a spring");
    f.groups("walls", walls, "planes that push back at the tool");
    f.groups("wrenches", wrenches, "forces on the tool for a time");
    f.groups("payloads", payloads, "payloads picked up or let go");
  }
};

struct SensorsSettings {
  double encoder = 0, position_noise = 0, speed_noise = 0, torque_noise = 0, force_noise = 0, moment_noise = 0;
  std::string speed = "tachometer";
  int delay = 0;
  void fields(auto& f) {
    f.number("encoder", encoder, dimension::angle, "resolution; zero: exact");
    f.number("position_noise", position_noise, dimension::angle, "standard deviation");
    f.word("speed", speed, {"tachometer", "difference"}, "measured, or the backward difference of the positions");
    f.number("speed_noise", speed_noise, dimension::rate, "standard deviation of the tachometer");
    f.number("torque_noise", torque_noise, dimension::torque, "standard deviation");
    f.number("force_noise", force_noise, dimension::force, "standard deviation");
    f.number("moment_noise", moment_noise, dimension::torque, "standard deviation");
    f.integer("delay", delay, "ticks from plant to controller");
  }
};

struct ConvertersSettings {
  int bits = 0, delay = 0;
  double range = 0;
  void fields(auto& f) {
    f.integer("bits", bits, "of the digital-to-analogue converter; zero: exact");
    f.number("range", range, dimension::none, "full scale ± in the unit of the command; zero: none");
    f.integer("delay", delay, "ticks from controller to plant");
  }
};

struct ReferenceSettings {
  std::string kind = "hold";
  std::vector<double> from, to, velocity, acceleration, jerk;
  double duration = 1, begin = 0;
  int order = 5;
  std::vector<double> times;
  std::vector<std::vector<double>> waypoints;
  double base_frequency = 0.1;
  std::vector<std::vector<double>> sine, cosine;
  void fields(auto& f) {
    f.word("kind", kind, {"hold", "polynomial", "fastest", "spline", "fourier"}, "what is wanted of the joints");
    f.joints("from", from, joint_dimension::position,
             "start (default: where the arm starts); the offset of a Fourier series");
    f.joints("to", to, joint_dimension::position, "end (hold: where to stay)");
    f.number("begin", begin, dimension::time, "standing still before it");
    f.number("duration", duration, dimension::time, "of a polynomial");
    f.integer("order", order, "of a polynomial: 3, 5, 7; of a spline: 3 or 5");
    f.joints("velocity", velocity, joint_dimension::velocity, "limits of the fastest motion (default: the arm's)");
    f.joints("acceleration", acceleration, joint_dimension::acceleration,
             "limits of the fastest motion (default: the arm's)");
    f.joints("jerk", jerk, joint_dimension::jerk, "limits of the fastest motion (default: none)");
    f.numbers("times", times, dimension::time, "of a spline's waypoints, from 0", 0);
    f.joint_rows("waypoints", waypoints, joint_dimension::position, "of a spline, one list a time");
    f.number("base_frequency", base_frequency, dimension::rate, "of a Fourier series");
    f.rows("sine", sine, dimension::rate, "velocity amplitudes of a Fourier series, one list a joint");
    f.rows("cosine", cosine, dimension::rate, "velocity amplitudes of a Fourier series, one list a joint");
  }
};

struct ControllerSettings {
  std::string kind = "joint_pd";
  std::vector<double> kp, kd, tau;
  bool continuous = false;
  void fields(auto& f) {
    f.word("kind", kind, {"joint_pd", "open_loop"}, "the law");
    f.joints("kp", kp, joint_dimension::stiffness, "stiffness");
    f.joints("kd", kd, joint_dimension::damping, "damping");
    f.joints("tau", tau, joint_dimension::torque, "torques of open_loop (default: zero)");
    f.flag("continuous", continuous, "acts inside the integrator, without hold, sensors and converters");
  }
};

struct RunSettings {
  double duration = 1, tick = 1e-3, step = 1e-3, tolerance = 1e-10;
  std::string method = "auto";
  int log_every = 1;
  std::vector<double> checkpoints;
  void fields(auto& f) {
    f.number("duration", duration, dimension::time, "simulated time");
    f.number("tick", tick, dimension::time, "of the controller");
    f.word("method", method, {"auto", "euler", "heun", "rk4", "dormand_prince", "cvode"},
           "integrator; auto: cvode for events, else rk4");
    f.number("step", step, dimension::time, "longest step of a fixed-step integrator");
    f.number("tolerance", tolerance, dimension::none, "relative local error of the others");
    f.integer("log_every", log_every, "ticks between logged samples");
    f.numbers("checkpoints", checkpoints, dimension::time, "times at which the run can be split", 0);
  }
};

struct Scenario {
  std::string scenario, question, robot;
  int seed = 1;
  StartSettings start;
  PlantSettings plant;
  SensorsSettings sensors;
  ConvertersSettings converter;
  ReferenceSettings reference;
  ControllerSettings controller;
  RunSettings run;
  void fields(auto& f) {
    f.text("scenario", scenario, "its name");
    f.text("question", question, "what the run is to answer");
    f.text("robot", robot, "a built-in arm, or an arm file beside the scenario");
    f.integer("seed", seed, "of all noise");
    f.group("start", start, "where the arm starts");
    f.group("plant", plant, "the world");
    f.group("sensors", sensors, "what the controller sees");
    f.group("converter", converter, "what becomes of its commands");
    f.group("reference", reference, "what is wanted");
    f.group("controller", controller, "the law");
    f.group("run", run, "time");
  }
};

}  // namespace armature
