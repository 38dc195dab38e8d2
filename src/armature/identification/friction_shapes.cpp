#include "armature/identification/friction_shapes.hpp"

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"

namespace armature::identification {

namespace {

constexpr std::size_t samples_of_a_search = 10000;  // of a joint, for a search
constexpr std::size_t most_consecutive = 100000;    // of all, where a state is simulated along them

/// Samples a joint as they come; when there are too many every second one is dropped, and from then on only so many are kept.
struct ThinnedRows {
  std::vector<Eigen::VectorXd> rows;
  std::vector<double> speed, torque;
  std::size_t seen = 0, every = 1;

  void add(const Eigen::Ref<const Eigen::RowVectorXd>& row, double v, double tau) {
    if (seen++ % every != 0) return;
    rows.emplace_back(row.transpose());
    speed.push_back(v);
    torque.push_back(tau);
    if (rows.size() < 2 * samples_of_a_search) return;
    for (std::size_t k = 0; 2 * k < rows.size(); ++k) {
      rows[k] = rows[2 * k];
      speed[k] = speed[2 * k];
      torque[k] = torque[2 * k];
    }
    const std::size_t left = (rows.size() + 1) / 2;
    rows.resize(left);
    speed.resize(left);
    torque.resize(left);
    every *= 2;
  }
};

std::vector<FrictionShape> starts_of(FrictionShape::Law law, double speed) {
  using Law = FrictionShape::Law;
  std::vector<FrictionShape> starts;
  if (law == Law::stribeck)
    for (const double share : {0.03, 0.1, 0.3, 1.0}) starts.push_back({law, 0, share * speed});
  else if (law == Law::sigmoids)
    for (const auto& [a, b, c] : {std::array{0.02, 0.1, 0.5}, std::array{0.05, 0.25, 1.25}})
      starts.push_back({law, 0, 0.1, {1 / (a * speed), 1 / (b * speed), 1 / (c * speed)}});
  else
    starts.push_back({law});
  return starts;
}

Eigen::VectorXd vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace

VecX<double> typical_speeds(const Arm& arm, const MotionSource& source, const Processing& processing) {
  TorqueModelSettings nothing;
  nothing.nothing_estimated = true;
  const TorqueModel model(arm, nothing);
  VecX<double> squares = VecX<double>::Zero(arm.dof()), count = squares;
  Processing p = processing;
  p.parallel_cutoff = 0;
  stream_equations(source, model, p, [&](const SampleEquations& s) {
    for (int i = 0; i < arm.dof(); ++i)
      if (s.counts[i]) {
        squares[i] += s.motion.qd[i] * s.motion.qd[i];
        ++count[i];
      }
  });
  for (int i = 0; i < arm.dof(); ++i) squares[i] = std::max(std::sqrt(squares[i] / std::max(count[i], 1.0)), 1e-4);
  return squares;
}

std::vector<FrictionFit> find_friction_shapes(const Arm& arm, const MotionSource& source, const Processing& processing,
                                              FrictionShape::Law law) {
  const VecX<double> typical = typical_speeds(arm, source, processing);
  TorqueModelSettings settings;
  settings.friction = {FrictionShape{FrictionShape::Law::none}};
  settings.offsets = false;  // fit_friction has one
  const TorqueModel model(arm, settings);
  Processing p = processing;
  p.parallel_cutoff = 0;
  std::vector<ThinnedRows> joints(static_cast<std::size_t>(arm.dof()));
  stream_equations(source, model, p, [&](const SampleEquations& s) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const auto j = static_cast<Eigen::Index>(i);
      if (s.counts[i]) joints[i].add(s.rows.row(j), s.motion.qd[j], s.torque[j]);
    }
  });
  std::vector<FrictionFit> found;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const ThinnedRows& joint = joints[i];
    FrictionFit best;
    best.shape = starts_of(law, typical[i]).front();
    best.rms = INFINITY;
    if (joint.rows.size() >=
        4 * static_cast<std::size_t>(model.size() + 6)) {  // else it hardly moves: nothing to search in
      Eigen::MatrixXd others(joint.rows.size(), model.size());
      for (std::size_t k = 0; k < joint.rows.size(); ++k) others.row(k) = joint.rows[k];
      for (const FrictionShape& start : starts_of(law, typical[i])) {
        const FrictionFit f = fit_friction(start, vector_of(joint.speed), vector_of(joint.torque), others);
        if (f.rms < best.rms) best = f;
      }
    }
    found.push_back(best);
  }
  return found;
}

std::vector<LuGreOfJoint> find_lugre(const Arm& arm, const MotionSource& source, const Processing& processing) {
  TorqueModelSettings settings;
  settings.nothing_estimated = true;
  settings.known = [&](const JointMotion& m, VecX<double>& tau) {
    tau = inverse_dynamics<double>(arm, m.q, m.qd, m.qdd) + rotor_torque<double>(arm, m.qdd);
  };
  const TorqueModel model(arm, settings);
  Processing p = processing;
  p.parallel_cutoff = 0;
  p.decimation = 1;  // every sample: the bristles' state runs along them
  std::vector<std::vector<double>> speed(static_cast<std::size_t>(arm.dof())), torque = speed;
  stream_equations(source, model, p, [&](const SampleEquations& s) {
    if (speed.front().size() >= most_consecutive) return;
    for (std::size_t i = 0; i < speed.size(); ++i) {
      const auto j = static_cast<Eigen::Index>(i);
      speed[i].push_back(s.motion.qd[j]);
      torque[i].push_back(s.torque[j]);
    }
  });
  std::vector<LuGreOfJoint> found(speed.size());
  for (std::size_t i = 0; i < speed.size(); ++i) try {
      const double sliding = p.standstill * (arm.body(static_cast<int>(i)).revolute ? 1 : 0.1);
      found[i].fit = fit_lugre(vector_of(speed[i]), vector_of(torque[i]), source.step, sliding);
      if (!found[i].fit.converged) found[i].reason = "the search for its bristles does not end";
    } catch (const Error& error) {
      found[i].reason = error.finding();
    }
  return found;
}

}  // namespace armature::identification
