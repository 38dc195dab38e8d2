// What a controller gets to see of the plant, and what becomes of its commands on their way there.
#pragma once

#include <vector>

#include "armature/core/fields.hpp"
#include "armature/core/random.hpp"
#include "armature/plant/plant.hpp"

namespace armature::plant {

struct SensorSettings {
  enum class Speed { tachometer, difference };
  enum class Side { joint, motor };
  Side side = Side::joint;                   // where encoders and tachometers sit; either way they count joint angles
  double encoder_resolution = 0;             // [rad | m]; zero: exact
  double position_noise = 0;                 // standard deviation [rad | m]
  Speed speed = Speed::tachometer;           // measured, or the backward difference of the position readings
  double speed_noise = 0;                    // of the tachometer [rad/s]
  double torque_noise = 0;                   // of the joint torque sensors [N m]
  double force_noise = 0, moment_noise = 0;  // of the wrench sensor [N] [N m]
  int bits = 0;                              // of the analogue-to-digital converters; zero: exact
  // Full scale ± of what they convert; zero: no limit, and no steps [rad/s | m/s] [N m | N] [N] [N m]
  double speed_range = 0, torque_range = 0, force_range = 0, moment_range = 0;
  int delay = 0;  // whole ticks from plant to controller
  std::uint64_t seed = 1;

  void fields(Fields& f);
};

/// One reading of all joints.
struct Reading {
  VecX<double> q, qd, torque;
  Vec6<double> wrench = Vec6<double>::Zero();
};

/// Positions and speeds of the joints as instruments on that side show them, exactly.
void shown_at(SensorSettings::Side side, const Plant& plant, const double* x, VecX<double>& q,
              VecX<double>& qd) noexcept;

/// Reads the plant once a tick. Same seed, same noise.
class Sensors {
 public:
  Sensors(const Plant& plant, const SensorSettings& settings, double tick);
  /// The reading that reaches the controller at this tick.
  const Reading& read(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Modes& modes);

 private:
  const Plant& plant_;
  SensorSettings settings_;
  double tick_;
  Random random_;
  std::vector<Reading> waiting_;  // a ring of the last delay + 1 readings
  std::size_t next_ = 0;
  bool first_ = true;
  VecX<double> last_q_;
};

struct ConverterSettings {
  int bits = 0;      // of the digital-to-analogue converter; zero: exact
  double range = 0;  // full scale, ± [unit of the command]; zero: no limit
  int delay = 0;     // whole ticks from controller to plant

  void fields(Fields& f);
};

/// Holds a command for a tick, quantized and limited.
class Converter {
 public:
  Converter(int channels, const ConverterSettings& settings);
  /// The command that acts from now on.
  const Eigen::VectorXd& convert(const Eigen::VectorXd& command);

 private:
  ConverterSettings settings_;
  std::vector<Eigen::VectorXd> waiting_;
  std::size_t next_ = 0;
};

}  // namespace armature::plant
