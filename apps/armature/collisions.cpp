#include "collisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "arm_options.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "meshes.hpp"

namespace armature::app {

namespace {

/// Pieces whose hulls hold the shape, in its own frame; a ball is rounded by its radius.
std::vector<std::vector<Vec3<double>>> shape_pieces(const Shape& shape) {
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
      points.emplace_back(0, 0, 0);
      break;
    case Shape::Kind::mesh:
      return mesh_pieces(shape.mesh, shape.folder, size);
  }
  return {points};
}

/// Adds capsules of shapes in a link's frame, which a body carries; false where one of the meshes is not at hand.
bool add_capsules(const std::vector<Shape>& shapes, const std::string& link, int body, const Pose<double>& X_BL,
                  ClearanceModel& model) {
  bool all = true;
  for (const Shape& shape : shapes) {
    const Pose<double> X = X_BL * pose_of(shape.place);
    std::vector<std::vector<Vec3<double>>> pieces = shape_pieces(shape);
    all = all && !pieces.empty();
    for (std::vector<Vec3<double>>& piece : pieces) {
      for (Vec3<double>& p : piece) p = X * p;
      Capsule capsule = enclosing_capsule(piece);
      if (shape.kind == Shape::Kind::sphere) capsule.radius = capsule.rounding = shape.size[0];
      capsule.body = body;
      capsule.link = link;
      capsule.points = std::move(piece);
      model.capsules.push_back(std::move(capsule));
    }
  }
  return all;
}

/// What a link touches with, or else what it looks like.
void add_link(const LinkShapes& shapes, const std::string& link, int body, const Pose<double>& X_BL,
              WatchedArm& watched) {
  const bool touches = add_capsules(shapes.collision, link, body, X_BL, watched.model);
  if (touches && !shapes.collision.empty()) return;
  const bool seen = add_capsules(shapes.visual, link, body, X_BL, watched.model);
  if (!seen || (!touches && shapes.visual.empty())) watched.unseen.push_back(printable(link));
}

std::string capsule_name(const ClearanceModel& model, int capsule) {
  return fmt::format("link '{}'", printable(model.capsules[capsule].link));
}

}  // namespace

WatchedArm watched_arm(const Arm& arm, std::optional<double> floor, double least) {
  const ArmDescription& description = arm.description();
  WatchedArm watched;
  ClearanceModel& model = watched.model;
  add_link(description.base_shapes, "base", -1, pose_of(description.base), watched);
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const Frame& frame = arm.frames()[j];
    add_link(description.joints[j].link.shapes, frame.name, frame.body, frame.X_BF, watched);
  }
  if (model.capsules.empty()) {
    watched.blind = "the arm's file has no shapes, or their meshes are not at hand, or too large to be in metres";
    return watched;
  }
  watched.left_out = watch(arm, model, floor, least);
  for (const auto& [first, second] : watched.left_out) {
    const std::string pair = fmt::format("{} and {}", capsule_name(model, first), capsule_name(model, second));
    if (std::find(watched.unwatched.begin(), watched.unwatched.end(), pair) == watched.unwatched.end())
      watched.unwatched.push_back(pair);
  }
  if (model.pairs.empty() && !model.floor) watched.blind = "only neighbouring links have shapes";
  return watched;
}

std::vector<std::string> overlaps_left_out(const WatchedArm& watched, const Arm& arm,
                                           const std::vector<VecX<double>>& postures) {
  std::map<std::string, std::size_t> overlapping;
  for (const VecX<double>& q : postures) {
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    std::set<std::string> now;
    for (const auto& [first, second] : watched.left_out) {
      const Clearance c = pair_clearance(watched.model, poses, first, second);
      if (c.distance < 0 && shape_distance(watched.model, poses, c) == 0) now.insert(names_of(watched.model, c));
    }
    for (const std::string& names : now) ++overlapping[names];
  }
  std::vector<std::string> sentences;
  for (const auto& [names, count] : overlapping)
    if (2 * count < postures.size())
      sentences.push_back(fmt::format("{} may touch at {:.2g} % of the motion, by the hulls of their shapes", names,
                                      100.0 * static_cast<double>(count) / static_cast<double>(postures.size())));
  return sentences;
}

std::string unseen_sentence(const WatchedArm& watched) {
  if (!watched.blind.empty() || watched.unseen.empty()) return {};
  return fmt::format(
      "{} not watched for collisions, because {} meshes are not at hand, or too large to be in metres: {}",
      watched.unseen.size() == 1 ? "a link is" : "links are", watched.unseen.size() == 1 ? "its" : "their",
      fmt::join(watched.unseen, ", "));
}

std::optional<double> parse_floor(const std::optional<std::string>& text) {
  if (text == "none") return std::nullopt;
  return parse_option("--floor", text, dimension::length, 0);
}

std::string names_of(const ClearanceModel& model, const Clearance& c) {
  return fmt::format("{} and {}", capsule_name(model, c.first),
                     c.second < 0 ? "the floor" : capsule_name(model, c.second));
}

std::vector<std::string> note_collisions(Log& log, const Arm& arm) {
  const WatchedArm watched = watched_arm(arm, std::nullopt);
  if (!watched.blind.empty()) return {};
  std::vector<const std::vector<double>*> positions;
  for (int i = 0; i < arm.dof(); ++i) positions.push_back(&log.channel(fmt::format("q{}", i + 1)).values);
  std::vector<LogEvent> begun;
  std::set<std::string> known;
  VecX<double> q(arm.dof());
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    for (int i = 0; i < arm.dof(); ++i) q[i] = (*positions[i])[k];
    if (!q.allFinite()) continue;
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    for_each_near(watched.model, poses, 0, [&](const Clearance& c) {
      const std::string names = names_of(watched.model, c);
      if (known.contains(names) || shape_distance(watched.model, poses, c) > 0) return;
      known.insert(names);
      begun.push_back({log.time[k], "collision", names});
    });
  }
  std::vector<std::string> sentences;
  for (LogEvent& event : begun) {
    sentences.push_back(fmt::format("{} overlap at {:.4g} s, and the simulation lets them", event.detail, event.time));
    const auto after = std::upper_bound(log.events.begin(), log.events.end(), event.time,
                                        [](double t, const LogEvent& e) { return t < e.time; });
    log.events.insert(after, std::move(event));
  }
  return sentences;
}

}  // namespace armature::app
