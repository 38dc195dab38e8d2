#include "collisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "arm_options.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "meshes.hpp"

namespace armature {

namespace {

/// Points whose hull holds the shape, in its link's frame.
std::vector<Vec3<double>> points_of(const Shape& shape) {
  std::vector<Vec3<double>> points;
  const Vec3<double>& size = shape.size;
  switch (shape.kind) {
    case Shape::Kind::box:
      for (int k = 0; k < 8; ++k)
        points.push_back(size.cwiseProduct(Vec3<double>((k & 1) - 0.5, (k >> 1 & 1) - 0.5, (k >> 2) - 0.5)));
      break;
    case Shape::Kind::cylinder: {
      constexpr int corners = 32;
      const double radius = size[0] / std::cos(pi / corners);  // the circle lies inside the polygon
      for (int k = 0; k < corners; ++k)
        for (const double z : {-size[1] / 2, size[1] / 2})
          points.emplace_back(radius * std::cos(2 * pi * k / corners), radius * std::sin(2 * pi * k / corners), z);
      break;
    }
    case Shape::Kind::sphere:
      break;
    case Shape::Kind::mesh:
      points = mesh_points(shape.mesh, shape.folder);
      for (Vec3<double>& p : points) p = size.cwiseProduct(p);
      break;
  }
  return points;
}

/// Adds capsules of shapes in a link's frame, which a body carries.
void add_capsules(const LinkShapes& shapes, const std::string& link, int body, const Pose<double>& X_BL,
                  ClearanceModel& model) {
  for (const Shape& shape : shapes.collision.empty() ? shapes.visual : shapes.collision) {
    const Pose<double> X = X_BL * pose_of(shape.place);
    const std::vector<Vec3<double>> points = points_of(shape);
    Capsule capsule = enclosing_capsule(points);
    if (shape.kind == Shape::Kind::sphere) capsule.radius = shape.size[0];
    if (points.empty() && shape.kind != Shape::Kind::sphere) continue;
    capsule.body = body, capsule.link = link;
    capsule.a = X * capsule.a, capsule.b = X * capsule.b;
    model.capsules.push_back(std::move(capsule));
  }
}

std::string name_of(const ClearanceModel& model, int capsule) {
  return fmt::format("link '{}'", printable(model.capsules[static_cast<std::size_t>(capsule)].link));
}

}  // namespace

WatchedArm watched_arm(const Arm& arm, std::optional<double> floor) {
  const ArmDescription& description = arm.description();
  WatchedArm watched;
  ClearanceModel& model = watched.model;
  add_capsules(description.base_shapes, "base", -1, pose_of(description.base), model);
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const Frame& frame = arm.frames()[j];
    add_capsules(description.joints[j].link.shapes, frame.name, frame.body, frame.X_BF, model);
  }
  if (model.capsules.empty()) {
    watched.blind = "the arm's file has no shapes, or their meshes are not at hand";
    return watched;
  }
  for (const auto& [first, second] : watch(arm, model, floor)) {
    const std::string pair = fmt::format("{} and {}", name_of(model, first), name_of(model, second));
    if (std::find(watched.unwatched.begin(), watched.unwatched.end(), pair) == watched.unwatched.end())
      watched.unwatched.push_back(pair);
  }
  if (model.pairs.empty() && !model.floor) watched.blind = "only neighbouring links have shapes";
  return watched;
}

std::optional<double> parse_floor(const std::optional<std::string>& text) {
  if (text == "none") return std::nullopt;
  return parse_option("--floor", text, dimension::length, 0);
}

std::string names_of(const ClearanceModel& model, const Clearance& c) {
  return fmt::format("{} and {}", name_of(model, c.first), c.second < 0 ? "the floor" : name_of(model, c.second));
}

std::vector<std::string> note_collisions(Log& log, const Arm& arm) {
  const WatchedArm watched = watched_arm(arm, std::nullopt);
  if (!watched.blind.empty()) return {};
  struct Touch {
    double from = 0, deepest = 0;
  };
  std::map<std::string, Touch> touches;
  std::vector<LogEvent> begun;
  VecX<double> q(arm.dof());
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    for (int i = 0; i < arm.dof(); ++i) q[i] = log.channel(fmt::format("q{}", i + 1)).values[k];
    if (!q.allFinite()) continue;
    for_each_near(watched.model, forward_kinematics<double>(arm, q), 0, [&](const Clearance& c) {
      const std::string names = names_of(watched.model, c);
      const auto [at, fresh] = touches.try_emplace(names, Touch{log.time[k], 0});
      at->second.deepest = std::max(at->second.deepest, -c.distance);
      if (fresh) begun.push_back({log.time[k], "collision", names});
    });
  }
  for (LogEvent& event : begun) {
    const auto after = std::upper_bound(log.events.begin(), log.events.end(), event.time,
                                        [](double t, const LogEvent& e) { return t < e.time; });
    log.events.insert(after, std::move(event));
  }
  std::vector<std::string> sentences;
  for (const auto& [names, touch] : touches)
    sentences.push_back(fmt::format("{} overlap from {:.4g} s on, by up to {:.3g} mm (by capsules around their shapes)",
                                    names, touch.from, 1e3 * touch.deepest));
  return sentences;
}

}  // namespace armature
