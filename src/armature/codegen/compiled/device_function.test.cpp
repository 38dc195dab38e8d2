#include "armature/codegen/compiled/device_function.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::codegen;

namespace {

/// Compiled functions are kept here while a test runs.
struct Cache {
  Cache() : path(std::filesystem::temp_directory_path() / fmt::format("armature-device-{}", getpid())) {
    setenv("ARMATURE_CACHE", path.c_str(), 1);
  }
  ~Cache() {
    unsetenv("ARMATURE_CACHE");
    std::filesystem::remove_all(path);
  }
  std::filesystem::path path;
};

std::vector<double> row_by_row(const Eigen::MatrixXd& A) {
  std::vector<double> numbers;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j) numbers.push_back(A(i, j));
  return numbers;
}

/// What the library computes by recursion.
std::vector<double> expected(const Arm& arm, Target target, const std::array<VecX<double>, 3>& x) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, x[0]);
  if (target == Target::inverse_dynamics) return row_by_row(inverse_dynamics<double>(arm, x[0], x[1], x[2]));
  if (target == Target::forward_dynamics) return row_by_row(forward_dynamics<double>(arm, x[0], x[1], x[2]));
  if (target == Target::mass_matrix) return row_by_row(mass_matrix<double>(arm, x[0]));
  if (target == Target::gravity) return row_by_row(gravity_torque<double>(arm, x[0]));
  if (target == Target::jacobian) return row_by_row(tool_jacobian<double>(arm, poses));
  const Pose<double> X = tool_pose(arm, poses);
  std::vector<double> numbers = row_by_row(X.p);
  for (const double part : quaternion_from_rotation(X.R)) numbers.push_back(part);
  return numbers;
}

/// Largest error of all states relative to the largest number of its result; inputs lie number by number (structure of arrays), but for the last, which
/// is the same for all states, and results state by state from the last state on.
template <class T>
double worst_error(const Arm& arm, Target target) {
  constexpr std::ptrdiff_t states = 65, size = sizeof(T);
  const int n = arm.dof();
  const DeviceFunction function(arm, target, Device::host, {.effort = 0.02});
  Random random(7);
  std::vector<T> q(n * states), qd(n * states), last(n);
  for (std::vector<T>* all : {&q, &qd, &last})
    for (T& x : *all) x = static_cast<T>(random.uniform(-2, 2));
  const std::size_t width =
      expected(arm, target, {VecX<double>::Zero(n), VecX<double>::Zero(n), VecX<double>::Zero(n)}).size();
  std::vector<T> out(width * states);
  const std::vector<DeviceArray> arrays{
      {q.data(), size, states * size}, {qd.data(), size, states * size}, {last.data(), 0, size}};
  const auto step = static_cast<std::ptrdiff_t>(width) * size;
  function.compute(states, std::span(arrays).first(function.inputs()),
                   {out.data() + (states - 1) * static_cast<std::ptrdiff_t>(width), -step, size}, size == 4);
  double worst = 0;
  for (std::ptrdiff_t k = 0; k < states; ++k) {
    std::array<VecX<double>, 3> x{VecX<double>(n), VecX<double>(n), VecX<double>(n)};
    for (int j = 0; j < n; ++j) {
      x[0][j] = static_cast<double>(q[j * states + k]);
      x[1][j] = static_cast<double>(qd[j * states + k]);
      x[2][j] = static_cast<double>(last[j]);
    }
    const std::vector<double> wanted = expected(arm, target, x);
    double error = 0, largest = 0;
    for (std::size_t i = 0; i < width; ++i) {
      error = std::max(error, std::abs(static_cast<double>(out[(states - 1 - k) * width + i]) - wanted[i]));
      largest = std::max(largest, std::abs(wanted[i]));
    }
    worst = std::max(worst, error / largest);
  }
  return worst;
}

}  // namespace

TEST_CASE("functions for devices compute what the recursion computes, from arrays of any layout") {
  const Cache cache;
  for (const char* name : {"rpr", "ur5e"})
    for (const Target target : device_targets()) {
      CAPTURE(name);
      CAPTURE(std::string(word_for(target)));
      const Arm arm = catalogue_arm(name);
      CHECK(worst_error<double>(arm, target) < 1e-11);
      CHECK(worst_error<float>(arm, target) < 2e-3);
    }
}

TEST_CASE("the text of a device is CUDA, where there is a compiler for it") {
  try {
    find_nvcc();
  } catch (const Error&) {
    MESSAGE("skipped: there is no nvcc here");
    return;
  }
  const CompileSettings settings{.compiler = find_nvcc(), .options = "-O1 -arch=sm_90", .cuda = true};
  for (const Target target : {Target::inverse_dynamics, Target::forward_kinematics})
    CHECK(compile_shared_object(device_source(catalogue_arm("rpr"), target, {.effort = 0}), settings).size() > 1000);
}

TEST_CASE("a quantity that no device computes is refused, and so is a wrong number of arrays") {
  const Cache cache;
  const Arm arm = catalogue_arm("rpr");
  CHECK_THROWS_WITH_AS(device_source(arm, Target::regressor),
                       doctest::Contains("regressor is not computed on a device"), Error);
  const DeviceFunction gravity(arm, Target::gravity, Device::host, {.effort = 0});
  CHECK_THROWS_WITH_AS(gravity.compute(1, {}, {}, false), doctest::Contains("0 arrays where 1 are read"), Error);
  CHECK_NOTHROW(gravity.compute(0, std::vector<DeviceArray>(1), {}, false));
}
