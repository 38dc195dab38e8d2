#include "kostic2002/kostic2002.hpp"

namespace armature::studies::kostic2002 {

StudyResult run(const std::function<void(const std::string&)>& progress) {
  StudyResult result;
  progress("kinematics");
  kinematics(result);
  progress("dynamics");
  dynamics(result);
  progress("writing task");
  writing(result);
  return result;
}

}  // namespace armature::studies::kostic2002
