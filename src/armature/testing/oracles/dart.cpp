// DART: a skeleton of body nodes, each carried by a joint about or along its own z axis.
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "armature/testing/oracles/oracle.hpp"

namespace armature::testing {

namespace {

Eigen::Isometry3d to_dart(const Pose<double>& X) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = X.R;
  T.translation() = X.p;
  return T;
}

dart::dynamics::BodyNode* add_body(dart::dynamics::Skeleton& skeleton, dart::dynamics::BodyNode* parent,
                                   const Body& body) {
  const std::string number = std::to_string(skeleton.getNumBodyNodes());
  const auto add = [&](auto properties) {
    using Properties = decltype(properties);
    using Joint = std::conditional_t<std::is_same_v<Properties, dart::dynamics::RevoluteJoint::Properties>,
                                     dart::dynamics::RevoluteJoint, dart::dynamics::PrismaticJoint>;
    properties.mAxis = Eigen::Vector3d::UnitZ();
    properties.mT_ParentBodyToJoint = to_dart(body.X_PB0);
    properties.mName = "joint" + number;
    const dart::dynamics::BodyNode::AspectProperties named("body" + number);
    return skeleton.createJointAndBodyNodePair<Joint>(parent, properties, named).second;
  };
  dart::dynamics::BodyNode* node = body.revolute ? add(dart::dynamics::RevoluteJoint::Properties())
                                                 : add(dart::dynamics::PrismaticJoint::Properties());
  const Inertia<double>& inertia = body.inertia;
  node->setInertia(dart::dynamics::Inertia(inertia.m, inertia.h / inertia.m, central_inertia(inertia)));
  return node;
}

class DartOracle : public Oracle {
 public:
  explicit DartOracle(const Arm& arm) : skeleton_(dart::dynamics::Skeleton::create()), X_BT_(arm.X_BT()) {
    for (const Body& body : arm.bodies()) last_ = add_body(*skeleton_, last_, body);
    skeleton_->setGravity(arm.gravity());
  }

  [[nodiscard]] std::string_view name() const override { return "DART"; }

  void forward_kinematics(const VecX<double>& q, LinkPoses<double>& poses) override {
    skeleton_->setPositions(q);
    poses.dof = static_cast<int>(q.size());
    for (std::size_t i = 0; i < skeleton_->getNumBodyNodes(); ++i) {
      const Eigen::Isometry3d& T = skeleton_->getBodyNode(i)->getWorldTransform();
      poses.X_WB[i] = {T.linear(), T.translation()};
    }
  }
  Pose<double> tool_pose(const VecX<double>& q) override {
    skeleton_->setPositions(q);
    const Eigen::Isometry3d& T = last_->getWorldTransform();
    return Pose<double>{T.linear(), T.translation()} * X_BT_;
  }
  void tool_jacobian(const VecX<double>& q, Mat6X<double>& J) override {
    skeleton_->setPositions(q);
    const dart::math::Jacobian angular_first = last_->getWorldJacobian(X_BT_.p);
    J.resize(6, q.size());
    J.topRows<3>() = angular_first.bottomRows<3>();
    J.bottomRows<3>() = angular_first.topRows<3>();
  }
  void inverse_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd,
                        VecX<double>& tau) override {
    skeleton_->setPositions(q);
    skeleton_->setVelocities(qd);
    skeleton_->setAccelerations(qdd);
    skeleton_->computeInverseDynamics();
    tau = skeleton_->getForces();
  }
  void mass_matrix(const VecX<double>& q, MatX<double>& M) override {
    skeleton_->setPositions(q);
    M = skeleton_->getMassMatrix();
  }
  void forward_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& tau,
                        VecX<double>& qdd) override {
    skeleton_->setPositions(q);
    skeleton_->setVelocities(qd);
    skeleton_->setForces(tau);
    skeleton_->computeForwardDynamics();
    qdd = skeleton_->getAccelerations();
  }

 private:
  dart::dynamics::SkeletonPtr skeleton_;
  dart::dynamics::BodyNode* last_ = nullptr;
  Pose<double> X_BT_;
};

}  // namespace

std::unique_ptr<Oracle> dart_oracle(const Arm& arm) { return std::make_unique<DartOracle>(arm); }

}  // namespace armature::testing
