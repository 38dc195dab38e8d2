// Staubli TX40, six axes, motor-side data, coupled wrist [Nguyen2023].
#include <fmt/format.h>

#include <cmath>

#include "armature/formats/catalogue.hpp"
#include "armature/report/identification_report.hpp"
#include "machine.hpp"
#include "measured.hpp"

namespace armature::studies::measured {

namespace {

constexpr std::string_view tx40_map = R"yaml(
side: motor
position: q_mot{}
torque: tau_mot{}
offset: [0, -90 deg, 90 deg, 0, 0, 0]
)yaml";
constexpr double tx40_split = 3;  // [s]: what is before is held out

}  // namespace

void tx40(const Progress& progress, StudyResult& result) {
  const std::string file = data_file("tx40_gautier/tx40.csv.xz");
  if (file.empty()) {
    result.claims.push_back(missing("tx40", "six axes with a coupled wrist: friction and prediction",
                                    "viscous friction 8.05 5.53 1.97 1.11 1.86 0.65; hold-out 6.40 %",
                                    "tx40_gautier/tx40.csv.xz",
                                    "github.com/thanhndv212/figaroh-examples, examples/staubli_TX40"));
    return;
  }
  progress("tx40");
  const Arm arm = catalogue_arm("tx40", built_in_kernels());
  const MotionBlock log = read_motion(file, arm, tx40_map);
  IdentifySettings settings = rules(progress, "tx40");

  // The published model (Coulomb, viscous, offset, motor 6 with its own friction) on the whole record, as the published set.
  settings.choose_friction = false;
  const Identification whole = identify(arm, source_of(log), settings);
  const double published[] = {8.05, 5.53, 1.97, 1.11, 1.86, 0.65};
  std::string ours;
  bool near = true;
  for (int i = 0; i < 6; ++i) {
    double fv = whole.estimate.x[whole.model->friction_begin(i) + 1];
    if (i >= 4)
      fv +=
          whole.estimate.x[whole.model->motor_friction_begin() + 1];  // the source counts the motor's with the joint's
    ours += fmt::format("{}{:.3f}", i > 0 ? " " : "", fv);
    near = near && std::abs(fv / published[i] - 1) < 0.03;
  }
  result.claims.push_back({"tx40 friction", "viscous friction as published", "8.05 5.53 1.97 1.11 1.86 0.65 N m s/rad",
                           ours, near,
                           "to 3 %; joints 5 and 6 with the friction of motor 6, as in the source. " +
                               describe(whole.processing, whole.step)});

  settings.choose_friction = true;
  settings.processing.from = tx40_split;
  const Identification r = identify(arm, source_of(log), settings);
  Processing held = r.processing;
  held.from = -1e300;
  held.to = tx40_split;
  const Prediction p = predict(*r.model, r.physical.x, log, held);
  const Prediction free = predict(*r.model, r.estimate.x, log, held);
  result.claims.push_back(
      {"tx40 hold-out", "the first 3 s predicted from the rest", "6.40 %",
       fmt::format("{:.2f} % with the physically consistent fit ({:.2f} % unconstrained); by joint {}",
                   100 * p.relative, 100 * free.relative, percents(p.joints)),
       p.relative <= 0.0640,
       fmt::format("trained from 3 s on; cross-validation there {:.2f} %; weight of the described inertia {:g}",
                   100 * r.physical_cross->total, r.reference_weight)});
  result.logs.push_back(identification_log(r));
  result.logs.push_back(p.log);
}

}  // namespace armature::studies::measured
