#include "armature/plant/payload.hpp"

namespace armature::plant {

void Load::fields(Fields& f) {
  f.number("mass", mass, dimension::mass, "mass of the load; zero: nothing is carried", Range::not_negative);
  f.numbers("com", com, dimension::length, "centre of mass in the tool frame", 3);
  f.numbers("inertia", inertia, dimension::inertia, "xx, yy, zz about the centre of mass", 3);
}

std::optional<MassProperties> Load::body() const {
  if (mass == 0) return std::nullopt;
  return MassProperties{.mass = mass, .position = com, .tensor = inertia.asDiagonal()};
}

Arm with_payload(const Arm& arm, const std::optional<MassProperties>& payload) {
  ArmDescription description = arm.description();
  description.payload = payload;
  return arm.with_description(std::move(description));
}

void PayloadChange::fields(Fields& f) {
  f.number("time", time, dimension::time, "when the load is picked up or let go", Range::not_negative);
  load.fields(f);
}

}  // namespace armature::plant
