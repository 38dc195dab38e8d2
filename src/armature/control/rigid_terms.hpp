// The dynamics of the believed arm, taken apart: which of its terms a law uses.
#pragma once

#include <span>

#include "armature/control/law_settings.hpp"

namespace armature::control {

struct DynamicTerms {
  bool inertia = true;
  bool coriolis = true;  // and centripetal
  bool gravity = true;
  bool friction = false;  // of the arm's own laws, jumps smoothed
  bool rotors = false;    // what accelerates the drives' rotors

  void fields(Fields& f);
  /// "inertia", "coriolis", "gravity", "friction"; false where there is no such term.
  bool switch_term(std::string_view name, bool on) noexcept;
};

/// The torques of a motion, term by term; those that are off are zero.
struct TermTorques {
  VecX<double> inertia, coriolis, gravity, friction;

  /// Writes them to a law's first four parts, which are those of term_parts(), and returns their sum.
  VecX<double> report(std::span<Part> parts) const noexcept;
};

/// Parts for the four terms.
std::vector<Part> term_parts(int dof);

/// M(q) qdd, C(q, qd) qd, g(q), friction(qd). Allocates nothing.
void term_torques(const Arm& arm, const DynamicTerms& terms, const VecX<double>& q, const VecX<double>& qd,
                  const VecX<double>& qdd, TermTorques& out) noexcept;

}  // namespace armature::control
