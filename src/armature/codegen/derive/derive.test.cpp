#include "armature/codegen/derive/derive.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/derivatives.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/motor_commands.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::codegen;

namespace {

// All that is a function of the state.
std::vector<Target> state_targets(const Arm& arm) {
  std::vector<Target> all = targets_of(arm);
  std::erase(all, Target::inverse_kinematics);
  return all;
}

using Values = std::vector<double>;

template <class Derived>
void append(Values& list, const Eigen::MatrixBase<Derived>& m) {
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) list.push_back(m(i, j));
}

// What the library computes for the inputs of a target; c is the third input where there is one.
Values expected(const Arm& arm, Target target, const VecX<double>& q, const VecX<double>& qd, const VecX<double>& c) {
  Values v;
  switch (target) {
    case Target::inverse_dynamics:
      append(v, inverse_dynamics<double>(arm, q, qd, c));
      break;
    case Target::forward_dynamics:
      append(v, forward_dynamics<double>(arm, q, qd, c));
      break;
    case Target::mass_matrix:
      append(v, mass_matrix<double>(arm, q));
      break;
    case Target::coriolis:
      append(v, coriolis_matrix<double>(arm, q, qd));
      break;
    case Target::gravity:
      append(v, gravity_torque<double>(arm, q));
      break;
    case Target::forward_kinematics: {
      const auto X = tool_pose<double>(arm, forward_kinematics<double>(arm, q));
      append(v, X.R);
      append(v, X.p);
      break;
    }
    case Target::jacobian:
      append(v, tool_jacobian<double>(arm, forward_kinematics<double>(arm, q)));
      break;
    case Target::regressor:
      append(v, torque_regressor<double>(arm, q, qd, c));
      break;
    case Target::inverse_dynamics_derivatives: {
      const auto d = inverse_dynamics_derivatives<double>(arm, q, qd, c);
      append(v, d.dq);
      append(v, d.dqd);
      append(v, d.M);
      break;
    }
    case Target::forward_dynamics_derivatives: {
      const auto d = forward_dynamics_derivatives<double>(arm, q, qd, c);
      append(v, d.qdd);
      append(v, d.dq);
      append(v, d.dqd);
      append(v, d.dtau);
      break;
    }
    case Target::motor_currents:
    case Target::motor_voltages: {
      const MotorFeed feed = target == Target::motor_voltages ? MotorFeed::voltage : MotorFeed::current;
      append(v, motor_commands<double>(arm, motor_windings(arm, feed), feed, q, qd, c));
      break;
    }
    case Target::inverse_kinematics:
      break;  // no function of the state
  }
  return v;
}

// The project's relative error, output by output. Accelerations are judged by the torques they need: M qdd, and their derivatives,
// which are M⁻¹ times those of the torques at that acceleration, by what M times them should be.
double error(const Arm& arm, const Program& program, const VecX<double>& q, const VecX<double>& qd, const Values& got,
             Values want) {
  const int n = arm.dof();
  const bool accelerations = program.name.starts_with("forward_dynamics");
  const MatX<double> M = mass_matrix<double>(arm, q);
  std::vector<Eigen::MatrixXd> needed;  // in place of M times what is wanted
  if (program.name == "forward_dynamics_derivatives") {
    const VecX<double> a = Eigen::Map<const VecX<double>>(got.data(), n);
    const auto d = inverse_dynamics_derivatives<double>(arm, q, qd, a);
    needed = {M * Eigen::Map<const VecX<double>>(want.data(), n), -d.dq, -d.dqd, Eigen::MatrixXd::Identity(n, n)};
  }
  double worst = 0;
  const double *a = got.data(), *b = want.data();
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const Signal& s = program.outputs[k];
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::MatrixXd x = Eigen::Map<const RowMajor>(a, s.rows, s.cols),
                    y = Eigen::Map<const RowMajor>(b, s.rows, s.cols);
    // A computed inverse leaves |M X - 1| <= n u |M| |X| by any method ([Higham2002], chapter 14): what is beyond that counts.
    double rounding = 0;
    if (!needed.empty() && s.name == "dtau")
      rounding = n * std::numeric_limits<double>::epsilon() / 2 * (M.cwiseAbs() * x.cwiseAbs()).maxCoeff();
    if (accelerations) {
      x = M * x;
      y = M * y;
    }
    worst = std::max(worst, testing::relative_error(x, needed.empty() ? y : needed[k]) - rounding);
    a += s.size();
    b += s.size();
  }
  return worst;
}

