#include "armature/run/internal/log_extras.hpp"

#include <fmt/format.h>

#include "armature/spatial/rotation.hpp"

namespace armature::run {

namespace {

constexpr const char* pose_names[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

void add(Log& log, const std::string& name, const char* unit) { log.add(name, unit).values.reserve(log.time.size()); }

/// Writes to the last `count` channels, in their order.
class Columns {
 public:
  Columns(Log& log, std::size_t count) : log_(log), first_(log.channels.size() - count) {}
  void start_row() { next_ = first_; }
  void put(double value) { log_.channels[next_++].values.push_back(value); }
  void put(const Pose<double>& X) {
    for (int i = 0; i < 3; ++i) put(X.p[i]);
    const Quaternion turn = quaternion_from_rotation(X.R);
    for (int i = 0; i < 4; ++i) put(turn[i]);
  }

 private:
  Log& log_;
  std::size_t first_, next_ = 0;
};

}  // namespace

void add_reference_channels(Log& log, const Arm& arm, const ReferenceSource& reference, bool wrench) {
  const std::size_t before = log.channels.size();
  for (int i = 0; i < arm.dof(); ++i)
    add(log, fmt::format("a{}_ref", i + 1), arm.body(i).revolute ? "rad/s^2" : "m/s^2");
  for (int i = 0; i < 7; ++i) add(log, fmt::format("tool_{}_ref", pose_names[i]), i < 3 ? "m" : "");
  if (wrench)
    for (const char* name : {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"})
      add(log, fmt::format("{}_ref", name), name[0] == 'f' ? "N" : "N m");
  Columns columns(log, log.channels.size() - before);
  Reference r;
  for (const double t : log.time) {
    reference(t, r);
    columns.start_row();
    for (int i = 0; i < arm.dof(); ++i) columns.put(r.qdd[i]);
    columns.put(r.X_WT);
    if (wrench)
      for (int i = 0; i < 6; ++i) columns.put(r.wrench[i]);
  }
}

}  // namespace armature::run
