#include "armature/model/arm.hpp"

#include <tuple>
#include <utility>

#include "armature/core/error.hpp"
#include "armature/model/dh.hpp"
#include "armature/model/spring_law.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::model {

Pose<double> pose_of(const Placement& placement) { return {rotation_from_rpy(placement.rpy), placement.xyz}; }

Inertia<double> inertia_of(const MassProperties& p) {
  const Vec3<double> h = p.position_is_first_moment ? p.position : Vec3<double>(p.position * p.mass);
  if (p.tensor_about_origin) return {p.mass, h, p.tensor};
  const Vec3<double> com = p.position_is_first_moment ? Vec3<double>(p.position / p.mass) : p.position;
  return {p.mass, h, p.tensor + point_mass_inertia<double>(p.mass, com)};
}

bool operator==(const ArmDescription& a, const ArmDescription& b) {
  const auto texts = [](const ArmDescription& d) {
    return std::tie(d.name, d.description, d.source, d.notes, d.unphysical, d.couplings_source);
  };
  const auto parts = [](const ArmDescription& d) {
    return std::tie(d.convention, d.base, d.base_shapes, d.joints, d.tool, d.payload);
  };
  const auto couplings = [](const std::optional<Eigen::MatrixXd>& C, const std::optional<Eigen::MatrixXd>& D) {
    if (!C || !D) return C.has_value() == D.has_value();
    return C->rows() == D->rows() && C->cols() == D->cols() && *C == *D;
  };
  return texts(a) == texts(b) && parts(a) == parts(b) && a.gravity == b.gravity && couplings(a.couplings, b.couplings);
}

Chain chain_of(const ArmDescription& description) {
  Chain chain;
  int body = -1;
  Pose<double> X_BL = pose_of(description.base);  // of the link reached so far, in its body's frame
  for (std::size_t i = 0; i < description.joints.size(); ++i) {
    const JointDescription& joint = description.joints[i];
    const JointFrames frames = joint_frames(joint, description.convention);
    if (joint.type == JointType::fixed) {
      X_BL = X_BL * frames.X_PB0 * frames.X_BL;
    } else {
      chain.bodies.push_back({joint.type == JointType::revolute, X_BL * frames.X_PB0, {}, frames.X_BL});
      chain.moving.push_back(i);
      X_BL = frames.X_BL;
      ++body;
    }
    chain.frames.push_back({joint.link.name, body, X_BL});
    if (body >= 0 && joint.link.mass) {
      Inertia<double>& inertia = chain.bodies.back().inertia;
      inertia = inertia + seen_from(X_BL, inertia_of(*joint.link.mass));
    }
  }
  chain.X_BT = X_BL * pose_of(description.tool);
  if (description.payload && body >= 0) {
    Inertia<double>& inertia = chain.bodies.back().inertia;
    inertia = inertia + seen_from(chain.X_BT, inertia_of(*description.payload));
  }
  return chain;
}

Arm::~Arm() = default;
Arm::Arm(const Arm&) = default;
Arm::Arm(Arm&&) noexcept = default;
Arm& Arm::operator=(const Arm&) = default;
Arm& Arm::operator=(Arm&&) noexcept = default;

Arm::Arm(ArmDescription description, const KernelSet& kernels) {
  for (const Finding& finding : findings(description))
    if (finding.severity == Finding::Severity::error)
      throw ModelError(finding.place + ": " + finding.finding, finding.hint);
  chain_ = chain_of(description);
  couplings_ = MatX<double>::Identity(dof(), dof());
  if (description.couplings) couplings_ = *description.couplings;
  description_ = std::make_shared<const ArmDescription>(std::move(description));
  for (int i = 0; i < dof(); ++i) {
    if (!joint(i).spring) continue;
    springs_.resize(dof());
    springs_[i] = std::make_shared<const SpringLaw>(*joint(i).spring, joint(i).limits);
  }
  kernels_ = kernels.of(*this);
}

Arm Arm::with_description(ArmDescription description) const {
  return Arm(std::move(description), kernels_ ? KernelSet({kernels_}) : KernelSet());
}

Arm Arm::with_bodies(std::vector<Body> bodies) const {
  Arm arm = *this;
  arm.chain_.bodies = std::move(bodies);
  arm.as_described_ = false;
  arm.kernels_.reset();  // they were written for the other bodies
  return arm;
}

Arm Arm::with_kernels(std::shared_ptr<const Kernels> kernels) const {
  if (kernels && kernels->arm != checksum(*this))
    throw ModelError("the functions were written for another arm than '" + name() + "', or for an earlier state of it",
                     "derive them again");
  Arm arm = *this;
  arm.kernels_ = std::move(kernels);
  return arm;
}

}  // namespace armature::model
