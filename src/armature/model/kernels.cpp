#include "armature/model/kernels.hpp"

#include <map>

#include "armature/core/mixing.hpp"
#include "armature/model/arm.hpp"

namespace armature {
namespace {

struct Digest {
  std::uint64_t value = 0;
  void operator()(double x) { value = mixed(value ^ bits_of(x == 0 ? 0. : x)); }  // -0 is 0
  template <class Derived>
  void operator()(const Eigen::MatrixBase<Derived>& m) {
    for (int j = 0; j < m.cols(); ++j)
      for (int i = 0; i < m.rows(); ++i) (*this)(m(i, j));
  }
  void operator()(const Pose<double>& X) { (*this)(X.R), (*this)(X.p); }
};

std::map<std::uint64_t, std::shared_ptr<const Kernels>>& offers() {
  static std::map<std::uint64_t, std::shared_ptr<const Kernels>> by_arm;
  return by_arm;
}

}  // namespace

std::uint64_t checksum(const Arm& arm) {
  Digest digest;
  digest(arm.dof());
  for (const Body& body : arm.bodies()) {
    digest(body.revolute ? 1. : 2.);
    digest(body.X_PB0), digest(body.X_BL);
    digest(body.inertia.m), digest(body.inertia.h), digest(body.inertia.I_Bo);
  }
  digest(arm.gravity()), digest(arm.X_BT());
  return digest.value;
}

void offer_kernels(std::shared_ptr<const Kernels> kernels) {
  const std::uint64_t arm = kernels->arm;
  offers()[arm] = std::move(kernels);
}

void forget_kernels() { offers().clear(); }

std::shared_ptr<const Kernels> offered_kernels(std::uint64_t arm) {
  const auto found = offers().find(arm);
  return found == offers().end() ? nullptr : found->second;
}

}  // namespace armature
