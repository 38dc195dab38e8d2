// Draws of an identified arm have the covariance of its parameters, and each of them can exist.
#include "armature/campaign/identified_spread.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "armature/campaign/internal/normal.hpp"
#include "armature/campaign/philox.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::campaign;

namespace {

Arm rubbing_arm() {
  ArmDescription d = testing::built_in_arm("rrr").description();
  double size = 1;
  for (JointDescription& joint : d.joints) {
    joint.friction = CoulombViscous{3 * size, 2 * size};
    joint.link.mass->tensor +=
        0.05 * joint.link.mass->mass * Mat3<double>::Identity();  // no link at the edge of what can be
    joint.drive = Drive{.gear_ratio = 100, .rotor_inertia = 3e-5 * size};
    size *= 0.75;
  }
  return Arm(d);
}

/// A file that is gone afterwards.
struct Scratch {
  std::string path = (std::filesystem::temp_directory_path() / "armature_spread_test.csv").string();
  explicit Scratch(const std::string& text) { std::ofstream(path) << text; }
  ~Scratch() { std::remove(path.c_str()); }
};

/// The model's parameters of an arm that has been drawn.
Eigen::VectorXd parameters_of_draw(const TorqueModel& model, const ArmDescription& arm) {
  const int n = model.dof();
  Eigen::VectorXd p(11 * n), x = Eigen::VectorXd::Zero(model.size());
  for (int i = 0; i < n; ++i) {
    const JointDescription& joint = arm.joints[i];
    p.segment<10>(10 * i) = parameters(inertia_of(*joint.link.mass));
    p[10 * n + i] = *joint.drive.rotor_inertia;
    const auto& law = std::get<CoulombViscous>(joint.friction);
    x[model.friction_begin(i)] = law.coulomb;
    x[model.friction_begin(i) + 1] = law.viscous;
  }
  x.head(model.base().count()) = model.base().grouping() * p;
  return x;
}

}  // namespace

TEST_CASE("draws of an identified arm can exist and have the covariance of its parameters") {
  const Arm arm = rubbing_arm();
  const MotionBlock log = synthetic_log(
      arm, {.duration = 20, .rate = 500, .base_frequency = 0.2, .speed = 2.5, .encoder = 1e-5, .torque_noise = 0.05});
  IdentifySettings settings;
  settings.choose_friction = false;
  settings.model.friction = {FrictionShape{}};
  settings.model.offsets = false;
  const Identification id = identify(arm, source_of(log), settings);
  const Scratch file(identified_spread_text(id));
  const Arm identified(id.arm);
  const IdentifiedSpread spread = read_identified_spread(file.path, identified);

  const RandomField random(1);
  const int draws = 4000, size = id.model->size();
  Eigen::MatrixXd drawn(draws, size);
  const Yaml tree = parse_yaml(write_arm_yaml(id.arm), "arm");
  for (int k = 0; k < draws; ++k) {
    Eigen::VectorXd z(spread.factor.cols());
    for (Eigen::Index i = 0; i < z.size(); ++i)
      z[i] = normal_quantile(
          random.uniform(RandomField::Purpose::draw, static_cast<std::uint64_t>(k), static_cast<std::uint32_t>(i)));
    Yaml moved = tree;
    move_drives(spread, z, moved);
    ArmDescription description = read_arm_yaml(moved).description;
    move_links(spread, z, description);
    REQUIRE_NOTHROW(Arm{description});  // a body that cannot exist is refused there
    drawn.row(k) = parameters_of_draw(*id.model, description);
  }
  const Eigen::VectorXd mean = drawn.colwise().mean();
  const Eigen::MatrixXd apart = drawn.rowwise() - mean.transpose();
  const Eigen::MatrixXd C = apart.transpose() * apart / (draws - 1);
  for (int k = 0; k < size; ++k) {
    CAPTURE(id.model->columns()[k].name);
    REQUIRE(id.estimate.determined[k]);
    CHECK(std::abs(std::sqrt(C(k, k)) / id.estimate.deviation(k) - 1) < 0.08);  // 4,000 draws: 1.1 % by chance
    CHECK(std::abs(mean[k] - id.physical.x[k]) < 0.1 * id.estimate.deviation(k));
    for (int j = 0; j < k; ++j) {
      const double found = C(k, j) / std::sqrt(C(k, k) * C(j, j));
      const double wanted = id.estimate.covariance(k, j) / (id.estimate.deviation(k) * id.estimate.deviation(j));
      CHECK(std::abs(found - wanted) < 0.12);
    }
  }

  ArmDescription other = id.arm;
  other.joints[1].link.mass->mass *= 1.01;
  CHECK_THROWS_WITH_AS(read_identified_spread(file.path, Arm(other)), doctest::Contains("another arm"), FormatError);
}
