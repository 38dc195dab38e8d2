// Flexible links against the beams of Euler, Bernoulli and Rayleigh, and against the rigid arm that they become.
#include "armature/testing/doctest.hpp"

#include <Eigen/LU>
#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/model/flexible.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/simulation/sensitivity.hpp"
#include "armature/testing/random_arms.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::simulation;
using namespace armature::testing;

namespace {

constexpr double l = 0.8, m = 1.5, EI = 90, GJ = 35, axial = 2e-3;  // [m] [kg] [N m²] [N m²] [kg m²]
constexpr double clamped = 1e9, light = 1e-6;                       // [kg m²] of the hub

/// Smallest root of `f` above `low`, by steps and bisection.
template <class F>
double first_root(F f, double low, double step) {
  double high = low + step;
  while ((f(high) > 0) == (f(low) > 0)) {
    low = high;
    high += step;
  }
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    ((f(middle) > 0) == (f(low) > 0) ? low : high) = middle;
  }
  return low;
}

/// First natural frequency [rad/s] of a clamped beam with a mass of `ratio` times its own at the end.
double euler_bernoulli(double ratio) {
  const double x = first_root(
      [&](double y) {
        return 1 + std::cos(y) * std::cosh(y) + ratio * y * (std::cos(y) * std::sinh(y) - std::sin(y) * std::cosh(y));
      },
      1e-3, 1e-2);
  return x * x * std::sqrt(EI / (m * l * l * l));
}
/// The same by Rayleigh's quotient of the static deflection: 33/140 of the beam's mass swings with its end.
double rayleigh(double ratio) { return std::sqrt(bending_stiffness(EI, l) / (m * (ratio + 33.0 / 140))); }
/// First natural frequency [rad/s] of a clamped rod that twists, with an inertia of `ratio` times its own at the end.
double twisting_rod(double ratio) {
  const double x = first_root([&](double y) { return ratio * y * std::sin(y) - std::cos(y); }, 1e-3, 1e-2);
  return x * std::sqrt(GJ / (axial * l));
}

MassProperties body(const Inertia<double>& inertia) { return {inertia.m, inertia.h, true, inertia.I_Bo, true, {}}; }

/// A beam along x behind a hub that turns about z, with a disc at its end.
ArmDescription hub_and_beam(double hub, const FlexibleLink& flexible, double tip_mass = 0, double tip_inertia = 0) {
  ArmDescription d;
  d.name = "hub";
  d.gravity.setZero();
  JointDescription joint;
  joint.name = "hub";
  joint.link.name = "root";
  joint.placement = OriginAxis{};
  joint.link.mass =
      body(inertia_about_com<double>(1, Vec3<double>::Zero(), Mat3<double>(light * Mat3<double>::Identity())));
  joint.drive.gear_ratio = 1;
  joint.drive.rotor_inertia = hub;
  d.joints.push_back(joint);
  JointDescription beam;
  beam.name = "beam";
  beam.type = JointType::fixed;
  beam.link.name = "rod";
  beam.placement = OriginAxis{{{l, 0, 0}, Vec3<double>::Zero()}, Vec3<double>::UnitZ()};
  beam.flexible = flexible;
  const double Ja = flexible.axial_inertia.value_or(0), across = m * l * l / 12 + Ja / 2;
  const Inertia<double> rod =
      inertia_about_com<double>(m, {-l / 2, 0, 0}, Vec3<double>(Ja, across, across).asDiagonal());
  beam.link.mass =
      body(rod + inertia_about_com<double>(tip_mass, Vec3<double>::Zero(),
                                           Vec3<double>(tip_inertia, tip_inertia / 2, tip_inertia / 2).asDiagonal()));
  d.joints.push_back(beam);
  return d;
}

