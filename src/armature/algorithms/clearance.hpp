// How far the links of an arm stay from each other and from the floor, by capsules around them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/algorithms/forward_kinematics.hpp"

namespace armature::algorithms {

/// All points within `radius` of a segment, rigid with a body.
struct Capsule {
  int body = -1;                          // that carries it; -1: it stands still
  Vec3<double> a = Vec3<double>::Zero();  // ends of the segment, in the body's frame, or in the world [m]
  Vec3<double> b = Vec3<double>::Zero();
  double radius = 0;   // [m]
  std::string link{};  // what it stands for
  /// What it is around: the convex hull of these points, in the same frame, and all within `rounding` of it. None: the capsule itself.
  std::vector<Vec3<double>> points{};
  double rounding = 0;  // [m]
};

/// A capsule that holds all points: about the line through their mean along which they spread most, as short as it goes.
Capsule enclosing_capsule(const std::vector<Vec3<double>>& points);

struct ClearanceModel {
  std::vector<Capsule> capsules;
  std::vector<std::pair<int, int>> pairs;  // of capsules that are to stay apart
  std::optional<double> floor;             // height in the world that the capsules `above` stay over [m]
  std::vector<int> above;
};

/// Watches all pairs whose bodies are neither the same nor neighbours, and the floor with all capsules beyond the second joint
/// where gravity points along -z. A pair that is nearer than `least` [m] at more than a quarter of 400 seeded random configurations
/// within the limits is left out: links that close to each other by construction, or of which capsules say too little. Returns the pairs
/// left out.
std::vector<std::pair<int, int>> watch(const Arm& arm, ClearanceModel& model, std::optional<double> floor,
                                       double least = 0);

/// The nearest of what is watched.
struct Clearance {
  double distance = 0;               // [m]; negative: they overlap
  int first = -1, second = -1;       // capsules; second -1: the floor; first -1: nothing is watched
  Vec3<double> at_first, at_second;  // nearest points of their segments, in the world [m]
};

/// Allocates nothing.
Clearance clearance(const ClearanceModel& model, const LinkPoses<double>& poses);

/// Calls visit(Clearance) for every pair, and for every capsule and the floor, that is nearer than `near` [m].
template <class Visit>
void for_each_near(const ClearanceModel& model, const LinkPoses<double>& poses, double near, Visit&& visit);

/// What a change of each joint does to the distance [m/rad | m/m].
VecX<double> clearance_slope(const Arm& arm, const ClearanceModel& model, const LinkPoses<double>& poses,
                             const Clearance& nearest);

/// Of one pair.
Clearance pair_clearance(const ClearanceModel& model, const LinkPoses<double>& poses, int first, int second);
/// Of a capsule and the floor.
Clearance floor_clearance(const ClearanceModel& model, const LinkPoses<double>& poses, int capsule);

/// How far the shapes inside the two capsules, or inside the capsule and the floor, are apart [m]; 0 where they overlap. Slower than the
/// capsules, and closer to the truth. [Gilbert1988]
double shape_distance(const ClearanceModel& model, const LinkPoses<double>& poses, const Clearance& between);

template <class Visit>
void for_each_near(const ClearanceModel& model, const LinkPoses<double>& poses, double near, Visit&& visit) {
  for (const auto& [first, second] : model.pairs)
    if (const Clearance c = pair_clearance(model, poses, first, second); c.distance < near) visit(c);
  if (model.floor)
    for (const int capsule : model.above)
      if (const Clearance c = floor_clearance(model, poses, capsule); c.distance < near) visit(c);
}

}  // namespace armature::algorithms
