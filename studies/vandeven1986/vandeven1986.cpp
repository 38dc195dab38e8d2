#include "vandeven1986.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <ctime>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/simulation/describing_function.hpp"
#include "armature/simulation/loop.hpp"
#include "armature/simulation/reduction.hpp"
#include "armature/simulation/scene.hpp"
#include "armature/trajectory/joint_paths.hpp"
#include "drive.hpp"
#include "flexible_links.hpp"

namespace armature::studies::vandeven1986 {

namespace {

/// Section 2: the two formulations of the dynamics are one.
Claim formulations() {
  Random random(1986);
  double worst = 0;
  for (const std::string& name : catalogue_names()) {
    const Arm arm = catalogue_arm(name, built_in_kernels());
    for (int trial = 0; trial < 20; ++trial) {
      VecX<double> q(arm.dof()), v(arm.dof()), a(arm.dof());
      for (int i = 0; i < arm.dof(); ++i) {
        q[i] = random.uniform(-3, 3);
        v[i] = random.uniform(-3, 3);
        a[i] = random.uniform(-5, 5);
      }
      const VecX<double> newton = inverse_dynamics<double>(arm, q, v, a),
                         lagrange = lagrange_inverse_dynamics<double>(arm, q, v, a);
      worst = std::max(worst, (newton - lagrange).cwiseAbs().maxCoeff() / std::max(1.0, newton.cwiseAbs().maxCoeff()));
    }
  }
  return {"formulations", "Lagrange and Newton-Euler give the same torques",
          "the same",     fmt::format("differ by {:.1e}, {} arms", worst, catalogue_names().size()),
          worst < 1e-12,  "every built-in arm, 20 random states each"};
}

/// Section 3: computed torque that may leave the velocity terms out.
double tracking_error(const Arm& arm, bool velocity_terms, double duration) {
  const Composition composition =
      compose(arm, {.drives = ComposeOptions::Drives::ideal, .friction = false, .torque_limits = false});
  const Plant plant(composition.plant);
  VecX<double> from(2), to(2);
  from << 0, 0.3;
  to << 2, 1.6;
  const PolynomialPath path = polynomial_move(from, to, 5, duration);
  const VecX<double> kp = VecX<double>::Constant(2, 100), kd = VecX<double>::Constant(2, 20);
  AnyController controller(ComputedTorque(arm, {.kp = kp, .kd = kd, .terms = {.coriolis = velocity_terms}}));
  JointMotion m;
  const Log log = run_loop(plant, composition.to_command, controller,
                           [&](double t, Reference& r) {
                             path.at(t, m);
                             r.q = m.q;
                             r.qd = m.qd;
                             r.qdd = m.qdd;
                           },
                           plant.state_at(from, VecX<double>::Zero(2)),
                           {.duration = duration, .integrator = {.method = Method::rk4}});
  double worst = 0;
  for (const char* joint : {"1", "2"})
    for (std::size_t i = 0; i < log.time.size(); ++i)
      worst = std::max(worst, std::abs(log.channel(fmt::format("q{}", joint)).values[i] -
                                       log.channel(fmt::format("q{}_ref", joint)).values[i]));
  return worst;
}

Claim velocity_terms(Log& figure) {
  const Arm arm = catalogue_arm("asea2", built_in_kernels());
  LogTable table{"Largest tracking error against speed",
                 {"move of 2 rad in [s]", "with velocity terms [mrad]", "without [mrad]"},
                 {}};
  const auto points = FigureSeries::Style::both;
  FigureSeries kept_terms{"with velocity terms", {}, {}, points}, left_out{"without", {}, {}, points};
  double slow = 0, fast = 0, kept = 0;
  for (const double duration : {4.0, 2.0, 1.0, 0.5, 0.25}) {
    const double with = tracking_error(arm, true, duration), without = tracking_error(arm, false, duration);
    table.rows.push_back(
        {fmt::format("{}", duration), fmt::format("{:.3f}", with * 1e3), fmt::format("{:.3f}", without * 1e3)});
    for (FigureSeries* s : {&kept_terms, &left_out}) s->x.push_back(2 / duration);
    kept_terms.y.push_back(with * 1e3);
    left_out.y.push_back(without * 1e3);
    if (duration == 4.0) slow = without;
    fast = without;
    kept = with;
  }
  figure.tables.push_back(table);
  figure.figures.push_back({"",
                            "Computed torque with and without Coriolis and centripetal terms",
                            {"mean speed", "rad/s", true},
                            {"largest tracking error", "mrad", true},
                            {kept_terms, left_out}});
  return {"velocity terms",
          "leaving out Coriolis and centripetal terms fails at speed",
          "not allowed at speed",
          fmt::format("error {:.2f} mrad in 4 s, {:.0f} mrad in 0.25 s ({:.2f} with the terms)", slow * 1e3, fast * 1e3,
                      kept * 1e3),
          fast > 50 * slow && fast > 10 * kept,
          "arm asea2, computed torque of 10 rad/s, 1 kHz"};
}

/// Section 4.1, Fig. 10.
std::vector<Claim> resonances(const Channel& channel, Log& figure) {
  const std::vector<Peak> found = channel.resonances();
  Spectrum bode{"9th-order model", "U_m", "U_t", "V/V", {}, {}, {}, "Fig. 10"};
  for (int i = 0; i <= 600; ++i) bode.frequency.push_back(0.1 * std::pow(1e5, i / 600.0));
  bode.response = frequency_response(channel.plant, channel.B, channel.C, bode.frequency);
  figure.spectra.push_back(bode);
  const double paper[] = {16, 600, 1200},
               reference[] = {15.46, 628.4, 1221.9};  // printed; the same model solved elsewhere
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool there = found.size() == 3;
    claims.push_back({fmt::format("mode {}", i + 1), "resonance of the 9th-order model with the printed parameters",
                      fmt::format("{} Hz", paper[i]),
                      there ? fmt::format("{:.2f} Hz, {:.1f} dB", found[i].frequency, found[i].decibel) : "not found",
                      there && std::abs(found[i].frequency / reference[i] - 1) < 1e-3,
                      fmt::format("the printed equations have their peak at {} Hz; the paper rounds", reference[i])});
  }
  return claims;
}

/// Fig. 11: a step with Coulomb friction and play.
Claim step_with_play(Log& figure) {
  DriveParameters p = printed_drive(true);
  p.S = 0.05;
  const Plant plant(drive_plant(p));
  Integrator run(plant, {});
  Eigen::VectorXd u = Eigen::VectorXd::Constant(1, 2.0);
  run.start(0, Eigen::VectorXd::Zero(plant.states()), u);
  Log log;
  log.add("twist", "rad");
  log.add("U_t", "V");
  log.add("energy_error", "J");
  log.add("energy_dissipated", "J");
  double worst = 0, last = 0;
  bool only_takes = true;
  for (int k = 0; k <= 2000; ++k) {
    const double t = 5e-4 * k;
    if (k == 1000) {
      u[0] = 0;
      run.set_input(u);
    }
    if (k > 0) run.advance(t, log.events);
    const Eigen::VectorXd& x = run.state();
    const Eigen::Index e = x.size() - 2;
    const double stored = plant.stored_energy(x.data(), run.modes()), error = x[e] - x[e + 1] - stored;
    only_takes = only_takes && x[e + 1] >= last - 1e-12;
    last = x[e + 1];
    worst = std::max(worst, std::abs(error) / (1e-3 + x[e]));
    log.time.push_back(t);
    log.channels[0].values.push_back(x[2] - x[3]);
    log.channels[1].values.push_back(p.KEt * x[4]);
    log.channels[2].values.push_back(error);
    log.channels[3].values.push_back(x[e + 1]);
  }
  // Chatter would be an element that changes its mode again before anything has moved: within a hundredth of a period of mode 3.
  const std::size_t events = log.events.size();
  constexpr double moment = 0.01 / 1222;
  double shortest = 1;
  for (std::size_t i = 0; i < events; ++i)
    for (std::size_t k = i + 1; k < events; ++k)
      if (log.events[k].detail == log.events[i].detail) {
        shortest = std::min(shortest, log.events[k].time - log.events[i].time);
        break;
      }
  figure.events = log.events;
  const Claim claim{
      "step with play",
      "step response with Coulomb friction and backlash",
      "simulated (Fig. 11)",
      fmt::format("{} events located, {:.2g} ms at least between two of the same teeth or bearing; books "
                  "within {:.0e}, dissipation {}",
                  events, 1e3 * shortest, worst, only_takes ? "only grows" : "runs backwards"),
      events > 3 && shortest > moment && worst < 1e-6 && only_takes,
      fmt::format("no chatter: {:.2g} ms, a hundredth of a period of mode 3, is asked for. S = 0.05 rad at "
                  "the motor shaft is ours: the paper does not print it",
                  1e3 * moment)};
  figure.time = log.time;
  figure.channels = log.channels;
  figure.title = "Step of 2 V with Coulomb friction and play";
  figure.time_figures = {{"Fig. 11", "Step response: tachometer", {"U_t"}, "The step ends at 0.5 s."},
                         {"Fig. 11", "Twist between drive and load", {"twist"}, "Play: 0.05 rad either way."},
                         {"", "Energy dissipated", {"energy_dissipated"}},
                         {"", "Error of the energy balance", {"energy_error"}}};
  return claim;
}

double largest_change(const Channel& a, const Channel& b, double from, double to) {
  double most = 0;
  for (int i = 0; i <= 200; ++i) {
    const double f = from * std::pow(to / from, i / 200.0);
    most = std::max(most, std::abs(a.decibel(f) - b.decibel(f)));
  }
  return most;
}

/// Fig. 12: the frequency response for several stiffnesses of the load's shaft.
void stiffnesses(Log& figure) {
  for (const double share : {0.5, 1.0, 1.5, 2.0}) {
    DriveParameters p = printed_drive();
    p.c[2] *= share;
    const Channel c = tachometer_channel(p);
    Spectrum bode{fmt::format("c3 = {:.2f} N m/rad", p.c[2]), "U_m", "U_t", "V/V", {}, {}, {}, "Fig. 12"};
    for (int i = 0; i <= 300; ++i) bode.frequency.push_back(std::pow(100.0, i / 300.0));
    bode.response = frequency_response(c.plant, c.B, c.C, bode.frequency);
    figure.spectra.push_back(bode);
  }
}

/// What the load's inertia and its damping do, and whether one looks like the other.
Claim low_frequency_claim(const Channel& nominal, const Channel& d3, const Channel& J4) {
  const double low = largest_change(nominal, J4, 1, 100), high = largest_change(nominal, J4, 500, 3000),
               d3_low = largest_change(nominal, d3, 1, 100), d3_high = largest_change(nominal, d3, 500, 3000);
  double dot = 0, nj = 0, nd = 0;
  for (int i = 0; i <= 200; ++i) {
    const double f = 2 * std::pow(50.0, i / 200.0), a = J4.decibel(f) - nominal.decibel(f),
                 b = d3.decibel(f) - nominal.decibel(f);
    dot += a * b;
    nj += a * a;
    nd += b * b;
  }
  const double correlation = dot / std::sqrt(nj * nd);
  return {"sensitivity J4",
          "J4 and d3 act at low frequency and are slightly dependent",
          "low; slightly dependent",
          fmt::format("J4: {:.1f} dB below 100 Hz, {:.3f} dB above 500 Hz; d3: {:.1f} dB and {:.3f} dB; their "
                      "changes from 2 to 100 Hz correlate with {:.2f}",
                      low, high, d3_low, d3_high, correlation),
          low > 10 * high && d3_low > 10 * d3_high && std::abs(correlation) > 0.05 && std::abs(correlation) < 0.9,
          "each ten times more below 100 Hz than above 500 Hz is asked for; slightly: neither apart (0.05) nor "
          "alike (0.9)"};
}

/// Section 4.2: every parameter times 1.5.
std::vector<Claim> sensitivity(const Channel& nominal) {
  const auto changed = [](auto change) {
    DriveParameters p = printed_drive();
    change(p);
    return tachometer_channel(p);
  };
  const auto mode = [](const Channel& c, std::size_t i) { return c.resonances().at(i); };
  std::vector<Claim> claims;

  const Channel L = changed([](DriveParameters& p) { p.L *= 1.5; });
  double dL[3];
  for (std::size_t i = 0; i < 3; ++i) dL[i] = std::abs(mode(L, i).decibel - mode(nominal, i).decibel);
  claims.push_back(
      {"sensitivity L", "the inductance shows in mode 3 only", "only mode 3",
       fmt::format("{:.2f}, {:.2f}, {:.2f} dB in modes 1, 2, 3", dL[0], dL[1], dL[2]),
       dL[0] < 0.01 && dL[2] > 3 * dL[1],
       "L times 1.5. In print mode 3 alone; with the printed numbers mode 2 moves too, and three times less "
       "is asked for"});

  const Channel d1 = changed([](DriveParameters&p) { p.d[0] *= 1.5; }),
                d2 = changed([](DriveParameters&p) { p.d[1] *= 1.5; });
  const double c1 = largest_change(nominal, d1, 500, 2000), c2 = largest_change(nominal, d2, 500, 2000);
  claims.push_back({"sensitivity d1 d2", "d2 matters more than d1 above 500 Hz", "d2 > d1",
                    fmt::format("{:.2f} dB against {:.2f} dB", c2, c1), c2 > c1, ""});

  double below = 0, above = 1e9;
  for (const std::size_t k : {0U, 1U}) {
    const Channel c = changed([&](DriveParameters& p) { p.c[k] *= 1.5; });
    below = std::max(below, largest_change(nominal, c, 0.1, 100));
    above = std::min(above, largest_change(nominal, c, 500, 3000));
  }
  claims.push_back({"sensitivity c1 c2", "c1 and c2 act above 500 Hz", "above 500 Hz",
                    fmt::format("below 100 Hz {:.3f} dB at most, above 500 Hz {:.1f} dB at least", below, above),
                    above > 20 * below, "20 times less below 100 Hz is asked for"});

  const Channel d3 = changed([](DriveParameters&p) { p.d[2] *= 1.5; }),
                c3 = changed([](DriveParameters&p) { p.c[2] *= 1.5; });
  const double df = mode(d3, 0).frequency / mode(nominal, 0).frequency - 1,
               da = mode(d3, 0).decibel - mode(nominal, 0).decibel;
  const double cf = mode(c3, 0).frequency / mode(nominal, 0).frequency - 1;
  claims.push_back({"sensitivity d3 c3", "d3 sets the amplitude and c3 the frequency of mode 1", "amplitude; frequency",
                    fmt::format("d3: {:+.1f} dB, {:+.1f} %; c3: {:+.1f} %", da, df * 100, cf * 100),
                    std::abs(da) > 0.3 && std::abs(df) < 0.03 && cf > 0.15, ""});

  claims.push_back(low_frequency_claim(nominal, d3, changed([](DriveParameters& p) { p.J[3] *= 1.5; })));

  const Channel lumped = changed([](DriveParameters& p) {
    p.d[4] += p.d[3] + p.d[5] + p.d[6];
    p.d[3] = p.d[5] = p.d[6] = 0;
  });
  const double lump = largest_change(nominal, lumped, 0.1, 3000);
  claims.push_back({"bearings lumped", "d4 to d7 can be lumped into d5", "no visible change",
                    fmt::format("{:.3f} dB at most", lump), lump < 0.1, "0.1 Hz to 3 kHz"});

  return claims;
}

/// Section 4.2: models of fewer states, and how far off they are.
std::vector<Claim> reduced_models(const Channel& nominal, Log& figure) {
  const StateSpace whole{nominal.plant.A, nominal.B, nominal.C.transpose(), Eigen::MatrixXd::Zero(1, 1)};
  std::vector<double> lines;
  for (int i = 0; i <= 400; ++i) lines.push_back(0.1 * std::pow(1e5, i / 400.0));
  const std::vector<std::complex<double>> truth = frequency_response(whole, 0, 0, lines);
  LogTable table{"Reduced models, from motor voltage to tachometer voltage",
                 {"method", "order", "bound [V/V]", "largest error [V/V]", "below 100 Hz [dB]"},
                 {}};
  std::vector<Claim> claims;
  for (const auto& [name, method] :
       {std::pair{"modal", Reduction::modal}, std::pair{"balanced", Reduction::balanced}}) {
    bool bounded = true;
    double below = 0, bound = 0;
    for (int order = 2; order <= 8; ++order) {
      const ReducedModel model = reduced(whole, order, method);
      const std::vector<std::complex<double>> response = frequency_response(model.system, 0, 0, lines);
      double worst = 0, decibel = 0;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        worst = std::max(worst, std::abs(response[i] - truth[i]));
        if (lines[i] <= 100) decibel = std::max(decibel, std::abs(20 * std::log10(std::abs(response[i] / truth[i]))));
      }
      bounded = bounded && worst <= model.bound * (1 + 1e-6) + 1e-9;
      if (order == 5) {
        below = decibel;
        bound = model.bound;
      }
      table.rows.push_back({name, fmt::format("{}", model.system.A.rows()), fmt::format("{:.2e}", model.bound),
                            fmt::format("{:.2e}", worst), fmt::format("{:.4f}", decibel)});
    }
    claims.push_back({fmt::format("reduced model, {}", name), "below 100 Hz a model of fewer states will do",
                      "reduced models are possible",
                      fmt::format("order 9 to 5: {:.4f} dB below 100 Hz, {:.1e} V/V at most anywhere", below, bound),
                      below < 0.5 && bounded,
                      "0.5 dB is asked for, and errors within the bound at every order from 2 to 8"});
  }
  figure.tables.push_back(table);
  return claims;
}

