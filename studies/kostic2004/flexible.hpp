// The loop in which flexible dynamics are measured, and what it should show.
#pragma once

#include "armature/identification/frf.hpp"
#include "armature/identification/tuning.hpp"
#include "kostic2004/laboratory.hpp"

namespace armature::kostic2004 {

/// Gains of (27), the same for every joint.
struct LinearisedGains {
  double kp = 0;  // [1/s²]
  double kd = 0;  // [1/s]
};

/// Feedback linearisation (25) with r = -kp e - kd ed + v, ed by backward difference; v is noise at one joint.
/// Friction is compensated at the reference's speed. Reports r, v and e.
class LinearisedLoop : public Law {
 public:
  LinearisedLoop(Arm believed, const LinearisedGains& gains, int joint, std::vector<double> noise);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  Arm believed_;
  LinearisedGains gains_;
  int joint_;
  std::vector<double> noise_;
  std::size_t at_ = 0;
  VecX<double> last_;
};

/// The same with a sampled controller in every joint: r = qdd_r + C(z) (q_r - q).
class TunedLoop : public Law {
 public:
  TunedLoop(Arm believed, std::vector<LoopController> controllers);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  Arm believed_;
  std::vector<LoopController> controllers_;
  std::vector<std::vector<SampledFilter>> filters_;
  VecX<double> last_, integral_;
  bool fresh_ = true;
};

/// r_i to q_i of the true plant, the other joints locked, sampled with its hold: what (29) should find.
class TruePlant {
 public:
  TruePlant(const Laboratory& locked, const Arm& believed, const VecX<double>& q, int joint, double speed);
  [[nodiscard]] std::complex<double> response(double frequency) const;
  /// Poles [Hz, damping] with an imaginary part.
  [[nodiscard]] std::vector<std::pair<double, double>> modes() const;

 private:
  Eigen::MatrixXd A_;  // sampled plant: torque to driven joint
  Eigen::VectorXd B_, C_;
  double D_ = 1, Nq_ = 0, Nv_ = 0;  // of the linearising law: torque = D r + Nq q + Nv (q - last q)/tick
};

}  // namespace armature::kostic2004