struct Case {
  Arm arm;
  Program program;
  Target target;
};

enum class Floats { compiled, left_out };

// Compiles all cases together, for floats too where asked, and compares each with the library.
void compare(const std::vector<Case>& cases, int states, Floats floats) {
  std::string text;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Program& p = cases[k].program;
    std::string header = emit({fmt::format("arm{}", k), cases[k].arm.dof(), "test", {p}}, Language::cpp);
    header.erase(header.find("#pragma once"), 12);  // a warning in a main file
    text += header;
    std::string arguments;
    int offset = 0;
    for (const Signal& s : p.inputs) {
      arguments += fmt::format("in + {}, ", offset);
      offset += s.size();
    }
    offset = 0;
    for (const Signal& s : p.outputs) {
      arguments += fmt::format("out + {}, ", offset);
      offset += s.size();
    }
    arguments.resize(arguments.size() - 2);
    text += fmt::format("extern \"C\" void run{}(const double* in, double* out) {{ arm{}::{}<double>({}); }}\n", k, k,
                        p.name, arguments);
    if (floats == Floats::left_out) continue;
    text += fmt::format("void single{}(const float* in, float* out) {{ arm{}::{}<float>({}); }}\n", k, k, p.name,
                        arguments);
  }
  const auto path = std::filesystem::temp_directory_path() / fmt::format("armature-test-{}.so", getpid());
  std::ofstream(path, std::ios::binary) << compile_shared_object(
      text, {.compiler = "", .options = "-O0 -Wall -Wextra -Wconversion -Werror"});
  const SharedObject library(path.string());
  std::filesystem::remove(path);
  Random random(5);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto& [arm, program, target] = cases[k];
    const auto run = reinterpret_cast<void (*)(const double*, double*)>(library.find(fmt::format("run{}", k)));
    REQUIRE((run != nullptr));
    double worst = 0;
    for (int i = 0; i < states; ++i) {
      const auto q = testing::random_vector(arm.dof(), random, 3), qd = testing::random_vector(arm.dof(), random, 2),
                 c = testing::random_vector(arm.dof(), random, 5);
      Values in;
      append(in, q);
      append(in, qd);
      append(in, c);
      const Values want = expected(arm, target, q, qd, c);
      Values got(want.size());
      run(in.data(), got.data());
      worst = std::max(worst, error(arm, program, q, qd, got, want));
    }
    CAPTURE(arm.name());
    CAPTURE(arm.dof());
    CAPTURE(program.name);
    CHECK(worst < 1e-12);
  }
}

}  // namespace

TEST_CASE("generated C++ equals the library for every built-in arm") {
  std::vector<Case> cases;
  for (const std::string& name : formats::catalogue_names()) {
    const Arm arm = catalogue_arm(name);
    for (const Target target : state_targets(arm))
      cases.push_back({arm, derive(arm, target, {.effort = 0.01}), target});
  }
  compare(cases, 10000, Floats::compiled);
}

TEST_CASE("generated C++ equals the library for random arms of one to nine joints, fifty in the long form") {
  const bool longer = std::getenv("ARMATURE_LONG_TESTS") != nullptr;
  std::vector<Case> cases;
  Random random(21);
  for (int i = 0; i < (longer ? 50 : 18); ++i) {
    const Arm arm = testing::random_arm(1 + i % 9, random);
    for (const Target target : state_targets(arm)) {
      const bool large =
          target == Target::inverse_dynamics_derivatives || target == Target::forward_dynamics_derivatives;
      if (large && arm.dof() > 3 && !longer) continue;  // compile time
      cases.push_back({arm, derive(arm, target, {.effort = 0.01}), target});
    }
  }
  compare(cases, longer ? 10000 : 1000, Floats::left_out);
}

