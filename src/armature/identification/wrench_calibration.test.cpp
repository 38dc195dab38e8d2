#include "armature/identification/wrench_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/wrench_sensor.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

/// A tool as a handful of points with masses, and a sensor: what the calibration is to find.
struct Truth {
  std::vector<std::pair<double, Vec3<double>>> points{
      {0.5, {0.02, 0.01, 0.05}}, {0.3, {-0.05, 0.02, 0.1}}, {0.4, {0.03, -0.06, 0.12}}, {0.2, {0.01, 0.03, 0.2}}};
  Vec3<double> position{0.004, -0.003, 0.035};               // of the sensor in the tool's frame [m]
  Mat3<double> axes = rotation_from_rpy({0.1, -0.05, 0.6});  // of the sensor
  double sign = 1;                                           // -1: the load on the arm is read
  Vec6<double> offset = (Vec6<double>() << 4, -7, 12, 0.3, -0.2, 0.15).finished();
  Vec6<double> drift = Vec6<double>::Zero();  // [N/s] [N m/s]
  Vec6<double> gain = Vec6<double>::Ones();
  Vec6<double> noise = (Vec6<double>() << 0.05, 0.05, 0.1, 0.002, 0.002, 0.001).finished();

  [[nodiscard]] double mass() const {
    double sum = 0;
    for (const auto& [m, r] : points) sum += m;
    return sum;
  }
  [[nodiscard]] Vec3<double> centre() const {  // in the tool's frame
    Vec3<double> sum = Vec3<double>::Zero();
    for (const auto& [m, r] : points) sum += m * r;
    return sum / mass();
  }
  [[nodiscard]] Mat3<double> central_tensor() const {
    Mat3<double> I = Mat3<double>::Zero();
    for (const auto& [m, r] : points) I += point_mass_inertia<double>(m, r - centre());
    return I;
  }
};

using Path = std::function<VecX<double>(double t)>;

/// The slow and obvious version: each point of the tool is followed through space, its acceleration is the second difference of where it is,
/// and its force and moment about the sensor are summed up.
Vec6<double> wrench_at(const Arm& arm, const Truth& truth, const Path& path, double t) {
  constexpr double h = 2e-3;
  const auto pose = [&](double at) { return tool_pose(arm, forward_kinematics<double>(arm, path(at))); };
  const Pose<double> X = pose(t), X1 = pose(t + h), X2 = pose(t + 2 * h), Y1 = pose(t - h), Y2 = pose(t - 2 * h);
  const auto point = [](const Pose<double>& P, const Vec3<double>& r) { return Vec3<double>(P.R * r + P.p); };
  Vec3<double> force = Vec3<double>::Zero(), moment = force;
  const Vec3<double> origin = point(X, truth.position);
  for (const auto& [m, r] : truth.points) {
    const Vec3<double> a =
        (-point(X2, r) + 16 * point(X1, r) - 30 * point(X, r) + 16 * point(Y1, r) - point(Y2, r)) / (12 * h * h);
    const Vec3<double> f = m * (a - arm.gravity());
    force += f;
    moment += (point(X, r) - origin).cross(f);
  }
  const Mat3<double> to_sensor = (X.R * truth.axes).transpose();
  Vec6<double> w;
  w << to_sensor * force, to_sensor * moment;
  return truth.sign * w;
}

WrenchLog read_along(const Arm& arm, const Truth& truth, const Path& path, double duration, double step,
                     std::uint64_t seed) {
  Random random(seed);
  const auto rows = static_cast<Eigen::Index>(std::llround(duration / step)) + 1;
  WrenchLog log{.start = 0, .step = step, .q = RowMatrix(rows, arm.dof()), .wrench = RowMatrix(rows, 6)};
  for (Eigen::Index k = 0; k < rows; ++k) {
    const double t = step * static_cast<double>(k);
    const Vec6<double> w = wrench_at(arm, truth, path, t);
    log.q.row(k) = path(t).transpose();
    for (int c = 0; c < 6; ++c)
      log.wrench(k, c) = truth.gain[c] * w[c] + truth.offset[c] + truth.drift[c] * (t - duration / 2) +
                         truth.noise[c] * random.normal();
  }
  return log;
}

VecX<double> random_posture(const Arm& arm, Random& random) {
  VecX<double> q(arm.dof());
  for (int j = 0; j < arm.dof(); ++j) {
    const Limits& l = arm.joint(j).limits;
    q[j] = random.uniform(std::max(l.lower.value_or(-3), -3.0), std::min(l.upper.value_or(3), 3.0));
  }
  return q;
}

