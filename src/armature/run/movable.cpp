#include "armature/run/movable.hpp"

#include <fmt/format.h>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/numerics/symmetric_eigen.hpp"

namespace armature::run {

void refuse_useless(const Arm& arm, ArmUse use) {
  if (use == ArmUse::kinematics || arm.unphysical().empty()) return;
  const auto q = indefinite_configuration(arm);
  if (!q) return;
  MatX<double> M = mass_matrix<double>(arm, *q);
  if (use == ArmUse::motion) M += reflected_inertia(arm);
  const SymmetricEigen modes = symmetric_eigen(M);
  const double smallest = modes.values[0], rounding = 1e-12 * modes.values.cwiseAbs().maxCoeff();
  if (use == ArmUse::torques ? smallest >= -rounding : smallest > rounding) return;
  Eigen::Index worst = 0;
  modes.vectors.col(0).cwiseAbs().maxCoeff(&worst);
  const std::string joint = printable(arm.joint(static_cast<int>(worst)).name);
  throw ModelError(
      fmt::format("arm '{}': its mass matrix is not positive definite everywhere", printable(arm.name())),
      fmt::format("joint '{}' moves something without inertia: lock it, end the chain before it, or give its "
                  "link mass (`armature check --repair` writes a stand-in)",
                  joint));
}

ArmUse quantity_use(std::string_view quantity) {
  if (quantity == "forward-kinematics" || quantity == "jacobian" || quantity == "inverse-kinematics")
    return ArmUse::kinematics;
  if (quantity.starts_with("forward-dynamics") || quantity == "operational-space") return ArmUse::motion;
  return ArmUse::torques;
}

}  // namespace armature::run
