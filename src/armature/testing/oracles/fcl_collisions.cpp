// fcl_collisions ARM PACKAGES [MOTION.csv [I-J]]: what FCL says of the arm with its collision shapes as they are, meshes too (or, where those are not at hand,
// with its looks), of all links that are not neighbours. Along a motion: "touching", at how many of its rows two of them touch, and "lowest", the lowest corner beyond the second joint [m].
// Without one, at 200 random configurations: "nearest_excess" and "capsule_excess", by how much distances of our hulls and capsules are larger
// than FCL's, at most [m]. Pairs that FCL finds in contact nearly everywhere are "left_out"; so are
// bodies I and J, counted from 0.
#include <fcl/fcl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "armature/algorithms/clearance.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/log_source.hpp"

using namespace armature::rooms;

namespace {

struct Solid {
  int body = -1;
  std::vector<Vec3<double>> corners;  // of a hull, in the body's frame; of a mesh three a triangle
  double rounding = 0;                // about them [m]
  std::shared_ptr<fcl::CollisionGeometryd> geometry;
  Pose<double> X_BG;  // of the geometry in the body's frame
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

std::string mesh_path(const Shape& shape, const std::string& packages) {
  const std::string scheme = "package://";
  return packages + "/" + (shape.mesh.starts_with(scheme) ? shape.mesh.substr(scheme.size()) : shape.mesh);
}

/// The triangles in the body's frame.
Solid solid_of_mesh(const Shape& shape, const std::string& packages, const Pose<double>& X_BS) {
  Solid solid;
  for (const Vec3<double>& corner : read_stl(mesh_path(shape, packages)))
    solid.corners.push_back(X_BS * Vec3<double>(shape.size.cwiseProduct(corner)));
  auto mesh = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  mesh->beginModel();
  for (std::size_t i = 0; i < solid.corners.size(); i += 3)
    mesh->addTriangle(solid.corners[i], solid.corners[i + 1], solid.corners[i + 2]);
  mesh->endModel();
  solid.geometry = mesh;
  return solid;
}

/// FCL's own box, cylinder or sphere; the corners stand around it.
Solid solid_of(const Shape& shape, const Pose<double>& X_BS) {
  Solid solid;
  solid.X_BG = X_BS;
  const Vec3<double>& size = shape.size;
  if (shape.kind == Shape::Kind::box) {
    solid.geometry = std::make_shared<fcl::Boxd>(size);
    for (int k = 0; k < 8; ++k)
      solid.corners.push_back(
          X_BS * Vec3<double>(size.cwiseProduct(Vec3<double>((k & 1) - 0.5, (k >> 1 & 1) - 0.5, (k >> 2) - 0.5))));
  } else if (shape.kind == Shape::Kind::cylinder) {
    solid.geometry = std::make_shared<fcl::Cylinderd>(size[0], size[1]);
    constexpr int sides = 32;
    for (int k = 0; k < 2 * sides; ++k) {
      const double turn = k * pi / sides, radius = size[0] / std::cos(pi / sides);
      solid.corners.push_back(
          X_BS * Vec3<double>(radius * std::cos(turn), radius * std::sin(turn), (k % 2 == 0 ? size[1] : -size[1]) / 2));
    }
  } else {
    solid.geometry = std::make_shared<fcl::Sphered>(size[0]);
    solid.corners.push_back(X_BS.p);
    solid.rounding = size[0];
  }
  return solid;
}

std::vector<Solid> solids_of(const Arm& arm, const std::string& packages) {
  std::vector<Solid> solids;
  const auto add = [&](const LinkShapes& shapes, int body, const Pose<double>& X_BL) {
    const auto at_hand = [&](const Shape& shape) {
      return shape.kind != Shape::Kind::mesh || std::filesystem::exists(mesh_path(shape, packages));
    };
    std::vector<Shape> known = shapes.collision;
    if (std::erase_if(known, std::not_fn(at_hand)) > 0 || known.empty())
      std::copy_if(shapes.visual.begin(), shapes.visual.end(), std::back_inserter(known), at_hand);
    for (const Shape& shape : known) {
      const Pose<double> X_BS = X_BL * pose_of(shape.place);
      solids.push_back(shape.kind == Shape::Kind::mesh ? solid_of_mesh(shape, packages, X_BS) : solid_of(shape, X_BS));
      solids.back().body = body;
    }
  };
  add(arm.description().base_shapes, -1, pose_of(arm.description().base));
  for (std::size_t j = 0; j < arm.description().joints.size(); ++j)
    add(arm.description().joints[j].link.shapes, arm.frames()[j].body, arm.frames()[j].X_BF);
  return solids;
}

fcl::Transform3d place_of(const Solid& solid, const LinkPoses<double>& poses) {
  const Pose<double> pose = solid.body < 0 ? solid.X_BG : poses.X_WB[solid.body] * solid.X_BG;
  fcl::Transform3d X = fcl::Transform3d::Identity();
  X.linear() = pose.R;
  X.translation() = pose.p;
  return X;
}

bool solids_touch(const Solid& one, const Solid& two, const LinkPoses<double>& poses) {
  fcl::CollisionResultd touch;
  fcl::collide(one.geometry.get(), place_of(one, poses), two.geometry.get(), place_of(two, poses),
               fcl::CollisionRequestd(), touch);
  return touch.isCollision();
}

/// Zero where they touch.
double solid_distance(const Solid& one, const Solid& two, const LinkPoses<double>& poses) {
  const fcl::Transform3d X = place_of(one, poses), Y = place_of(two, poses);
  if (solids_touch(one, two, poses)) return 0;
  fcl::DistanceResultd distance;
  fcl::distance(one.geometry.get(), X, two.geometry.get(), Y, fcl::DistanceRequestd(), distance);
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
  if (argc < 3) throw std::runtime_error("usage: fcl_collisions ARM PACKAGES [MOTION.csv [I-J]]");
  const Arm arm = load_arm(argv[1], {.as_given = true}).arm;
  const std::vector<Solid> solids = solids_of(arm, argv[2]);
  Random random(5);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  ClearanceModel ours;
  for (const Solid& solid : solids) {
    ours.capsules.push_back(enclosing_capsule(solid.corners));
    ours.capsules.back().body = solid.body;
    ours.capsules.back().radius += solid.rounding;
    ours.capsules.back().rounding = solid.rounding;
    ours.capsules.back().points = solid.corners;
  }
  double excess = -1e9, capsule_excess = -1e9;
  int left_out = 0;
  const int tries = std::getenv("ARMATURE_LONG_TESTS") ? 200 : 50;
  for (std::size_t i = 0; i < solids.size(); ++i)
    for (std::size_t j = i + 1; j < solids.size(); ++j) {
      if (std::abs(solids[i].body - solids[j].body) < 2) continue;
      if (argc > 4 && fmt::format("{}-{}", solids[i].body, solids[j].body) == argv[4]) continue;
      int touching = 0;
      for (int k = 0; k < tries; ++k) {
        const LinkPoses<double> poses = forward_kinematics<double>(arm, random_posture(arm, random));
        const double theirs = solid_distance(solids[i], solids[j], poses);
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
  int touching = 0;
  double lowest = 1e9;
  VecX<double> q(arm.dof());
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    for (int i = 0; i < arm.dof(); ++i) q[i] = log.channel(fmt::format("q{}", i + 1)).values[k];
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    bool touch = false;
    for (const auto& [i, j] : pairs)  // the capsules hold the shapes
      touch = touch || (pair_clearance(ours, poses, static_cast<int>(i), static_cast<int>(j)).distance < 0 &&
                        solids_touch(solids[i], solids[j], poses));
    touching += touch ? 1 : 0;
    for (const Solid& solid : solids)
      if (solid.body >= 1)
        for (const Vec3<double>& corner : solid.corners)
          lowest = std::min(lowest, (poses.X_WB[solid.body] * corner)[2] - solid.rounding);
  }
  fmt::print("rows {}\ntouching {}\nlowest {}\n", log.time.size(), touching, lowest);
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
