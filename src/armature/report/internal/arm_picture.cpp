#include "armature/report/internal/arm_picture.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "armature/spatial/pose.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::report {

namespace {

constexpr std::size_t path_points = 200;

Pose<double> pose_of_numbers(const std::array<double, 3>& position, const std::array<double, 4>& turn) {
  return {rotation_from_quaternion({turn[0], turn[1], turn[2], turn[3]}), {position[0], position[1], position[2]}};
}

/// The pose of a frame in the world at a row of the log.
Pose<double> pose_of_frame(const Log& log, const SceneFrame& frame, const std::vector<Pose<double>>& before,
                           std::size_t row) {
  const auto at = [&](const std::string& channel) { return log.channel(channel).values[row]; };
  if (!frame.channels[0].empty()) {
    const auto& c = frame.channels;
    return pose_of_numbers({at(c[0]), at(c[1]), at(c[2])}, {at(c[3]), at(c[4]), at(c[5]), at(c[6])});
  }
  Pose<double> X = pose_of_numbers(frame.position, frame.turn);
  if (frame.parent >= 0) X = before[frame.parent] * X;
  if (frame.joint.empty()) return X;
  const double q = at(frame.joint);
  if (frame.slides) return X * Pose<double>{Mat3<double>::Identity(), {0, 0, q}};
  return X * Pose<double>{Eigen::AngleAxisd(q, Vec3<double>::UnitZ()).toRotationMatrix(), Vec3<double>::Zero()};
}

/// The frames' origins; with `corners` also where a link turns from along its joint's axis to across it.
std::vector<Vec3<double>> points_of(const Log& log, std::size_t row, bool corners) {
  std::vector<Pose<double>> poses;
  std::vector<Vec3<double>> points;
  for (const SceneFrame& frame : log.scene) {
    poses.push_back(pose_of_frame(log, frame, poses, row));
    if (corners && frame.parent >= 0 && frame.channels[0].empty())
      points.push_back(poses[frame.parent] * Vec3<double>(0, 0, frame.position[2]));
    points.push_back(poses.back().p);
  }
  return points;
}

void add_point(const Vec3<double>& p, FigureSeries& series) {
  static const Vec3<double> to_viewer = Vec3<double>(0.62, -0.95, 0.5).normalized();  // as web/src/scene.ts
  static const Vec3<double> right = Vec3<double>::UnitZ().cross(to_viewer).normalized(), up = to_viewer.cross(right);
  series.x.push_back(right.dot(p));
  series.y.push_back(up.dot(p));
}

/// Whether every frame hangs from one before it and has the channels that move it, as long as the log.
bool is_whole(const Log& log) {
  const auto recorded = [&](const std::string& name) {
    return log.has(name) && log.channel(name).values.size() == log.time.size();
  };
  for (std::size_t i = 0; i < log.scene.size(); ++i) {
    const SceneFrame& frame = log.scene[i];
    if (frame.parent >= static_cast<int>(i)) return false;
    if (!frame.channels[0].empty() && !std::all_of(frame.channels.begin(), frame.channels.end(), recorded))
      return false;
    if (!frame.joint.empty() && !recorded(frame.joint)) return false;
  }
  return log.scene.size() > 1 && !log.time.empty();
}

}  // namespace

Figure arm_picture(const Log& log) {
  Figure picture;
  if (!is_whole(log)) return picture;
  picture.name = "arm";
  picture.equal_scale = true;
  const std::size_t last = log.time.size() - 1, stride = 1 + last / path_points;
  FigureSeries path{"tool", {}, {}};
  for (std::size_t row = 0; row <= last; row += stride) add_point(points_of(log, row, false).back(), path);
  picture.series.push_back(std::move(path));
  for (const std::size_t row : {std::size_t{0}, last / 2, last}) {
    FigureSeries posture{"arm", {}, {}, FigureSeries::Style::both};
    for (const Vec3<double>& p : points_of(log, row, true)) add_point(p, posture);
    picture.series.push_back(std::move(posture));
  }
  return picture;
}

}  // namespace armature::report
