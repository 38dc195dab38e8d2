// An arm that we write for MuJoCo, as MuJoCo reads it.
#include "armature/formats/mjcf.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace armature::testing;

namespace {

struct FreeMjcf {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// Fails where MuJoCo complains, be it only a warning.
std::unique_ptr<mjModel, FreeMjcf> mjcf_model(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "arm.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "arm.xml")], text.data(), text.size());
  char complaint[500] = "";
  std::unique_ptr<mjModel, FreeMjcf> model(mj_loadXML("arm.xml", files.get(), complaint, sizeof complaint));
  mj_deleteVFS(files.get());
  CHECK(std::string(complaint).empty());
  REQUIRE(model);
  return model;
}

void compare_mjcf(const Arm& arm, Random& random) {
  const int n = arm.dof();
  std::vector<MjcfDrive> drives;
  VecX<double> armature(n), damping(n), loss(n);
  for (int i = 0; i < n; ++i) {
    drives.push_back({0.1 * (i + 1), {0.2 * (i + 1), 0.3 * (i + 1)}});
    armature[i] = drives.back().armature;
    loss[i] = drives.back().friction.coulomb;
    damping[i] = drives.back().friction.viscous;
    if (const auto* friction = std::get_if<CoulombViscous>(&arm.joint(i).friction)) {
      loss[i] += friction->coulomb;
      damping[i] += friction->viscous;
    }
  }
  const std::string text = write_mjcf(arm, drives);
  CAPTURE(text);
  const auto model = mjcf_model(text);
  REQUIRE(model->nv == n);
  const std::unique_ptr<mjData, FreeMjcf> data(mj_makeData(model.get()));
  for (int i = 0; i < n; ++i) {
    CHECK(std::string(model->names + model->name_jntadr[i]) == arm.joint(i).name);
    const Limits& limits = arm.joint(i).limits;
    CHECK((model->jnt_limited[i] != 0) == (limits.lower && limits.upper));
    if (limits.lower && limits.upper) CHECK(model->jnt_range[2 * i] == *limits.lower);
    if (limits.torque) CHECK(model->actuator_ctrlrange[2 * i + 1] == *limits.torque);
    if (std::holds_alternative<CoulombViscous>(arm.joint(i).friction))
      CHECK(model->dof_frictionloss[i] == doctest::Approx(loss[i]).epsilon(1e-12));
  }
  for (int state = 0; state < 3; ++state) {
    const VecX<double> q = random_vector(n, random, 2), v = random_vector(n, random, 2);
    Eigen::Map<Eigen::VectorXd>(data->qpos, n) = q;
    Eigen::Map<Eigen::VectorXd>(data->qvel, n) = v;
    mj_forward(model.get(), data.get());
    MatX<double> M(n, n);
    mj_fullM(model.get(), M.data(), data->qM);
    MatX<double> expected = mass_matrix<double>(arm, q);
    expected.diagonal() += armature;
    CHECK(relative_error(expected, M) < 1e-9);
    const VecX<double> bias = Eigen::Map<Eigen::VectorXd>(data->qfrc_bias, n);
    CHECK(relative_error(inverse_dynamics<double>(arm, q, v, VecX<double>::Zero(n)), bias) < 1e-9);
    const VecX<double> tool = tool_pose(arm, forward_kinematics<double>(arm, q)).p;
    CHECK(relative_error(tool, Eigen::Map<Vec3<double>>(data->site_xpos)) < 1e-12);
    for (int i = 0; i < n; ++i)
      if (arm.joint(i).friction.index() < 2)  // others keep their viscous part
        CHECK(data->qfrc_passive[i] == doctest::Approx(-damping[i] * v[i]).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("an MJCF we write loads without a word and is the same arm to MuJoCo") {
  Random random(7);
  for (int i = 0; i < 24; ++i) compare_mjcf(random_arm(1 + i % max_joints, random), random);
  int written = 0;
  for (const std::string& name : catalogue_names()) {
    const Arm arm = catalogue_arm(name);
    CAPTURE(name);
    try {
      write_mjcf(arm, std::vector<MjcfDrive>(static_cast<std::size_t>(arm.dof())));
    } catch (const ModelError& error) {
      CHECK(!error.hint().empty());  // what MuJoCo would refuse, we do
      continue;
    }
    compare_mjcf(arm, random);
    ++written;
  }
  CHECK(written >= 8);
}

TEST_CASE("the looks of an arm that MuJoCo has a word for are geometry without weight") {
  ArmDescription description = catalogue_arm("ur5e").description();
  description.joints[1].link.shapes.visual = {
      {.kind = Shape::Kind::box, .size = {0.1, 0.2, 0.3}, .place = {{0, 0, 0.1}, {0, 0, 0}}, .colour = {{1, 0, 0, 1}}},
      {.kind = Shape::Kind::cylinder, .size = {0.05, 0.4, 0}},
      {.kind = Shape::Kind::mesh, .mesh = "a.stl"}};
  description.base_shapes.visual = {{.kind = Shape::Kind::sphere, .size = {0.2, 0, 0}}};
  const Arm arm(description);
  const auto model = mjcf_model(write_mjcf(arm, std::vector<MjcfDrive>(6)));
  CHECK(model->ngeom == 3);
  CHECK(model->geom_size[3 + 2] == doctest::Approx(0.15));
  CHECK(left_out_of_mjcf(arm)[0] == "meshes");
  Random random(3);
  compare_mjcf(arm, random);
}

TEST_CASE("a joint whose limits leave it no room has none in MJCF, which is said") {
  ArmDescription description = catalogue_arm("ur5e").description();
  description.joints[1].limits.lower = description.joints[1].limits.upper = 0.5;
  const Arm arm(description);
  const auto model = mjcf_model(write_mjcf(arm, std::vector<MjcfDrive>(6)));
  CHECK(model->jnt_limited[0]);
  CHECK(!model->jnt_limited[1]);
  const std::vector<std::string> left = left_out_of_mjcf(arm);
  CHECK(std::count(left.begin(), left.end(), "position limits that leave no room") == 1);
}
