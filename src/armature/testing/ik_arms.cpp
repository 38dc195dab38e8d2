#include "armature/testing/ik_arms.hpp"

#include <algorithm>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::testing {

namespace {

struct Row {
  double theta, d, a, alpha;
  JointType type = JointType::revolute;
};

Arm arm_of(const char* name, const std::vector<Row>& rows) {
  std::vector<DhLink> links;
  for (const Row& row : rows)
    links.push_back(
        {"j" + std::to_string(links.size() + 1), row.type, row.theta * deg, row.d, row.a, row.alpha * deg,
         row.type == JointType::fixed ? Inertia<double>{} : Inertia<double>{1, {0, 0, 0}, Mat3<double>::Identity()}});
  return arm_from_dh(name, links);
}

}  // namespace

std::vector<IkArm> ik_arms() {
  const auto prismatic = JointType::prismatic;
  const std::string_view wrist = "6R with a spherical wrist", ur = "6R with three parallel axes";
  return {
      {arm_of("rrr", {{0, 0.56, 0, 90}, {0, 0.169, 0.2, 0}, {0, 0.09, 0.415, 0}}), "RRR", 4},
      {arm_of("rrr_offset", {{30, 0.4, 0.15, -90}, {-90, 0.1, 0.7, 180}, {20, 0.05, 0.6, 0}}), "RRR", 4},
      {arm_of("planar3r", {{0, 0, 1. / 3, 0}, {0, 0, 1. / 3, 0}, {0, 0, 1. / 3, 0}}), "planar 3R", 2},
      {arm_of("planar_offset", {{40, 0.1, 0.5, 180}, {-10, 0.2, 0.3, 0}, {0, -0.3, 0.2, 70}}), "planar 3R", 2},
      {arm_of("rpr",
              {{90, 0.15, 0, 90, JointType::fixed}, {0, 0, 0.4, -90}, {0, 0.3, 0, 0, prismatic}, {0, 0, 0.16, 0}}),
       "RPR", 4},
      {arm_of("rpr_offset", {{20, 0.3, 0.1, 90}, {45, 0.2, 0.07, 180, prismatic}, {-30, 0.1, 0.25, 0}}), "RPR", 4},
      {arm_of("puma560", {{0, 0.672, 0, 90},
                          {0, 0, 0.4318, 0},
                          {0, 0.15005, 0.0203, -90},
                          {0, 0.4318, 0, 90},
                          {0, 0, 0, -90},
                          {0, 0, 0, 0}}),
       wrist, 8},
      {arm_of("wrist_offset", {{0, 0.4, 0.18, -90},
                               {-90, 0, 0.6, 0},
                               {180, 0, -0.12, 90},
                               {0, -0.62, 0, -90},
                               {0, 0, 0, 90},
                               {0, -0.115, 0, 180}}),
       wrist, 8},
      {arm_of("ur5", {{0, 0.089159, 0, 90},
                      {0, 0, -0.425, 0},
                      {0, 0, -0.39225, 0},
                      {0, 0.10915, 0, 90},
                      {0, 0.09465, 0, -90},
                      {0, 0.0823, 0, 0}}),
       ur, 8},
      {arm_of("ur5e", {{0, 0.1625, 0, 90},
                       {0, 0, -0.425, 0},
                       {0, 0, -0.3922, 0},
                       {0, 0.1333, 0, 90},
                       {0, 0.0997, 0, -90},
                       {0, 0.0996, 0, 0}}),
       ur, 8},
      {arm_of("ur10", {{0, 0.1273, 0, 90},
                       {0, 0, -0.612, 0},
                       {0, 0, -0.5723, 0},
                       {0, 0.163941, 0, 90},
                       {0, 0.1157, 0, -90},
                       {0, 0.0922, 0, 0}}),
       ur, 8},
      {arm_of("ur_offset", {{10, 0.2, 0.05, -90},
                            {0, 0.1, 0.5, 180},
                            {30, -0.05, 0.4, 0},
                            {0, 0.1, 0.03, 90},
                            {0, 0.1, 0, 90},
                            {0, 0.08, 0.02, 30}}),
       ur, 8},
  };
}

Arm ik_arm(std::string_view name) {
  for (const IkArm& member : ik_arms())
    if (member.arm.name() == name) return member.arm;
  throw Error("no arm of this name");
}

namespace {

Vec3<double> random_direction(Random& random) {
  return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
}
Placement placement_of(const Pose<double>& X) { return {X.p, rpy_from_rotation(X.R).angles}; }

}  // namespace

Pose<double> random_pose(Random& random) {
  return {exp_map(random_direction(random) * random.uniform(0, pi)), random_direction(random) * random.uniform(0, 1)};
}

Arm retold(const Arm& arm, Random& random) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, random_vector(arm.dof(), random, pi));
  ArmDescription told;
  told.name = arm.name() + " retold";
  const Pose<double> X_VW = random_pose(random);
  told.base = placement_of(random_pose(random));
  Pose<double> X_VP = pose_of(told.base);
  for (int i = 0; i < arm.dof(); ++i) {
    const Pose<double> X_VB = X_VW * poses.X_WB[i];
    const Vec3<double> z = X_VB.R.col(2);
    const double flip = random.uniform() < 0.5 ? -1 : 1;
    const Pose<double> X_VJ{random_pose(random).R, X_VB.p + z * random.normal() * 0.2};
    JointDescription joint = arm.joint(i);
    joint.placement =
        OriginAxis{placement_of(X_VP.inverse() * X_VJ), Vec3<double>(flip * (X_VJ.R.transpose() * z)).normalized()};
    told.joints.push_back(joint);
    X_VP = X_VJ;
  }
  told.tool = placement_of(X_VP.inverse() * X_VW * tool_pose(arm, poses));
  if (arm.dof() == 6) told.tool = placement_of(random_pose(random));  // of the others the tool is part of the geometry
  return Arm(told);
}

double joint_distance(const Arm& arm, const VecX<double>& a, const VecX<double>& b) {
  double largest = 0;
  for (int i = 0; i < arm.dof(); ++i) {
    const double difference = a[i] - b[i];
    largest = std::max(largest, std::abs(arm.body(i).revolute ? std::remainder(difference, 2 * pi) : difference));
  }
  return largest;
}

}  // namespace armature::testing