TEST_CASE("inverse dynamics take few operations") {
  // the most that is allowed for these arms; a careful hand needs 99 for the first two
  const std::pair<const char*, int> most[] = {{"rrr_generic", 90}, {"rrr", 84}, {"ur5", 240}, {"panda", 540}};
  for (const auto& [name, limit] : most) {
    CAPTURE(name);
    CHECK(count(derive(catalogue_arm(name), Target::inverse_dynamics).net).total() <= limit);
  }
}

TEST_CASE("inverse kinematics in closed form lead back to the target, on every branch that reaches it") {
  Random random(8);
  for (const std::string& name : formats::catalogue_names()) {
    const Arm arm = catalogue_arm(name);
    const auto targets = targets_of(arm);
    if (std::find(targets.begin(), targets.end(), Target::inverse_kinematics) == targets.end()) continue;
    const Program p = derive(arm, Target::inverse_kinematics, {.effort = 0.1});
    const bool pose = p.inputs.size() == 2;
    const int n = arm.dof();
    CAPTURE(name);
    int found = 0;
    double worst = 0;
    for (int k = 0; k < 1000; ++k) {
      const VecX<double> q = testing::random_vector(n, random, 3);
      const Pose<double> X = tool_pose<double>(arm, forward_kinematics<double>(arm, q));
      Values in;
      if (pose) append(in, X.R);
      append(in, X.p);
      const Values out = evaluate(p, in);
      bool back = false;
      for (int branch = 0; branch < p.outputs[0].rows; ++branch) {
        const VecX<double> solution = Eigen::Map<const VecX<double>>(out.data() + branch * n, n);
        if (!solution.allFinite()) continue;
        const Pose<double> Y = tool_pose<double>(arm, forward_kinematics<double>(arm, solution));
        worst = std::max(worst, (Y.p - X.p).norm());
        if (pose) worst = std::max(worst, (Y.R - X.R).norm());
        double apart = 0;
        for (int i = 0; i < n; ++i) {
          const double d = solution[i] - q[i];
          apart = std::max(apart, std::abs(arm.body(i).revolute ? std::remainder(d, 2 * 3.14159265358979323846) : d));
        }
        back = back || apart < 1e-6;
      }
      found += back;
    }
    CHECK(worst < 1e-7);  // next to a singularity the root of a small difference loses half the digits
    CHECK(found >= 998);  // the elbow's or the wrist's cosine may be 1 + 1e-16
  }
}

TEST_CASE("inverse kinematics of the RRR arm take at most 45 operations for all four branches") {
  for (const char* name : {"rrr", "rrr_generic"})
    CHECK(count(derive(catalogue_arm(name), Target::inverse_kinematics).net).total() <= 45);
}

TEST_CASE("an arm without a closed form says so") {
  CHECK_THROWS_WITH_AS(
      derive(catalogue_arm("panda"), Target::inverse_kinematics),
      "no closed form of the inverse kinematics of 'panda' is known here\n  hint: compute inverse-kinematics "
      "solves it by iteration",
      Error);
}

