// KUKA KR300 R2500 ultra, six axes, 150 kg payload, short runs: the CAD model as a reference [Weigand2021].
#include <fmt/format.h>

#include <string_view>

#include "armature/formats/load_arm.hpp"
#include "armature/report/identification_report.hpp"
#include "machine.hpp"
#include "measured.hpp"

namespace armature::studies::measured {

// studies/measured/kr300.yaml and kr300_map.yaml, with which `armature identify` and `armature validate` do the same
extern const std::string_view kr300_arm, kr300_map;

void kr300(const Progress& progress, StudyResult& result) {
  std::string files[3];
  for (int i = 0; i < 3; ++i) files[i] = data_file(fmt::format("kr300_weigand/traj_{}.csv.xz", "ABC"[i]));
  if (files[0].empty() || files[1].empty() || files[2].empty()) {
    result.claims.push_back(
        missing("kr300", "six axes, short runs: runs B and C predicted from run A and the CAD model",
                "3.6 %; the authors' own set 6.2 %; plain least squares fails (19.7 and 26.4 %)",
                "kr300_weigand/traj_{A,B,C}.csv.xz", "github.com/JonasWeigand/Robot_Identification"));
    return;
  }
  progress("kr300");
  const Arm arm = arm_from_yaml_text(kr300_arm, "kr300.yaml").arm;
  const MotionBlock A = read_motion(files[0], arm, kr300_map), B = read_motion(files[1], arm, kr300_map),
                    C = read_motion(files[2], arm, kr300_map);
  IdentifySettings settings = rules(progress, "kr300");
  settings.processing.from = 2.6;
  settings.processing.to = 8.2;  // before and after the arm stands still, or jumps
  const Identification r = identify(arm, source_of(A), settings);
  const Prediction b = predict(*r.model, r.physical.x, B, r.processing),
                   c = predict(*r.model, r.physical.x, C, r.processing);
  const Prediction free_b = predict(*r.model, r.estimate.x, B, r.processing),
                   free_c = predict(*r.model, r.estimate.x, C, r.processing);
  bool possible = true;
  for (const LinkVerdict& link : r.links) possible = possible && link.body.possible();
  result.claims.push_back(
      {"kr300 prediction", "runs B and C predicted from run A and the CAD model, with a physically consistent fit",
       "3.6 % with a prior of chosen weight; the authors' own set 6.2 %",
       fmt::format("B {:.2f} %, C {:.2f} %; every link possible: {}; by joint B {}, C {}", 100 * b.relative,
                   100 * c.relative, possible ? "yes" : "no", percents(b.joints), percents(c.joints)),
       b.relative <= 0.040 && c.relative <= 0.040 && possible,
       fmt::format(
           "weight of the CAD model {:g}, by cross-validation on A ({:.2f} %) with the rule of one standard error. "
           "B and C were seen before that rule was settled on. The unconstrained fit gives B {:.1f} %, C {:.1f} %. {}",
           r.reference_weight, 100 * r.physical_cross->total, 100 * free_b.relative, 100 * free_c.relative,
           describe(r.processing, r.step))});
  result.logs.push_back(identification_log(r));
  result.logs.push_back(b.log);
}

}  // namespace armature::studies::measured