WrenchLog in_postures(const Arm& arm, const Truth& truth, int count, std::uint64_t seed) {
  Random random(seed);
  WrenchLog log{.q = RowMatrix(count, arm.dof()), .wrench = RowMatrix(count, 6)};
  for (int k = 0; k < count; ++k) {
    const VecX<double> q = random_posture(arm, random);
    const Vec6<double> w = wrench_at(
        arm, truth, [&](double) { return q; }, 0);
    log.q.row(k) = q.transpose();
    for (int c = 0; c < 6; ++c)
      log.wrench(k, c) = truth.gain[c] * w[c] + truth.offset[c] + truth.drift[c] * k + truth.noise[c] * random.normal();
  }
  return log;
}

/// All joints swing, each at three frequencies of its own.
Path swinging(const Arm& arm, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> phase;
  for (int k = 0; k < 3 * arm.dof(); ++k) phase.push_back(random.uniform(0, 2 * pi));
  VecX<double> middle(arm.dof());
  for (int j = 0; j < arm.dof(); ++j) {
    const Limits& l = arm.joint(j).limits;
    middle[j] = (std::max(l.lower.value_or(-2), -2.0) + std::min(l.upper.value_or(2), 2.0)) / 2;
  }
  return [=, n = arm.dof()](double t) {
    VecX<double> q = middle;
    for (int j = 0; j < n; ++j)
      for (int h = 0; h < 3; ++h) {
        const double w = 2 * pi * (0.1 * (h + 1) + 0.017 * j);
        q[j] += 0.6 / (h + 1) * std::sin(w * t + phase[static_cast<std::size_t>(3 * j + h)]);
      }
    return q;
  };
}

/// How many intervals hold what they are to hold.
struct Coverage {
  int inside = 0, all = 0;
  void count(const WrenchQuantity& q, double truth) {
    double off = q.value - truth;
    if (q.unit == "rad") off = std::remainder(off, 2 * pi);
    inside += std::abs(off) <= q.half_width;
    ++all;
  }
};

void count_all(Coverage& c, const WrenchCalibration& found, const Truth& truth) {
  const Vec3<double> in_sensor = truth.axes.transpose() * (truth.centre() - truth.position),
                     rpy = rpy_from_rotation(truth.axes).angles;
  const Mat3<double> I = truth.central_tensor();
  const double tensor[] = {I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2)};
  c.count(found.tool[0], truth.mass());
  for (int k = 0; k < 3; ++k) {
    c.count(found.tool[1 + k], in_sensor[k]);
    if (found.moving) c.count(found.tool[4 + k], truth.centre()[k]);
    c.count(found.mounting[k], rpy[k]);
    if (found.moving) c.count(found.mounting[3 + k], truth.position[k]);
  }
  for (int k = 0; k < 6; ++k) {
    c.count(found.zeros[k], truth.offset[k]);
    if (found.moving) c.count(found.tool[7 + k], tensor[k]);
    if (!found.drift.empty()) c.count(found.drift[k], truth.drift[k]);
  }
}

const bool long_tests = std::getenv("ARMATURE_LONG_TESTS") != nullptr;

}  // namespace

TEST_CASE("without noise, postures give mass, centre, axes and offsets of the sensor, whichever way it counts") {
  const Arm arm = testing::built_in_arm("ur5e");
  for (const double sign : {1.0, -1.0}) {
    Truth truth;
    truth.sign = sign;
    truth.noise.setConstant(1e-7);
    const WrenchCalibration found = calibrate_wrench(arm, {in_postures(arm, truth, 20, 3)});
    CHECK(found.load == (sign < 0));
    CHECK(found.tool[0].value == doctest::Approx(truth.mass()).epsilon(1e-6));
    CHECK((found.x.R_TS - truth.axes).norm() < 1e-6);
    CHECK((found.x.runs[0].offset - truth.offset).norm() < 1e-5);
    CHECK((found.x.h / found.x.m + truth.position - truth.centre()).norm() < 1e-6);
    CHECK_FALSE(found.moving);
  }
}

