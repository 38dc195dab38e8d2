#include "armature/identification/internal/energy_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"

namespace armature::identification {

namespace {

constexpr double least_work = 1e-3;  // of the usual: an error of less work does not count more
constexpr int most_parts = 32;       // of the log, left out in turn: neighbouring windows share errors

/// H as columns times parameters, and the energy of rotors that are not estimated.
struct StoredEnergy {
  Eigen::VectorXd columns;
  double known = 0;
};

StoredEnergy stored_energy(const TorqueModel& model, const VecX<double>& q, const VecX<double>& qd) {
  const Arm& arm = model.arm();
  const int links = parameters_per_link * arm.dof();
  const EnergyRegressor<double> E = energy_regressor<double>(arm, q, qd);
  StoredEnergy H{Eigen::VectorXd::Zero(model.size()), 0};
  const bool rotors = model.settings().rotors;
  MatX<double> D;
  if (rotors) D = rotor_regressor<double>(arm, qd);  // linear in its argument: with qd, momenta of the rotors
  for (int k = 0; k < model.base().count(); ++k) {
    const int c = model.base().columns.kept[k];
    H.columns[k] = c < links ? E.kinetic[c] + E.potential[c] : 0.5 * D.col(c - links).dot(qd);
  }
  if (!rotors) H.known = 0.5 * rotor_torque<double>(arm, qd).dot(qd);
  return H;
}

/// The balance at one instant, counted from where the samples begin: columns (energies, then the work that friction takes), and the work of
/// the torques less what is known.
struct Balance {
  Eigen::VectorXd columns;
  double work = 0;
};

/// Samples one after the other become equations: the mean of the balance over a window less that over the window before. Means, not values at
/// the windows' ends: noise of the speeds averages out to differences of positions.
class EnergyWindows {
 public:
  EnergyWindows(const TorqueModel& model, const VecX<double>& noise, const VecX<double>& speed, double step,
                double length)
      : model_(model),
        noise_(noise),
        typical_(noise.cwiseProduct(speed).squaredNorm()),
        step_(step),
        length_(std::max(2, static_cast<int>(std::lround(length / step)))),
        evidence_(1, model.size(), most_parts),
        rows_(model.dof(), model.size()) {}

  void add(const SampleEquations& s) {
    JointMotion m = s.motion;
    m.qdd.setZero(model_.dof());
    model_.rows(m, rows_);
    const int base = model_.base().count(), rest = model_.size() - base;
    const Eigen::VectorXd lost = rows_.rightCols(rest).transpose() * m.qd;
    VecX<double> known;
    model_.known_torque(m, known);
    const double power = (s.torque - known).dot(m.qd);
    if (count_ < 0 || s.segment != segment_ || s.time - time_ > 1.5 * step_) {
      now_ = {Eigen::VectorXd::Zero(model_.size()), 0};
      before_.columns.resize(0);
      start_window();
    } else {
      now_.columns.tail(rest) += step_ / 2 * (rate_ + lost);
      now_.work += step_ / 2 * (power_ + power);
    }
    const StoredEnergy H = stored_energy(model_, m.q, m.qd);
    now_.columns.head(base) = H.columns.head(base);
    sum_.columns += now_.columns;
    sum_.work += now_.work - H.known;
    error_ += noise_.cwiseProduct(m.qd).squaredNorm();
    power_ = power;
    rate_ = lost;
    time_ = s.time;
    segment_ = s.segment;
    if (++count_ == length_) close(s.run);
  }
  Evidence take() {
    evidence_.finish();
    return std::move(evidence_);
  }

 private:
  void start_window() {
    sum_ = {Eigen::VectorXd::Zero(model_.size()), 0};
    count_ = 0;
    error_ = 0;
  }
  void close(int run) {
    const Balance mean{sum_.columns / length_, sum_.work / length_};
    if (before_.columns.size() > 0) {
      const double weight = 1 / std::sqrt(std::max((error_ + error_before_) / (2 * length_), least_work * typical_));
      const Eigen::VectorXd row = weight * (mean.columns - before_.columns);
      evidence_.begin_run(run);
      evidence_.add(0, row.data(), weight * (mean.work - before_.work));
      evidence_.end_sample();
    }
    before_ = mean;
    error_before_ = error_;
    start_window();
  }
  const TorqueModel& model_;
  VecX<double> noise_;
  double typical_, step_;
  int length_, count_ = -1, segment_ = -1;
  Evidence evidence_;
  RowMatrix rows_;
  Balance now_, sum_, before_;
  Eigen::VectorXd rate_;
  double error_ = 0, error_before_ = 0, power_ = 0, time_ = 0;
};

}  // namespace

Estimate energy_estimate(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                         double cycles) {
  Processing every = processing;  // motion as filtered, torques as they are: the integral is the filter
  every.decimation = 1;
  every.parallel_cutoff = 0;
  every.standstill = 0;
  TorqueModelSettings nothing;
  nothing.nothing_estimated = true;
  const TorqueModel motion(model.arm(), nothing);
  VecX<double> size = VecX<double>::Zero(model.dof()), speed = size;
  double count = 0;
  stream_equations(source, motion, every, [&](const SampleEquations& s) {
    size += s.torque.cwiseAbs2();
    speed += s.motion.qd.cwiseAbs2();
    ++count;
  });
  if (count == 0) throw Error("no sample is left after processing", "is the time window inside the log?");
  const double cutoff = processing.parallel_cutoff > 0 ? processing.parallel_cutoff : 0.08 / source.step;
  EnergyWindows windows(model, (size / count).cwiseSqrt(), (speed / count).cwiseSqrt(), source.step, cycles / cutoff);
  stream_equations(source, motion, every, [&](const SampleEquations& s) { windows.add(s); });
  const Evidence evidence = windows.take();
  if (evidence.parts() == 0) throw Error("no window of energy is left after processing", "a longer log");
  return least_squares(evidence, {.weighted = false});
}

}  // namespace armature::identification
