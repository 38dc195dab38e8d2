// EMPS, an electro-mechanical positioning system: one prismatic axis [Janot2019].
#include <fmt/format.h>

#include <cmath>

#include "armature/formats/load_arm.hpp"
#include "armature/report/identification_report.hpp"
#include "machine.hpp"
#include "measured.hpp"

namespace armature::studies::measured {

namespace {

constexpr std::string_view emps_arm = R"yaml(
arm: emps
description: Electro-mechanical positioning system, one horizontal axis with a ball screw
source: "EMPS benchmark, F = 35.15065188248547 N/V times the controller's output"
joints:
  - name: carriage
    type: prismatic
    origin: {xyz: [0, 0, 0], rpy: [0, 90 deg, 0]}
    axis: [0, 0, 1]
    limits: {position: [-0.5 m, 0.5 m], velocity: 1 m/s}
    link:
      {name: carriage, mass: 100 kg, com: [0, 0, 0], inertia: {about: com, xx: 1, yy: 1, zz: 1}}
)yaml";
constexpr std::string_view emps_map = R"yaml(
position: [q_m]
torque: [v]
torque_scale: [35.15065188248547]
)yaml";

}  // namespace

void emps(const Progress& progress, StudyResult& result) {
  const std::string train = data_file("emps/emps_train.csv.xz"), test = data_file("emps/emps_test_pulses.csv.xz");
  const std::string says = "one axis: inertia and friction, prediction of another run",
                    reference = "M 95.1089, Fv 203.5034, Fc 20.3935; 4.08 % train, 5.98 % test";
  if (train.empty() || test.empty()) {
    result.claims.push_back(missing("emps", says, reference, "emps/emps_train.csv.xz and emps/emps_test_pulses.csv.xz",
                                    "nonlinearbenchmark.org, EMPS"));
    return;
  }
  progress("emps");
  const Arm arm = arm_from_yaml_text(emps_arm, "emps.yaml").arm;
  const MotionBlock training = read_motion(train, arm, emps_map), held = read_motion(test, arm, emps_map);
  IdentifySettings settings = rules(progress, "emps");
  settings.trust_reference = false;

  // The published model: Coulomb, viscous, offset.
  settings.choose_friction = false;
  settings.model.rotors = false;
  const Identification r = identify(arm, source_of(training), settings);
  const double M = r.estimate.x[0], Fc = r.estimate.x[1], Fv = r.estimate.x[2];
  const Prediction p = predict(*r.model, r.estimate.x, held, r.processing);
  const auto near = [](double ours, double published) { return std::abs(ours / published - 1) < 0.005; };
  result.claims.push_back(
      {"emps parameters", "M, Fv and Fc as published", "M 95.1089 kg, Fv 203.5034 N s/m, Fc 20.3935 N",
       fmt::format("M {:.4f} ± {:.4f}, Fv {:.3f} ± {:.3f}, Fc {:.4f} ± {:.4f}", M, r.estimate.half_width(0), Fv,
                   r.estimate.half_width(2), Fc, r.estimate.half_width(1)),
       near(M, 95.1089) && near(Fv, 203.5034) && near(Fc, 20.3935),
       "to 0.5 %; intervals of 95 %. " + describe(r.processing, r.step)});
  // As the source counts: every sample, decimated by ten through a filter of order 8 at 0.8 of the new Nyquist frequency.
  Processing published = r.processing;
  published.standstill = 0;
  published.decimation = 10;
  published.parallel_order = 8;
  published.parallel_cutoff = 0.8 / (20 * training.step);
  const Prediction train_all = predict(*r.model, r.estimate.x, training, published),
                   test_all = predict(*r.model, r.estimate.x, held, published);
  result.claims.push_back(
      {"emps errors", "relative error of the force, training and another run, as the source counts it",
       "4.0834 % and 5.9824 %", fmt::format("{:.3f} % and {:.3f} %", 100 * train_all.relative, 100 * test_all.relative),
       train_all.relative <= 0.040834 && test_all.relative <= 0.059824,
       fmt::format("all rows, decimated by ten. As the other machines are judged, without slow rows and below 40 Hz: "
                   "{:.3f} % and {:.3f} %",
                   100 * r.training.total, 100 * p.relative)});
  result.logs.push_back(identification_log(r));
  result.logs.push_back(p.log);
}

}  // namespace armature::studies::measured
