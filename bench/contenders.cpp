#include "contenders.hpp"

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"

namespace armature::bench {

namespace {

class Ours : public testing::Oracle {
 public:
  explicit Ours(const Arm& arm) : arm_(arm) {}
  [[nodiscard]] std::string_view name() const override { return "Armature"; }

  void forward_kinematics(const VecX<double>& q, LinkPoses<double>& poses) override {
    armature::forward_kinematics(arm_, q, poses);
  }
  Pose<double> tool_pose(const VecX<double>& q) override {
    return armature::tool_pose(arm_, armature::forward_kinematics(arm_, q));
  }
  void tool_jacobian(const VecX<double>& q, Mat6X<double>& J) override {
    LinkPoses<double> poses;
    armature::forward_kinematics(arm_, q, poses);
    J = armature::tool_jacobian(arm_, poses);
  }
  void inverse_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd,
                        VecX<double>& tau) override {
    armature::inverse_dynamics(arm_, q, qd, qdd, tau);
  }
  void mass_matrix(const VecX<double>& q, MatX<double>& M) override { armature::mass_matrix(arm_, q, M); }
  void forward_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& tau,
                        VecX<double>& qdd) override {
    armature::forward_dynamics(arm_, q, qd, tau, qdd);
  }

 private:
  Arm arm_;
};

}  // namespace

std::unique_ptr<testing::Oracle> ours(const Arm& arm) { return std::make_unique<Ours>(arm); }

std::vector<std::unique_ptr<testing::Oracle>> contenders(const Arm& arm) {
  std::vector<std::unique_ptr<testing::Oracle>> all;
  all.push_back(ours(arm));
  for (auto& oracle : testing::oracles(arm)) all.push_back(std::move(oracle));
  return all;
}

}  // namespace armature::bench
