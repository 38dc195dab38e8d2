// A log on the bench: how well it fits its arm as it would be without some fault.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/identification/diagnosis.hpp"
#include "armature/identification/physical_estimate.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

inline constexpr double worst_counted = 2;  // relative residual of a joint
inline constexpr double believed = 1e-2;    // weight of the described inertia

using Intervals = std::vector<std::pair<double, double>>;  // [s]

/// A log as it would be without some fault.
struct Suspicion {
  std::string cause, trial;
  RowMatrix mix;                             // torques of the joints from those of the columns
  std::function<void(MotionBlock&)> change;  // of positions or rows; empty: none
  std::optional<Vec3<double>> gravity;
  double cutoff = 0;  // [Hz]; 0: that of the processing
  Intervals left_out;
  int joint_left_out = -1;
  [[nodiscard]] bool torques_alone() const { return mix.size() > 0 && !change; }
};

/// The equations of a log with the torques of all columns, joint by joint: rows [columns of the model, torques, known torque, 1], compressed by QR.
struct TorqueTable {
  TorqueModel model;
  std::vector<RowMatrix> joints;
  std::vector<double> rows;
};

inline Processing bench_processing(const Processing& given, double step, double cutoff) {
  Processing p = given;
  const double rate = 1 / step;
  p.motion = Processing::Motion::filter;
  p.measured_velocity = false;
  p.torque_delay = 0;
  p.cutoff = std::min(cutoff > 0 ? cutoff : given.cutoff > 0 ? given.cutoff : rate, rate / 5);
  p.parallel_cutoff = std::min(given.parallel_cutoff > 0 ? given.parallel_cutoff : rate, 0.4 * p.cutoff);
  p.decimation = std::max(1, static_cast<int>(std::lround(rate / (2.5 * p.parallel_cutoff))));
  p.edge = 1 / p.parallel_cutoff;
  return p;
}

inline TorqueTable table_of(const Arm& described, const Processing& processing, const TorqueModelSettings& settings,
                            MotionBlock log, const Suspicion& s) {
  ArmDescription description = described.description();
  if (s.gravity) description.gravity = *s.gravity;
  if (s.change) s.change(log);
  TorqueTable table{TorqueModel(Arm(description), settings), {}, {}};
  const int n = table.model.dof(), columns = table.model.size();
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(n));
  make_equations(table.model, bench_processing(processing, log.step, s.cutoff), log, [&](const SampleEquations& e) {
    for (const auto& [from, to] : s.left_out)
      if (e.time >= from && e.time <= to) return;
    for (int j = 0; j < n; ++j) {
      if (!e.counts[j] || j == s.joint_left_out) continue;
      std::vector<double>& row = rows[j];
      row.insert(row.end(), e.rows.row(j).data(), e.rows.row(j).data() + columns);
      for (int k = 0; k < n; ++k) row.push_back(e.torque[k] + e.known[k]);
      row.push_back(e.known[j]);
      row.push_back(1);
    }
  });
  for (const std::vector<double>& row : rows) {
    const Eigen::Index width = columns + n + 2, count = static_cast<Eigen::Index>(row.size()) / width;
    const RowMatrix all = Eigen::Map<const RowMatrix>(row.data(), count, width);
    table.joints.push_back(count > width ? RowMatrix(triangle_of(all)) : all);
    table.rows.push_back(static_cast<double>(count));
  }
  return table;
}

inline double over_joints(const VecX<double>& joints) {
  return std::sqrt(joints.cwiseMin(worst_counted).squaredNorm() / static_cast<double>(joints.size()));
}

/// How well a log could be fitted, relative.
struct Residuals {
  VecX<double> joints;     // by physically consistent bodies
  VecX<double> described;  // by the described bodies, with friction of the log
  VecX<double> torque;     // RMS about its mean [N m | N]
  VecX<double> against;    // what they are relative to [N m | N]
  std::vector<double> rows;
  /// Relative to the torques of all joints together.
  [[nodiscard]] double total(const VecX<double>& relative) const {
    return relative.cwiseProduct(against).norm() / std::max(torque.norm(), 1e-300);
  }
};
/// The same over all joints, and of the described bodies joint by joint.
struct Residual {
  double bodies = INFINITY, described = INFINITY;
  VecX<double> described_joints;  // empty: there was nothing to fit
};

