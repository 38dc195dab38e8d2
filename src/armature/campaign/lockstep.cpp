#include "armature/campaign/lockstep.hpp"

#include <algorithm>
#include <array>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/moving_inertia.hpp"
#include "armature/campaign/internal/pack_rollout.hpp"
#include "armature/scalar/wide_registers.hpp"

namespace armature::campaign {

namespace {

/// The recursions of algorithms as the functions of a loop.
struct RecursiveLoop : LoopKind {
  static constexpr int most = max_joints, most_noise = 2 * max_joints;
  static constexpr KernelLayout largest{most, 3, true, true, true, true};
  static constexpr int most_numbers = largest.parameters() + 11 * most, most_figures = largest.figures();

  RecursiveLoop(const LoopKind& kind, const Arm& true_arm, const Arm& believed_arm)
      : LoopKind(kind), arm(true_arm), believed(believed_arm) {}

  const Arm& arm;
  const Arm& believed;
  MovingInertia<Pack> inertia;

  [[nodiscard]] VecX<Pack> vector(const Pack* x) const {
    VecX<Pack> all(n);
    std::copy(x, x + n, all.data());
    return all;
  }
  static void write(const Pose<Pack>& pose, Pack* R, Pack* x) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) R[3 * i + j] = pose.R(i, j);
      x[i] = pose.p[i];
    }
  }

  void forward_dynamics(const Pack* q, const Pack* qd, const Pack* tau, const Pack*, Pack* qdd) const {
    VecX<Pack> a;
    algorithms::forward_dynamics<Pack>(arm, inertia, vector(q), vector(qd), vector(tau), a);
    std::copy(a.begin(), a.end(), qdd);
  }
  void energy(const Pack* q, const Pack* qd, const Pack*, Pack* E) const {
    const Energy<Pack> now = algorithms::energy<Pack>(arm, inertia, vector(q), vector(qd));
    *E = now.kinetic + now.potential;
  }
  void tool_pose(const Pack* q, Pack* R, Pack* x) const {
    write(algorithms::tool_pose<Pack>(arm, forward_kinematics<Pack>(arm, vector(q))), R, x);
  }
  void gravity_torque(const Pack* q, Pack* g) const {
    const VecX<Pack> tau = algorithms::gravity_torque<Pack>(believed, vector(q));
    std::copy(tau.begin(), tau.end(), g);
  }
  void inverse_dynamics(const Pack* q, const Pack* qd, const Pack* qdd, Pack* tau) const {
    VecX<Pack> torque;
    algorithms::inverse_dynamics<Pack>(believed, vector(q), vector(qd), vector(qdd), {}, torque);
    std::copy(torque.begin(), torque.end(), tau);
  }
  void believed_pose(const Pack* q, Pack* R, Pack* x) const {
    write(algorithms::tool_pose<Pack>(believed, forward_kinematics<Pack>(believed, vector(q))), R, x);
  }
  void jacobian(const Pack* q, Pack* J) const {
    const Mat6X<Pack> columns = tool_jacobian<Pack>(believed, forward_kinematics<Pack>(believed, vector(q)));
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < n; ++j) J[n * i + j] = columns(i, j);
  }
};

}  // namespace

std::vector<double> body_parameters(const Arm& arm, const VecX<double>& rotors) {
  std::vector<double> all;
  for (const Body& body : arm.bodies()) {
    const InertiaParameters<double> own = parameters(body.inertia);
    all.insert(all.end(), own.begin(), own.end());
  }
  all.insert(all.end(), rotors.begin(), rotors.end());
  return all;
}

KernelFunction lockstep(const KernelRuns& runs) {
  return [&runs](const double* clock, const double*, const double* table, const double* varied, int,
                 const std::uint64_t* seeds, long count, double* figures) -> const char* {
    const armature_rollout::Clock<double> times{clock[0], clock[1], static_cast<int>(clock[2]),
                                                static_cast<int>(clock[3]), static_cast<int>(clock[4])};
    RecursiveLoop loop(runs.loop().kind, runs.arm(), runs.believed());
    const KernelLayout at = armature_rollout::layout_of(loop);
    std::array<Pack, RecursiveLoop::most_numbers> number;
    std::array<Pack, RecursiveLoop::most_figures> figure;
    for (long k = 0; k < count; k += Pack::width) {
      std::copy(runs.numbers().begin(), runs.numbers().end(), number.begin());
      for (std::size_t j = 0; j < runs.varied().size(); ++j)
        for (int lane = 0; lane < Pack::width; ++lane)
          number[runs.varied()[j]].set(lane, varied[static_cast<long>(j) * count + k + lane]);
      loop.inertia = moving_inertia<Pack>(number.data() + at.parameters(), loop.n);
      in_wide_registers<Pack>(
          [&] { armature_rollout::roll(loop, times, number.data(), seeds + k, table, figure.data()); });
      for (int j = 0; j < at.figures(); ++j)
        for (int lane = 0; lane < Pack::width; ++lane) figures[j * count + k + lane] = figure[j][lane];
    }
    return nullptr;
  };
}

}  // namespace armature::campaign
