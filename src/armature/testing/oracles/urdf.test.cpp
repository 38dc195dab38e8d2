// What MuJoCo makes of a URDF against what we make of it: two readers that share nothing but the text.
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace armature::testing;

namespace {

constexpr double tolerance = 1e-6;  // MuJoCo's compiler keeps inertia to seven digits

struct Free {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

std::unique_ptr<mjModel, Free> mujoco_model(const std::string& urdf) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "arm.urdf", static_cast<int>(urdf.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "arm.urdf")], urdf.data(), urdf.size());
  char complaint[500] = "";
  std::unique_ptr<mjModel, Free> model(mj_loadXML("arm.urdf", files.get(), complaint, sizeof complaint));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(complaint);
  return model;
}

void compare(const Arm& arm, const std::string& urdf, Random& random) {
  CAPTURE(urdf);
  const auto model = mujoco_model(urdf);
  REQUIRE(model->nv == arm.dof());
  Eigen::Map<Vec3<double>>(model->opt.gravity) = arm.gravity();
  const std::unique_ptr<mjData, Free> data(mj_makeData(model.get()));
  const int n = arm.dof();
  for (int state = 0; state < 3; ++state) {
    const VecX<double> q = random_vector(n, random, 2), qd = random_vector(n, random, 2),
                       qdd = random_vector(n, random, 2);
    Eigen::Map<Eigen::VectorXd>(data->qpos, n) = q;
    Eigen::Map<Eigen::VectorXd>(data->qvel, n) = qd;
    Eigen::Map<Eigen::VectorXd>(data->qacc, n) = qdd;
    mj_kinematics(model.get(), data.get());
    mj_comPos(model.get(), data.get());
    mj_crb(model.get(), data.get());
    mj_comVel(model.get(), data.get());
    VecX<double> tau(n);
    mj_rne(model.get(), data.get(), 1, tau.data());
    CHECK(relative_error(inverse_dynamics<double>(arm, q, qd, qdd), tau) < tolerance);
    MatX<double> M(n, n);
    mj_fullM(model.get(), M.data(), data->qM);
    CHECK(relative_error(mass_matrix<double>(arm, q), M) < tolerance);
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    for (int i = 0; i < n; ++i)  // body 0 is the world; what does not move is part of it
      CHECK(relative_error(poses.X_WB[i].p, Eigen::Map<Vec3<double>>(data->xpos + 3 * (i + 1))) < 1e-9);
  }
}

}  // namespace

TEST_CASE("a URDF we write is the same arm to MuJoCo") {
  Random random(1);
  for (int i = 0; i < 32; ++i) {
    const Arm arm = random_arm(1 + i % max_joints, random);
    compare(arm, write_urdf(arm), random);
  }
  for (const std::string& name : catalogue_names()) {
    const Arm arm = catalogue_arm(name);
    if (arm.unphysical().empty()) compare(arm, write_urdf(arm), random);  // MuJoCo refuses what no body has
  }
}

TEST_CASE("a URDF with everything that is easily misread is the same arm to MuJoCo and to us") {
  const std::string urdf = R"(<robot name="tricky">
  <link name="world"/>
  <link name="stand"><inertial><mass value="9"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.1 -0.05 0.2" rpy="0.3 -0.4 1.1"/><mass value="3"/>
    <inertia ixx="0.05" ixy="0.004" ixz="-0.006" iyy="0.04" iyz="0.003" izz="0.03"/></inertial></link>
  <link name="bracket"><inertial><origin xyz="0 0.1 0"/><mass value="0.7"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>
  <link name="camera"><inertial><origin xyz="0.02 0 0.01" rpy="0 0 0.5"/><mass value="0.4"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.0015"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0 0 0.3"/><mass value="1.5"/>
    <inertia ixx="0.03" ixy="0" ixz="0.002" iyy="0.03" iyz="0" izz="0.004"/></inertial></link>
  <link name="hand"><inertial><mass value="0.8"/><inertia ixx="0.002" ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.002"/></inertial></link>
  <joint name="floor" type="fixed"><parent link="world"/><child link="stand"/><origin xyz="0.2 0.1 0.5" rpy="0.1 0.2 0.3"/></joint>
  <joint name="turn" type="continuous"><parent link="stand"/><child link="upper"/><origin rpy="1.2 0.4 -0.7"/></joint>
  <joint name="weld" type="fixed"><parent link="upper"/><child link="bracket"/><origin xyz="0.3 0 0" rpy="0 1 0"/></joint>
  <joint name="mount" type="fixed"><parent link="bracket"/><child link="camera"/><origin xyz="0 0.1 0.1" rpy="1 0 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="bracket"/><child link="rod"/><origin xyz="0 0 0.1" rpy="0 0 2"/>
    <axis xyz="0.6 0 -0.8"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="rod"/><child link="hand"/><origin xyz="0 0 0.6" rpy="-2 0 0"/>
    <axis xyz="0 -1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>)";
  Random random(2);
  compare(checked_arm(parse_urdf(urdf, "tricky.urdf", {.tip = "hand"})), urdf, random);
}
