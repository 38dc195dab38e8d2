// MuJoCo: the tree is compiled from a text that says which joint moves which body; the numbers are then written into the
// compiled model, because its compiler keeps inertia to seven digits only.
#include <fmt/core.h>
#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cstring>
#include <stdexcept>

#include "armature/testing/oracles/mujoco_motion.hpp"
#include "armature/testing/oracles/oracle.hpp"

namespace armature::testing {

namespace {

struct Free {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using ModelPtr = std::unique_ptr<mjModel, Free>;
using DataPtr = std::unique_ptr<mjData, Free>;

/// Bodies one inside the other. Their centres of mass stand off the frames, so that nothing is taken for a special case.
std::string skeleton_text(const Arm& arm) {
  std::string opening, closing;
  for (const Body& body : arm.bodies()) {
    opening += fmt::format(
        R"(<body><inertial pos=".1 .2 .3" mass="1" fullinertia="1 1 1 .1 .1 .1"/><joint type="{}" axis="0 0 1"/>)",
        body.revolute ? "hinge" : "slide");
    closing += "</body>";
  }
  return "<mujoco><option><flag contact='disable' constraint='disable'/></option><worldbody>" + opening + closing +
         "</worldbody></mujoco>";
}

ModelPtr compiled(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "arm.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "arm.xml")], text.data(), text.size());
  char complaint[500] = "";
  ModelPtr model(mj_loadXML("arm.xml", files.get(), complaint, sizeof complaint));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(complaint);
  return model;
}

void write(const Mat3<double>& R, mjtNum* wxyz) {
  const Eigen::Quaterniond quaternion(R);
  wxyz[0] = quaternion.w();
  wxyz[1] = quaternion.x();
  wxyz[2] = quaternion.y();
  wxyz[3] = quaternion.z();
}

ModelPtr model_of(const Arm& arm) {
  ModelPtr model = compiled(skeleton_text(arm));
  Eigen::Map<Vec3<double>>(model->opt.gravity) = arm.gravity();
  for (int i = 0; i < arm.dof(); ++i) {
    const Body& body = arm.body(i);
    const int k = i + 1;  // 0 is the world
    Eigen::Map<Vec3<double>>(model->body_pos + 3 * k) = body.X_PB0.p;
    write(body.X_PB0.R, model->body_quat + 4 * k);
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> principal(central_inertia(body.inertia));
    Mat3<double> axes = principal.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) *= -1;
    model->body_mass[k] = body.inertia.m;
    Eigen::Map<Vec3<double>>(model->body_ipos + 3 * k) = body.inertia.h / body.inertia.m;
    Eigen::Map<Vec3<double>>(model->body_inertia + 3 * k) = principal.eigenvalues();
    write(axes, model->body_iquat + 4 * k);
  }
  const DataPtr data(mj_makeData(model.get()));
  mj_setConst(model.get(), data.get());  // what follows from the numbers, such as the mass of a subtree
  return model;
}

/// Calls only the stages that an answer needs; mj_inverse and mj_forward do more.
class MujocoOracle : public Oracle {
 public:
  explicit MujocoOracle(const Arm& arm)
      : model_(model_of(arm)), data_(mj_makeData(model_.get())), n_(arm.dof()), X_BT_(arm.X_BT()) {}

  [[nodiscard]] std::string_view name() const override { return "MuJoCo"; }

  void forward_kinematics(const VecX<double>& q, LinkPoses<double>& poses) override {
    set(data_->qpos, q);
    mj_kinematics(model_.get(), data_.get());
    poses.dof = n_;
    for (int i = 0; i < n_; ++i) poses.X_WB[i] = pose(i);
  }
  Pose<double> tool_pose(const VecX<double>& q) override {
    set(data_->qpos, q);
    mj_kinematics(model_.get(), data_.get());
    return pose(n_ - 1) * X_BT_;
  }
  void tool_jacobian(const VecX<double>& q, Mat6X<double>& J) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    place(q);
    const Vec3<double> p = pose(n_ - 1) * X_BT_.p;
    mjtNum rows[6 * max_joints];
    mj_jac(m, d, rows, rows + 3 * n_, p.data(), n_);
    J = Eigen::Map<const Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>>(rows, 6, n_);
  }
  void inverse_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd,
                        VecX<double>& tau) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    set(d->qvel, qd);
    set(d->qacc, qdd);
    place(q);
    mj_comVel(m, d);
    tau.resize(n_);
    mj_rne(m, d, 1, tau.data());
  }
  void mass_matrix(const VecX<double>& q, MatX<double>& M) override {
    place(q);
    mj_crb(model_.get(), data_.get());
    M.resize(n_, n_);
    mj_fullM(model_.get(), M.data(), data_->qM);
  }
  void forward_dynamics(const VecX<double>& q, const VecX<double>& qd, const VecX<double>& tau,
                        VecX<double>& qdd) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    set(d->qvel, qd);
    place(q);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mjtNum bias[max_joints], net[max_joints];
    mj_rne(m, d, 0, bias);
    for (int i = 0; i < n_; ++i) net[i] = tau[i] - bias[i];
    qdd.resize(n_);
    mj_solveM(m, d, qdd.data(), net, 1);
  }

 private:
  void place(const VecX<double>& q) {
    set(data_->qpos, q);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
  }
  void set(mjtNum* to, const VecX<double>& from) const { Eigen::Map<Eigen::VectorXd>(to, n_) = from; }
  [[nodiscard]] Pose<double> pose(int body) const {
    return {Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * (body + 1)),
            Eigen::Map<const Vec3<double>>(data_->xpos + 3 * (body + 1))};
  }

  ModelPtr model_;
  DataPtr data_;
  int n_;
  Pose<double> X_BT_;
};

}  // namespace

struct MujocoMotion::State {
  ModelPtr model;
  DataPtr data;
};

MujocoMotion::MujocoMotion(const Arm& arm, double step, bool fourth_order) : state_(std::make_unique<State>()) {
  state_->model = model_of(arm);
  state_->model->opt.timestep = step;
  state_->model->opt.integrator = fourth_order ? mjINT_RK4 : mjINT_EULER;
  state_->data.reset(mj_makeData(state_->model.get()));
}
MujocoMotion::~MujocoMotion() = default;

void MujocoMotion::start(const VecX<double>& q, const VecX<double>& qd) {
  state_->data->time = 0;
  Eigen::Map<Eigen::VectorXd>(state_->data->qpos, q.size()) = q;
  Eigen::Map<Eigen::VectorXd>(state_->data->qvel, q.size()) = qd;
}
void MujocoMotion::step() { mj_step(state_->model.get(), state_->data.get()); }
VecX<double> MujocoMotion::q() const { return Eigen::Map<Eigen::VectorXd>(state_->data->qpos, state_->model->nq); }

std::unique_ptr<Oracle> mujoco_oracle(const Arm& arm) { return std::make_unique<MujocoOracle>(arm); }

}  // namespace armature::testing