TEST_CASE("without noise, a motion gives the sensor's place and the tool's inertia as well") {
  const Arm arm = testing::built_in_arm("panda");
  Truth truth;
  truth.noise.setConstant(1e-7);
  truth.sign = -1;
  const WrenchCalibration found = calibrate_wrench(arm, {read_along(arm, truth, swinging(arm, 5), 30, 4e-3, 1)});
  REQUIRE(found.moving);
  CHECK(found.load);
  // the readings' low-pass leaves next to nothing of what the positions' does: 1e-5 of the motion's fastest parts
  CHECK((found.x.p - truth.position).norm() < 1e-4);
  CHECK((found.x.R_TS - truth.axes).norm() < 1e-4);
  const Inertia<double> body = inertia_from_parameters<double>(found.body);
  CHECK(body.m == doctest::Approx(truth.mass()).epsilon(1e-4));
  CHECK((body.h / body.m - truth.centre()).norm() < 1e-4);
  CHECK((central_inertia(body) - truth.central_tensor()).norm() < 0.01 * truth.central_tensor().norm());
}

TEST_CASE("intervals of a sensor and its tool hold the truth as often as they say") {
  const int seeds = long_tests ? 200 : 40;
  for (const int postures : {12, 30}) {
    Coverage coverage;
    const Arm arm = testing::built_in_arm("ur5e");
    Truth truth;
    truth.sign = -1;
    for (int seed = 1; seed <= seeds; ++seed)
      count_all(coverage, calibrate_wrench(arm, {in_postures(arm, truth, postures, 100 + seed)}), truth);
    MESSAGE(postures << " postures: " << coverage.inside << " of " << coverage.all << " intervals hold the truth, "
                     << 100.0 * coverage.inside / coverage.all << " %");
    CHECK(coverage.inside >= 0.92 * coverage.all);
    CHECK(coverage.inside <= 0.98 * coverage.all);
  }
}

TEST_CASE("intervals from motions hold the truth as often as they say, offsets that drift included") {
  const int seeds = long_tests ? 60 : 10;
  Coverage coverage;
  const Arm arm = testing::built_in_arm("ur5e");
  Truth truth;
  truth.drift << 0.02, -0.01, 0.03, 1e-4, -2e-4, 1e-4;
  for (int seed = 1; seed <= seeds; ++seed)
    count_all(coverage, calibrate_wrench(arm, {read_along(arm, truth, swinging(arm, 50 + seed), 30, 1e-2, seed)}),
              truth);
  MESSAGE(coverage.inside << " of " << coverage.all << " intervals hold the truth, "
                          << 100.0 * coverage.inside / coverage.all << " %");
  CHECK(coverage.inside >= 0.92 * coverage.all);
  CHECK(coverage.inside <= 0.98 * coverage.all);
}

namespace {

/// A calibration from 24 postures whose log was spoiled.
WrenchCalibration from_spoiled(const Arm& arm, const std::function<void(WrenchLog&)>& spoil) {
  WrenchLog log = in_postures(arm, {}, 24, 7);
  spoil(log);
  return calibrate_wrench(arm, {log});
}

}  // namespace

TEST_CASE("a spoiled log of a sensor is refused with its cause") {
  const Arm arm = testing::built_in_arm("ur5e");
  using doctest::Contains;
  using Log = WrenchLog;
  const auto refused = [&](const std::function<void(Log&)>& spoil, const char* says) {
    CHECK_THROWS_WITH_AS(from_spoiled(arm, spoil), Contains(says), Error);
  };
  CHECK_NOTHROW(from_spoiled(arm, [](Log&) {}));
  SUBCASE("a moment with the wrong sign") {
    refused([](Log& l) { l.wrench.col(3) *= -1; }, "with -tx, ty, tz in the places");
  }
  SUBCASE("two moments exchanged") {
    refused([](Log& l) { l.wrench.col(3).swap(l.wrench.col(4)); }, "with ty, tx, tz in the places");
  }
  SUBCASE("a force with the wrong sign, which is seen as moments") {
    refused([](Log& l) { l.wrench.col(2) *= -1; }, "different axes");
  }
  SUBCASE("moments before forces") {
    refused(
        [](Log& l) {
          const RowMatrix w = l.wrench;
          l.wrench << w.rightCols(3), w.leftCols(3);
        },
        "seem exchanged");
  }
  SUBCASE("moments in N mm") {
    refused([](Log& l) { l.wrench.rightCols(3) *= 1e3; }, "in N mm?");
  }
  SUBCASE("a dead channel") {
    refused([](Log& l) { l.wrench.col(4).setConstant(0.3); }, "'ty' reads 0.3 in every row");
  }
  SUBCASE("a saturated channel") {
    refused([](Log& l) { l.wrench.col(2) = l.wrench.col(2).cwiseMin(l.wrench.col(2).mean()).eval(); }, "saturated");
  }
  SUBCASE("joints in another order") {
    refused([](Log& l) { l.q = l.q.rowwise().reverse().eval(); }, "not those of a tool");
  }
  SUBCASE("an arm that hangs from a wall") {
    ArmDescription d = arm.description();
    d.gravity = {9.80665, 0, 0};
    const WrenchLog log = in_postures(Arm(d), {}, 24, 7);
    CHECK_THROWS_WITH_AS(calibrate_wrench(arm, {log}), Contains("gravity along +x"), Error);
  }
  SUBCASE("too few postures") {
    refused(
        [](Log& l) {
          l.q = l.q.topRows(5).eval();
          l.wrench = l.wrench.topRows(5).eval();
        },
        "5 postures are too few");
  }
  SUBCASE("a payload that says that forces are in daN") {
    ArmDescription d = arm.description();
    d.payload = MassProperties{.mass = Truth().mass()};
    WrenchLog log = in_postures(arm, {}, 24, 7);
    log.wrench /= 10;
    CHECK_THROWS_WITH_AS(calibrate_wrench(Arm(d), {log}), Contains("fx [daN]"), Error);
  }
}

