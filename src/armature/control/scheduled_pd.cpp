// PD control with gains by posture.
// One joint moves the inertia that the others feel (the elbow, for the shoulder): gains that fit it folded are weak when it is stretched.
// The table gives the gains for some positions of that joint; between them they follow straight lines, beyond them they stay.
//
//     tau = kp(q_s) (q_r - q) + kd(q_s) (qd_r - qd)
//
// `armature tune` at several postures fills the table. Gravity and friction are other terms of a sum. The loop is as stable as its
// worst posture only while q_s moves slowly against the loop's bandwidth [RughShamma2000].
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "armature/control/internal/settings.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

namespace {

struct ScheduledPdSettings {
  int by_joint = 1;
  VecX<double> at;      // positions of that joint, increasing [rad | m]
  Fields::Rows kp, kd;  // one row per position

  void fields(Fields& f) {
    f.integer("by_joint", by_joint, "the joint whose measured position chooses the gains, from 1", Range::positive);
    f.angles("at", at, "its positions, increasing");
    f.joint_rows("kp", kp, joint_dimension::stiffness, "stiffness at each of them");
    f.joint_rows("kd", kd, joint_dimension::damping, "damping at each of them");
  }
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

class ScheduledPd : public Law {
 public:
  ScheduledPd(int dof, int joint, std::vector<double> at, Eigen::MatrixXd kp, Eigen::MatrixXd kd)
      : Law({.joint_reference = true}, torque_parts(dof, {"spring", "damper"})),
        joint_(joint),
        at_(std::move(at)),
        kp_(std::move(kp)),
        kd_(std::move(kd)) {}
  void update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
    const double x = std::clamp(y.q[joint_], at_.front(), at_.back());
    const auto above = std::upper_bound(at_.begin() + 1, at_.end() - 1, x);
    const Eigen::Index k = above - at_.begin();
    const double share = (x - *(above - 1)) / (*above - *(above - 1));
    const VecX<double> kp = (1 - share) * kp_.col(k - 1) + share * kp_.col(k);
    const VecX<double> kd = (1 - share) * kd_.col(k - 1) + share * kd_.col(k);
    part(0) = kp.cwiseProduct(r.q - y.q);
    part(1) = kd.cwiseProduct(r.qd - y.qd);
    tau = part(0) + part(1);
  }

 private:
  int joint_;
  std::vector<double> at_;
  Eigen::MatrixXd kp_, kd_;  // one column per position
};

/// A table as columns, one per position. Throws at the setting that does not fit.
Eigen::MatrixXd gain_columns(const LawContext& in, const char* key, const Fields::Rows& rows, std::size_t positions) {
  if (rows.size() != positions)
    in.refuse(key, fmt::format("it has {} rows for {} positions", rows.size(), positions),
              "one row per position of `at`");
  Eigen::MatrixXd columns(in.arm.dof(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const VecX<double> row = Eigen::Map<const Eigen::VectorXd>(rows[k].data(), rows[k].size());
    columns.col(k) = joint_gains(in.arm, key, row);
  }
  return columns;
}

AnyController ScheduledPdSettings::make(const LawContext& in) const {
  if (by_joint < 1 || by_joint > in.arm.dof())
    in.refuse("by_joint", fmt::format("the arm has no joint {}", by_joint), fmt::format("1 to {}", in.arm.dof()));
  const bool increasing =
      std::adjacent_find(at.begin(), at.end(), [](double a, double b) { return !(a < b); }) == at.end();
  if (at.size() < 2 || !increasing || !at.allFinite())
    in.refuse("at", "the positions of a table of gains are two or more, increasing",
              "for example [0 deg, 45 deg, 90 deg]");
  return AnyController(ScheduledPd(in.arm.dof(), by_joint - 1, {at.begin(), at.end()},
                                   gain_columns(in, "kp", kp, at.size()), gain_columns(in, "kd", kd, at.size())));
}

}  // namespace

ARMATURE_LAW(scheduled_pd, ScheduledPdSettings)

}  // namespace armature::control
