// What a person may change about an identification, as settings that list themselves: the words of `armature identify`.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "armature/core/fields.hpp"
#include "armature/identification/drive_gains.hpp"
#include "armature/identification/excitation_columns.hpp"
#include "armature/identification/payload.hpp"
#include "armature/run/identify_log.hpp"

namespace armature::run {

/// A number that nobody chose.
inline constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

/// How logs become equations; what is not given is left as it is.
struct ProcessingChoice {
  std::string map;                          // file that says which column is what
  double cutoff = not_given;                // of the filter on positions [Hz]
  double parallel = not_given;              // of the filter on equations [Hz]
  int decimation = 0;                       // every so many equations one is kept; 0: not given
  double standstill = not_given;            // [rad/s | m/s]
  double from = not_given, to = not_given;  // times of the log [s]
  std::vector<std::string> windows;         // "2.5s..20s"
  std::string torque_delay;                 // a time, or `find`
  double observer_noise = not_given;        // [rad]
  double observer_jerk = not_given;         // [rad/s³/sqrt(Hz)]
  bool no_filter = false, observer = false;
  bool measured_velocity = false, differences = false;  // neither: whichever predicts better

  void fields(Fields& f);
};

/// The logs, with the map of their columns where one is chosen.
MeasuredLog open_logs(const std::vector<std::string>& paths, const Arm& arm, const ProcessingChoice& choice,
                      bool standing_joints);

/// Unless it is asked for, the delay of the torques is what the log says of itself. `may_find`: it may be searched. Throws Error with
/// a hint.
Processing processing_of(const ProcessingChoice& choice, const MeasuredLog& log, bool may_find = false);

struct IdentifyChoice {
  ProcessingChoice processing;
  std::string friction;                 // "choose", "stribeck", "three_sigmoid:50,8,1", ...
  std::string estimator = "wls";        // or ols, irls, ...
  double reference_weight = not_given;  // of the described inertia
  std::string link_weights;             // "1,1,100": one number per link
  double forgetting = not_given;
  bool rotors = false, no_rotors = false;  // estimated whatever the log says, or not at all
  bool no_springs = false;
  bool no_offsets = false, no_motor_friction = false, ignore_inertia = false;
  bool standing_joints = false;  // joints that never move are no fault
  bool find_gravity = false;     // its direction is sought too
  double period = not_given;     // of a periodic experiment [s]
  bool payload = false;          // the arm is known, what its tool carries is sought
  std::string joint;             // for the estimator ekf: one joint alone
  std::string parameters;        // file with base parameters as somebody else groups them
  std::string without;           // "p4,p15": those of them that are zero
  std::string drive_gains;       // log without the payload that the arm describes

  void fields(Fields& f);
  /// All but those of the processing.
  void own_fields(Fields& f);
};

/// Throws Error with a hint where two choices exclude each other.
void refuse_contradictions(const IdentifyChoice& choice);

/// Throws Error with a hint where a word or a number is none.
IdentifySettings identify_settings(const IdentifyChoice& choice, const Arm& arm, const MeasuredLog& log);

/// The mean of a log with this period [s], between copies of itself so that filters see no end; only the middle one counts, which `processing`
/// then says.
struct MeanPeriod {
  MotionBlock block;
  std::string sentence;  // how many periods, and their noise
};
MeanPeriod mean_period(const MeasuredLog& log, const Arm& arm, double period, Processing& processing);

/// The parameters in which the estimate is said too, where there are any.
struct OwnColumns {
  ParameterColumns columns;
  std::vector<std::string> zero;  // names of those that are
};
/// Throws FormatError with the place in the file, and Error for a name that is not there.
std::optional<OwnColumns> own_columns(const IdentifyChoice& choice, const Arm& arm);

/// What a unit of each torque column is worth, one per joint: `carrying` was measured with the payload that the arm describes, `empty`
/// without it. Throws Error where it describes none.
std::vector<DriveGain> drive_gains_by_payload(const Arm& arm, const MeasuredLog& carrying, const MeasuredLog& empty,
                                              const ProcessingChoice& choice);

/// The arm with the payload that was found. Throws Error with the place `file` where it has one already.
ArmDescription carrying(const Arm& arm, const PayloadEstimate& payload, const std::string& file);

/// A joint by its name or its number, from 1.
int joint_called(const Arm& arm, const std::string& asked);

/// "5%" or "0.05", above zero; `option` is its name in messages.
double parse_share(const std::string& option, const std::string& text);

}  // namespace armature::run
