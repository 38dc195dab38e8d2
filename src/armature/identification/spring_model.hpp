// A machine with joints that have no motor and are held by springs: a base that gives way, a link that bends.
#pragma once

#include "armature/identification/drive_model.hpp"
#include "armature/identification/shaken_lines.hpp"
#include "armature/simulation/linearize.hpp"

namespace armature::identification {

/// Its rigid bodies are known; the numbers that may be fitted are stiffness and damping of each such joint, "base_stiffness" and
/// "base_damping" of the joint `base`.
class SpringModel {
 public:
  /// Every spring from the ground to a joint without a motor counts, none with play. A damping that is described as zero starts
  /// from a hundredth of the critical one. Throws Error where no joint is held so, where a stiffness is zero, and where a drive
  /// has states of its own (rotors on springs, windings).
  explicit SpringModel(PlantDescription plant);

  [[nodiscard]] const std::vector<DriveParameter>& parameters() const { return parameters_; }
  /// Throws Error with the nearest name where there is no such parameter.
  [[nodiscard]] std::size_t index(const std::string& name) const;
  [[nodiscard]] Eigen::VectorXd described() const;
  /// Joints that springs hold, from 0: parameters 2i and 2i + 1 are those of the i-th.
  [[nodiscard]] const std::vector<int>& joints() const { return joints_; }
  /// Whether an encoder there has something to tell: no spring and no brake holds the joint.
  [[nodiscard]] bool moves_by_motor(int joint) const;
  [[nodiscard]] const PlantDescription& description() const { return plant_; }

  /// The machine about the posture and the slow motion of a log, in balance there: the torques of the motors and the deflections of the
  /// springs are those with which nothing accelerates.
  [[nodiscard]] LinearPlant about(const ShakenLines& log, const Eigen::VectorXd& values) const;

 private:
  PlantDescription plant_;
  std::vector<int> joints_;
  std::vector<std::size_t> springs_;  // of these joints
  std::vector<DriveParameter> parameters_;
};

/// What the model's encoders show at the lines of a log when it is fed with the log's mean commands: a row a joint of the log, a
/// column a line. Slopes are to the logarithms of the parameters `to`, one matrix each. Commands are held from row to row:
///     y = C (z - F)⁻¹ G u z^-delay,   x⁺ = F x + G u,   z = exp(j 2π f step)
struct SpringLines {
  Eigen::MatrixXcd positions;
  std::vector<Eigen::MatrixXcd> slopes;
  std::vector<Eigen::MatrixXcd> of_periods;  // the same for the commands of each period
  /// What a state at the start that is not that at the end adds, one matrix a state: noise and a start that has not died out make
  /// even a periodic experiment a little aperiodic.
  std::vector<Eigen::MatrixXcd> transients;
};
enum class SpringDetail { mean, whole };  // the last two where it is whole
SpringLines spring_lines(const SpringModel& model, const ShakenLines& log, const Eigen::VectorXd& values,
                         const std::vector<std::size_t>& to, SpringDetail detail = SpringDetail::mean);

}  // namespace armature::identification
