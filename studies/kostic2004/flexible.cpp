#include "kostic2004/flexible.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/feed_forward.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::studies::kostic2004 {

AnyController linearized_loop(const Arm& believed, const ComputedTorqueSettings& feedback) {
  const DynamicTerms friction{.inertia = false, .coriolis = false, .gravity = false, .friction = true};
  return AnyController(TermSum(joints, terms(Term{"linear", AnyController(ComputedTorque(believed, feedback, tick))},
                                             Term{"friction", AnyController(FeedForward(believed, friction))})));
}

ComputedTorqueSettings tuned_feedback(const std::vector<LoopController>& controllers) {
  ComputedTorqueSettings s{.kp = VecX<double>(joints), .kd = VecX<double>(joints)};
  for (int i = 0; i < joints; ++i) {
    const LoopController& c = controllers[i];
    s.kp[i] = c.kp;
    s.kd[i] = c.kd;
    for (FilterSettings filter : c.filters) {
      filter.joint = i + 1;
      s.filters.push_back(filter);
    }
  }
  return s;
}

//  Sampled with the hold: x⁺ = A x + B τ. About the motion τ = D r + Nq q + Nv v̂ with v̂ = (1 - z⁻¹)/T q; so q = G (D r + F q),
//  G = C (z - A)⁻¹ B,  F = Nq + Nv (1 - z⁻¹)/T.
TruePlant::TruePlant(const Laboratory& locked, const Arm& believed, const VecX<double>& q, int joint, double speed) {
  VecX<double> v = VecX<double>::Zero(joints);
  v[joint] = speed;
  const LinearPlant plant = locked.linear(q, v);
  const HeldPlant stepped = held(plant, tick);
  A_ = stepped.A;
  B_ = stepped.B.col(joint);
  C_ = Eigen::VectorXd::Unit(A_.rows(), locked.axis(joint));
  D_ = mass_matrix<double>(believed, q)(joint, joint);
  const double h = 1e-6;
  VecX<double> up = q, down = q, fast = v, slower = v;
  up[joint] += h;
  down[joint] -= h;
  fast[joint] += h;
  slower[joint] -= h;
  const VecX<double> none = VecX<double>::Zero(joints);
  const auto torque = [&](const VecX<double>& at, const VecX<double>& speeds) {
    return inverse_dynamics<double>(believed, at, speeds, none)[joint];
  };
  Nq_ = (torque(up, v) - torque(down, v)) / (2 * h);
  Nv_ = (torque(q, fast) - torque(q, slower)) / (2 * h);
}

std::complex<double> TruePlant::response(double frequency) const {
  const std::complex<double> z = std::polar(1.0, 2 * pi * frequency * tick);
  Eigen::MatrixXcd shifted = -A_.cast<std::complex<double>>();
  shifted.diagonal().array() += z;
  const std::complex<double> G = complex_solved(shifted, B_.cast<std::complex<double>>())
                                     .col(0)
                                     .cwiseProduct(C_.cast<std::complex<double>>())
                                     .sum();
  return G * D_ / (1.0 - G * (Nq_ + Nv_ * (1.0 - 1.0 / z) / tick));
}

std::vector<std::pair<double, double>> TruePlant::modes() const {
  const Eigen::Index n = A_.rows();
  Eigen::MatrixXd closed = Eigen::MatrixXd::Zero(n + 1, n + 1);
  closed.topLeftCorner(n, n) = A_ + (Nq_ + Nv_ / tick) * B_ * C_.transpose();
  closed.topRightCorner(n, 1) = -Nv_ / tick * B_;
  closed.bottomLeftCorner(1, n) = C_.transpose();
  std::vector<std::pair<double, double>> modes;
  const Eigen::VectorXcd poles = eigenvalues(closed);
  for (const std::complex<double>& z : poles)
    if (z.imag() > 1e-9) {
      const std::complex<double> s = std::log(z) / tick;
      modes.emplace_back(std::abs(s) / (2 * pi), -s.real() / std::abs(s));
    }
  std::sort(modes.begin(), modes.end());
  return modes;
}

}  // namespace armature::studies::kostic2004
