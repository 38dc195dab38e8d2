#include "armature/compute/internal/with_drives.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"

namespace armature::compute {

VecX<double> drive_torque(const Arm& arm, const DriveParts& parts, const VecX<double>& qd, const VecX<double>& qdd,
                          const VecX<double>& r) {
  VecX<double> torque = VecX<double>::Zero(arm.dof());
  if (parts.rotor) torque += rotor_torque(arm, qdd);
  if (parts.friction) torque += friction_torque(arm, qd, VecX<double>(r + torque));
  return torque;
}

// Friction grows with |load| at a constant rate f1 (zero but for load-dependent laws), and r = (M + B) qdd + h with the rotors B, so
//     tau = r + f0 + f1 |r|                                                                (1)
//     D (M + B) qdd = tau - f0 - D h,                   D = diag(1 + f1 sgn r)             (2)
// The signs of r are guessed and corrected until they are those of the answer.
VecX<double> driven_acceleration(const Arm& arm, const DriveParts& parts, const VecX<double>& q, const VecX<double>& qd,
                                 const VecX<double>& tau, std::span<const BodyWrench<double>> wrenches) {
  const int n = arm.dof();
  VecX<double> f0 = VecX<double>::Zero(n), f1 = VecX<double>::Zero(n);
  for (int i = 0; i < n && parts.friction; ++i) {
    const Friction& law = arm.joint(i).friction;
    f0[i] = friction_torque(law, qd[i], 0);
    f1[i] = friction_torque(law, qd[i], 1) - f0[i];
    if (std::abs(f1[i]) >= 1)
      throw Error(fmt::format("joint '{}' locks itself: its friction grows as fast as its load", arm.joint(i).name),
                  "a load coefficient is below 1");
  }
  if (parts.friction) f0 = friction_torque(arm, qd, VecX<double>(VecX<double>::Zero(n)));  // the motors' with it
  VecX<double> qdd;
  if (!parts.rotor && f1.isZero(0)) {
    forward_dynamics<double>(arm, q, qd, VecX<double>(tau - f0), wrenches, qdd);
    return qdd;
  }
  MatX<double> M = mass_matrix(arm, q);
  if (parts.rotor) M += reflected_inertia(arm);
  VecX<double> h;
  inverse_dynamics<double>(arm, q, qd, VecX<double>(VecX<double>::Zero(n)), wrenches, h);
  VecX<double> sign = (tau - f0).cwiseSign();
  for (int round = 0; round < 100; ++round) {
    const VecX<double> D = VecX<double>::Ones(n) + f1.cwiseProduct(sign);
    const MatX<double> A = D.asDiagonal() * M;
    qdd = A.partialPivLu().solve(tau - f0 - D.cwiseProduct(h));  // (2)
    const VecX<double> r = M * qdd + h;
    bool settled = true;
    for (int i = 0; i < n; ++i) {
      if (f1[i] == 0 || r[i] * sign[i] >= 0) continue;
      sign[i] = -sign[i];
      settled = false;
    }
    if (settled) return qdd;
  }
  throw Error("friction and load do not settle at this state", "are the load coefficients plausible?");
}

}  // namespace armature::compute
