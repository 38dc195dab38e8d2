// How well an arm predicts a log, and where and when it is worst.
#pragma once

#include <string>

#include "armature/identification/motion_source.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/record/log.hpp"

namespace armature::identification {

/// Filters and thinning that follow from the sampling alone, the same for every machine: positions through a zero-phase
/// Butterworth filter of order 4 at rate/5, at most 100 Hz; equations through one at rate/12.5, at most 40 Hz; every n-th kept, so
/// that the kept rate is 2.5 times that. Settings that are given (not 0) stay.
Processing default_processing(Processing given, double step);
/// The same; where the torques of the log fill a narrower band (torque_band.hpp), both filters come down with it. What an observer leaves
/// open is estimated from the first samples of the log.
Processing default_processing(const Processing& given, const MotionSource& source, int joints);
/// In words.
std::string describe(const Processing& processing, double step);

/// A stretch of the log.
struct Stretch {
  int joint = 0;
  double from = 0, to = 0;  // [s]
  double rms = 0;           // of the error there [N m | N]
  double times = 1;         // over that of the whole log
  JointMotion motion;       // where the error is largest in it
  double at = 0;            // [s], when
  double error = 0;
};

/// Errors of one joint's predicted torque.
struct JointError {
  double rms = 0;                      // [N m | N]
  double relative = 0;                 // to the RMS of the torque
  double relative_all_rows = 0;        // likewise, at standstill too
  double mean = 0;                     // of the error: an offset
  double largest = 0, largest_at = 0;  // [N m | N], [s]
  double slow = 0, fast = 0;           // RMS at speeds below and above the median: friction or inertia?
  Whiteness whiteness;
  double samples = 0;
};

/// A prediction compares the torques that an arm's parameters predict with those of a log, joint by joint.
struct Prediction {
  std::vector<JointError> joints;
  double relative = 0;           // all joints together: sqrt(sum of squares over that of the torques)
  double relative_all_rows = 0;  // likewise, at standstill too
  std::vector<Stretch> worst;    // a joint's worst second, for each joint
  Log log;                       // tau1 measured, tau1_predicted, tau1_error, q1, qd1, qdd1; at most 20,000 samples
};

/// Collects predictions sample by sample, in constant memory but for the thinned log and 1e6 residuals for the whiteness.
class PredictionRecorder {
 public:
  PredictionRecorder(const Arm& arm, double kept_step);
  /// Errors where `counts`; NaN in the log elsewhere.
  void add(double time, const JointMotion& motion, const VecX<double>& measured, const VecX<double>& predicted,
           const std::vector<bool>& counts);
  [[nodiscard]] Prediction finish(const std::string& title);

 private:
  struct Sums {
    double all_squares = 0, all_torque = 0, squares = 0, torque = 0, sum = 0, count = 0, slow = 0, slow_count = 0,
           fast = 0, fast_count = 0, speed = 0;
  };
  void thin();
  int dof_;
  double step_;
  std::vector<Sums> sums_;
  Prediction p_;
  std::vector<std::vector<double>> residuals_;
  std::vector<Stretch> window_;
  std::vector<double> window_count_;
  double window_from_ = 0;
  std::size_t every_ = 1, seen_ = 0;
};

/// The same processing, with the log's own velocities where it has any and the arm's torques are then nearer to the log's by a hundredth, over
/// all rows: positions and torques seldom went through the same filter before they were recorded, velocities and torques often did.
Processing with_better_velocity(const Arm& arm, const MotionSource& source, Processing processing);

/// The torques that the arm's own inertia, rotors and friction predict, against those of the log; both through the same
/// filters. Throws Error where the processing leaves nothing to compare.
Prediction validate(const Arm& arm, const MotionSource& source, const Processing& processing,
                    const std::function<void(const JointMotion&, VecX<double>&)>& extra = {});

}  // namespace armature::identification

namespace armature {
using identification::Prediction;
}  // namespace armature
