#include <Eigen/Dense>
#include <cmath>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/identification/estimators.hpp"
#include "armature/identification/identify.hpp"
#include "armature/identification/motion_observer.hpp"
#include "armature/identification/physical_estimate.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/identification/validate.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

Evidence evidence_from(const TorqueModel& model, const Processing& processing, const MotionBlock& log) {
  Evidence evidence(model);
  make_equations(model, processing, log, [&](const SampleEquations& s) { evidence.add(s); });
  evidence.finish();
  return evidence;
}

}  // namespace

TEST_CASE("many columns are filtered as one would be") {
  Random random(1);
  RowMatrix x(500, 3);
  for (double& value : x.reshaped()) value = random.normal();
  const auto sections = butterworth(5, 12, 200);
  RowMatrix y = x;
  filter_zero_phase(sections, y);
  for (int c = 0; c < 3; ++c) {
    const Eigen::VectorXd column = x.col(c);
    const std::vector<double> one = filter_zero_phase(sections, std::span<const double>(column.data(), 500));
    for (int i = 0; i < 500; ++i) CHECK(y(i, c) == doctest::Approx(one[i]).epsilon(1e-13));
  }
}

TEST_CASE("without noise the true base parameters come back") {
  for (const char* name : {"rrr", "rpr", "ur5e", "panda"}) {
    CAPTURE(name);
    const Arm arm = testing::built_in_arm(name);
    const TorqueModel model(arm, {.friction = {FrictionShape{FrictionShape::Law::none}}});
    // positions exactly known: the only error left is that of central differences, which vanishes with the square of the step
    double worst[2];
    for (int k = 0; k < 2; ++k) {
      SyntheticSettings settings{.duration = 10, .rate = k == 0 ? 500.0 : 1000.0};
      Arm smooth = arm;
      ArmDescription d = arm.description();
      for (JointDescription& joint : d.joints) joint.friction = NoFriction{};
      const Arm frictionless(d);
      const MotionBlock log = synthetic_log(frictionless, settings);
      const Estimate e = least_squares(evidence_from(model, {.decimation = 5}, log), {.weighted = false});
      worst[k] = (e.x.head(model.base().count()) - model.described().head(model.base().count())).cwiseAbs().maxCoeff();
    }
    CHECK(worst[1] < 1e-3);
    CHECK(worst[0] / worst[1] > 3.5);
    CHECK(worst[0] / worst[1] < 4.5);
  }
}

TEST_CASE(
    "springs of the joints are known: with them the bodies' base parameters come back, without them they do not") {
  ArmDescription d = testing::built_in_arm("rrr").description();
  for (JointDescription& joint : d.joints) joint.friction = NoFriction{};
  const Arm bare(d);
  d.joints[0].spring.emplace().stiffness = 30;
  d.joints[1].spring.emplace().torque = "40*sin(q + 20*deg)^3 + 5*q^2";
  d.joints[2].spring.emplace();
  d.joints[2].spring->positions = {-4, -1, 0, 0.5, 4};
  d.joints[2].spring->torques = {-9, -8, 1, 6, 7};
  for (JointDescription& joint : d.joints) joint.limits = {};
  const Arm sprung(d);
  const MotionBlock log = synthetic_log(sprung, {.duration = 10, .rate = 1000});
  const auto worst = [&](const Arm& arm) {
    const TorqueModel model(arm, {.friction = {FrictionShape{FrictionShape::Law::none}}});
    const Estimate e = least_squares(evidence_from(model, {.decimation = 5}, log), {.weighted = false});
    return (e.x.head(model.base().count()) - model.described().head(model.base().count())).cwiseAbs().maxCoeff();
  };
  CHECK(worst(sprung) < 1e-3);
  CHECK(worst(bare) > 0.1);
}

TEST_CASE("blocks that overlap give the equations of the whole log") {
  const Arm arm = testing::built_in_arm("rrr");
  const TorqueModel model(arm);
  const MotionBlock log = synthetic_log(arm, {.duration = 12, .encoder = 1e-5, .torque_noise = 0.01});
  const Processing processing{.cutoff = 20, .decimation = 7, .parallel_cutoff = 10, .standstill = 0.02, .edge = 0.3};
  const Equations whole = equations_of(model, processing, log);
  CHECK(whole.time.front() >= 0.3 - 1e-9);
  CHECK(whole.time.back() <= static_cast<double>(log.samples()) * log.step - 0.3 + 1e-9);
  EquationStore store(model);
  EquationStream stream(
      model, processing, 0, log.step, false, [&](const SampleEquations& s) { store.add(s); }, 1000);
  for (Eigen::Index k = 0; k < log.samples(); ++k) stream.push(log.q.row(k).data(), nullptr, log.tau.row(k).data());
  stream.finish();
  const Equations parts = store.take();
  REQUIRE(parts.rows() == whole.rows());
  CHECK(parts.time == whole.time);
  CHECK(parts.joint == whole.joint);
  for (Eigen::Index c = 0; c < whole.columns(); ++c)
    CHECK((parts.A.col(c) - whole.A.col(c)).cwiseAbs().maxCoeff() <=
          1e-12 * std::max(1.0, whole.A.col(c).cwiseAbs().maxCoeff()));
  CHECK((parts.y - whole.y).cwiseAbs().maxCoeff() <= 1e-12 * whole.y.cwiseAbs().maxCoeff());
}

