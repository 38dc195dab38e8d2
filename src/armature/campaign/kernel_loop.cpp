#include "armature/campaign/kernel_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/control/cartesian_impedance.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/feed_forward.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/run/controllers.hpp"
#include "armature/run/plants.hpp"

namespace armature::campaign {

namespace {

constexpr double no_limit = 1e300;

[[noreturn]] void not_for_kernels(const std::string& finding, const std::string& hint = {}) {
  throw NotForKernels(finding, hint);
}

/// The law as a kernel knows it: gains, the believed arm's gravity or inverse dynamics, and torques that the reference alone decides.
struct KernelLaw {
  bool pd = false, gravity = false, computed_torque = false, cartesian = false;
  VecX<double> kp, kd;
  Vec6<double> task_kp = Vec6<double>::Zero(), task_kd = Vec6<double>::Zero();  // along and about the tool's axes
  std::vector<LawSettings> along_reference;
};

void add_law(const LawSettings& law, KernelLaw& sum) {
  const std::string_view kind = law.kind();
  LawSettings copy = law;
  const auto unsupported = [&](const std::string& why) {
    not_for_kernels(fmt::format("the law '{}' {}", kind, why),
                    "joint_pd, gravity, feed_forward, friction along the reference and open_loop, alone or in a sum; "
                    "computed_torque; cartesian_impedance with kd");
  };
  if (kind == "sum") {
    for (const LawSettings& term : law.terms()) {
      if (!term.on) unsupported(fmt::format("has a term '{}' that is off", term.term_name()));
      add_law(term, sum);
    }
  } else if (kind == "joint_pd") {
    if (sum.pd || sum.computed_torque || sum.cartesian) unsupported("stands beside other gains");
    sum.pd = true;
    const auto& s = copy.as<JointPdSettings>();
    sum.kp = s.kp;
    sum.kd = s.kd;
  } else if (kind == "gravity" && !copy.as<GravityCompensationSettings>().at_reference) {
    if (sum.gravity || sum.computed_torque || sum.cartesian) unsupported("counts gravity twice");
    sum.gravity = true;
  } else if (kind == "computed_torque") {
    if (sum.pd || sum.gravity || sum.computed_torque || sum.cartesian) unsupported("stands beside other gains");
    const auto& s = copy.as<ComputedTorqueSettings>();
    if (!s.filters.empty()) unsupported("has filters");
    if (!s.terms.inertia || !s.terms.coriolis || !s.terms.gravity || s.terms.friction || s.terms.rotors)
      unsupported("uses other terms than inertia, coriolis and gravity");
    sum.computed_torque = true;
    sum.kp = s.kp;
    sum.kd = s.kd;
  } else if (kind == "cartesian_impedance") {
    if (sum.pd || sum.gravity || sum.computed_torque || sum.cartesian) unsupported("stands beside other gains");
    const auto& s = copy.as<CartesianImpedanceSettings>();
    if (s.damping.size() != 6) unsupported("designs its damping for every position: kd would be given");
    if (s.coriolis) unsupported("compensates Coriolis torques");
    sum.cartesian = true;
    sum.gravity = s.gravity;
    sum.task_kp = s.stiffness;
    sum.task_kd = s.damping;
  } else if (kind == "feed_forward" || kind == "open_loop" || kind == "gravity" ||
             (kind == "friction" &&
              copy.as<FrictionCompensationSettings>().speed == FrictionCompensationSettings::Speed::reference)) {
    sum.along_reference.push_back(law);
  } else {
    unsupported("is not among those that a kernel computes");
  }
}

KernelLaw kernel_law(const LoadedScenario& loaded) {
  const ControllerSettings& c = loaded.scenario.controller;
  if (loaded.law) not_for_kernels("the law is a program of its own");
  if (c.continuous) not_for_kernels("the law acts continuously", "leave controller.continuous out");
  if (!c.switches.empty()) not_for_kernels("terms of the law are switched");
  if (c.observer.kind != ObserverSettings::Kind::none) not_for_kernels("the law has an observer");
  if (c.safety.on) not_for_kernels("the law has a guard");
  if (c.collision.observer.method != ExternalTorqueMethod::none) not_for_kernels("the law watches for collisions");
  if (c.payload_watch.on) not_for_kernels("the law watches what the tool carries");
  KernelLaw law;
  add_law(c, law);
  if (law.computed_torque && !law.along_reference.empty())
    not_for_kernels("computed_torque stands beside other terms", "it alone");
  return law;
}

/// That of the simulation, which chooses where the scenario leaves it to us.
armature_rollout::Step step_of(const LoadedScenario& loaded) {
  using armature_rollout::Step;
  Method method = loaded.scenario.run.integrator.method;
  std::string why = fmt::format("run.method is '{}', which controls its error", to_string(method));
  if (method == Method::automatic) {
    const Experiment e = run::build(loaded);
    method = e.loop.integrator.method;
    why = "run.method is 'auto', which takes " + e.integration;
  }
  switch (method) {
    case Method::euler:
      return Step::euler;
    case Method::heun:
      return Step::heun;
    case Method::rk4:
      return Step::rk4;
    case Method::semi_implicit_euler:
      return Step::semi_implicit_euler;
    default:
      not_for_kernels(why, "a fixed step: run: {method: rk4}");
  }
}

/// The plant: rigid, driven by torques, without events.
void check_plant(const PlantDescription& p, const Eigen::MatrixXd& to_command, bool hybrid) {
  if (!p.arm || p.flexible) not_for_kernels("the links are flexible", "plant.flexible_links: false");
  if (!p.arm->springs().empty()) not_for_kernels("a joint has a spring");
  if (!p.rotors.empty() || !p.springs.empty()) not_for_kernels("the drives are elastic", "plant.drives: rigid");
  if (!p.walls.empty()) not_for_kernels("the tool can touch a wall");
  if (!p.wrenches.empty()) not_for_kernels("wrenches act on the tool");
  if (!p.payloads.empty()) not_for_kernels("the payload changes during the run");
  if (!p.locks.empty()) not_for_kernels("a joint is locked");
  if (hybrid) not_for_kernels("the plant has events: something sticks, has play or saturates", "plant.stick: smooth");
  const int n = p.arm->dof();
  if (static_cast<int>(p.motors.size()) != n || !to_command.isIdentity(1e-12))
    not_for_kernels("the motors are not fed with the torques of their joints", "plant.command: torque");
  for (int i = 0; i < n; ++i) {
    const Motor& m = p.motors[i];
    if (m.linear) not_for_kernels("a drive is a reduced model", "plant.drives: rigid, without plant.reduced");
    if (m.command != Motor::Command::torque || m.drives.size() != 1 || m.drives.front() != std::pair(i, 1.0))
      not_for_kernels("motors turn several joints, or are not fed with torques");
    if (m.friction.coulomb != 0 || m.friction.viscous != 0) not_for_kernels("motors rub by themselves");
  }
}

/// One joint's friction as offset + viscous qd + (lean qd + hump exp(-(narrow qd)²)) tanh(w1 qd) + sum of f tanh(w qd).
struct Bends : ThreeSigmoid {
  double lean = 0, hump = 0, narrow = 0;
};
Bends bends_of(const AxisFriction& f) {
  if (f.gear_loss != 0) not_for_kernels("a gear loses a share of its torque");
  if (const auto* law = std::get_if<ThreeSigmoid>(&f.law)) return {*law};
  const std::array<double, 3> steep{1 / f.smoothing, 1, 1};
  if (const auto* law = std::get_if<CoulombViscous>(&f.law))
    return {{.f = {law->coulomb, 0, 0}, .w = steep, .viscous = law->viscous, .offset = 0}};
  // with s = tanh(qd/smoothing): (1 + s)/2 of the forward law and (1 - s)/2 of the backward one
  if (const auto* law = std::get_if<AsymmetricFriction>(&f.law)) {
    const auto half_sum = [](double a, double b) { return (a + b) / 2; };
    return {{.f = {half_sum(law->coulomb_positive, law->coulomb_negative), 0, 0},
             .w = steep,
             .viscous = half_sum(law->viscous_positive, law->viscous_negative),
             .offset = law->offset + half_sum(law->coulomb_positive, -law->coulomb_negative)},
            half_sum(law->viscous_positive, -law->viscous_negative)};
  }
  if (const auto* law = std::get_if<Stribeck>(&f.law); law && law->exponent == 2) {
    Bends bends{{.f = {law->coulomb, 0, 0}, .w = steep, .viscous = law->viscous, .offset = law->offset}};
    bends.hump = law->stiction - law->coulomb;
    bends.narrow = 1 / law->stribeck_velocity;
    return bends;
  }
  not_for_kernels(
      "the friction of a joint is neither coulomb_viscous, asymmetric, three_sigmoid nor a stribeck law with exponent "
      "2");
}

VecX<double> each_joint(const VecX<double>& gains, int n) {
  if (gains.size() == n) return gains;
  return VecX<double>::Constant(n, gains.size() == 1 ? gains[0] : 0);
}

/// What is measured and commanded.
void check_signals(const LoopSettings& loop) {
  const SensorSettings& e = loop.sensors;
  if (e.delay != 0 || loop.converter.delay != 0) not_for_kernels("sensors or commands are delayed");
  if (e.bits != 0 || e.speed_range != 0 || e.torque_range != 0 || e.force_range != 0 || e.moment_range != 0)
    not_for_kernels("sensors have ranges and bits");
  if (e.torque_noise != 0 || e.force_noise != 0 || e.moment_noise != 0)
    not_for_kernels("torques or wrenches are measured");
  if (loop.converter.range > 0 && loop.converter.bits == 0) not_for_kernels("the converter has a range without bits");
}

/// The friction of all joints, and what of it a kernel has to compute.
struct KernelFriction {
  std::vector<Bends> joints;
  int bends = 0;  // sigmoids of a joint
  bool leans = false, humps = false;
};
KernelFriction kernel_friction(const PlantDescription& p, int n) {
  KernelFriction k{std::vector<Bends>(static_cast<std::size_t>(n))};
  for (const AxisFriction& f : p.friction) k.joints[f.axis] = bends_of(f);
  for (const Bends& f : k.joints) {
    k.leans = k.leans || f.lean != 0;
    k.humps = k.humps || f.hump != 0;
    for (int i = 0; i < 3; ++i)
      if (f.f[i] != 0) k.bends = std::max(k.bends, i + 1);
  }
  if (k.leans || k.humps) k.bends = std::max(k.bends, 1);
  return k;
}

/// The numbers of a loop by their places.
struct KernelNumbers {
  const KernelLayout& at;
  std::vector<double>& x;