FlexibleLink bends(std::optional<double> segments = {}) {
  FlexibleLink link;
  link.mass = m;
  link.segments = segments;
  link.bending_y = Flexibility{EI, {}, {}};
  return link;
}
FlexibleLink twists(std::optional<double> segments = {}) {
  FlexibleLink link;
  link.mass = m;
  link.axial_inertia = axial;
  link.segments = segments;
  link.torsion = Flexibility{GJ, {}, {}};
  return link;
}

/// Natural frequencies above 1 rad/s, rising [rad/s].
std::vector<double> frequencies(const Plant& plant, const VecX<double>& q) {
  Eigen::VectorXd x = plant.state_at(q, VecX<double>::Zero(plant.dof()));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(plant.inputs());
  std::vector<double> found;
  for (const Mode& mode : modes_of(linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()))))
    if (mode.eigenvalue.imag() > 1) found.push_back(mode.eigenvalue.imag());
  return found;
}
std::vector<double> frequencies(const ArmDescription& arm) {
  const Plant plant(compose(Arm(arm)).plant);
  return frequencies(plant, VecX<double>::Zero(plant.dof()));
}

}  // namespace

TEST_CASE("the first mode of a clamped beam is that of Euler and Bernoulli whatever mass it carries, and Rayleigh's") {
  for (const double ratio : {0.0, 0.05, 0.2, 0.5, 1.0, 2.0, 10.0, 100.0}) {
    CAPTURE(ratio);
    const double w = frequencies(hub_and_beam(clamped, bends(), ratio * m)).at(0);
    CHECK(w == doctest::Approx(euler_bernoulli(ratio)).epsilon(1e-3));
    CHECK(w == doctest::Approx(rayleigh(ratio)).epsilon(0.016));  // his own bound is high by 1.5 % at no mass
    CHECK(w < rayleigh(ratio) * 1.0001);
    CHECK(frequencies(hub_and_beam(clamped, bends(2), ratio * m)).at(0) ==
          doctest::Approx(euler_bernoulli(ratio)).epsilon(0.0102));
  }
  // second mode, without a mass: 22.0345 sqrt(EI/(m l³))
  const double unit = std::sqrt(EI / (m * l * l * l));
  CHECK(frequencies(hub_and_beam(clamped, bends())).at(1) == doctest::Approx(22.0345 * unit).epsilon(0.09));
  CHECK(frequencies(hub_and_beam(clamped, bends(4))).at(1) == doctest::Approx(22.0345 * unit).epsilon(0.006));
}

TEST_CASE("a beam on a free hub swings as Euler and Bernoulli say: x³ j (1 + cos cosh) = cos sinh - sin cosh") {
  for (const double j : {0.02, 0.1, 1.0}) {  // hub over beam's m l²
    CAPTURE(j);
    const double x = first_root(
        [&](double y) {
          return j * y * y * y * (1 + std::cos(y) * std::cosh(y)) - std::cos(y) * std::sinh(y) +
                 std::sin(y) * std::cosh(y);
        },
        0.5, 1e-2);
    CHECK(frequencies(hub_and_beam(j * m * l * l, bends(4))).at(0) ==
          doctest::Approx(x * x * std::sqrt(EI / (m * l * l * l))).epsilon(0.01));
  }
}

TEST_CASE("a rod that twists has the frequency of the wave equation, the better the more segments") {
  for (const double ratio : {0.0, 0.2, 1.0, 10.0}) {
    CAPTURE(ratio);
    const auto error = [&](double segments) {
      return frequencies(hub_and_beam(clamped, twists(segments), 0, ratio * axial)).at(0) / twisting_rod(ratio) - 1;
    };
    CHECK(std::abs(error(3)) < 0.015);
    CHECK(error(4) / error(8) == doctest::Approx(4).epsilon(0.15));  // second order
  }
}

