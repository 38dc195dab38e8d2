// A periodic motion as a robot can play it: from rest into it, round and round, and out of it to rest.
#pragma once

#include "armature/identification/excitation_motion.hpp"

namespace armature::identification {

/// Lead-in, `periods` of the Fourier series, lead-out. Positions, velocities and accelerations are continuous.
/// The leads are polynomials of fifth order, all joints alike in time: half a second, or longer where a limit asks for it, and
/// whole ticks. The period is entered at its beginning or, where no lead keeps the limits there, at a sixteenth of it or later.
class ExcitationPath {
 public:
  /// Throws Error where no lead of up to `longest_lead` [s] keeps the limits.
  ExcitationPath(const Arm& arm, const FourierCoefficients& motion, int periods, const ExcitationLimits& limits,
                 double tick = 1e-3, double longest_lead = 20);

  [[nodiscard]] double duration() const {
    return leads_.in.duration() + periods_ * series_.duration() + leads_.out.duration();
  }
  [[nodiscard]] int joints() const { return series_.joints(); }
  void at(double t, JointMotion& motion) const noexcept;

  /// When the first period begins and the last ends [s].
  [[nodiscard]] double begin() const { return leads_.in.duration(); }
  [[nodiscard]] double end() const { return begin() + periods_ * series_.duration(); }

 private:
  struct Leads {
    double phase;  // where the period is entered and left [s]
    PolynomialPath in, out;
  };
  static Leads leads(const Arm& arm, const FourierPath& series, const ExcitationLimits& limits, double tick,
                     double longest);

  FourierPath series_;
  int periods_;
  Leads leads_;
};
static_assert(JointTrajectory<ExcitationPath>);

}  // namespace armature::identification
