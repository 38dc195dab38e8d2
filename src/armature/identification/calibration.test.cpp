#include "armature/identification/calibration.hpp"

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <tuple>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/identification/calibration_poses.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

/// Designed once: most of the time of these tests goes into it.
const std::vector<VecX<double>>& designed(const std::string& name, int count, const CalibrationSettings& s) {
  static std::map<std::tuple<std::string, int, ToolMeasured, bool>, std::vector<VecX<double>>> known;
  std::vector<VecX<double>>& postures = known[{name, count, s.measured, s.gears}];
  if (postures.empty()) postures = design_postures(catalogue_arm(name), count, s).postures;
  return postures;
}

/// An arm built a little differently than described, measured in postures that were designed for it.
struct MeasuredArm {
  Arm described;
  CalibrationSettings settings;
  std::vector<GeometryParameter> parameters;
  std::vector<int> kept;  // the parameters that can be determined
  CalibratedGeometry truth;
  std::vector<VecX<double>> postures;
  Random random;

  MeasuredArm(const std::string& name, const CalibrationSettings& s, int count, std::uint64_t seed)
      : described(catalogue_arm(name)),
        settings(s),
        parameters(geometry_parameters(described, s.gears, s.compliances)),
        truth(described, parameters),
        postures(designed(name, count, s)),
        random(seed) {
    const int rows = s.measured == ToolMeasured::pose ? 6 : 3;
    Eigen::MatrixXd all(rows * count, parameters.size());
    for (int k = 0; k < count; ++k)
      all.middleRows(rows * k, rows) = truth.sensitivity(postures[k]).columns.topRows(rows);
    kept = independent_columns(all);
    Eigen::VectorXd error = Eigen::VectorXd::Zero(all.cols());
    for (const int k : kept) {
      const GeometryParameter& p = parameters[k];
      const double size = p.kind == GeometryParameter::Kind::compliance ? 2e-5
                          : p.kind == GeometryParameter::Kind::gear     ? 1e-3
                                                                        : 2e-3;  // 2 mm, 0.1 deg
      error[k] = size * (p.kind == GeometryParameter::Kind::compliance ? std::abs(random.normal()) : random.normal());
    }
    truth.change(error);
  }
  std::vector<ToolMeasurement> measured(const std::vector<VecX<double>>& where, double noise, double turn = 0) {
    std::vector<ToolMeasurement> all;
    for (const VecX<double>& q : where) {
      const Pose<double> X = truth.tool(q);
      Vec3<double> p, r;
      for (int i = 0; i < 3; ++i) {
        p[i] = noise * random.normal();
        r[i] = turn * random.normal();
      }
      all.push_back({q, X.p + p, exp_map(r) * X.R});
    }
    return all;
  }
  std::vector<VecX<double>> elsewhere(int count) {
    std::vector<VecX<double>> q;
    for (int k = 0; k < count; ++k) {
      q.emplace_back(described.dof());
      for (int i = 0; i < described.dof(); ++i) q.back()[i] = random.uniform(-2, 2);
    }
    return q;
  }
};

/// Shares of true values inside their intervals, and the tool's error in fresh postures over the noise.
struct Trial {
  int inside = 0, all = 0;
  double fresh = 0;
};
Trial tried(const std::string& name, const CalibrationSettings& s, std::uint64_t seed, double noise, double turn) {
  MeasuredArm arm(name, s, 100, seed);
  const Calibration found = calibrate(arm.described, arm.measured(arm.postures, noise, turn), s);
  Trial t;
  REQUIRE(found.parameters.size() == arm.kept.size());
  for (std::size_t k = 0; k < found.parameters.size(); ++k, ++t.all)
    t.inside += std::abs(found.parameters[k].value - arm.truth.values()[arm.kept[k]]) < found.parameters[k].interval;
  const Arm calibrated(found.arm);
  double sum = 0;
  const std::vector<VecX<double>> fresh = arm.elsewhere(200);
  if (s.compliances || s.gears) return t;  // an arm file's kinematics is that of its joints
  for (const ToolMeasurement& m : arm.measured(fresh, noise)) {
    const Pose<double> X = tool_pose(calibrated, forward_kinematics<double>(calibrated, m.q));
    sum += (m.position - X.p).squaredNorm();
  }
  t.fresh = std::sqrt(sum / 3 / 200) / noise;
  return t;
}

}  // namespace