TEST_CASE("one segment is the load split in two with the torsional stiffness between the parts") {
  FlexibleLink link = twists(1);
  link.torsion = Flexibility{{}, 50.0, {}};
  CHECK(frequencies(hub_and_beam(clamped, link, 0, 0.01)).at(0) ==
        doctest::Approx(std::sqrt(50 / (0.01 + axial / 2))).epsilon(1e-9));
}

TEST_CASE("force, moment and weight deflect the end of the beam as the tables say") {
  FlexibleLink link = bends(2);
  link.bending_z = Flexibility{EI, {}, {}};
  link.torsion = Flexibility{GJ, {}, {}};
  link.axial_inertia = axial;
  ArmDescription arm = hub_and_beam(clamped, link);
  const auto bent = [](const ArmDescription& d, const Vec6<double>& load) {
    PlantDescription description = compose(Arm(d)).plant;
    description.wrenches = {{.from = 0, .to = 1, .wrench = load}};
    description.springs.push_back({.name = "clamp", .driver = ground, .driven = 0, .stiffness = 1e12});
    const Plant plant(description);
    Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1)), xd(plant.states());
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
    const Modes modes = plant.modes_at(0.5, x, u.data());
    const LinearPlant linear = linearize(plant, 0.5, x, u, modes);
    plant.derivative<double>(0.5, x.data(), u.data(), modes, xd.data());
    x.head(linear.A.rows()) -= linear.A.fullPivLu().solve(xd.head(linear.A.rows()));
    return plant.outputs(0.5, x.data(), u.data(), modes).X_WT;
  };
  const double F = 1e-4, M = 1e-4;
  const Pose<double> pushed = bent(arm, (Vec6<double>() << 0, F, 0, 0, 0, 0).finished());
  CHECK(pushed.p[1] == doctest::Approx(F * l * l * l / (3 * EI)).epsilon(1e-6));
  CHECK(pushed.R(1, 0) == doctest::Approx(F * l * l / (2 * EI)).epsilon(1e-6));
  const Pose<double> turned = bent(arm, (Vec6<double>() << 0, 0, 0, M, 0, M).finished());
  CHECK(turned.p[1] == doctest::Approx(M * l * l / (2 * EI)).epsilon(1e-6));
  CHECK(turned.R(1, 0) == doctest::Approx(M * l / EI).epsilon(1e-6));
  CHECK(turned.R(2, 1) == doctest::Approx(M * l / GJ).epsilon(1e-6));
  arm.gravity = {0, 0, -1e-4};
  CHECK(bent(arm, Vec6<double>::Zero()).p[2] == doctest::Approx(-m * 1e-4 * l * l * l / (8 * EI)).epsilon(1e-6));
}

TEST_CASE("stiffness at the far end and rigidity of the section say the same, in a DH row as at a fixed joint") {
  FlexibleLink by_stiffness = bends();
  by_stiffness.axial_inertia = 1e-7;
  const std::vector<double> expected = frequencies(hub_and_beam(clamped, by_stiffness, 0.4));
  by_stiffness.mass.reset();
  by_stiffness.mass_per_length = m / l;
  by_stiffness.bending_y = Flexibility{{}, 3 * EI / (l * l * l), {}};
  ArmDescription row = hub_and_beam(clamped, by_stiffness, 0.4);
  CHECK(frequencies(row).at(0) == doctest::Approx(expected.at(0)).epsilon(1e-9));
  JointDescription joint = row.joints[1];
  joint.type = JointType::revolute;
  joint.placement = DhRow{0, 0, l, 0};
  joint.drive = row.joints[0].drive;
  row.joints = {joint};
  const std::vector<double> found = frequencies(row);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
  // alike in all directions: every frequency twice
  row.joints[0].flexible->bending = row.joints[0].flexible->bending_y;
  row.joints[0].flexible->bending_y.reset();
  const std::vector<double> both = frequencies(row);
  REQUIRE(both.size() == 2 * expected.size());
  for (std::size_t i = 0; i < both.size(); ++i) CHECK(both[i] == doctest::Approx(expected[i / 2]).epsilon(1e-4));
}

