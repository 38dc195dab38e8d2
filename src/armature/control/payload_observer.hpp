// What the tool carries, estimated while the arm moves, and when it changed.
#pragma once

#include <array>

#include "armature/control/controller.hpp"
#include "armature/core/fields.hpp"
#include "armature/model/arm.hpp"

namespace armature::control {

struct PayloadObserverSettings {
  double block = 0.1;   // over which the equations of motion are averaged; a new one begins after half of it [s]
  double memory = 10;   // forgetting: time constant in which what was learned loses its weight [s]
  double notice = 0.2;  // over which a change has to show: the memory of the test [s]
  double learn = 0.5;   // at the start, in which the noise is estimated and no change is looked for [s]
  double between_alarms = 3600;  // mean time between two false alarms, at least [s]
  double largest_mass = 10;      // of what may be carried: the standard deviation of the first guess [kg]
  double largest_radius = 0.2;   // of gyration of it, and distance of its centre from the tool's origin [m]
  double model_error = 0.01;     // what the torques of the believed arm may be wrong by, as a share of them [-]
  double friction_error = 0.1;   // the same of the believed friction [-]
  double standstill = 0.02;      // speed below which friction may be anything up to what it is there [rad/s | m/s]
  VecX<double> noise;     // least standard deviation of a block's torque beside that; empty: as learned [N m | N]
  bool friction = true;   // the believed friction is part of the model
  bool rotors = false;    // what accelerates the drives' rotors is
  bool measured = false;  // torques are those of joint torque sensors; else the command

  void fields(Fields& f);
};

/// Ten inertial parameters of what the tool carries, in the tool's frame, and how well they are known.
struct PayloadGuess {
  InertiaParameters<double> parameters = InertiaParameters<double>::Zero();
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Zero();

  [[nodiscard]] double mass() const { return parameters[0]; }
  [[nodiscard]] double mass_deviation() const;
  /// Centre of mass [m]; shrunk towards the tool's origin where the mass is not told from zero.
  [[nodiscard]] Vec3<double> com() const;
  [[nodiscard]] Vec3<double> com_deviation() const;
};

/// The payload p adds Y(q, qd, qdd) p to the torques. Averaged over a block of time with weights that begin and end at zero (1 - cos), Y needs
/// no acceleration: differences of the measured speed are summed up, and their noise with them,
///     y = mean(tau - rigid - friction) = Phi p + noise,      Phi = mean(Y).                                         (1)
/// Recursive least squares, in units in which the first guess has the covariance 1, with the noise's covariance R:
///     A' = l A + (1 - l) 1,  l = exp(-block/2/memory)        stabilized forgetting [Milek1995]: A never falls below 1, so that
///                                                            nothing winds up at standstill, and p stays where nothing shows it
///     A = A' + Phiᵀ R⁻¹ Phi,   p += A⁻¹ Phiᵀ R⁻¹ (y - Phi p)                                                        (2)
///     S = A⁻¹ (A' S A' + Phiᵀ R⁻¹ Phi) A⁻¹                   covariance of the error of p, for a payload that does not change (3)
/// While all joints stand, or have been meant to for some time, Phi is that of the mean posture since then, at rest: how disturbances shake the arm shows in Phi and
/// in y alike, and in the long run would teach what is not there.
/// A change by d shows in the innovations e = y - Phi p as Phi d. The test is a likelihood ratio [Willsky1976] with a memory of its own:
///     b = sum m^k Phiᵀ R⁻¹ e,   V = cov b,   bᵀ (V + 1)⁻¹ b > c,   c: quantile of chi² with 10 degrees of freedom    (4)
/// for one block in those of the time between_alarms. Then everything but the noise is forgotten and learned anew. R is learned from the innovations,
/// and grows by what the model may be wrong by: model_error, friction_error, and all friction at standstill. Innovations that follow each other with the correlation r > 0 count as fewer:
/// covariance and test are corrected by (1 + r)/(1 - r), and by what the simulated motion of arms under disturbances shows to be missing.
class PayloadObserver {
 public:
  PayloadObserver(Arm believed, const PayloadObserverSettings& settings);
  void reset(const Measurement& y);
  /// `tau` is what the drives exerted since the last sample; of the reference only the speed is read, where there is one: whether the arm
  /// is meant to stand. Allocates nothing.
  void update(const Measurement& y, const Reference& r, const VecX<double>& tau, double dt) noexcept;

  /// What is carried now, with what the believed arm carries already.
  [[nodiscard]] const PayloadGuess& payload() const { return told_; }
  /// The statistic of (4) over its threshold: beyond 1 the payload has changed.
  [[nodiscard]] double evidence() const { return evidence_; }
  /// Changes since reset().
  [[nodiscard]] int changes() const { return changes_; }
  /// Since reset(): when the last change began to show, and when it was noticed [s]; both zero before the first.
  [[nodiscard]] double changed_at() const { return changed_at_; }
  [[nodiscard]] double noticed_at() const { return noticed_at_; }

 private:
  using Matrix10 = Eigen::Matrix<double, 10, 10>;
  using Vector10 = Eigen::Matrix<double, 10, 1>;
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, 10, 0, max_joints, 10>;

  /// Sums over a block, times weight and time.
  struct Block {
    Columns Phi;
    VecX<double> y, doubt, q, qd;
    double weight = 0, elapsed = 0;  // elapsed < 0: it has not begun
    bool stands = true;              // is meant to
  };
  void begin(Block& block, double elapsed) noexcept;
  void begin_blocks(const Measurement& y) noexcept;
  bool end(const Block& block) noexcept;
  void guess_noise(const VecX<double>& y) noexcept;
  using Weighted = Eigen::Matrix<double, 10, Eigen::Dynamic, 0, 10, max_joints>;
  [[nodiscard]] Columns columns_of(const Block& block) noexcept;
  void learn(const Columns& Phi, const Weighted& weighted, const VecX<double>& e) noexcept;
  void learn_noise(const VecX<double>& e, const MatX<double>& cov_e) noexcept;
  bool changed(const Weighted& weighted, const VecX<double>& e, const MatX<double>& cov_e) noexcept;
  void begin_anew() noexcept;
  void tell() noexcept;

  Arm believed_;
  PayloadObserverSettings settings_;
  InertiaParameters<double> carried_;  // by the believed arm
  Vector10 unit_;                      // standard deviations of the first guess
  Matrix10 to_link_;                   // from these units to the last link's columns
  VecX<double> stuck_;                 // friction at the speed `standstill`, both ways the larger [N m | N]
  VecX<double> floor_;                 // least variance of the noise
  double threshold_ = 0, quiet_ = 0;   // of the statistic

  VecX<double> q_, qd_, torque_;  // of the last sample
  std::array<Block, 2> blocks_;
  VecX<double> standing_at_;   // mean posture
  int standing_ = 0;           // for so many blocks
  double meant_to_stand_ = 0;  // for so long [s]
  double time_ = 0, quiet_at_ = 0;
  int ended_ = 0;  // blocks

  Vector10 p_, b_;
  Matrix10 A_, S_, V_;
  VecX<double> noise_, last_y_, last_e_;
  double follows_ = 0, squares_ = 0;  // of neighbouring innovations: mean product and mean square
  PayloadGuess told_;
  double evidence_ = 0, changed_at_ = 0, noticed_at_ = 0;
  int changes_ = 0;
  bool guessed_ = false;  // the noise
  bool missed_ = false;   // the last reading was not finite
};

/// The x that chi² with an even number of degrees of freedom exceeds with this probability.
double chi_squared_quantile(int even_freedom, double probability);

}  // namespace armature::control
