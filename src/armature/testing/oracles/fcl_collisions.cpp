// fcl_collisions URDF PACKAGES [MOTION.csv]: prints the smallest distance between links of the arm that are not neighbours, by FCL on the
// meshes of <collision> as they are, at every row of the motion: "distance [m]", "lowest [m]" (the lowest corner beyond the second
// joint), and which pairs FCL finds in contact nearly everywhere, which are left out. Without a motion: at 200 random configurations, beside
// our own distances: "nearest_excess [m]", by how much ours are larger at most.
#include <fcl/fcl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "armature/algorithms/clearance.hpp"
#include "armature/core/random.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/log_source.hpp"

using namespace armature;

namespace {

struct Solid {
  int body = -1;
  std::vector<Vec3<double>> corners;  // three a triangle, in the body's frame
  std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> mesh;
};

/// The corners of a binary STL file, three a triangle.
std::vector<Vec3<double>> read_stl(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const std::string bytes = text.str();
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
  if (count == 0 || bytes.size() < 84 + 50 * static_cast<std::size_t>(count))
    throw std::runtime_error(path + ": not a binary STL");
  std::vector<Vec3<double>> corners;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      float xyz[3];
      std::memcpy(xyz, bytes.data() + 84 + 50 * i + 12 + 12 * k, sizeof xyz);
      corners.emplace_back(xyz[0], xyz[1], xyz[2]);
    }
  return corners;
}

std::vector<Solid> solids_of(const Arm& arm, const std::string& packages) {
  std::vector<Solid> solids;
  const auto add = [&](const LinkShapes& shapes, int body, const Pose<double>& X_BL) {
    for (const Shape& shape : shapes.collision) {
      if (shape.kind != Shape::Kind::mesh) continue;
      Solid solid;
      solid.body = body;
      const std::string scheme = "package://";
      const std::string path =
          packages + "/" + (shape.mesh.starts_with(scheme) ? shape.mesh.substr(scheme.size()) : shape.mesh);
      for (const Vec3<double>& corner : read_stl(path))
        solid.corners.push_back(X_BL * (pose_of(shape.place) * Vec3<double>(shape.size.cwiseProduct(corner))));
      solid.mesh = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
      solid.mesh->beginModel();
      for (std::size_t i = 0; i < solid.corners.size(); i += 3)
        solid.mesh->addTriangle(solid.corners[i], solid.corners[i + 1], solid.corners[i + 2]);
      solid.mesh->endModel();
      solids.push_back(std::move(solid));
    }
  };
  add(arm.description().base_shapes, -1, pose_of(arm.description().base));
  for (std::size_t j = 0; j < arm.description().joints.size(); ++j)
    add(arm.description().joints[j].link.shapes, arm.frames()[j].body, arm.frames()[j].X_BF);
  return solids;
}

fcl::Transform3d place_of(const Solid& solid, const LinkPoses<double>& poses) {
  fcl::Transform3d X = fcl::Transform3d::Identity();
  if (solid.body < 0) return X;
  const Pose<double>& pose = poses.X_WB[static_cast<std::size_t>(solid.body)];
  X.linear() = pose.R, X.translation() = pose.p;
  return X;
}

/// Zero where they touch.
double mesh_distance(const Solid& one, const Solid& two, const LinkPoses<double>& poses) {
  const fcl::Transform3d X = place_of(one, poses), Y = place_of(two, poses);
  fcl::CollisionResultd touch;
  fcl::collide(one.mesh.get(), X, two.mesh.get(), Y, fcl::CollisionRequestd(), touch);
  if (touch.isCollision()) return 0;
  fcl::DistanceResultd distance;
  fcl::distance(one.mesh.get(), X, two.mesh.get(), Y, fcl::DistanceRequestd(), distance);
  return distance.min_distance;
}

VecX<double> random_posture(const Arm& arm, Random& random) {
  VecX<double> q(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) {
    const Limits& limits = arm.joint(i).limits;
    q[i] = random.uniform(limits.lower.value_or(-3), limits.upper.value_or(3));
  }
  return q;
}

int run(int argc, char** argv) {
  if (argc < 3) throw std::runtime_error("usage: fcl_collisions URDF PACKAGES [MOTION.csv]");
  const Arm arm = load_arm(argv[1], {.as_given = true}).arm;
  const std::vector<Solid> solids = solids_of(arm, argv[2]);
  Random random(5);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  ClearanceModel ours;
  for (const Solid& solid : solids) {
    ours.capsules.push_back(enclosing_capsule(solid.corners));
    ours.capsules.back().body = solid.body, ours.capsules.back().points = solid.corners;
  }
  double excess = -1e9, capsule_excess = -1e9;
  int left_out = 0;
  constexpr int tries = 200;
  for (std::size_t i = 0; i < solids.size(); ++i)
    for (std::size_t j = i + 1; j < solids.size(); ++j) {
      if (std::abs(solids[i].body - solids[j].body) < 2) continue;
      int touching = 0;
      for (int k = 0; k < tries; ++k) {
        const LinkPoses<double> poses = forward_kinematics<double>(arm, random_posture(arm, random));
        const double theirs = mesh_distance(solids[i], solids[j], poses);
        touching += theirs == 0 ? 1 : 0;
        const Clearance c = pair_clearance(ours, poses, static_cast<int>(i), static_cast<int>(j));
        if (argc == 3) excess = std::max(excess, shape_distance(ours, poses, c) - theirs);
        capsule_excess = std::max(capsule_excess, c.distance - theirs);
      }
      if (touching > 0.95 * tries)
        ++left_out;
      else
        pairs.emplace_back(i, j);
    }
  fmt::print("pairs {}\nleft_out {}\n", pairs.size(), left_out);
  if (argc == 3) {
    fmt::print("nearest_excess {}\ncapsule_excess {}\n", excess, capsule_excess);
    return 0;
  }
  const Log log = read_log(std::string(argv[3]));
  double least = 1e9, lowest = 1e9;
  VecX<double> q(arm.dof());
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    for (int i = 0; i < arm.dof(); ++i) q[i] = log.channel(fmt::format("q{}", i + 1)).values[k];
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    for (const auto& [i, j] : pairs) {
      const int first = static_cast<int>(i), second = static_cast<int>(j);
      if (pair_clearance(ours, poses, first, second).distance < least)  // else the meshes are farther apart still
        least = std::min(least, mesh_distance(solids[i], solids[j], poses));
    }
    for (const Solid& solid : solids)
      if (solid.body >= 1)
        for (const Vec3<double>& corner : solid.corners)
          lowest = std::min(lowest, (poses.X_WB[static_cast<std::size_t>(solid.body)] * corner)[2]);
  }
  fmt::print("rows {}\ndistance {}\nlowest {}\n", log.time.size(), least, lowest);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