/// Section 4.1: a position loop around the drive, voltage = gain (wanted - angle), with the angle of the motor or of the load.
struct PositionLoop {
  int axis;     // whose angle is fed back
  double gain;  // [V/rad]
};

/// What goes on after four seconds: half the range of the twist and of the angle that is fed back, and how often the twist
/// goes round.
struct LoopSwing {
  double twist = 0, angle = 0, frequency = 0;  // [rad] [rad] [Hz]; frequency zero: no swing
};
LoopSwing settled_swing(const Plant& plant, const PositionLoop& loop, Log& figure, const std::string& name) {
  Integrator run(plant, {.relative = 1e-8, .absolute = 1e-10});
  run.start(0, Eigen::VectorXd::Zero(plant.states()), Eigen::VectorXd::Zero(1));
  run.set_input([&](double, const double* x, double* u, double*) { u[0] = loop.gain * (0.5 - x[loop.axis]); });
  std::vector<LogEvent> events;
  std::vector<double> twists, angles, crossings;
  std::vector<double>& load = figure.add(name, "rad").values;
  figure.time.clear();
  for (int k = 1; k <= 12000; ++k) {
    const double t = 5e-4 * k;
    run.advance(t, events);
    if (k % 10 == 0) {
      figure.time.push_back(t);
      load.push_back(run.state()[3]);
    }
    if (k <= 8000) continue;
    const double twist = run.state()[2] - run.state()[3];
    if (!twists.empty() && twists.back() < 0 && twist >= 0)
      crossings.push_back(t - 5e-4 * twist / (twist - twists.back()));
    twists.push_back(twist);
    angles.push_back(run.state()[loop.axis]);
  }
  const auto half_range = [](const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return (*high - *low) / 2;
  };
  const double rounds = static_cast<double>(crossings.size()) - 1;
  return {half_range(twists), half_range(angles), rounds > 0 ? rounds / (crossings.back() - crossings.front()) : 0};
}

