#include "armature/identification/wrench_sensor.hpp"

#include "armature/numerics/decompositions.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::identification {

//     arm on tool + contact = what moves the tool,   arm on tool = ± gain⁻¹ (reading - offset)
Vec6<double> WrenchSensor::contact(const Arm& arm, const JointMotion& motion, const Vec6<double>& reading) const {
  InertiaParameters<double> about_tool;
  about_tool << mass, first_moment, inertia;
  const Inertia<double> body = seen_from<double>(Pose<double>{Mat3<double>::Identity(), Vec3<double>(-position)},
                                                 inertia_from_parameters<double>(about_tool));
  WrenchParameters x;
  x.m = body.m;
  x.h = body.h;
  x.I = body.I_Bo;
  x.p = position;
  x.R_TS = rotation_from_rpy(rpy);
  x.gravity = gravity;
  const Vec6<double> needed = wrench_coefficients(x) * wrench_motion(arm, motion);
  const Vec6<double> read = solved(gain, reading - force_and_moment_offset);
  return needed - (reads == Reads::load ? -1.0 : 1.0) * read;
}

WrenchSensor sensor_of(const WrenchCalibration& found) {
  WrenchSensor s;
  s.reads = found.load ? WrenchSensor::Reads::load : WrenchSensor::Reads::reaction;
  s.position = found.x.p;
  s.rpy = rpy_from_rotation(found.x.R_TS).angles;
  s.gravity = found.x.gravity;
  const WrenchParameters::Zero& last = found.x.runs.back();
  s.force_and_moment_offset = last.offset + last.drift * found.half_run;
  if (found.known_tool) s.gain = (found.load ? -1.0 : 1.0) * found.x.gain;
  s.mass = found.body[0];
  s.first_moment = found.body.segment<3>(1);
  s.inertia = found.body.tail<6>();
  return s;
}

void WrenchSensor::fields(Fields& f) {
  f.word("reads", reads, {"reaction", "load"}, "what the arm does to the tool, or the tool to the arm");
  f.numbers("position", Numbers(position.data(), 3), dimension::length, "of its origin in the tool's frame", 3);
  f.angles("rpy", Numbers(rpy.data(), 3), "of its axes in the tool's frame", 3);
  f.numbers("gravity", Numbers(gravity.data(), 3), dimension::acceleration, "in the world", 3);
  f.numbers("offset_force", Numbers(force_and_moment_offset.data(), 3), dimension::force, "read without a load", 3);
  f.numbers("offset_moment", Numbers(force_and_moment_offset.data() + 3, 3), dimension::torque, "likewise", 3);
  f.numbers("gain", Numbers(gain.data(), 36), dimension::none, "channels per part of the wrench, part by part", 36);
  f.number("mass", mass, dimension::mass, "of the tool", Range::not_negative);
  f.numbers("first_moment", Numbers(first_moment.data(), 3), dimension::first_moment,
            "of the tool, in the tool's frame", 3);
  f.numbers("inertia", Numbers(inertia.data(), 6), dimension::inertia,
            "of the tool about that frame's origin: xx, xy, yy, xz, yz, zz", 6);
}

}  // namespace armature::identification
