#include "kostic2004/kostic2004.hpp"

#include "kostic2004/parts.hpp"

namespace armature::studies::kostic2004 {

StudyResult run(const std::function<void(const std::string&)>& progress) {
  StudyResult result;
  const auto add = [&](auto& step) {
    result.claims.insert(result.claims.end(), step.claims.begin(), step.claims.end());
    result.logs.insert(result.logs.end(), step.logs.begin(), step.logs.end());
  };
  const Laboratory laboratory;
  progress("writing task");
  Log task = writing_log(laboratory.rigid_arm(), writing_task(laboratory.rigid_arm()),
                         {"Fig. 2(a)", "Fig. 2(b)", "Fig. 3(a)", "Fig. 3(b)"});
  task.title = "The arm (Fig. 1) and its writing task";
  result.logs.push_back(std::move(task));
  FrictionStep friction = friction_step(laboratory, progress);
  add(friction);
  ExcitationStep excitation = excitation_step(laboratory, progress);
  add(excitation);
  IdentificationStep identification = identification_step(laboratory, friction, excitation, progress);
  add(identification);
  Step control = control_step(laboratory, identification.identified, progress);
  add(control);
  Step flexible = flexible_step(laboratory, identification.identified, progress);
  add(flexible);
  return result;
}

}  // namespace armature::studies::kostic2004