TEST_CASE("postures in which gravity keeps its direction, or its plane, do not show the mounting") {
  const Arm arm = testing::built_in_arm("ur5e");
  const Truth truth;
  Random random(2);
  for (const bool plane : {false, true}) {
    CAPTURE(plane);
    WrenchLog log{.q = RowMatrix::Zero(20, 6), .wrench = RowMatrix(20, 6)};
    for (int k = 0; k < 20; ++k) {
      VecX<double> q = VecX<double>::Zero(6);
      q[0] = random.uniform(-3, 3);               // about the vertical
      if (plane) q[1] = random.uniform(-3, 0.0);  // about one horizontal axis
      const Vec6<double> w = wrench_at(
          arm, truth, [&](double) { return q; }, 0);
      log.q.row(k) = q.transpose();
      for (int c = 0; c < 6; ++c) log.wrench(k, c) = w[c] + truth.noise[c] * random.normal();
    }
    CHECK_THROWS_WITH_AS(calibrate_wrench(arm, {log}), doctest::Contains("does not show how the sensor is mounted"),
                         Error);
  }
}

TEST_CASE("offsets that drift from posture to posture are found, and only where they do") {
  const Arm arm = testing::built_in_arm("ur5e");
  Truth truth;
  CHECK(calibrate_wrench(arm, {in_postures(arm, truth, 30, 4)}).drift.empty());
  truth.drift << 0.05, 0, -0.1, 0, 2e-3, 0;
  const WrenchCalibration found = calibrate_wrench(arm, {in_postures(arm, truth, 30, 4)});
  REQUIRE(found.drift.size() == 6);
  for (int k = 0; k < 6; ++k) CHECK(std::abs(found.drift[k].value - truth.drift[k]) < 2 * found.drift[k].half_width);
  const std::vector<std::string> lines = sentences(found);
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& l) { return l.starts_with("Offsets drift"); }));
}

TEST_CASE("a base that is not level is told, and its gravity found where that is asked for") {
  const Arm arm = testing::built_in_arm("ur5e");
  ArmDescription d = arm.description();
  d.gravity = rotation_from_rpy({3 * deg, -2 * deg, 0}) * arm.gravity();
  const WrenchLog log = in_postures(Arm(d), {}, 40, 9);
  const WrenchCalibration level = calibrate_wrench(arm, {log});
  REQUIRE(level.remarks.size() == 1);
  CHECK(level.remarks[0].find("--find-gravity") != std::string::npos);
  const WrenchCalibration tilted = calibrate_wrench(arm, {log}, {.find_gravity = true});
  REQUIRE(tilted.gravity.size() == 3);
  for (int k = 0; k < 3; ++k)
    CHECK(std::abs(tilted.gravity[k].value - d.gravity[k]) < 2 * tilted.gravity[k].half_width);
  CHECK(tilted.tool[0].value == doctest::Approx(Truth().mass()).epsilon(0.01));
}

