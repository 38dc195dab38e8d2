#include "armature/scenario/plant_settings.hpp"

namespace armature::scenario {

void StartSettings::fields(Fields& f) {
  f.joints("q", q, joint_dimension::position, "positions at the start (default: zero)");
  f.joints("v", v, joint_dimension::velocity, "velocities at the start (default: zero)");
  f.flag("on_reference", on_reference, "start where the reference starts, with its velocity");
}

void PassiveSettings::fields(Fields& f) {
  f.integer("joint", joint, "number of the joint, from 1", Range::positive);
  f.number("stiffness", stiffness, dimension::torque, "torque per angle", Range::not_negative);
  f.number("damping", damping, {2, 1, -1, 0}, "torque per speed", Range::not_negative);
}

void LockSettings::fields(Fields& f) { f.integer("joint", joint, "number of the joint, from 1", Range::positive); }

void PlantSettings::fields(Fields& f) {
  ComposeOptions::fields(f);
  f.flag("end_stops", end_stops, "joints are held at the limits of position that the arm's file states");
  f.groups("locks", locks, "joints that a brake holds where they start");
  f.groups("passive", passive, "joints without a motor, held by a spring");
  f.groups("walls", walls, "planes that push back at the tool");
  f.groups("wrenches", wrenches, "forces on the tool for a time");
  f.groups("payloads", payloads, "payloads picked up or let go");
}

void BeliefSettings::fields(Fields& f) {
  f.text("robot", robot, "another arm, with as many joints (default: the true one)");
  f.numbers("mass_factor", mass_factor, dimension::none,
            "mass and inertia of the links times this: one number, or one a moving joint", 0, Range::positive);
  f.flag("friction", friction, "it knows the friction of the joints");
  f.joints("viscous", viscous, joint_dimension::damping, "viscous friction in place of the arm's file",
           Range::not_negative);
  f.numbers("gravity", gravity, dimension::acceleration, "what it takes for gravity (default: the arm's)", 3);
  f.groups("payload", payload, "the one load it believes to carry (default: what the arm's file says)");
}

}  // namespace armature::scenario
