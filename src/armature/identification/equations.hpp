// Measured motion turned into equations: rows * parameters = torques, filtered, thinned out, standstill left out.
#pragma once

#include <functional>
#include <vector>

#include "armature/identification/torque_model.hpp"
#include "armature/record/filter.hpp"

namespace armature::identification {

struct TimeWindow {
  double from = -1e300, to = 1e300;  // [s]
};

/// What is done to a log before parameters are estimated; stated in every result, so that it can be done again.
struct Processing {
  enum class Motion {
    filter,   ///< positions (and velocities) through a zero-phase Butterworth filter, then central differences
    observer  ///< positions through a Kalman observer of three integrators, forwards and backwards (motion_observer.hpp)
  };
  Motion motion = Motion::filter;
  int order = 4;                   // of the Butterworth filter
  double cutoff = 0;               // [Hz] where each pass has fallen by 3 dB; 0: no filter
  bool measured_velocity = false;  // where the log has velocities: use them, and differentiate them once
  double observer_noise = 0;       // of a position reading [rad | m]; 0: estimated from its differences
  double observer_jerk = 0;        // density of the jerk [rad/s³/√Hz]; 0: estimated likewise
  int decimation = 1;              // every n-th equation is kept ...
  double parallel_cutoff = 0;      // ... after rows and torques alike went through a low-pass [Hz]; 0: none
  int parallel_order = 4;
  double standstill = 0;  // [rad/s] equations of a joint slower than this are left out; sliding: a tenth of it [m/s]
  double edge = 0;        // [s] left out at either end of the log: filters have seen one side only there
  double from = -1e300, to = 1e300;  // [s] only equations in this time are kept; filters see all
  std::vector<TimeWindow> windows;   // and, where there are any, only those in one of these
  double torque_delay = 0;           // [s] the torque of a row is that of so much earlier (torque_delay.hpp)

  [[nodiscard]] bool keeps(double time) const;
};

/// Samples of joint positions, velocities (may be empty) and torques, `step` apart: samples x joints, joint side.
struct MotionBlock {
  std::size_t first = 0;  // number of the first sample in the log
  double start = 0;       // time of sample 0 of the log [s]
  double step = 0;        // [s]
  RowMatrix q, qd, tau;
  int run = 0, segment = 0;  // see JointSample; segments are counted through all runs
  [[nodiscard]] Eigen::Index samples() const { return q.rows(); }
};

/// The equations of one sample.
struct SampleEquations {
  double time = 0;
  JointMotion motion;        // as filtered
  RowMatrix rows;            // joints x parameters
  VecX<double> torque;       // less what is known beforehand
  VecX<double> known;        // and that
  std::vector<bool> counts;  // joint by joint: not at standstill
  int run = 0, segment = 0;  // of the sample: parts of a log and folds need not mix them
};
using EquationSink = std::function<void(const SampleEquations&)>;

/// Filtered positions, velocities and accelerations of a block.
struct FilteredMotion {
  RowMatrix q, qd, qdd;
};
FilteredMotion filtered_motion(const MotionBlock& block, const Processing& processing);

/// The columns of x through the sections forwards and backwards, in place; as filter_zero_phase (record/filter.hpp) does it.
void filter_zero_phase(const std::vector<Section>& sections, RowMatrix& x);

/// The equations of a whole log in memory.
void make_equations(const TorqueModel& model, const Processing& processing, const MotionBlock& log,
                    const EquationSink& sink);
/// The same along a motion that somebody else reconstructed, such as an observer in the loop: of the log the torques alone count.
void make_equations(const TorqueModel& model, const Processing& processing, const MotionBlock& log,
                    const FilteredMotion& motion, const EquationSink& sink);

/// The same for a log of any length in constant memory: samples are pushed one by one, and worked off in blocks that
/// overlap for as long as the filters remember. Differs from make_equations by less than 1e-12 of the signals.
class EquationStream {
 public:
  EquationStream(const TorqueModel& model, const Processing& processing, double start, double step, bool velocities,
                 EquationSink sink, std::size_t block = 8192);
  /// One sample; `qd` may be null where there are no velocities.
  void push(const double* q, const double* qd, const double* tau);
  void finish();
  /// The run and the segment that the samples belong to.
  void label(int run, int segment) {
    buffer_.run = run;
    buffer_.segment = segment;
  }
  [[nodiscard]] std::size_t margin() const { return margin_; }

 private:
  void work(std::size_t from, std::size_t to, bool last);
  const TorqueModel& model_;
  Processing processing_;
  EquationSink sink_;
  std::size_t block_, margin_;
  MotionBlock buffer_;                 // its first `filled_` rows
  std::size_t filled_ = 0, done_ = 0;  // done_: samples of the log whose equations were delivered
};

/// Equations kept in memory, for estimators that look at them more than once. Rows are in time order.
struct Equations {
  int dof = 0;
  RowMatrix A;
  Eigen::VectorXd y;
  std::vector<double> time;  // of each row
  std::vector<int> joint;    // of each row

  [[nodiscard]] Eigen::Index rows() const { return y.size(); }
  [[nodiscard]] Eigen::Index columns() const { return A.cols(); }
};

class EquationStore {
 public:
  explicit EquationStore(const TorqueModel& model) : dof_(model.dof()), columns_(model.size()) {}
  void add(const SampleEquations& sample);
  [[nodiscard]] Equations take();

 private:
  int dof_, columns_;
  std::vector<double> A_, y_, time_;
  std::vector<int> joint_;
};
Equations equations_of(const TorqueModel& model, const Processing& processing, const MotionBlock& log);

}  // namespace armature::identification
