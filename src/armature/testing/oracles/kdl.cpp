// Orocos KDL: a chain of segments, each with its inertia in its tip frame, as a URDF reader builds it.
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "armature/testing/oracles/oracle.hpp"

namespace armature::testing {

namespace {

KDL::Vector to_kdl(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }

KDL::Frame to_kdl(const Pose<double>& X) {
  const Mat3<double>& R = X.R;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)), to_kdl(X.p)};
}

Pose<double> from_kdl(const KDL::Frame& F) {
  Pose<double> X;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) X.R(i, j) = F.M(i, j);
    X.p[i] = F.p[i];
  }
  return X;
}

KDL::RigidBodyInertia to_kdl(const Inertia<double>& inertia) {
  const Mat3<double> I = central_inertia(inertia);
  return KDL::RigidBodyInertia(inertia.m, to_kdl(inertia.h / inertia.m),
                               KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
}

KDL::Chain chain_of(const Arm& arm) {
  KDL::Chain chain;
  for (const Body& body : arm.bodies()) {
    const auto type = body.revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
    const KDL::Joint joint(to_kdl(body.X_PB0.p), to_kdl(Vec3<double>(body.X_PB0.R.col(2))), type);
    chain.addSegment(KDL::Segment(joint, to_kdl(body.X_PB0), to_kdl(body.inertia)));
  }
  return chain;
}

KDL::Chain with_tool(KDL::Chain chain, const Pose<double>& X_BT) {
  chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::Fixed), to_kdl(X_BT)));
  return chain;
}

class KdlOracle : public Oracle {
 public:
  explicit KdlOracle(const Arm& arm)
      : dof_(static_cast<unsigned>(arm.dof())),
        chain_(chain_of(arm)),
        chain_with_tool_(with_tool(chain_, arm.X_BT())),
        kinematics_(chain_with_tool_),
        jacobian_(chain_with_tool_),
        inverse_(chain_, to_kdl(arm.gravity())),
        forward_(chain_, to_kdl(arm.gravity())),
        parameters_(chain_, to_kdl(arm.gravity())),
        q_(dof_),
        qd_(dof_),
        in_(dof_),
        out_(dof_),
        M_(dof_),
        J_(dof_),
        frames_(dof_ + 1),
        no_wrenches_(dof_, KDL::Wrench::Zero()) {}

  [[nodiscard]] std::string_view name() const override { return "KDL"; }

  void forward_kinematics(const VecX<double>& q, LinkPoses<double>& poses) override {
    frames_at(q);
    poses.dof = static_cast<int>(dof_);
    for (std::size_t i = 0; i < dof_; ++i) poses.X_WB[i] = from_kdl(frames_[i]);
  }
  Pose<double> tool_pose(const VecX<double>& q) override {
    frames_at(q);
    return from_kdl(frames_[dof_]);
  }
  void tool_jacobian(const VecX<double>& q, Mat6X<double>& J) override {
    q_.data = q;
    jacobian_.JntToJac(q_, J_);
    J = J_.data;
  }
  void inverse_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd,
                        VecX<double>& tau) override {
    q_.data = q;
    qd_.data = qd;
    in_.data = qdd;
    inverse_.CartToJnt(q_, qd_, in_, no_wrenches_, out_);
    tau = out_.data;
  }
  void mass_matrix(const VecX<double>& q, MatX<double>& M) override {
    q_.data = q;
    parameters_.JntToMass(q_, M_);
    M = M_.data;
  }
  void forward_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& tau,
                        VecX<double>& qdd) override {
    q_.data = q;
    qd_.data = qd;
    in_.data = tau;
    forward_.CartToJnt(q_, qd_, in_, no_wrenches_, out_);
    qdd = out_.data;
  }

 private:
  void frames_at(const VecX<double>& q) {
    q_.data = q;
    kinematics_.JntToCart(q_, frames_);
  }

  unsigned dof_;
  KDL::Chain chain_, chain_with_tool_;
  KDL::ChainFkSolverPos_recursive kinematics_;
  KDL::ChainJntToJacSolver jacobian_;
  KDL::ChainIdSolver_RNE inverse_;
  KDL::ChainFdSolver_RNE forward_;
  KDL::ChainDynParam parameters_;
  KDL::JntArray q_, qd_, in_, out_;
  KDL::JntSpaceInertiaMatrix M_;
  KDL::Jacobian J_;
  std::vector<KDL::Frame> frames_;
  KDL::Wrenches no_wrenches_;
};

}  // namespace

std::unique_ptr<Oracle> kdl_oracle(const Arm& arm) { return std::make_unique<KdlOracle>(arm); }

}  // namespace armature::testing
