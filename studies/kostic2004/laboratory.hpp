// The laboratory of [Kostic2004], simulated: the direct-drive arm on its compliant base, with flexible links, encoders, converters.
#pragma once

#include "armature/control/controller.hpp"
#include "armature/plant/plant.hpp"
#include "armature/record/log.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/simulation/loop.hpp"
#include "armature/trajectory/motion.hpp"
#include "study.hpp"

namespace armature::studies::kostic2004 {

inline constexpr int joints = 3;
inline constexpr double tick = 1e-3;        // [s], paper
inline constexpr double resolution = 1e-5;  // of the encoders [rad], paper
inline constexpr int converter_bits = 12;   // paper
/// Nominal torques of the motors [N m]; peaks are three times that (ours).
inline const VecX<double> nominal_torque = (VecX<double>(3) << 60, 30, 15).finished();
inline const VecX<double> peak_torque = 3 * nominal_torque;

/// What the paper does not give, chosen here: a base of 6 kg m² about the vertical on a torsion spring of 28 Hz; a column that
/// twists above its motor; an upper arm that bends sideways before the elbow. Dampings in shares of critical.
struct Flexibility {
  double base_inertia = 6, base_frequency = 28, base_damping = 0.03;  // [kg m²] [Hz]
  double column_stiffness = 9.5e4, column_damping = 20;               // [N m/rad] [N m s/rad]
  double bending_stiffness = 2.4e4, bending_damping = 1.5;            // [N m/rad] [N m s/rad]
};

/// All driven joints but one: those that brakes hold while it is looked at alone.
std::vector<int> all_but(int joint);

class Laboratory {
 public:
  /// With brakes on the driven joints `locked`.
  explicit Laboratory(const Flexibility& flexibility = {}, const std::vector<int>& locked = {});

  /// The arm with everything stiff: the truth that identification looks for.
  [[nodiscard]] const Arm& rigid_arm() const { return rigid_; }

  /// One experiment from rest at `start`: the law sees rounded positions and their backward differences and its torques pass the
  /// 12-bit converters; inputs act on its reference and on its torques. Channels, for each of the three joints: q (true), q_meas, v_meas, tau (as converted), q_ref, v_ref, a_ref;
  /// tool_x, tool_y, tool_z (true); and the parts that the law reports.
  Log run(AnyController& law, const ReferenceSource& reference, double duration, const VecX<double>& start,
          const LoopInputs& inputs = {}) const;

  /// The plant about a posture of the driven joints, moving with v; torques of the motors are the inputs.
  [[nodiscard]] LinearPlant linear(const VecX<double>& q, const VecX<double>& v) const;
  /// Index of driven joint i among the plant's axes.
  [[nodiscard]] int axis(int i) const { return axes_[i]; }

 private:
  [[nodiscard]] VecX<double> all_axes(const VecX<double>& driven) const;

  Arm rigid_;
  std::array<int, joints> axes_;
  Plant plant_;
};

/// Rounded as a 12-bit converter over ± the peak torque rounds.
double converted(double torque, int joint);

/// A joint trajectory as a reference.
template <class T>
ReferenceSource follow(const T& path) {
  return [path, motion = JointMotion{}](double t, Reference& r) mutable {
    path.at(t, motion);
    r.q = motion.q;
    r.qd = motion.qd;
    r.qdd = motion.qdd;
  };
}
/// Standing still.
ReferenceSource stay(const VecX<double>& q);

/// Values of channels "name1", "name2", "name3" of a log.
const std::vector<double>& channel(const Log& log, const std::string& name, int joint);
double rms(const std::vector<double>& values);

}  // namespace armature::studies::kostic2004