/// The stable limit cycle that describing functions predict, the largest of its kind; frequency zero: none.
LoopSwing predicted_swing(const PlantDescription& plant, const PositionLoop& loop) {
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(Plant(plant).states());
  LoopSwing found;
  for (const LimitCycle& cycle : limit_cycles(plant, x, {[&](const LinearPlant& linear) {
                                                Eigen::MatrixXd A = linear.A;
                                                A.col(loop.axis) -= loop.gain * linear.B.col(0);
                                                return A;
                                              }}))
    if (cycle.stable) found = {cycle.swings.front().amplitude, std::abs(cycle.states[loop.axis]), cycle.frequency};
  return found;
}

std::vector<Claim> play_in_the_loop(Log& figure) {
  DriveParameters p = printed_drive();
  p.S = 0.05;
  const Plant plant(drive_plant(p));
  const PositionLoop motor{1, 10.0}, load{3, 10.0};
  const LoopSwing inside = settled_swing(plant, load, figure, "load_inside"),
                  outside = settled_swing(plant, motor, figure, "load_outside");
  figure.time_figures = {
      {"",
       "Angle of the load after a step of 0.5 rad",
       {"load_inside", "load_outside"},
       "Inside: the load's angle is fed back, the loop goes through the play. Outside: the motor's."}};
  const LoopSwing predicted = predicted_swing(drive_plant(p), load);
  DriveParameters rubs = printed_drive(true);
  rubs.S = p.S;
  const PositionLoop stiff{3, 18.0};
  Log unseen;
  const Plant rough(drive_plant(rubs));
  const LoopSwing calmed = settled_swing(rough, load, unseen, "calmed"),
                  both = settled_swing(rough, stiff, unseen, "both"), none = predicted_swing(drive_plant(rubs), load),
                  foretold = predicted_swing(drive_plant(rubs), stiff);
  const std::string chosen = "gain 10 V/rad and S = 0.05 rad are ours";
  return {
      {"play outside the loop", "motor feedback: play outside the position loop does no harm", "no limit cycle",
       fmt::format("the motor swings by {:.1e} rad after 4 s", outside.angle), outside.angle < 0.02 * p.S,
       chosen + "; within the play the load is free"},
      {"play inside the loop", "load feedback: play inside the position loop makes it swing", "limit cycle",
       fmt::format("the load swings by {:.3f} rad at {:.2f} Hz", inside.angle, inside.frequency),
       inside.twist > 1.05 * p.S && inside.frequency > 0, chosen},
      {"describing function", "twist and frequency of the limit cycle by harmonic balance", "—",
       fmt::format("simulated {:.3f} rad, {:.2f} Hz; harmonic balance {:.3f} rad, {:.2f} Hz", inside.twist,
                   inside.frequency, predicted.twist, predicted.frequency),
       predicted.frequency > 0 && std::abs(inside.frequency / predicted.frequency - 1) < 0.05 &&
           std::abs(inside.twist / predicted.twist - 1) < 0.15,
       "an approximation: 5 % in frequency and 15 % in amplitude are asked for"},
      {"play and dry friction",
       "describing functions of both together: dry friction calms the loop, a higher gain wakes it", "—",
       fmt::format("10 V/rad: {}, twist {:.3f} rad in the end; 18 V/rad: simulated {:.3f} rad, {:.2f} Hz; harmonic "
                   "balance {:.3f} rad, {:.2f} Hz",
                   none.frequency == 0 ? "no cycle foretold" : "a cycle foretold", calmed.twist, both.twist,
                   both.frequency, foretold.twist, foretold.frequency),
       none.frequency == 0 && calmed.twist < 1.2 * p.S && foretold.frequency > 0 &&
           std::abs(both.frequency / foretold.frequency - 1) < 0.05 && std::abs(both.twist / foretold.twist - 1) < 0.15,
       "Tf = 0.025 N m as printed; S and the gains are ours; calmed, the load still flies to and fro within the play"}};
}

