#include "armature/identification/energy_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"

namespace armature {

namespace {

constexpr double windows_a_cycle = 1;  // of the highest frequency that the equations keep

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
    const int c = model.base().columns.kept[static_cast<std::size_t>(k)];
    H.columns[k] = c < links ? E.kinetic[c] + E.potential[c] : 0.5 * D.col(c - links).dot(qd);
  }
  if (!rotors) H.known = 0.5 * rotor_torque<double>(arm, qd).dot(qd);
  return H;
}

/// Samples one after the other become windows of the log.
class EnergyWindows {
 public:
  EnergyWindows(const TorqueModel& model, const VecX<double>& noise, double step, double length)
      : model_(model),
        noise_(noise),
        step_(step),
        length_(std::max(1, static_cast<int>(std::lround(length / step)))),
        evidence_(1, model.size()),
        rows_(model.dof(), model.size()) {}

  void add(const SampleEquations& s) {
    JointMotion m = s.motion;
    m.qdd.setZero(model_.dof());
    model_.rows(m, rows_);
    const Eigen::VectorXd lost = rows_.rightCols(model_.size() - model_.base().count()).transpose() * m.qd;
    VecX<double> known;
    model_.known_torque(m, known);
    const double power = (s.torque - known).dot(m.qd), error = noise_.cwiseProduct(m.qd).squaredNorm();
    const bool follows = count_ >= 0 && s.segment == segment_ && s.time - time_ < 1.5 * step_;
    if (follows) {
      work_ += step_ / 2 * (power_ + power), lost_ += step_ / 2 * (rate_ + lost), error_ += step_ * error;
      if (++count_ == length_) close(m, s.run);
    } else {
      begin(stored_energy(model_, m.q, m.qd));
    }
    power_ = power, rate_ = lost, time_ = s.time, segment_ = s.segment;
  }
  Evidence take() {
    evidence_.finish();
    return std::move(evidence_);
  }

 private:
  void begin(StoredEnergy H) {
    begin_ = std::move(H), count_ = 0, work_ = error_ = 0;
    lost_ = Eigen::VectorXd::Zero(model_.size() - model_.base().count());
  }
  void close(const JointMotion& m, int run) {
    StoredEnergy H = stored_energy(model_, m.q, m.qd);
    Eigen::VectorXd row = H.columns - begin_.columns;
    row.tail(lost_.size()) = lost_;
    const double weight = 1 / std::sqrt(std::max(error_, 1e-12 * noise_.squaredNorm()));
    row *= weight;
    evidence_.begin_run(run);
    evidence_.add(0, row.data(), weight * (work_ - H.known + begin_.known));
    evidence_.end_sample();
    begin(std::move(H));
  }
  const TorqueModel& model_;
  VecX<double> noise_;
  double step_;
  int length_, count_ = -1, segment_ = -1;
  Evidence evidence_;
  RowMatrix rows_;
  StoredEnergy begin_;
  Eigen::VectorXd lost_, rate_;
  double work_ = 0, error_ = 0, power_ = 0, time_ = 0;
};

}  // namespace

Estimate energy_estimate(const TorqueModel& model, const MotionSource& source, const Processing& processing) {
  Processing every = processing;  // motion as filtered, torques as they are: the integral is the filter
  every.decimation = 1, every.parallel_cutoff = 0, every.standstill = 0;
  TorqueModelSettings nothing;
  nothing.nothing_estimated = true;
  const TorqueModel motion(model.arm(), nothing);
  VecX<double> size = VecX<double>::Zero(model.dof());
  double count = 0;
  stream_equations(source, motion, every, [&](const SampleEquations& s) { size += s.torque.cwiseAbs2(), ++count; });
  if (count == 0) throw Error("no sample is left after processing", "is the time window inside the log?");
  const double cutoff = processing.parallel_cutoff > 0 ? processing.parallel_cutoff : 0.08 / source.step;
  EnergyWindows windows(model, (size / count).cwiseSqrt(), source.step, 1 / (windows_a_cycle * cutoff));
  stream_equations(source, motion, every, [&](const SampleEquations& s) { windows.add(s); });
  const Evidence evidence = windows.take();
  if (evidence.parts() == 0) throw Error("no window of energy is left after processing", "a longer log");
  return least_squares(evidence, {.weighted = false});
}

}  // namespace armature
