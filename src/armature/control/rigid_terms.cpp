#include "armature/control/rigid_terms.hpp"

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"

namespace armature::control {

void term_torques(const Arm& arm, const DynamicTerms& terms, const VecX<double>& q, const VecX<double>& qd,
                  const VecX<double>& qdd, TermTorques& out) noexcept {
  const VecX<double> zero = VecX<double>::Zero(arm.dof());
  VecX<double> load;
  out.inertia = out.coriolis = out.gravity = out.friction = zero;
  if (terms.gravity || terms.inertia || terms.coriolis || terms.friction) {
    const VecX<double> g = gravity_torque<double>(arm, q);
    load = g;
    if (terms.gravity) out.gravity = g;
    if (terms.inertia) {
      inverse_dynamics(arm, q, zero, qdd, out.inertia);
      out.inertia -= g;
    }
  }
  if (terms.coriolis) out.coriolis = coriolis_torque<double>(arm, q, qd);
  if (terms.rotors) out.inertia += rotor_torque<double>(arm, qdd);
  if (terms.friction) {
    load += out.inertia + out.coriolis;
    out.friction = smooth_friction<double>(arm, qd, load);
  }
}

std::vector<Part> term_parts(int dof) { return torque_parts(dof, {"inertia", "coriolis", "gravity", "friction"}); }

VecX<double> TermTorques::report(std::span<Part> parts) const noexcept {
  parts[0].value = inertia;
  parts[1].value = coriolis;
  parts[2].value = gravity;
  parts[3].value = friction;
  return inertia + coriolis + gravity + friction;
}

bool DynamicTerms::switch_term(std::string_view name, bool on) noexcept {
  bool* const term = name == "inertia"    ? &inertia
                     : name == "coriolis" ? &coriolis
                     : name == "gravity"  ? &gravity
                     : name == "friction" ? &friction
                                          : nullptr;
  if (term) *term = on;
  return term != nullptr;
}

void DynamicTerms::fields(Fields& f) {
  f.flag("inertia", inertia, "the believed inertia counts (without: the unit matrix in its place)");
  f.flag("coriolis", coriolis, "Coriolis and centripetal torques are compensated");
  f.flag("friction", friction, "the believed friction is compensated");
  f.flag("rotors", rotors, "the drives' rotors are accelerated too");
  f.flag("gravity", gravity, "gravity is compensated");
}

}  // namespace armature::control
