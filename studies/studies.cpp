#include "kostic2002/kostic2002.hpp"
#include "kostic2004/kostic2004.hpp"
#include "measured/measured.hpp"
#include "study.hpp"
#include "tum2019/tum2019.hpp"
#include "vandeven1986/vandeven1986.hpp"
#include "verona2023/verona2023.hpp"

namespace armature {

const std::vector<Study>& all_studies() {
  static const std::vector<Study> studies{
      {"vandeven1986", "H. H. van de Ven, Aspects of dynamic models of robots, Journal A 27 (1986)", vandeven1986::run},
      {"tum2019",
       "Giordano, Calzolari, Albu-Schaeffer, Dynamics and control of a 3DOF planar manipulator, TU Munich (2019)",
       tum2019::run},
      {"verona2023",
       "Revolute Prismatic Revolute Robotic Manipulator Dynamics and Controls, University of Verona (2023)",
       verona2023::run},
      {"measured", "Measured machines: EMPS, Staubli TX40, KUKA KR300, UR10, a flexible arm", measured::run},
      {"kostic2002",
       "D. Kostic, B. de Jager, M. Steinbuch, Closed-form kinematic and dynamic models of an industrial-like RRR "
       "robot, IEEE International Conference on Robotics and Automation (2002)",
       kostic2002::run},
      {"kostic2004",
       "D. Kostic, B. de Jager, M. Steinbuch, R. Hensen, Modeling and identification for high-performance robot "
       "control: an RRR-robotic arm case study, IEEE Transactions on Control Systems Technology 12 (2004)",
       kostic2004::run},
  };
  return studies;
}

}  // namespace armature
