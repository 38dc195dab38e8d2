#include "armature/scenario/reference_settings.hpp"

namespace armature::scenario {

void WritingSettings::fields(Fields& f) {
  f.text("text", text, "letters a to z, words separated by spaces");
  f.number("width", width, dimension::length, "width of the box that holds the writing; zero: as the height asks",
           Range::not_negative);
  f.number("height", height, dimension::length, "height of that box; zero: as the width asks", Range::not_negative);
  f.numbers("pace", pace, dimension::none, "relative speeds at equal distances of time", 0, Range::positive);
  f.number("smoothing", smoothing, dimension::none, "0: corners and jumps as written, 0.3: well rounded",
           Range::not_negative);
  f.angle("slant", slant, "from upright, to the right");
  f.number("lift", lift, dimension::length, "how far the pen is lifted between words", Range::not_negative);
  f.numbers("xyz", xyz, dimension::length, "lower left corner of the box", 3);
  f.angles("rpy", rpy, "roll, pitch, yaw of the paper: x along the line, z towards the writer", 3);
}

void PushSettings::fields(Fields& f) {
  f.number("from", from, dimension::time, "when the force begins to be wanted", Range::not_negative);
  f.numbers("force", Numbers(wrench.data(), 3), dimension::force, "of the tool on the world, world axes", 3);
  f.numbers("moment", Numbers(wrench.data() + 3, 3), dimension::torque, "of the tool on the world, world axes", 3);
}

void ReferenceSettings::fields(Fields& f) {
  f.word("kind", kind,
         {"hold", "step", "polynomial", "fastest", "spline", "fourier", "sine", "table", "pose", "line", "arc",
          "circle", "polyline", "writing"},
         "what is wanted: of the joints (hold to table), or of the tool (pose to writing)");
  f.joints("from", from, joint_dimension::position,
           "start (default: where the arm starts); the offset of a sine or Fourier series");
  f.joints("to", to, joint_dimension::position, "end (hold, step: where to stay)");
  f.number("begin", begin, dimension::time, "how long the arm stands still before the motion", Range::not_negative);
  f.number("duration", duration, dimension::time, "duration of a polynomial, or of a path of the tool",
           Range::positive);
  f.integer("order", order, "order of a polynomial: 3, 5, 7; of a spline: 3 or 5");
  f.integer("repeat", repeat, "how many times the motion is made, each from its start", Range::positive);
  f.joints("velocity", velocity, joint_dimension::velocity, "limits of the fastest motion (default: the arm's)",
           Range::positive);
  f.joints("acceleration", acceleration, joint_dimension::acceleration,
           "limits of the fastest motion (default: the arm's)", Range::positive);
  f.joints("jerk", jerk, joint_dimension::jerk, "limits of the fastest motion (default: none)", Range::positive);
  f.numbers("times", times, dimension::time, "times of a spline's waypoints, from 0", 0, Range::not_negative);
  f.joint_rows("waypoints", waypoints, joint_dimension::position, "positions on a spline, one list per time");
  f.number("base_frequency", base_frequency, dimension::rate, "first harmonic of a Fourier series", Range::positive);
  f.rows("sine", sine, dimension::rate, "velocity amplitudes of a Fourier series, one list per joint");
  f.rows("cosine", cosine, dimension::rate, "velocity amplitudes of a Fourier series, one list per joint");
  f.joints("amplitude", amplitude, joint_dimension::position, "amplitude of a sine");
  f.numbers("frequency", frequency, dimension::rate, "frequency of a sine: one, or one per joint", 0, Range::positive);
  f.angles("phase", phase, "phase of a sine: one, or one per joint (default: zero)", 0);
  f.text("table", table,
         "a CSV file beside the scenario: time, q1 [rad] and so on, and if there v1 and a1, as excite and simulate "
         "write it");
  f.points("points", points,
           "where the tool goes from its start: pose and line [end], arc [via, end], circle [second, third], polyline");
  f.angles("rpy", rpy, "roll, pitch, yaw of the tool at the end (default: it keeps its orientation if it can)", 3);
  f.number("turns", turns, dimension::none, "number of turns of a circle; negative: backwards");
  f.number("blend", blend, dimension::length, "distance from the corners of a polyline at which arcs begin",
           Range::not_negative);
  f.number("path_speed", path_speed, dimension::speed,
           "speed along the path, with path_acceleration: a trapezoid in place of order and duration",
           Range::not_negative);
  f.number("path_acceleration", path_acceleration, dimension::acceleration, "acceleration along the path",
           Range::not_negative);
  f.number("path_jerk", path_jerk, {1, 0, -3, 0}, "jerk along the path; zero: not limited", Range::not_negative);
  f.group("writing", writing, "what kind writing writes, and where");
  f.word("task", task, {"auto", "position", "planar", "pose"},
         "what of the tool's path the joints follow (auto: what the arm has joints for)");
  f.groups("push", push, "force that the tool should exert");
  f.joints("noise", noise, joint_dimension::position, "standard deviation of noise on the joints' reference",
           Range::not_negative);
  f.number("tool_noise", tool_noise, dimension::length, "standard deviation of noise on the tool's reference",
           Range::not_negative);
  f.number("noise_hold", noise_hold, dimension::time, "for how long each noisy value lasts (zero: a tick)",
           Range::not_negative);
}

}  // namespace armature::scenario
