#include "study.hpp"
#include "vandeven1986/vandeven1986.hpp"

namespace armature {

const std::vector<Study>& all_studies() {
  static const std::vector<Study> studies{
      {"vandeven1986", "H. H. van de Ven, Aspects of dynamic models of robots, Journal A 27 (1986)", vandeven1986::run},
  };
  return studies;
}

}  // namespace armature