TEST_CASE("damping at the far end is that of the first mode of a light beam: d / (2 sqrt(c m))") {
  FlexibleLink link = bends();
  link.mass = 1e-3;
  link.bending_y->damping = 3;
  const double tip = 2;
  ArmDescription arm = hub_and_beam(clamped, link, tip);
  const double across = 1e-3 * l * l / 12;
  arm.joints[1].link.mass =
      body(inertia_about_com<double>(tip, Vec3<double>::Zero(), Mat3<double>::Zero()) +
           inertia_about_com<double>(1e-3, {-l / 2, 0, 0}, Vec3<double>(0, across, across).asDiagonal()));
  const Plant plant(compose(Arm(arm)).plant);
  Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  double damping = 0;
  for (const Mode& mode : modes_of(linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()))))
    if (mode.eigenvalue.imag() > 1 && damping == 0) damping = mode.damping;
  CHECK(damping == doctest::Approx(3 / (2 * std::sqrt(bending_stiffness(EI, l) * tip))).epsilon(1e-3));
}

namespace {

/// A random arm of standard DH rows whose links with a length all bend or twist, each heavier by its beam.
ArmDescription random_flexible(int seed, double stiffness) {
  Random random(static_cast<std::uint64_t>(seed));
  std::vector<DhLink> rows;
  for (int i = 0; i < 3; ++i) {
    DhLink row{.name = "joint" + std::to_string(i + 1)};
    row.theta = random.uniform(-3, 3);
    row.d = random.uniform(-0.2, 0.2);
    row.a = random.uniform(0.2, 0.6);
    row.alpha = i == 1 ? pi / 2 : random.uniform(-3, 3);
    const Vec3<double> com(random.uniform(-0.3, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1));
    row.inertia = inertia_about_com<double>(random.uniform(0.5, 3), com, Vec3<double>(0.02, 0.03, 0.04).asDiagonal());
    rows.push_back(row);
  }
  ArmDescription arm = arm_from_dh("random", rows).description();
  for (std::size_t i = 0; i < arm.joints.size(); ++i) {
    JointDescription& joint = arm.joints[i];
    FlexibleLink link;
    link.mass = random.uniform(0.1, 1);
    link.axial_inertia = random.uniform(1e-3, 1e-2);
    link.segments = 2;
    if (i == 1) link.bending = Flexibility{stiffness, {}, {}};
    link.torsion = Flexibility{stiffness, {}, {}};
    joint.flexible = link;
    const Beam beam = beam_of(joint, arm.convention);
    joint.link.mass = body(inertia_of(*joint.link.mass) + seen_from(beam.X_SE.inverse(), beam.inertia(0, 1)));
  }
  return arm;
}

}  // namespace

TEST_CASE("held straight, a flexible arm is the rigid one: the same torques at its joints in any motion") {
  for (int seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const ArmDescription described = random_flexible(seed, 100);
    const Arm rigid(described);
    const ElasticArm elastic = with_elastic_joints(described);
    const Arm flexible(elastic.description);
    REQUIRE(flexible.dof() == rigid.dof() + static_cast<int>(elastic.elastic.size()));
    Random random(static_cast<std::uint64_t>(seed));
    VecX<double> q(3), v(3), a(3), all_q = VecX<double>::Zero(flexible.dof()), all_v = all_q, all_a = all_q;
    for (int i = 0; i < 3; ++i) {
      q[i] = random.uniform(-3, 3);
      v[i] = random.uniform(-3, 3);
      a[i] = random.uniform(-5, 5);
    }
    for (int i = 0; i < flexible.dof(); ++i)
      if (const int joint = elastic.joint[i]; joint < 3) {
        all_q[i] = q[joint];
        all_v[i] = v[joint];
        all_a[i] = a[joint];
      }
    const VecX<double> expected = inverse_dynamics<double>(rigid, q, v, a),
                       tau = inverse_dynamics<double>(flexible, all_q, all_v, all_a);
    for (int i = 0; i < flexible.dof(); ++i)
      if (const int joint = elastic.joint[i]; joint < 3)
        CHECK(tau[i] == doctest::Approx(expected[joint]).epsilon(1e-9).scale(expected.norm()));
  }
}

