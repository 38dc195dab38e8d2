#include "armature/model/kernels.hpp"

#include "armature/core/mixing.hpp"
#include "armature/model/arm.hpp"

namespace armature::model {
namespace {

struct Digest {
  std::uint64_t value = 0;
  void operator()(double x) { value = mixed(value ^ bits_of(x == 0 ? 0. : x)); }  // -0 is 0
  template <class Derived>
  void operator()(const Eigen::MatrixBase<Derived>& m) {
    for (int j = 0; j < m.cols(); ++j)
      for (int i = 0; i < m.rows(); ++i) (*this)(m(i, j));
  }
  void operator()(const Placement& p) { (*this)(p.xyz), (*this)(p.rpy); }
  void operator()(const DhRow& row) { (*this)(row.theta), (*this)(row.d), (*this)(row.a), (*this)(row.alpha); }
  void operator()(const OriginAxis& p) { (*this)(p.origin), (*this)(p.axis); }
  void operator()(const std::optional<MassProperties>& p) {
    (*this)(p.has_value());
    if (!p) return;
    (*this)(p->mass), (*this)(p->position), (*this)(p->position_is_first_moment);
    (*this)(p->tensor), (*this)(p->tensor_about_origin);
  }
  void operator()(const JointDescription& joint) {
    (*this)(static_cast<double>(joint.type));
    (*this)(static_cast<double>(joint.placement.index()));
    std::visit(*this, joint.placement);
    (*this)(joint.link.mass);
    if (joint.spring) (*this)(*joint.spring);  // none: nothing, so that files of functions stay valid
  }
  void operator()(const JointSpring& spring) {
    (*this)(spring.stiffness.value_or(0)), (*this)(spring.rest.value_or(0));
    for (const char letter : spring.torque) (*this)(static_cast<double>(letter));
    for (const std::vector<double>* numbers : {&spring.positions, &spring.torques}) {
      (*this)(static_cast<double>(numbers->size()));
      for (const double number : *numbers) (*this)(number);
    }
    if (spring.sine || spring.cosine) (*this)(spring.sine.value_or(0)), (*this)(spring.cosine.value_or(0));
  }
  void operator()(const Body& body) {
    (*this)(body.revolute);
    for (const Pose<double>& X : {body.X_PB0, body.X_BL}) (*this)(X.R), (*this)(X.p);
    (*this)(body.inertia.m), (*this)(body.inertia.h), (*this)(body.inertia.I_Bo);
  }
};

}  // namespace

std::uint64_t checksum(const Arm& arm) {
  Digest digest;
  const ArmDescription& d = arm.description();
  digest(static_cast<double>(d.convention));
  digest(d.base);
  digest(d.gravity);
  digest(d.tool);
  digest(d.payload);
  for (const JointDescription& joint : d.joints) digest(joint);
  if (!arm.as_described())
    for (const Body& body : arm.bodies()) digest(body);
  return digest.value;
}

KernelSet::KernelSet(std::vector<std::shared_ptr<const Kernels>> kernels)
    : all_(std::make_shared<const std::vector<std::shared_ptr<const Kernels>>>(std::move(kernels))) {}

std::shared_ptr<const Kernels> KernelSet::of(const Arm& arm) const {
  if (!all_) return nullptr;
  const std::uint64_t sum = checksum(arm);
  for (const std::shared_ptr<const Kernels>& kernels : *all_)
    if (kernels->arm == sum) return kernels;
  return nullptr;
}

}  // namespace armature::model
