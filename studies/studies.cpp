#include "kostic2002/kostic2002.hpp"
#include "kostic2004/kostic2004.hpp"
#include "measured/measured.hpp"
#include "study.hpp"
#include "tum2019/tum2019.hpp"
#include "vandeven1986/vandeven1986.hpp"
#include "verona2023/verona2023.hpp"

namespace armature::studies {

const std::vector<Study>& all_studies() {
  static const std::vector<Study> studies{
      {"vandeven1986",
       "H. H. van de Ven, Aspects of dynamic models of robots, Journal A 27 (1986)",
       vandeven1986::run,
       2,
       {{"sensitivity", 0.27}, {"play inside", 0.35}, {"two axes", 0.92}}},
      {"tum2019",
       "Giordano, Calzolari, Albu-Schaeffer, Dynamics and control of a 3DOF planar manipulator, TU Munich (2019)",
       tum2019::run,
       10,
       {{"tasks 4 to 9", 0.07},
        {"tasks 10 to 12", 0.22},
        {"tasks 13 to 17", 0.39},
        {"tasks 18 to 21", 0.56},
        {"tasks 22 to 25", 0.66}}},
      {"verona2023",
       "Revolute Prismatic Revolute Robotic Manipulator Dynamics and Controls, University of Verona (2023)",
       verona2023::run,
       15,
       {{"adaptive control", 0.29},
        {"operational control", 0.32},
        {"compliance, impedance", 0.46},
        {"force control", 0.77}}},
      {"measured",
       "Measured machines: EMPS, Staubli TX40, KUKA KR300, UR10, a flexible arm",
       measured::run,
       25,
       {{"kr300", 0.62}, {"ur10", 0.79}, {"daisy", 0.99}}},
      {"kostic2002",
       "D. Kostic, R. Hensen, B. de Jager, M. Steinbuch, Closed-form kinematic and dynamic models of an "
       "industrial-like RRR "
       "robot, IEEE International Conference on Robotics and Automation (2002)",
       kostic2002::run,
       2,
       {{"dynamics", 0.11}, {"writing task", 0.56}}},
      {"kostic2004",
       "D. Kostic, B. de Jager, M. Steinbuch, R. Hensen, Modeling and identification for high-performance robot "
       "control: an RRR-robotic arm case study, IEEE Transactions on Control Systems Technology 12 (2004)",
       kostic2004::run,
       45,
       {{"friction of joint 2", 0.07},
        {"friction of joint 3", 0.13},
        {"excitation trajectory", 0.22},
        {"identification experiment", 0.70},
        {"control case 1", 0.77},
        {"flexible dynamics, posture 1", 0.79},
        {"flexible dynamics, joint 2", 0.86},
        {"flexible dynamics, joint 3", 0.93},
        {"writing with the tuned", 0.99}}},
  };
  return studies;
}

}  // namespace armature::studies