TEST_CASE("an arm whose links get stiffer moves ever more like the rigid one, in proportion to their compliance") {
  const auto run = [](ArmDescription arm, bool flexible) {
    arm.gravity.setZero();  // about an equilibrium
    ComposeOptions options;
    options.flexible_links = flexible;
    options.friction = false;
    options.torque_limits = false;
    const Plant plant(compose(Arm(arm), options).plant);
    Eigen::VectorXd x = plant.state_at(VecX<double>::Constant(3, 0.4), VecX<double>::Zero(3));
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(3);
    const LinearPlant linear = linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));
    Eigen::VectorXd C = Eigen::VectorXd::Zero(linear.A.rows());
    C[0] = 1;
    return frequency_response(linear, linear.B.col(0), C, {3.0})[0];
  };
  for (const int seed : {1, 2, 3}) {
    CAPTURE(seed);
    const auto rigid = run(random_flexible(seed, 1), false);
    const auto gap = [&](double stiffness) {
      return std::abs(run(random_flexible(seed, stiffness), true) / rigid - 1.0);
    };
    CHECK(gap(1e7) < 1e-3);
    CHECK(gap(1e7) / gap(1e8) == doctest::Approx(10).epsilon(0.02));
  }
}

TEST_CASE("a flexible arm that is driven, bent and damped keeps its energy books") {
  for (const int seed : {4, 5, 6}) {
    CAPTURE(seed);
    ArmDescription arm = random_flexible(seed, 200);
    for (JointDescription& joint : arm.joints)
      if (joint.flexible) {
        joint.flexible->torsion->damping = 0.5;
        if (joint.flexible->bending) joint.flexible->bending->damping = 2;
      }
    const Plant plant(compose(Arm(arm), {.torque_limits = false}).plant);
    Integrator run(plant, {.relative = 1e-9, .absolute = 1e-11});
    Eigen::VectorXd u = Eigen::VectorXd::Constant(3, 2.0);
    run.start(0, plant.state_at(VecX<double>::Constant(3, 0.3), VecX<double>::Constant(3, 0.5)), u);
    const double stored = plant.stored_energy(run.state().data(), run.modes());
    std::vector<LogEvent> events;
    run.advance(0.4, events);
    const Eigen::VectorXd& x = run.state();
    const Eigen::Index e = x.size() - 2;
    const double gained = plant.stored_energy(x.data(), run.modes()) - stored;
    CHECK(x[e + 1] > 0);
    CHECK(std::abs(x[e] - x[e + 1] - gained) < 1e-6 * (1 + std::abs(x[e]) + x[e + 1]));
  }
}

TEST_CASE("an arm starts bent by its weight: where its joints are held, nothing moves") {
  ArmDescription arm = random_flexible(7, 200);
  for (JointDescription& joint : arm.joints) {
    joint.drive.gear_ratio = 1;
    joint.drive.rotor_inertia = clamped;
  }
  const Plant plant(compose(Arm(arm)).plant);
  Eigen::VectorXd x = plant.state_at(VecX<double>::Constant(3, 0.3), VecX<double>::Zero(3)), xd(plant.states());
  CHECK(x.segment(3, plant.axes() - 3).norm() > 1e-3);
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(3);
  plant.derivative<double>(0, x.data(), u.data(), plant.modes_at(0, x, u.data()), xd.data());
  CHECK(xd.segment(plant.axes(), plant.axes()).cwiseAbs().maxCoeff() < 1e-5);
}

