#include "flexible_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/model/flexible.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/integrator.hpp"

namespace armature::studies::vandeven1986 {

namespace {

// Ours, for the paper prints no mass, length or section: a tube of 6 kg and 0.7 m that carries a disc of 5 kg.
constexpr double length = 0.7, beam_mass = 6, load_mass = 5;             // [m] [kg] [kg]
constexpr double EI = 4000, GJ = 1500;                                   // [N m²]
constexpr double axial = 0.012, load_axial = 0.02, load_across = 0.012;  // [kg m²]
const std::string ours = "tube of 6 kg and 0.7 m with EI = 4000 and GJ = 1500 N m², 5 kg at its end: ours";

/// The two axes of the paper with that tube for an arm.
ArmDescription soft_arm(bool bends, bool twists) {
  ArmDescription arm = catalogue_arm("asea2", built_in_kernels()).description();
  JointDescription& shoulder = arm.joints.at(1);
  FlexibleLink link;
  link.mass = beam_mass;
  link.axial_inertia = axial;
  if (bends) link.bending_y = link.bending_z = Flexibility{EI, {}, 20.0};
  if (twists) link.torsion = Flexibility{GJ, {}, 1.0};
  shoulder.flexible = link;
  const double across = beam_mass * length * length / 12 + axial / 2;
  const Inertia<double> whole =
      inertia_about_com<double>(beam_mass, {-length / 2, 0, 0}, Vec3<double>(axial, across, across).asDiagonal()) +
      inertia_about_com<double>(load_mass, {0, 0, 0}, Vec3<double>(load_axial, load_across, load_across).asDiagonal());
  shoulder.link.mass = MassProperties{whole.m, whole.h, true, whole.I_Bo, true, "ours"};
  return arm;
}

/// The slowest swing while both joints are held [Hz].
double slowest_swing(ArmDescription description) {
  description.gravity.setZero();
  const Arm arm(description);
  PlantDescription held = compose(arm, {.drives = ComposeOptions::Drives::ideal, .friction = false}).plant;
  for (const int joint : {0, 1})
    held.springs.push_back({.name = "brake", .driver = ground, .driven = joint, .stiffness = 1e12});
  const Plant plant(held);
  Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(2), VecX<double>::Zero(2));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(2);
  for (const Mode& mode : modes_of(linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()))))
    if (mode.eigenvalue.imag() > 1) return mode.frequency;
  return 0;
}

/// The smallest positive root.
template <class F>
double first_root(F f) {
  double low = 1e-3, high = low + 1e-2;
  while ((f(high) > 0) == (f(low) > 0)) {
    low = high;
    high += 1e-2;
  }
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    ((f(middle) > 0) == (f(low) > 0) ? low : high) = middle;
  }
  return low;
}

/// Euler and Bernoulli: a clamped beam that carries a mass and an inertia at its end [Hz].
double euler_bernoulli() {
  const double m = load_mass / beam_mass, j = load_across / (beam_mass * length * length);
  const double y = first_root([&](double b) {
    const double c = std::cos(b), s = std::sin(b), C = std::cosh(b), S = std::sinh(b);
    return 1 + c * C + m * b * (c * S - s * C) - j * b * b * b * (c * S + s * C) + m * j * b * b * b * b * (1 - c * C);
  });
  return y * y * std::sqrt(EI / (beam_mass * length * length * length)) / (2 * pi);
}

Claim torsion() {
  const double found = slowest_swing(soft_arm(false, true));
  const double y = first_root([&](double b) { return load_axial / axial * b * std::sin(b) - std::cos(b); });
  const double rod = y * std::sqrt(GJ / (axial * length)) / (2 * pi);
  return {"torsion of a link",
          "a spring between a part of the load and the rest of it",
          "section 5",
          fmt::format("{:.2f} Hz, a rod that twists {:.2f} Hz ({:+.2f} %)", found, rod, (found / rod - 1) * 100),
          std::abs(found / rod - 1) < 0.01,
          ours + "; 1 % is asked for"};
}

