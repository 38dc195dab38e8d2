// The library's own recursions run on a number that counts what is done with it. Their sources are compiled here once more, for
// that number alone.
#include <cmath>

#include "armature/model/spring_law.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::studies {

/// A double that counts: additions, multiplications, divisions and functions one each, signs nothing.
struct Counting {
  double value = 0;
  static inline long operations = 0;
  Counting() = default;
  Counting(double x) : value(x) {}  // NOLINT: a plain number is a number
  static Counting counted(double x) {
    ++operations;
    return Counting(x);
  }
  friend Counting operator+(Counting a, Counting b) { return counted(a.value + b.value); }
  friend Counting operator-(Counting a, Counting b) { return counted(a.value - b.value); }
  friend Counting operator*(Counting a, Counting b) { return counted(a.value * b.value); }
  friend Counting operator/(Counting a, Counting b) { return counted(a.value / b.value); }
  friend Counting operator-(Counting a) { return Counting(-a.value); }
  Counting& operator+=(Counting b) { return *this = *this + b; }
  Counting& operator-=(Counting b) { return *this = *this - b; }
  Counting& operator*=(Counting b) { return *this = *this * b; }
  Counting& operator/=(Counting b) { return *this = *this / b; }
  friend Counting sin(Counting a) { return counted(std::sin(a.value)); }
  friend Counting cos(Counting a) { return counted(std::cos(a.value)); }
  friend Counting sqrt(Counting a) { return counted(std::sqrt(a.value)); }
  friend Counting exp(Counting a) { return counted(std::exp(a.value)); }
  friend Counting tanh(Counting a) { return counted(std::tanh(a.value)); }
  friend Counting atan2(Counting y, Counting x) { return counted(std::atan2(y.value, x.value)); }
};

}  // namespace armature::studies

template <>
struct Eigen::NumTraits<armature::studies::Counting> : Eigen::NumTraits<double> {
  using Real = armature::studies::Counting;
  using NonInteger = armature::studies::Counting;
  using Nested = armature::studies::Counting;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};

/// Evaluated as a double, which counts nothing: the paper's arms have no springs.
template <>
armature::studies::Counting armature::model::SpringLaw::torque(const armature::studies::Counting& q) const {
  return {torque<double>(q.value)};
}

#undef ARMATURE_FOR_EACH_SCALAR
#define ARMATURE_FOR_EACH_SCALAR(F) F(::armature::studies::Counting)
#include "armature/algorithms/forward_kinematics.cpp"  // NOLINT
#undef ARMATURE_INSTANTIATE
#include "armature/algorithms/jacobian.cpp"  // NOLINT
#undef ARMATURE_INSTANTIATE
#include "armature/algorithms/inverse_dynamics.cpp"  // NOLINT
#undef ARMATURE_INSTANTIATE

#include "armature/formats/catalogue.hpp"
#include "kostic2002/kostic2002.hpp"

namespace armature::studies::kostic2002 {

long counted_inverse_dynamics(const Arm& arm) {
  const int n = arm.dof();
  VecX<Counting> q(n), v(n), a(n), tau;
  for (int i = 0; i < n; ++i) {
    q[i] = 0.3 + i;
    v[i] = 1.0 - i;
    a[i] = 2.0 + i;
  }
  Counting::operations = 0;
  inverse_dynamics<Counting>(arm, q, v, a, tau);
  return Counting::operations;
}

Counted counted_recursions() {
  const Arm arm = catalogue_arm("rrr_generic", built_in_kernels());
  VecX<Counting> q(3);
  for (int i = 0; i < 3; ++i) q[i] = 0.3 + i;
  Counted counted;
  counted.inverse_dynamics = counted_inverse_dynamics(arm);

  Counting::operations = 0;
  const LinkPoses<Counting> poses = forward_kinematics<Counting>(arm, q);
  const Pose<Counting> tool = tool_pose<Counting>(arm, poses);
  const Mat6X<Counting> J = tool_jacobian<Counting>(arm, poses);
  Counting rows[3][4];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) rows[i][k] = J(i, k);
    rows[i][3] = tool.p[i] - Counting(0.1);  // what is left to the target
  }
  for (int i = 0; i < 3; ++i)  // Gauss
    for (int below = i + 1; below < 3; ++below) {
      const Counting factor = rows[below][i] / rows[i][i];
      for (int k = i + 1; k < 4; ++k) rows[below][k] -= factor * rows[i][k];
    }
  for (int i = 2; i >= 0; --i) {
    for (int k = i + 1; k < 3; ++k) rows[i][3] -= rows[i][k] * rows[k][3];
    rows[i][3] /= rows[i][i];
    q[i] -= rows[i][3];
  }
  counted.ik_iteration = Counting::operations;
  return counted;
}

}  // namespace armature::studies::kostic2002