TEST_CASE("the mass of a flexible link shows in its sensitivities: heavier, its mode is slower by half as much") {
  // a clamped beam without a mass at its end: the frequency goes with one over the root of the mass
  FlexibleLink link = bends();
  const Plant plant(compose(Arm(hub_and_beam(clamped, link))).plant);
  Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  const Modes modes = plant.modes_at(0, x, u.data());
  const LinearPlant linear = linearize(plant, 0, x, u, modes);
  const std::vector<Mode> found = modes_of(linear);
  bool seen = false;
  for (const PlantParameter& parameter : parameters_of(plant.description())) {
    if (parameter.name != "link 1 mass") continue;
    const auto slopes = eigenvalue_slopes(linear, slope(parameter, 0, x, u, modes));
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].eigenvalue.imag() > 1) {
        CHECK(slopes[i].imag() / found[i].eigenvalue.imag() == doctest::Approx(-0.5).epsilon(1e-4));
        seen = true;
      }
  }
  CHECK(seen);
}

TEST_CASE("a beam that cannot be is refused with its place and a way out") {
  const auto complaint = [](const ArmDescription& arm) {
    for (const Finding& finding : findings(arm))
      if (finding.severity == Finding::Severity::error) return finding.place + ": " + finding.finding;
    return std::string("accepted");
  };
  const auto with = [&](auto change) {
    ArmDescription arm = hub_and_beam(1, bends());
    change(arm, *arm.joints[1].flexible);
    return complaint(arm);
  };
  CHECK(with([](ArmDescription&, FlexibleLink&) {}) == "accepted");
  CHECK(with([](ArmDescription&, FlexibleLink& f) { f.mass.reset(); }) ==
        "joint 'beam', flexible: the mass of the beam is not given");
  CHECK(with([](ArmDescription&, FlexibleLink& f) { f.bending_y->stiffness = 1; }) ==
        "joint 'beam', flexible, bending_y: it has the rigidity of a section and a stiffness");
  CHECK(with([](ArmDescription&, FlexibleLink& f) { f.bending_y.reset(); }) ==
        "joint 'beam', flexible: it neither bends nor twists");
  CHECK(with([](ArmDescription&, FlexibleLink& f) { f.bending_x = f.bending_y; }) ==
        "joint 'beam', flexible: bending_x is not across the beam");
  CHECK(with([](ArmDescription&, FlexibleLink& f) { f.segments = 1; }) ==
        "joint 'beam', flexible: it bends at one segment");
  CHECK(with([](ArmDescription&, FlexibleLink& f) { f.segments = 2.5; }) ==
        "joint 'beam', flexible: it has 2.5 segments");
  CHECK(with([](ArmDescription&, FlexibleLink& f) { f.bending_y->rigidity = -1; }) ==
        "joint 'beam', flexible, bending_y: the rigidity of the section is -1");
  CHECK(with([](ArmDescription& arm, FlexibleLink& f) {
          arm.joints[0].flexible = f;
        }).find("joint 'hub', flexible: the beam has no length") == 0);
  CHECK(with([](ArmDescription&, FlexibleLink& f) {
          f.mass = 2 * m;
        }).find("joint 'beam', flexible: link 'rod' is less than its beam") == 0);
  // 5 ways at 8 segments
  ArmDescription arm = hub_and_beam(1, twists(8));
  arm.joints[1].flexible->bending = Flexibility{EI, {}, {}};
  CHECK_THROWS_WITH_AS(compose(Arm(arm)), doctest::Contains("bend and twist at 24 more"), ModelError);
  CHECK_NOTHROW(compose(Arm(arm), {.flexible_links = false}));
  // a rod without inertia about its axis
  FlexibleLink thin = twists();
  thin.axial_inertia.reset();
  CHECK_THROWS_WITH_AS(compose(Arm(hub_and_beam(1, thin))), doctest::Contains("where nothing has inertia"), ModelError);
}