Claim bending() {
  const double found = slowest_swing(soft_arm(true, false)), beam = euler_bernoulli();
  const double reduced_mass = load_mass + 33.0 / 140 * beam_mass;
  const double paper = std::sqrt(bending_stiffness(EI, length) / reduced_mass) / (2 * pi);
  return {"bending of a link",
          "kinetic energy of translation and c_b u²/2 beside (11) and (12)",
          "section 5",
          fmt::format("{:.3f} Hz; Euler-Bernoulli {:.3f} Hz ({:+.2f} %), c_b and one reduced mass {:.3f} Hz", found,
                      beam, (found / beam - 1) * 100, paper),
          std::abs(found / beam - 1) < 0.01 && std::abs(found / paper - 1) < 0.03,
          ours + "; 1 % and, for the paper's one mass, 3 % are asked for"};
}

/// Drives with play, dry friction and a coupling that stiffens with its load; links that bend and twist.
Claim everything() {
  const PlantDescription description = two_axes(soft_arm(true, true), 0.02, 20);
  const Plant plant(description);
  Integrator run(plant, {.relative = 1e-8, .absolute = 1e-10});
  const Eigen::VectorXd u = (Eigen::VectorXd(2) << 10, -6).finished();
  run.start(0, plant.state_at((VecX<double>(2) << 0, 0.5).finished(), VecX<double>::Zero(2)), u);
  const double stored = plant.stored_energy(run.state().data(), run.modes());
  std::vector<LogEvent> events;
  double bent = 0;
  const Eigen::Index first = plant.axes() - static_cast<Eigen::Index>(description.flexible->angles.size());
  const Eigen::VectorXd start = run.state();
  for (int k = 1; k <= 60; ++k) {
    run.advance(0.005 * k, events);
    bent = std::max(bent, (run.state() - start).segment(first, plant.axes() - first).cwiseAbs().maxCoeff());
  }
  const Eigen::VectorXd& x = run.state();
  const Eigen::Index e = x.size() - 2;
  const double gap = std::abs(x[e] - x[e + 1] - plant.stored_energy(x.data(), run.modes()) + stored) / x[e];
  return {"flexible links",
          "the two axes with links that twist and bend, and c3 that depends on the load",
          "section 5",
          fmt::format("{} states; links bend by up to {:.1e} rad more; books within {:.0e} over 0.3 s", x.size() - 2,
                      bent, gap),
          gap < 1e-6 && bent > 1e-5 && x.size() - 2 == 18 + 2 * 9,
          ours};
}

/// c3 grows with the load: under a torque that makes it half as stiff again, mode 1 is where a c3 of 1.5 times has it.
Claim loaded_coupling() {
  DriveParameters p = printed_drive();
  const double c = p.c[2], load = 0.2, twist = load / (7 * c / 6);  // c + 3 h twist² = 1.5 c, c twist + h twist³ = load
  p.hardening = c / (6 * twist * twist);
  DriveParameters stiffer = printed_drive();
  stiffer.c[2] *= 1.5;
  const double at_rest = tachometer_channel(p).resonances().at(0).frequency,
               loaded = tachometer_channel(p, twist).resonances().at(0).frequency,
               expected = tachometer_channel(stiffer).resonances().at(0).frequency;
  return {"c3 under load",
          "the torsion rigidity c3 depends on the load",
          "load-dependent",
          fmt::format("mode 1 at {:.2f} Hz at rest, {:.2f} Hz under {} N m; {:.2f} Hz with c3 times 1.5", at_rest,
                      loaded, load, expected),
          std::abs(loaded / expected - 1) < 1e-6 && loaded > 1.1 * at_rest,
          "a cubic term in the torque of c3, so large that 0.2 N m make it half as stiff again: ours"};
}

}  // namespace

std::vector<Claim> flexible_links() { return {torsion(), bending(), loaded_coupling(), everything()}; }

}  // namespace armature::studies::vandeven1986
