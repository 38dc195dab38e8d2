// Damping that gives a wanted ratio ζ to a mass on a spring, in any number of directions.
#pragma once

#include "armature/algorithms/task.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

enum class DampingDesign {
  square_roots,  ///< D = √M ζ √K + √K ζ √M [AlbuSchaeffer2003]: exact where M and K commute (K = k 1), near ζ elsewhere
  double_diagonal  ///< D = 2 Q ζ √B Qᵀ with M = Q Qᵀ, K = Q B Qᵀ [AlbuSchaeffer2003]: every mode has exactly ζ
};

/// D for  M xdd + D xd + K x = 0,  M symmetric positive definite (else D is zero), K symmetric positive semi-definite. D is
/// symmetric; positive semi-definite for double_diagonal. Allocates nothing.
MatX<double> damping_matrix(const MatX<double>& M, const MatX<double>& K, double zeta,
                            DampingDesign design = DampingDesign::double_diagonal) noexcept;

/// The same in a task's coordinates, with its stiffness K: D = 2 ζ √K (√K Λ⁻¹ √K)^(-½) √K with the task's mass matrix
/// Λ⁻¹ = J M⁻¹ Jᵀ. Needs no Λ, so J may be singular or have more rows than columns: every mode that the spring moves has ζ.
TaskSquare<double> task_damping(const TaskJacobian<double>& J, const MatX<double>& M, const TaskVector<double>& K,
                                double zeta) noexcept;

/// √A of a symmetric, positive semi-definite A; negative eigenvalues from rounding count as zero.
MatX<double> square_root(const MatX<double>& A) noexcept;

/// The settings of a damper that is designed: zeta and design.
void list_damping_ratio(Fields& f, double& zeta);
void list_damping_design(Fields& f, DampingDesign& design);

struct DesignedPdSettings {
  VecX<double> kp;    // [N m/rad | N/m]
  double zeta = 0.7;  // damping ratio of every mode [-]
  DampingDesign design = DampingDesign::double_diagonal;
  VecX<double> design_position;  // empty: the damping follows M(q); else constant, with M there

  void fields(Fields& f);
};

/// tau = kp (q_r - q) + D (qd_r - qd) with D designed for the believed arm's mass matrix: [Tum2019, (8)]. Gravity is another
/// term.
class DesignedPd : public Law {
 public:
  DesignedPd(Arm believed, const DesignedPdSettings& settings);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  /// Of the last tick [N m s/rad].
  [[nodiscard]] const MatX<double>& damping() const { return D_; }

 private:
  Arm believed_;
  DesignedPdSettings settings_;
  MatX<double> K_, D_;
};
static_assert(Controller<DesignedPd>);

}  // namespace armature::control