  void put(int where, double value) const { x[where] = value; }

  void put_friction(const KernelFriction& friction) const {
    for (int i = 0; i < at.n; ++i) {
      const Bends& f = friction.joints[i];
      put(at.viscous() + i, f.viscous);
      put(at.offset() + i, f.offset);
      put(at.lean() + i, f.lean);
      put(at.hump() + i, f.hump);
      put(at.narrow() + i, f.narrow);
      for (int b = 0; b < friction.bends; ++b) {
        put(at.bend() + b * at.n + i, f.f[b]);
        put(at.steep() + b * at.n + i, f.w[b]);
      }
    }
  }
  void put_limits(const PlantDescription& p) const {
    for (int i = 0; i < at.n; ++i) {
      const Limits& limits = p.arm->joint(i).limits;
      put(at.limit() + i, p.motors[i].torque_limit.value_or(no_limit));
      put(at.lower() + i, limits.lower.value_or(-no_limit));
      put(at.upper() + i, limits.upper.value_or(no_limit));
      put(at.per_half_range() + i, limits.lower && limits.upper ? 2 / (*limits.upper - *limits.lower) : 0);
      put(at.per_speed() + i, limits.velocity ? 1 / *limits.velocity : 0);
      put(at.per_torque() + i, limits.torque ? 1 / *limits.torque : 0);
    }
  }
  void put_law(const KernelLaw& law) const {
    const VecX<double> kp = each_joint(law.kp, at.n), kd = each_joint(law.kd, at.n);
    for (int i = 0; i < at.n; ++i) {
      put(at.kp() + i, kp[i]);
      put(at.kd() + i, kd[i]);
    }
    for (int i = 0; i < 6; ++i) {
      put(at.task_kp() + i, law.task_kp[i]);
      put(at.task_kd() + i, law.task_kd[i]);
    }
  }
  void put_start(const StartSettings& start, const KernelTable* table) const {
    const bool there = table && start.on_reference;
    const VecX<double>&q = there ? table->q : start.q, &qd = there ? table->qd : start.v;
    for (int i = 0; i < at.n; ++i) {
      put(at.q() + i, q.size() == 0 ? 0 : q[i]);
      put(at.qd() + i, qd.size() == 0 ? 0 : qd[i]);
      if (!table) continue;
      put(at.goal() + i, table->goal[i]);
      put(at.rise() + i, table->rise[i]);
      put(at.fall() + i, table->fall[i]);
      put(at.last_step() + i, table->last_step[i]);
    }
  }
  void put_signals(const LoopSettings& loop) const {
    put(at.encoder(), loop.sensors.encoder_resolution);
    put(at.position_noise(), loop.sensors.position_noise);
    put(at.speed_noise(), loop.sensors.speed_noise);
    if (loop.converter.bits == 0) return;
    put(at.command_range(), loop.converter.range);
    put(at.command_step(), 2 * loop.converter.range / (std::exp2(loop.converter.bits) - 1));
  }
};

double stored_at_zero(const Plant& plant) {
  const int n = plant.dof();
  Eigen::VectorXd state = plant.state_at(VecX<double>::Zero(n), VecX<double>::Zero(n));
  const Modes modes = plant.modes_at(0, state, Eigen::VectorXd::Zero(n).eval().data());
  return plant.stored_energy(state.data(), modes);
}

LoopKind kind_of(const LoadedScenario& loaded, const KernelLaw& law, const KernelFriction& friction,
                 const LoopSettings& loop, const KernelFigures& wanted) {
  LoopKind kind;
  kind.n = loaded.arm.dof();
  kind.bends = friction.bends;
  kind.step = step_of(loaded);
  kind.pd = law.pd;
  kind.gravity = law.gravity;
  kind.computed_torque = law.computed_torque;
  kind.table_torque = !law.along_reference.empty();
  kind.cartesian = law.cartesian;
  kind.leans = friction.leans;
  kind.humps = friction.humps;
  kind.position_noise = loop.sensors.position_noise > 0;
  kind.speed_noise = loop.sensors.speed_noise > 0;
  kind.encoder = loop.sensors.encoder_resolution > 0;
  kind.difference = loop.sensors.speed == SensorSettings::Speed::difference;
  kind.converter = loop.converter.bits > 0;
  kind.balance = !loop.accept_energy_error;
  kind.joints = wanted.joints;
  kind.states = wanted.states;
  kind.stops = loaded.scenario.run.integrator.method == Method::automatic && loaded.scenario.plant.end_stops;
  return kind;
}

}  // namespace

std::string constants_text(const LoopKind& kind) {
  const char* const steps[] = {"euler", "semi_implicit_euler", "heun", "rk4"};
  std::string text = fmt::format(
      "  static constexpr int n = {}, bends = {};\n  static constexpr armature_rollout::Step step = "
      "armature_rollout::Step::{};\n",
      kind.n, kind.bends, steps[static_cast<int>(kind.step)]);
  const std::pair<const char*, bool> flags[] = {
      {"pd", kind.pd},
      {"gravity", kind.gravity},
      {"computed_torque", kind.computed_torque},
      {"table_torque", kind.table_torque},
      {"cartesian", kind.cartesian},
      {"leans", kind.leans},
      {"humps", kind.humps},
      {"position_noise", kind.position_noise},
      {"speed_noise", kind.speed_noise},
      {"encoder", kind.encoder},
      {"difference", kind.difference},
      {"converter", kind.converter},
      {"tool", kind.tool},
      {"moves", kind.moves},
      {"limits", kind.limits},
      {"efforts", kind.efforts},
      {"power", kind.power},
      {"balance", kind.balance},
      {"joints", kind.joints},
      {"stops", kind.stops},
      {"states", kind.states},
  };
  for (const auto& [name, on] : flags) text += fmt::format("  static constexpr bool {} = {};\n", name, on);
  return text;
}

KernelLoop kernel_loop(const LoadedScenario& loaded, const KernelFigures& wanted, const MotionParameters& parameters,
                       const KernelTable* table) {
  const Scenario& s = loaded.scenario;
  const KernelLaw law = kernel_law(loaded);
  if (!s.inputs.empty()) not_for_kernels("signals are added to the loop");
  Composition composition;
  const Plant plant = plant_of(loaded, composition);
  const PlantDescription& p = plant.description();
  check_plant(p, composition.to_command, plant.hybrid());
  const LoopSettings loop = loop_of(loaded, plant.hybrid());
  check_signals(loop);

  const int n = plant.dof();
  const KernelFriction friction = kernel_friction(p, n);
  KernelLoop k;
  k.kind = kind_of(loaded, law, friction, loop, wanted);
  k.layout = armature_rollout::layout_of(k.kind);
  k.automatic = s.run.integrator.method == Method::automatic;
  k.numbers.assign(static_cast<std::size_t>(k.layout.parameters()), 0.0);
  const KernelNumbers numbers{k.layout, k.numbers};
  numbers.put_start(s.start, table);
  numbers.put_law(law);
  numbers.put_friction(friction);
  numbers.put_limits(p);
  numbers.put_signals(loop);
  numbers.put(k.layout.stored(), stored_at_zero(plant));
  VecX<double> rotors = VecX<double>::Zero(n);
  if (p.reflected_inertia.size() > 0) rotors = p.reflected_inertia.diagonal();
  k.parameters = parameters(*p.arm, rotors);
  k.seed = loop.sensors.seed;
  k.tick = loop.tick;
  k.steps = static_cast<int>(std::max(1.0, std::ceil(loop.tick / loop.integrator.step - 1e-9)));
  k.step = loop.tick / k.steps;
  k.ticks = static_cast<int>(std::llround(loop.duration / loop.tick));
  k.every = loop.log_every;
  return k;
}

KernelTable kernel_table(const LoadedScenario& loaded, const KernelLoop& loop) {
  const run::Experiment e = run::build(loaded);
  const KernelLaw law = kernel_law(loaded);
  const KernelLayout& at = loop.layout;
  const int n = at.n;
  std::vector<AnyController> along;
  for (const LawSettings& term : law.along_reference) along.push_back(term.make({loaded.believed, loop.tick}));
  KernelTable table;
  Reference wanted, shown;
  Measurement nothing{VecX<double>::Zero(n), VecX<double>::Zero(n), VecX<double>::Zero(n)};
  Measurement something{VecX<double>::Constant(n, 0.3), VecX<double>::Constant(n, 0.2), VecX<double>::Zero(n)};
  VecX<double> torque = VecX<double>::Zero(n), other = torque;
  for (int k = 0; k <= loop.ticks; ++k) {
    const double t = k * loop.tick;
    e.loop_reference(t, wanted);
    e.reference(t, shown);
    if (wanted.q.size() != n || wanted.qd.size() != n || wanted.qdd.size() != n || !wanted.q.allFinite())
      not_for_kernels("the reference does not say where the joints should be");
    table.rows.insert(table.rows.end(), wanted.q.begin(), wanted.q.end());
    table.rows.insert(table.rows.end(), wanted.qd.begin(), wanted.qd.end());
    if (at.computed_torque) table.rows.insert(table.rows.end(), wanted.qdd.begin(), wanted.qdd.end());
    if (at.table_torque) {
      VecX<double> sum = VecX<double>::Zero(n);
      for (AnyController& term : along) {
        term.update(nothing, wanted, loop.tick, torque);
        term.update(something, wanted, loop.tick, other);
        if (torque != other) not_for_kernels("friction that depends on the load is compensated");
        sum += torque;
      }
      table.rows.insert(table.rows.end(), sum.begin(), sum.end());
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) table.rows.push_back(shown.X_WT.R(i, j));
    for (int i = 0; i < 3; ++i) table.rows.push_back(shown.X_WT.p[i]);
    if (at.cartesian) table.rows.insert(table.rows.end(), wanted.twist.begin(), wanted.twist.end());
  }
  const auto columns = static_cast<std::size_t>(at.columns());
  const auto value = [&](int tick, int i) {
    return table.rows[static_cast<std::size_t>(tick) * columns + static_cast<std::size_t>(i)];
  };
  const int last = loop.ticks / loop.every * loop.every;
  table.goal = table.rise = table.fall = table.last_step = VecX<double>::Zero(n);
  for (int i = 0; i < n; ++i) {
    table.goal[i] = value(last, i);
    for (int k = 0; k <= last; k += loop.every) {
      table.rise[i] = std::max(table.rise[i], value(k, i) - table.goal[i]);
      table.fall[i] = std::min(table.fall[i], value(k, i) - table.goal[i]);
    }
    table.last_step[i] = std::abs(table.goal[i] - value(std::max(0, last - loop.every), i));
  }
  if (loaded.scenario.start.on_reference) {
    table.q = e.start.head(n);
    table.qd = e.start.segment(n, n);
  }
  return table;
}

}  // namespace armature::campaign