TEST_CASE("ends of a log from a rough encoder, of which filters saw one side only, are what spoils it") {
  const Arm arm = testing::built_in_arm("rrr");
  const TorqueModel model(arm, {.offsets = false});
  const MotionBlock log = synthetic_log(arm, {.duration = 5, .encoder = 1e-4});
  const Eigen::VectorXd truth = model.described();
  double wrong[2];
  for (const bool edge : {false, true}) {
    const Processing processing{.cutoff = 20, .decimation = 10, .parallel_cutoff = 10, .edge = edge ? 0.1 : 0};
    double worst = 0;
    make_equations(model, processing, log, [&](const SampleEquations& s) {
      worst = std::max(worst, (s.torque - VecX<double>(s.rows * truth)).cwiseAbs().maxCoeff());
    });
    wrong[edge] = worst;
  }
  CHECK(wrong[1] < 0.3 * wrong[0]);
}

TEST_CASE("factors keep every sum of squares, in memory that does not grow") {
  Random random(3);
  const int columns = 6;
  Evidence evidence(2, columns);
  Eigen::MatrixXd A(3000, columns);
  Eigen::VectorXd y(3000);
  for (int r = 0; r < 3000; ++r) {
    for (int c = 0; c < columns; ++c) A(r, c) = random.normal();
    y[r] = random.normal() * (r % 2 == 0 ? 1 : 5);
    const Eigen::VectorXd row = A.row(r);
    evidence.add(r % 2, row.data(), y[r]);
    if (r % 2 == 1) evidence.end_sample();
  }
  evidence.finish();
  CHECK(evidence.parts() <= 128);
  CHECK(evidence.parts() >= 64);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(columns, -1, 2);
  double sums[2] = {0, 0};
  for (int r = 0; r < 3000; ++r) sums[r % 2] += std::pow(A.row(r).dot(x) - y[r], 2);
  for (int j = 0; j < 2; ++j) CHECK(evidence.whole(j).residual_squares(x) == doctest::Approx(sums[j]).epsilon(1e-12));
  const Estimate plain = least_squares(evidence, {.weighted = false});
  const Eigen::VectorXd direct = least_squares_solution(A, y);
  CHECK((plain.x - direct).cwiseAbs().maxCoeff() < 1e-12);
  // weighting finds the quiet joint: its equations alone say almost all
  CHECK(least_squares(evidence).noise[1] == doctest::Approx(5).epsilon(0.1));
}

