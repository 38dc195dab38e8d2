// Messages of ROS 2 as they lie in bags: common data representation (CDR, OMG DDSI-RTPS 10.2), of which sensor_msgs/JointState is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "armature/record/log.hpp"

namespace armature::formats {

/// sensor_msgs/msg/JointState. Arrays have one value per name, or are empty.
struct JointState {
  std::int64_t stamp = 0;  // [ns] since 1970; 0 where the publisher set none
  std::vector<std::string> name;
  std::vector<double> position, velocity, effort;
};

inline constexpr std::string_view joint_state_type = "sensor_msgs/msg/JointState";

/// Throws FormatError where the bytes are no such message; `file` is the name in messages.
JointState read_joint_state(std::string_view cdr, const std::string& file);

/// Makes a log of messages, whatever bag they come from: a row per message, channels position_NAME, velocity_NAME and effort_NAME. A
/// joint that a message leaves out is NaN in its row. Times are counted from the first stamp (or, where publishers set none, from the
/// time of recording).
class JointStateLog {
 public:
  explicit JointStateLog(std::string file) : file_(std::move(file)) {}
  /// `recorded` is the time at which the recorder got it [ns]. Throws FormatError, also beyond most_held_numbers (log_source.hpp).
  void add(std::string_view cdr, std::int64_t recorded);
  [[nodiscard]] std::size_t rows() const { return recorded_.size(); }
  /// Throws FormatError where there was no message.
  [[nodiscard]] Log take();

 private:
  std::size_t column_of(const std::string& name);

  std::string file_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> stamps_, recorded_;  // [ns]
  std::vector<std::vector<double>> values_[3];   // position, velocity, effort: by name; shorter where none came later
};

}  // namespace armature::formats