TEST_CASE("a calibrated arm has the geometry that was measured, to its intervals and to 1.2 times the noise") {
  constexpr int seeds = 40;
  Trial sum;
  double worst = 0;
  for (const char* name : {"ur10", "panda"})
    for (int seed = 1; seed <= seeds; ++seed) {
      const Trial t = tried(name, {}, static_cast<std::uint64_t>(seed), 1e-4, 0);
      sum.inside += t.inside;
      sum.all += t.all;
      worst = std::max(worst, t.fresh);
    }
  const double share = static_cast<double>(sum.inside) / sum.all;
  MESSAGE(sum.inside << " of " << sum.all << " inside, fresh postures " << worst << " times the noise");
  CHECK(share > 0.92);
  CHECK(share < 0.98);
  CHECK(worst < 1.2);
}

TEST_CASE("poses determine four parameters per turning joint and six more") {
  for (const char* name : {"rrr", "ur5e", "panda"}) {
    MeasuredArm arm(name, {.measured = ToolMeasured::pose}, 60, 1);
    CHECK(arm.kept.size() == static_cast<std::size_t>(4 * arm.described.dof() + 6));
  }
}

TEST_CASE("noise of positions and of orientations is told apart") {
  MeasuredArm arm("ur5e", {.measured = ToolMeasured::pose}, 80, 3);
  const Calibration found = calibrate(arm.described, arm.measured(arm.postures, 2e-4, 1e-3), arm.settings);
  CHECK(found.position_noise == doctest::Approx(2e-4).epsilon(0.15));
  CHECK(found.orientation_noise == doctest::Approx(1e-3).epsilon(0.15));
  CHECK(found.after.position < found.before.position / 5);
  CHECK(found.held_out.position > found.after.position);
}

TEST_CASE("gears and compliance are found beside the geometry") {
  const CalibrationSettings s{.measured = ToolMeasured::position, .gears = true, .compliances = true};
  int inside = 0, all = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Trial t = tried("ur5e", s, seed, 1e-5, 0);
    inside += t.inside;
    all += t.all;
  }
  CHECK(inside > 0.85 * all);
}

TEST_CASE("without noise the description found moves the tool exactly as the arm that was measured") {
  for (const char* name : {"rrr", "rpr", "ur5e", "panda", "puma560"}) {  // DH tables and origins, sliding joints
    MeasuredArm arm(name, {.measured = ToolMeasured::pose}, 60, 2);
    const Pose<double> placed{rotation_from_rpy({0.4, -0.3, 2.5}), {2, -1, 0.5}};  // the instrument stands anywhere
    std::vector<ToolMeasurement> data = arm.measured(arm.postures, 0);
    for (ToolMeasurement& m : data) {
      m.position = placed * m.position;
      m.rotation = placed.R * m.rotation;
    }
    const Arm found(calibrate(arm.described, data, arm.settings).arm);
    double worst = 0;
    for (const VecX<double>& q : arm.elsewhere(50)) {
      const Pose<double> X = tool_pose(found, forward_kinematics<double>(found, q)), truth = placed * arm.truth.tool(q);
      worst = std::max({worst, (X.p - truth.p).norm(), (X.R - truth.R).norm()});
    }
    CHECK(worst < 1e-9);
    CHECK(found.body(arm.described.dof() - 1).inertia.m == doctest::Approx(arm.described.bodies().back().inertia.m));
  }
}

