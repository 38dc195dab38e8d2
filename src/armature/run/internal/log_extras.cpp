#include "armature/run/internal/log_extras.hpp"

#include <fmt/format.h>

#include "armature/spatial/rotation.hpp"

namespace armature::run {

namespace {

constexpr const char* pose_names[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

void add(Log& log, const std::string& name, const char* unit) { log.add(name, unit).values.reserve(log.time.size()); }

}  // namespace

void add_reference_channels(Log& log, const Arm& arm, const ReferenceSource& reference, bool wrench) {
  const std::size_t before = log.channels.size();
  for (int i = 0; i < arm.dof(); ++i)
    add(log, fmt::format("a{}_ref", i + 1), arm.body(i).revolute ? "rad/s^2" : "m/s^2");
  for (int i = 0; i < 7; ++i) add(log, fmt::format("tool_{}_ref", pose_names[i]), i < 3 ? "m" : "");
  if (wrench)
    for (const char* name : {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"})
      add(log, fmt::format("{}_ref", name), name[0] == 'f' ? "N" : "N m");
  std::size_t next = before;
  const auto put = [&](double value) { log.channels[next++].values.push_back(value); };
  Reference r;
  for (const double t : log.time) {
    reference(t, r);
    next = before;
    for (int i = 0; i < arm.dof(); ++i) put(r.qdd[i]);
    for (const double x : r.X_WT.p) put(x);
    for (const double x : quaternion_from_rotation(r.X_WT.R)) put(x);
    if (wrench)
      for (const double x : r.wrench) put(x);
  }
}

}  // namespace armature::run