TEST_CASE("sines and cosines of generated C++ are right to about one unit in the last place, up to 1e5 rad") {
  std::string text =
      emit({"one", 1, "test", {derive(catalogue_arm("rrr"), Target::gravity, {.effort = 0})}}, Language::cpp);
  text.erase(text.find("#pragma once"), 12);
  text += R"(
extern "C" void turn8(const double* x, double* s, double* c) {
  const armature_turns::SinCos<double, 8> t({x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]});
  for (int i = 0; i < 8; ++i) s[i] = t.s[i], c[i] = t.c[i];
}
extern "C" void turn3(const double* x, double* s, double* c) {
  const armature_turns::SinCos<double, 3> t({x[0], x[1], x[2]});
  for (int i = 0; i < 3; ++i) s[i] = t.s[i], c[i] = t.c[i];
}
extern "C" void turn_eight(const double* x, double* s, double* c) {
  const armature_turns::SinCos<armature_turns::Eight, 1> t({armature_turns::Eight::load(x)});
  t.s[0].store(s), t.c[0].store(c);
}
)";
  const auto path = std::filesystem::temp_directory_path() / fmt::format("armature-turns-{}.so", getpid());
  for (const char* options : {"-O2 -Wall -Wextra -Werror", "-O3 -march=native -Wall -Wextra -Werror"}) {
    std::ofstream(path, std::ios::binary) << compile_shared_object(text, {.compiler = "", .options = options});
    const SharedObject library(path.string());
    using Function = void (*)(const double*, double*, double*);
    const auto turn8 = reinterpret_cast<Function>(library.find("turn8"));
    const auto turn3 = reinterpret_cast<Function>(library.find("turn3"));
    const auto turn_eight = reinterpret_cast<Function>(library.find("turn_eight"));
    REQUIRE((turn8 && turn3 && turn_eight));
    Random random(9);
    double worst = 0;  // in units of the last place of the right value
    for (int k = 0; k < 60000; ++k) {
      double x[8], s[8], c[8], s3[8], c3[8];
      for (int i = 0; i < 8; ++i) {
        const double quarter = std::round(random.uniform(-60000, 60000)) * 1.5707963267948966;
        const double choices[] = {random.uniform(-4, 4), random.uniform(-1e5, 1e5), quarter,
                                  quarter + random.uniform(-1e-6, 1e-6), random.uniform(-1, 1) * 1e-9};
        x[i] = choices[(k + i) % 5];
        if (std::abs(x[i]) > 1e5) x[i] = 0;
      }
      turn8(x, s, c);
      for (int i = 0; i < 8; ++i) {
        const auto off = [&](double got, long double want) {
          const double rounded = static_cast<double>(want);
          const double ulp = std::nextafter(std::abs(rounded), INFINITY) - std::abs(rounded);
          worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(got) - want)) / ulp);
        };
        off(s[i], std::sin(static_cast<long double>(x[i])));
        off(c[i], std::cos(static_cast<long double>(x[i])));
      }
      turn3(x, s3, c3);
      for (int i = 0; i < 3; ++i) REQUIRE((s3[i] == s[i] && c3[i] == c[i]));
      turn_eight(x, s3, c3);
      for (int i = 0; i < 8; ++i) REQUIRE((s3[i] == s[i] && c3[i] == c[i]));
    }
    CAPTURE(options);
    CAPTURE(worst);
    CHECK(worst < 1);
    double bad[8] = {INFINITY, -INFINITY, NAN, 0, 0, 0, 0, 0}, s[8], c[8];
    turn8(bad, s, c);
    for (int i = 0; i < 3; ++i) CHECK((std::isnan(s[i]) && std::isnan(c[i])));
  }
  std::filesystem::remove(path);
}

TEST_CASE("functions of an arm with springs have them, but for tables") {
  ArmDescription d = testing::built_in_arm("rrr").description();
  d.joints[0].spring.emplace().stiffness = 30;
  d.joints[1].spring.emplace().torque = "L = sqrt(1.04 - 0.4*cos(q))\ntorque = 90*(L - 0.6)*0.2*sin(q)/L";
  for (JointDescription& joint : d.joints) joint.limits = {};
  const Arm arm(d);
  Random random(8);
  const VecX<double> q = testing::random_vector(3, random), qd = testing::random_vector(3, random),
                     c = testing::random_vector(3, random, 3);
  Values in(q.begin(), q.end());
  in.insert(in.end(), qd.begin(), qd.end());
  in.insert(in.end(), c.begin(), c.end());
  for (const Target target : {Target::inverse_dynamics, Target::forward_dynamics, Target::inverse_dynamics_derivatives,
                              Target::forward_dynamics_derivatives}) {
    const Values found = evaluate(derive(arm, target, {}), in), right = expected(arm, target, q, qd, c);
    REQUIRE(found.size() == right.size());
    for (std::size_t k = 0; k < right.size(); ++k) CHECK(found[k] == doctest::Approx(right[k]).epsilon(1e-10));
  }
  d.joints[2].spring.emplace();
  d.joints[2].spring->positions = {-1, 1};
  d.joints[2].spring->torques = {0, 1};
  CHECK_THROWS_WITH_AS(derive(Arm(d), Target::gravity, {}), doctest::Contains("no closed form"), ModelError);
}