TEST_CASE("a plane of unknown place makes an arm straighter") {
  MeasuredArm arm("rrr", {.measured = ToolMeasured::position}, 40, 5);
  // Postures whose tool lies on z = 0.3, found by moving the second joint.
  std::vector<VecX<double>> touching;
  while (touching.size() < 80) {
    VecX<double> q(3);
    for (int i = 0; i < 3; ++i) q[i] = arm.random.uniform(-1.5, 1.5);
    const auto height = [&](double second) { return q[1] = second, arm.truth.tool(q).p[2] - 0.3; };
    double low = -1.5, high = 1.5;
    if (height(low) * height(high) > 0) continue;
    for (int k = 0; k < 60; ++k) (height(low) * height((low + high) / 2) <= 0 ? high : low) = (low + high) / 2;
    height((low + high) / 2);
    touching.push_back(q);
  }
  std::vector<ToolMeasurement> data;
  for (const VecX<double>& q : touching) data.push_back({q, {}, Mat3<double>::Identity()});
  const Calibration found = calibrate(arm.described, data, {.measured = ToolMeasured::plane});
  CHECK(found.before.position > 1e-4);
  CHECK(found.after.position < 1e-9);
}

TEST_CASE("a point that is touched in many postures makes an arm straighter, elsewhere too") {
  MeasuredArm arm("ur5e", {.measured = ToolMeasured::position}, 60, 6);
  // From anywhere the first three joints bring the tool to the point, on one of their branches: Newton with differences.
  const auto touching = [&](const Vec3<double>& point, int count) {
    std::vector<ToolMeasurement> data;
    while (data.size() < static_cast<std::size_t>(count)) {
      VecX<double> q(6);
      for (int i = 0; i < 6; ++i) q[i] = arm.random.uniform(-3, 3);
      Vec3<double> off = arm.truth.tool(q).p - point;
      for (int k = 0; k < 20 && off.norm() > 1e-13; ++k) {
        Mat3<double> J;
        for (int i = 0; i < 3; ++i) {
          VecX<double> beside = q;
          beside[i] += 1e-6;
          J.col(i) = (arm.truth.tool(beside).p - point - off) / 1e-6;
        }
        q.head(3) -= J.inverse() * off;
        off = arm.truth.tool(q).p - point;
      }
      if (off.norm() < 1e-12 && q.cwiseAbs().maxCoeff() < 3) data.push_back({q, {}, Mat3<double>::Identity()});
    }
    return data;
  };
  const Calibration found =
      calibrate(arm.described, touching({0.3, 0.25, 0.4}, 100), {.measured = ToolMeasured::point});
  CHECK(found.before.position > 1e-4);
  CHECK(found.after.position < 1e-9);
  const auto spread = [&](const Arm& believed) {
    std::vector<Vec3<double>> at;
    for (const ToolMeasurement& m : touching({-0.2, 0.45, 0.3}, 30))
      at.push_back(tool_pose(believed, forward_kinematics<double>(believed, m.q)).p);
    double widest = 0;
    for (const Vec3<double>& p : at) widest = std::max(widest, (p - at.front()).norm());
    return widest;
  };
  CHECK(spread(arm.described) > 1e-4);
  CHECK(spread(Arm(found.arm)) < 1e-7);
}

TEST_CASE("designed postures tell more than random ones") {
  for (const char* name : {"ur5e", "panda"}) {
    const PostureDesign design = design_postures(catalogue_arm(name), 40, {});
    CHECK(design.observability > design.random_observability);
    CHECK(design.condition < 1e3);
  }
}

TEST_CASE("measurements of something else are refused") {
  MeasuredArm arm("ur5e", {.measured = ToolMeasured::position}, 60, 4);
  std::vector<ToolMeasurement> data = arm.measured(arm.postures, 1e-4);
  CHECK_THROWS_AS(calibrate(arm.described, data, {.measured = ToolMeasured::plane}), Error);  // they touch no plane
  for (ToolMeasurement& m : data) std::swap(m.q[1], m.q[2]);
  CHECK_THROWS_AS(calibrate(arm.described, data), Error);
  data.resize(5);
  CHECK_THROWS_WITH_AS(calibrate(arm.described, data), doctest::Contains("equations from 5 postures"), Error);
}