/// Fits a log with one fault after the other taken out of it.
class FaultBench {
 public:
  FaultBench(const Arm& arm, MotionBlock log, const Processing& processing, TorqueModelSettings model)
      : arm_(arm), log_(std::move(log)), processing_(processing), model_(std::move(model)) {
    as_it_is_.emplace(table_of(arm_, processing_, model_, log_, {}));
    as_read_ = judged(*as_it_is_, identity(), INFINITY);
  }
  [[nodiscard]] RowMatrix identity() const { return RowMatrix::Identity(arm_.dof(), arm_.dof()); }
  [[nodiscard]] const Residuals& as_read() const { return as_read_; }
  /// Where even free numbers leave more than `enough`, what they leave: no consistent fit is better.
  [[nodiscard]] Residual residual(const Suspicion& s, double enough) const {
    const RowMatrix mix = s.mix.size() > 0 ? s.mix : identity();
    const bool rows_differ = s.change || s.gravity || s.cutoff > 0 || !s.left_out.empty() || s.joint_left_out >= 0;
    try {
      const TorqueTable& table = rows_differ ? table_of(arm_, processing_, model_, log_, s) : *as_it_is_;
      // a motion that hardly moves, or hardly any row, is explained by everything
      const double least = s.left_out.empty() ? 0.5 : 0.15;
      bool any = false;
      for (int j = 0; j < arm_.dof(); ++j) {
        const auto k = static_cast<std::size_t>(j);
        any = any || table.rows[k] > 0;
        if (s.cutoff == 0 && j != s.joint_left_out && table.rows[k] < least * as_read_.rows[k]) return {};
      }
      if (!any) return {};
      const Residuals r = judged(table, mix, enough);
      return {over_joints(r.joints), over_joints(r.described), r.described};
    } catch (const Error&) {
      return {};  // nothing is left to fit
    }
  }

 private:
  [[nodiscard]] Residuals judged(const TorqueTable& table, const RowMatrix& mix, double enough) const {
    constexpr double typical_noise = 0.01, typical_rows = 1000;  // against which the described inertia is believed
    const int n = arm_.dof(), columns = table.model.size();
    std::vector<Factor> joints;
    Residuals r{VecX<double>(n), VecX<double>(n), VecX<double>(n), VecX<double>(n), table.rows};
    for (int j = 0; j < n; ++j) {
      Factor f(columns);
      const RowMatrix& rows = table.joints[j];
      for (Eigen::Index k = 0; k < rows.rows(); ++k)
        f.add(rows.row(k).data(), rows.row(k).segment(columns, n).dot(mix.row(j)) - rows(k, columns + n));
      // about its mean: a constant torque is an offset to the model, and says nothing of the motion
      const Eigen::VectorXd tau = rows.middleCols(columns, n) * mix.row(j).transpose(), one = rows.col(columns + n + 1);
      const double count = std::max(table.rows[j], 1.0);
      r.torque[j] = std::sqrt(std::max(tau.squaredNorm() / count - std::pow(one.dot(tau) / count, 2), 0.0));
      joints.push_back(f);
    }
    VecX<double> against = judged_against(r.torque), noise(n);
    if (as_read_.torque.size() > 0) {  // what is small is small before it is scaled
      const VecX<double> before = judged_against(as_read_.torque);
      for (int j = 0; j < n; ++j)
        against[j] = before[j] > as_read_.torque[j] ? std::max(r.torque[j], before[j]) : r.torque[j];
    }
    r.against = against = against.cwiseMax(1e-300);
    for (int j = 0; j < n; ++j)
      noise[j] = typical_noise * against[j] * std::sqrt(std::max(table.rows[j], 1.0) / typical_rows);
    const int base = table.model.base().count();
    const Eigen::VectorXd described = table.model.described().head(base);
    for (int j = 0; j < n; ++j) {
      const RowMatrix R = joints[j].reduced();
      Eigen::VectorXd rest = R.col(columns) - R.leftCols(base) * described;
      const Eigen::MatrixXd friction = R.middleCols(base, columns - base);
      if (friction.size() > 0) rest -= friction * least_squares_solution(friction, rest);
      r.described[j] = rest.norm() / std::sqrt(std::max(table.rows[j], 1.0)) / against[j];
    }
    const auto leave = [&](const Eigen::VectorXd& x) {
      for (int j = 0; j < n; ++j) {
        const auto k = static_cast<std::size_t>(j);
        r.joints[j] = std::sqrt(joints[k].residual_squares(x) / std::max(table.rows[k], 1.0)) / against[j];
      }
    };
    leave(free_numbers(joints, noise));
    if (over_joints(r.joints) > enough) return r;
    const PhysicalEstimate bodies = physical_estimate(table.model, joints, {.weight = believed, .noise = noise});
    if (bodies.converged) leave(bodies.x);  // else it says nothing of the log
    return r;
  }
  [[nodiscard]] static Eigen::VectorXd free_numbers(const std::vector<Factor>& joints, const VecX<double>& noise) {
    std::vector<RowMatrix> reduced;
    Eigen::Index rows = 0;
    for (const Factor& f : joints) {
      reduced.push_back(f.reduced());
      rows += reduced.back().rows();
    }
    const Eigen::Index width = reduced.front().cols();
    Eigen::MatrixXd stack(rows, width);
    rows = 0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      stack.middleRows(rows, reduced[j].rows()) = reduced[j] / noise[j];
      rows += reduced[j].rows();
    }
    return least_squares_solution(stack.leftCols(width - 1), stack.col(width - 1));
  }

  Arm arm_;
  MotionBlock log_;
  Processing processing_;
  TorqueModelSettings model_;
  std::optional<TorqueTable> as_it_is_;
  Residuals as_read_;
};

}  // namespace armature::identification