TEST_CASE("gains of channels come back from a tool that is known") {
  Truth truth;
  truth.gain << 1.05, 0.97, 1.1, 0.9, 1.02, 1.0;
  truth.points.push_back(
      {0.5, {0.15, -0.1, 0.1}});  // its centre is far from the axis of the sensor, so that every moment shows
  ArmDescription d = testing::built_in_arm("ur5e").description();
  MassProperties body;
  body.mass = truth.mass();
  body.position = truth.centre();
  body.tensor = truth.central_tensor();
  d.payload = body;
  const Arm arm(d);
  const WrenchSettings s{.position = {truth.position[0], truth.position[1], truth.position[2]}, .gains = true};
  for (const double sign : {1.0, -1.0}) {
    truth.sign = sign;
    Coverage coverage;
    for (int seed = 1; seed <= 20; ++seed) {
      const WrenchCalibration found = calibrate_wrench(arm, {in_postures(arm, truth, 30, 300 + seed)}, s);
      CHECK(found.load == (sign < 0));
      REQUIRE(found.gains.size() == 6);
      for (int k = 0; k < 6; ++k) {
        CHECK(found.gains[k].value == doctest::Approx(truth.gain[k]).epsilon(0.05));
        coverage.count(found.gains[k], truth.gain[k]);
      }
    }
    CHECK(coverage.inside >= 0.9 * coverage.all);
  }
}

TEST_CASE("a fast motion of a tool that is known shows all 36 gains, postures do not") {
  Truth truth;
  truth.gain << 1.05, 0.97, 1.1, 0.9, 1.02, 1.0;
  truth.noise << 0.01, 0.01, 0.01, 5e-4, 5e-4, 5e-4;
  truth.points.push_back({0.5, {0.15, -0.1, 0.1}});
  ArmDescription d = testing::built_in_arm("ur5e").description();
  MassProperties body;
  body.mass = truth.mass();
  body.position = truth.centre();
  body.tensor = truth.central_tensor();
  d.payload = body;
  const Arm arm(d);
  WrenchSettings s{.position = {truth.position[0], truth.position[1], truth.position[2]}, .matrix = true};
  const Path slow = swinging(arm, 3);
  // differences over 4 ms would miss accelerations as fast as these by 3e-4, which is more than the intervals
  const Path fast = [&](double t) { return slow(3 * t); };
  Mat6<double> gain = Mat6<double>::Zero();
  gain.topLeftCorner<3, 3>() = gain.bottomRightCorner<3, 3>() = truth.axes.transpose();
  gain = (truth.gain.asDiagonal() * gain).eval();
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const WrenchCalibration found = calibrate_wrench(arm, {read_along(arm, truth, fast, 20, 1e-3, seed)}, s);
    REQUIRE(found.gains.size() == 36);
    for (int c = 0; c < 6; ++c)
      for (int k = 0; k < 6; ++k) {
        const WrenchQuantity& q = found.gains[static_cast<std::size_t>(6 * c + k)];
        CHECK(std::abs(q.value - gain(c, k)) < 3 * q.half_width);
        coverage.count(q, gain(c, k));
      }
  }
  MESSAGE(coverage.inside << " of " << coverage.all << " intervals of gains hold the truth");
  CHECK(coverage.inside >= 0.88 * coverage.all);  // of a matrix they hang together
  CHECK_THROWS_WITH_AS(calibrate_wrench(arm, {in_postures(arm, truth, 30, 4)}, s), doctest::Contains("stands still"),
                       Error);
}

TEST_CASE("what a calibrated sensor reads of a free tool is nothing, and of a push that push") {
  const Arm arm = testing::built_in_arm("panda");
  Truth truth;
  truth.sign = -1;
  truth.noise.setConstant(1e-6);
  const Path path = swinging(arm, 8);
  const WrenchSensor sensor = sensor_of(calibrate_wrench(arm, {read_along(arm, truth, path, 30, 4e-3, 2)}));
  CHECK(sensor.reads == WrenchSensor::Reads::load);
  Vec6<double> push;
  push << 3, -2, 5, 0.1, 0.2, -0.3;  // of the surroundings on the tool, about the sensor's origin
  for (const double t : {3.0, 11.0, 20.0}) {
    constexpr double h = 1e-3;
    const JointMotion m{path(t), VecX<double>((path(t + h) - path(t - h)) / (2 * h)),
                        VecX<double>((path(t + h) - 2 * path(t) + path(t - h)) / (h * h))};
    const Vec6<double> load = wrench_at(arm, truth, path, t);
    CHECK(sensor.contact(arm, m, load + truth.offset).norm() < 0.01);
    // the arm holds against the push, so the tool loads the sensor with it
    CHECK((sensor.contact(arm, m, load + truth.offset + push) - push).norm() < 0.01);
  }
}