TEST_CASE("uncertainties are those of white noise where the noise is white") {
  // y = a x + e with orthogonal columns: the standard deviation is sigma over the length of the column
  double ratio = 0;
  const int seeds = 60;
  for (int seed = 0; seed < seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Evidence evidence(1, 2);
    double length = 0;
    for (int r = 0; r < 4000; ++r) {
      const double row[2] = {std::sin(0.37 * r), 1};
      length += row[0] * row[0];
      evidence.add(0, row, 2 * row[0] + 1 + 0.3 * random.normal());
      evidence.end_sample();
    }
    evidence.finish();
    ratio += least_squares(evidence).deviation(0) / (0.3 / std::sqrt(length)) / seeds;
  }
  CHECK(ratio == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("quantiles and tails are those of the tables") {
  CHECK(student_quantile(0.975, 10) == doctest::Approx(2.228138852).epsilon(1e-8));  // [Abramowitz1964, Table 26.10]
  CHECK(student_quantile(0.975, 1) == doctest::Approx(12.70620474).epsilon(1e-8));
  CHECK(student_quantile(0.975, 1e6) == doctest::Approx(1.959966).epsilon(1e-5));
  CHECK(chi_square_tail(31.41043, 20) == doctest::Approx(0.05).epsilon(1e-5));
  CHECK(chi_square_tail(10.85081, 20) == doctest::Approx(0.95).epsilon(1e-5));
}

TEST_CASE("recursive least squares arrives where the batch does") {
  const Arm arm = testing::built_in_arm("rrr");
  const TorqueModel model(arm);
  const MotionBlock log = synthetic_log(arm, {.duration = 10, .torque_noise = 0.02});
  const Equations e = equations_of(model, {.decimation = 10, .standstill = 0.05}, log);
  const Evidence evidence = evidence_of(e);
  const Estimate batch = least_squares(evidence, {.weighted = false});
  RecursiveLeastSquares recursive(Eigen::VectorXd::Zero(model.size()), Eigen::VectorXd::Constant(model.size(), 1e4));
  for (Eigen::Index r = 0; r < e.rows(); ++r) recursive.update(e.A.row(r).transpose(), e.y[r], 1);
  CHECK((recursive.x() - batch.x).cwiseAbs().maxCoeff() < 1e-4 * batch.x.cwiseAbs().maxCoeff());
}

TEST_CASE("outliers that pull least squares away leave the robust estimate where it was") {
  const Arm arm = testing::built_in_arm("rrr");
  const TorqueModel model(arm);
  const MotionBlock log = synthetic_log(arm, {.duration = 20, .torque_noise = 0.01});
  Equations e = equations_of(model, {.decimation = 10, .standstill = 0.05}, log);
  Random random(5);
  for (Eigen::Index r = 0; r < e.rows(); ++r)
    if (random.uniform() < 0.05) e.y[r] += 50;
  const Eigen::VectorXd truth = model.described();
  const auto error = [&](const Eigen::VectorXd& x) { return (x - truth).head(model.base().count()).norm(); };
  const double plain = error(least_squares(evidence_of(e)).x);
  const double huber = error(robust_least_squares(e).x);
  const double bisquare = error(robust_least_squares(e, {.loss = RobustSettings::Loss::bisquare}).x);
  CHECK(huber < 0.3 * plain);
  CHECK(bisquare < 0.1 * plain);
}

TEST_CASE("errors in the columns: total least squares is unbiased where least squares shrinks, instruments too") {
  Random random(7);
  Equations e;
  e.dof = 1;
  const int rows = 20000;
  e.A.resize(rows, 2);
  e.y.resize(rows);
  RowMatrix Z(rows, 2);
  for (int r = 0; r < rows; ++r) {
    const double a = std::sin(0.01 * r) + 0.3 * std::cos(0.037 * r);
    e.A(r, 0) = a + 0.3 * random.normal();
    e.A(r, 1) = 1;
    e.y[r] = 2 * a + 0.5 + 0.3 * random.normal();
    Z(r, 0) = a;
    Z(r, 1) = 1;
    e.time.push_back(r);
    e.joint.push_back(0);
  }
  Eigen::VectorXd error(2);
  error << 1, 0;  // the first column as noisy as the torque, the second exact
  CHECK(least_squares(evidence_of(e)).x[0] < 1.75);
  CHECK(total_least_squares(e, error, VecX<double>::Ones(1)).x[0] == doctest::Approx(2).epsilon(0.01));
  const Estimate iv = instrumental_variables(e, Z);
  CHECK(std::abs(iv.x[0] - 2) < 3 * iv.deviation(0));
  CHECK(iv.deviation(0) < 0.02);
}

TEST_CASE("noise that joints share is found and used by maximum likelihood") {
  Random random(9);
  Equations e;
  e.dof = 2;
  const int samples = 5000;
  e.A.resize(2 * samples, 2);
  e.y.resize(2 * samples);
  for (int s = 0; s < samples; ++s) {
    const double common = random.normal();
    for (int j = 0; j < 2; ++j) {
      e.A.row(2 * s + j) << (j == 0 ? std::sin(0.1 * s) : 0), (j == 1 ? std::cos(0.17 * s) : 0);
      e.y[2 * s + j] = e.A.row(2 * s + j).sum() + common + 0.1 * random.normal();
      e.time.push_back(s);
      e.joint.push_back(j);
    }
  }
  Eigen::MatrixXd S;
  const Estimate ml = maximum_likelihood(e, &S), ls = least_squares(evidence_of(e));
  CHECK(S(0, 1) == doctest::Approx(1).epsilon(0.1));
  CHECK(ml.deviation(0) < 0.3 * ls.deviation(0));
  CHECK(std::abs(ml.x[0] - 1) < 4 * ml.deviation(0));
}

TEST_CASE("log-Cholesky coordinates and bodies are one to one") {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    Eigen::Matrix<double, 10, 1> theta;
    for (double& t : theta) t = random.uniform(-1.5, 1.5);
    const auto p = parameters_of_log_cholesky(theta);
    CHECK(judge_body(inertia_from_parameters<double>(p)).possible());
    CHECK((log_cholesky_of_parameters(p) - theta).cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("a physical estimate can exist, and is where least squares is when that can exist too") {
  for (const char* name : {"rrr", "ur5e"}) {
    CAPTURE(name);
    const Arm arm = testing::built_in_arm(name);
    const TorqueModel model(arm);
    const MotionBlock log = synthetic_log(arm, {.duration = 20, .encoder = 1e-6, .torque_noise = 0.05, .seed = 3});
    const Evidence evidence =
        evidence_from(model, {.cutoff = 30, .decimation = 20, .parallel_cutoff = 20, .standstill = 0.05}, log);
    const Estimate e = least_squares(evidence);
    const PhysicalEstimate physical = physical_estimate(model, evidence, {.noise = e.noise});
    CHECK(physical.converged);
    for (int i = 0; i < arm.dof(); ++i)
      CHECK(judge_body(inertia_from_parameters<double>(InertiaParameters<double>(physical.links.segment<10>(10 * i))))
                .possible());
    const Arm identified(identified_arm(model, physical, "test"));  // throws where it cannot exist
    const CrossValidation free = training_error(evidence, e.x), bound = training_error(evidence, physical.x);
    CHECK(bound.total < 1.02 * free.total);
    // the arm that is written is the arm that was estimated
    const Eigen::VectorXd base = base_parameter_values(identified, model.base());
    CHECK((base - physical.x.head(model.base().count())).cwiseAbs().maxCoeff() < 1e-9 * base.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("the observer finds velocities and accelerations, with less noise than differences") {
  const Arm arm = testing::built_in_arm("rrr");
  const MotionBlock exact = synthetic_log(arm, {.duration = 10}),
                    rounded = synthetic_log(arm, {.duration = 10, .encoder = 1e-4});
  const FilteredMotion truth = filtered_motion(exact, {}), plain = filtered_motion(rounded, {});
  const FilteredMotion seen = filtered_motion(rounded, {.motion = Processing::Motion::observer});
  const auto inner = [](const RowMatrix& m) { return m.middleRows(500, m.rows() - 1000); };
  const double noise = (inner(seen.qdd) - inner(truth.qdd)).norm(),
               differences = (inner(plain.qdd) - inner(truth.qdd)).norm();
  CHECK(noise < differences / 20);
  CHECK((inner(seen.q) - inner(truth.q)).cwiseAbs().maxCoeff() < 1e-4);
}

TEST_CASE("a jump before the part that is looked at says nothing of the observer's noise and jerk") {
  const MotionBlock smooth = synthetic_log(testing::built_in_arm("rrr"), {.duration = 10, .encoder = 1e-5});
  MotionBlock jump = smooth;
  jump.q.topRows(std::lround(0.4 / jump.step)).array() += 0.1;
  Processing asked;
  asked.motion = Processing::Motion::observer;
  const double heard = default_processing(asked, source_of(jump), 3).observer_jerk;
  asked.from = smooth.start + 0.5;
  const Processing without = default_processing(asked, source_of(smooth), 3),
                   with = default_processing(asked, source_of(jump), 3);
  CHECK(with.observer_noise == without.observer_noise);
  CHECK(with.observer_jerk == without.observer_jerk);
  CHECK(heard > 3 * with.observer_jerk);
}

TEST_CASE("rotor inertias are estimated where the torques show them, if only at a wrist, and not where they do not") {
  ArmDescription d = testing::built_in_arm("ur5e").description();
  for (JointDescription& joint : d.joints) {
    joint.friction = CoulombViscous{1, 1};
    joint.drive = {};
  }
  d.couplings.reset();
  const Arm described(d);
  JointDescription* last = nullptr;
  for (JointDescription& joint : d.joints)
    if (joint.type != JointType::fixed) last = &joint;
  last->drive.gear_ratio = 100;
  last->drive.rotor_inertia = 3e-5;
  const Arm geared(d);
  const auto rotors_estimated = [&](const Arm& truth) {
    const MotionBlock log = synthetic_log(
        truth,
        {.duration = 20, .rate = 200, .base_frequency = 0.2, .speed = 2.5, .encoder = 1e-5, .torque_noise = 0.05});
    IdentifySettings settings;
    settings.choose_friction = false;
    settings.reference_weight = 1;
    return identify(described, source_of(log), settings).model->settings().rotors;
  };
  CHECK_FALSE(rotors_estimated(described));
  CHECK(rotors_estimated(geared));
}
