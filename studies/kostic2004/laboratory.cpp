#include "kostic2004/laboratory.hpp"

#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/integrator.hpp"

namespace armature::studies::kostic2004 {

namespace {

MassProperties ball(double mass, double moment) {
  MassProperties m;
  m.mass = mass;
  m.tensor = moment * Mat3<double>::Identity();
  return m;
}

/// A body less a part of it, both about the same origin.
MassProperties without(const MassProperties& whole, const MassProperties& part) {
  const Inertia<double> a = inertia_of(whole), b = inertia_of(part);
  MassProperties rest;
  rest.mass = a.m - b.m;
  rest.position = a.h - b.h;
  rest.position_is_first_moment = true;
  rest.tensor = a.I_Bo - b.I_Bo;
  rest.tensor_about_origin = true;
  return rest;
}

/// A joint without a motor, about an axis of the frame before it.
JointDescription passive(const std::string& name, const Vec3<double>& axis, const MassProperties& carried) {
  JointDescription joint;
  joint.name = name;
  joint.placement = OriginAxis{{}, axis};
  joint.link = {name, carried};
  return joint;
}

/// base, waist, column, shoulder, bending, elbow. Parts of the column and of the upper arm move to the links behind the flexible
/// joints; with these at zero it is the arm `rrr`.
Arm flexible_arm(const Arm& rigid, const Flexibility& f) {
  ArmDescription d = rigid.description();
  JointDescription waist = d.joints[0], shoulder = d.joints[1], elbow = d.joints[2];
  const MassProperties upper_column = ball(6, 0.1);
  MassProperties elbow_stator = ball(2, 0.004);
  elbow_stator.position = {0, 0, 0.03};
  waist.link.mass = without(*waist.link.mass, upper_column);
  shoulder.link.mass = without(*shoulder.link.mass, elbow_stator);
  d.name = "rrr_laboratory";
  d.joints = {passive("base", Vec3<double>::UnitZ(), ball(100, f.base_inertia)), waist,
              passive("column_twist", Vec3<double>::UnitY(), upper_column),      shoulder,
              passive("bending", Vec3<double>::UnitY(), elbow_stator),           elbow};
  return Arm(d);
}

PlantDescription describe(const Arm& rigid, const Flexibility& f, const std::vector<int>& locked) {
  Composition composition =
      compose(flexible_arm(rigid, f), {.drives = ComposeOptions::Drives::ideal, .torque_limits = false});
  PlantDescription plant = composition.plant;
  const Arm& arm = *plant.arm;
  const auto named = [&](const std::string& name) {
    for (int i = 0; i < arm.dof(); ++i)
      if (arm.joint(i).name == name) return i;
    throw Error("the laboratory has no joint " + name);
  };
  const double w = 2 * pi * f.base_frequency;
  const auto spring = [&](const char* name, double stiffness, double damping) {
    const int axis = named(name);
    std::erase_if(plant.motors, [&](const Motor& motor) { return motor.drives.front().first == axis; });
    plant.springs.push_back(
        {.name = name, .driver = ground, .driven = axis, .stiffness = stiffness, .damping = damping});
  };
  spring("base", f.base_inertia * w * w, 2 * f.base_damping * f.base_inertia * w);
  spring("column_twist", f.column_stiffness, f.column_damping);
  spring("bending", f.bending_stiffness, f.bending_damping);
  for (const int joint : locked) plant.locks.push_back(named(rigid.joint(joint).name));
  return plant;
}

}  // namespace

double converted(double torque, int joint) {
  const double step = 2 * peak_torque[joint] / (1 << converter_bits);
  return std::clamp(step * std::nearbyint(torque / step), -peak_torque[joint], peak_torque[joint] - step);
}

std::vector<int> all_but(int joint) {
  std::vector<int> others;
  for (int i = 0; i < joints; ++i)
    if (i != joint) others.push_back(i);
  return others;
}

Laboratory::Laboratory(const Flexibility& flexibility, const std::vector<int>& locked)
    : rigid_(catalogue_arm("rrr", built_in_kernels())), plant_(describe(rigid_, flexibility, locked)) {
  const Arm& arm = *plant_.description().arm;
  for (int i = 0; i < joints; ++i)
    for (int k = 0; k < arm.dof(); ++k)
      if (arm.joint(k).name == rigid_.joint(i).name) axes_[i] = k;
}

VecX<double> Laboratory::all_axes(const VecX<double>& driven) const {
  VecX<double> all = VecX<double>::Zero(plant_.dof());
  for (int i = 0; i < joints; ++i) all[axis(i)] = driven[i];
  return all;
}

LinearPlant Laboratory::linear(const VecX<double>& q, const VecX<double>& v) const {
  Eigen::VectorXd x = plant_.state_at(all_axes(q), all_axes(v));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(plant_.inputs());
  return linearize(plant_, 0, x, u, plant_.modes_at(0, x, u.data()));
}

namespace {

/// A log with the channels of an experiment under this law.
Log empty_log(const AnyController& law, std::size_t rows) {
  Log log;
  const auto add = [&](const std::string& name, const std::string& unit) { log.add(name, unit).values.reserve(rows); };
  const std::pair<const char*, const char*> kinds[] = {{"q", "rad"},        {"q_meas", "rad"}, {"v_meas", "rad/s"},
                                                       {"tau", "N m"},      {"q_ref", "rad"},  {"v_ref", "rad/s"},
                                                       {"a_ref", "rad/s^2"}};
  for (const auto& [name, unit] : kinds)
    for (int i = 1; i <= joints; ++i) {
      const std::string text = name;
      const std::size_t underscore = std::min(text.find('_'), text.size());
      add(text.substr(0, underscore) + std::to_string(i) + text.substr(underscore), unit);
    }
  for (const char* name : {"tool_x", "tool_y", "tool_z"}) add(name, "m");
  for (const Part& part : law.parts())
    for (int i = 1; i <= joints; ++i)
      add("part_" + part.name + std::to_string(i), part.is_torque() ? "N m" : part.unit);
  return log;
}

}  // namespace

Log Laboratory::run(AnyController& law, const ReferenceSource& reference, double duration, const VecX<double>& start,
                    const LoopInputs& inputs) const {
  Integrator integrator(plant_, {.method = Method::rk4, .step = tick / 4});
  Eigen::VectorXd u = Eigen::VectorXd::Zero(plant_.inputs());
  integrator.start(0, plant_.state_at(all_axes(start), VecX<double>::Zero(plant_.dof())), u);

  const auto rows = static_cast<std::size_t>(std::llround(duration / tick)) + 1;
  Log log = empty_log(law, rows);
  Measurement y;
  Reference r;
  VecX<double> tau = VecX<double>::Zero(joints), last(joints);
  y.q.resize(joints);
  y.qd = VecX<double>::Zero(joints);
  const Arm& arm = *plant_.description().arm;
  for (std::size_t k = 0; k < rows; ++k) {
    const double t = tick * static_cast<double>(k);
    const Eigen::VectorXd& x = integrator.state();
    VecX<double> q(joints);
    for (int i = 0; i < joints; ++i) q[i] = x[axis(i)];
    for (int i = 0; i < joints; ++i) y.q[i] = resolution * std::nearbyint(q[i] / resolution);
    if (k > 0) y.qd = (y.q - last) / tick;
    last = y.q;
    reference(t, r);
    inputs.act_on(t, r);
    if (k == 0) law.reset(y);
    law.update(y, r, tick, tau);
    inputs.act_on(t, tau);
    if (!tau.allFinite() || !x.allFinite()) throw Error("an experiment diverges", "check the gains");
    VecX<double> given(joints);
    for (int i = 0; i < joints; ++i) u[i] = given[i] = converted(tau[i], i);
    integrator.set_input(u);

    log.time.push_back(t);
    std::size_t next = 0;
    const auto put = [&](double value) { log.channels[next++].values.push_back(value); };
    for (int i = 0; i < joints; ++i) put(q[i]);
    for (const VecX<double>* values : {&y.q, &y.qd})
      for (int i = 0; i < joints; ++i) put((*values)[i]);
    for (int i = 0; i < joints; ++i) put(given[i]);
    for (const VecX<double>* values : {&r.q, &r.qd, &r.qdd})
      for (int i = 0; i < joints; ++i) put((*values)[i]);
    const VecX<double> bodies = x.head(plant_.dof());
    const Vec3<double> tip = tool_pose(arm, forward_kinematics<double>(arm, bodies)).p;
    for (int i = 0; i < 3; ++i) put(tip[i]);
    for (const Part& part : law.parts())
      for (int i = 0; i < joints; ++i) put(i < part.value.size() ? part.value[i] : std::nan(""));
    if (k + 1 < rows) integrator.advance(tick * static_cast<double>(k + 1), log.events);
  }
  return log;
}

ReferenceSource stay(const VecX<double>& q) {
  return [q](double, Reference& r) {
    r.q = q;
    r.qd = r.qdd = VecX<double>::Zero(q.size());
  };
}

const std::vector<double>& channel(const Log& log, const std::string& name, int joint) {
  const std::size_t underscore = std::min(name.find('_'), name.size());
  const bool part = name.starts_with("part_");
  return log
      .channel(part ? name + std::to_string(joint + 1)
                    : name.substr(0, underscore) + std::to_string(joint + 1) + name.substr(underscore))
      .values;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x * x;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace armature::studies::kostic2004