/// Section 5: two axes with centripetal, Coriolis and gravity terms, play and dry friction; 18 states.
std::vector<Claim> two_axis_model(Log& figure) {
  const Arm arm = catalogue_arm("asea2", built_in_kernels());
  const Plant plant(two_axes(arm.description(), 0.02));
  const VecX<double> q = (VecX<double>(2) << 0, 0.5).finished();
  Integrator run(plant, {.relative = 1e-6, .absolute = 1e-8});
  Eigen::VectorXd u(2);
  u << 10, -6;
  run.start(0, plant.state_at(q, VecX<double>::Zero(2)), u);
  const double stored = plant.stored_energy(run.state().data(), run.modes());
  figure.add("q1", "rad");
  figure.add("q2", "rad");
  const std::clock_t begin = std::clock();
  const double duration = 2;
  for (int k = 1; k <= 200; ++k) {
    if (k == 100) u << -10, 6, run.set_input(u);
    run.advance(duration * k / 200, figure.events);
    figure.time.push_back(duration * k / 200);
    figure.channels[0].values.push_back(run.state()[0]);
    figure.channels[1].values.push_back(run.state()[1]);
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  figure.time_figures = {{"", "Joint angles, 10 V and -6 V, reversed at 1 s", {"q1", "q2"}}};
  add_scene(figure, arm);
  const Eigen::VectorXd& x = run.state();
  const Eigen::Index e = x.size() - 2;
  const double gap = std::abs(x[e] - x[e + 1] - plant.stored_energy(x.data(), run.modes()) + stored) / x[e];

  // (20)-(22) with the corrected factors, for the point mass m at l/2, against the arm's own dynamics
  const double m = arm.body(1).inertia.m, l = 0.7, theta = 0.4, phi_dot = 1.3, theta_dot = -0.7;
  const VecX<double> state = (VecX<double>(2) << 0.2, theta).finished(),
                     rate = (VecX<double>(2) << phi_dot, theta_dot).finished();
  const VecX<double> c = coriolis_torque<double>(arm, state, rate), g = gravity_torque<double>(arm, state);
  const double coriolis = 0.25 * m * l * l * phi_dot * theta_dot * std::sin(2 * theta);     // (21), corrected
  const double centripetal = -0.125 * m * phi_dot * phi_dot * l * l * std::sin(2 * theta);  // (20)
  const double gravity = -0.5 * m * 9.80665 * l * std::sin(theta);                          // (22)
  const double misfit = std::max({std::abs(c[0] - coriolis), std::abs(c[1] - centripetal), std::abs(g[1] - gravity)});

  return {{"two axes", "the 2-dof model with centripetal, Coriolis and gravity terms", "(20)-(22)",
           fmt::format("equal to (20), (21) with 1/4 l^2, (22) within {:.0e} N m; books within {:.0e}", misfit, gap),
           misfit < 1e-9 && gap < 1e-4,
           "(21) as printed lacks l^2 and half its factor; torques act through the gear ratio"},
          {"real time", "simulation takes too long for on-line use", "too long",
           fmt::format("{} states, {:.0f} times faster than real time", plant.states() - 2, duration / seconds),
           duration / seconds >= 20 && plant.states() - 2 == 18,
           "processor time of one core; 2 s with stick, slip and play"}};
}

}  // namespace

StudyResult run(const std::function<void(const std::string&)>& progress) {
  StudyResult result;
  Log bode, speed, step, play, axes;
  bode.title = "Frequency response of the drive";
  speed.title = "Tracking against speed";
  axes.title = "Two axes";
  play.title = "Play inside and outside the position loop";
  const auto add = [&](std::vector<Claim> claims) {
    result.claims.insert(result.claims.end(), claims.begin(), claims.end());
  };
  progress("dynamics by Lagrange and by Newton-Euler");
  add({formulations()});
  progress("tracking with and without velocity terms");
  add({velocity_terms(speed)});
  progress("resonances of the drive");
  const Channel nominal = tachometer_channel(printed_drive());
  add(resonances(nominal, bode));
  progress("step with friction and play");
  add({step_with_play(step)});
  progress("sensitivity");
  stiffnesses(bode);
  add(sensitivity(nominal));
  progress("reduced models");
  add(reduced_models(nominal, bode));
  progress("play inside and outside the position loop");
  add(play_in_the_loop(play));
  progress("two axes");
  add(two_axis_model(axes));
  progress("flexible links");
  add(flexible_links());
  result.logs = {bode, speed, step, play, axes};
  return result;
}

}  // namespace armature::studies::vandeven1986
