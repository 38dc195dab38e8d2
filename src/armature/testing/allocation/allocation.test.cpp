// No algorithm touches the heap. This program is built as users build the library: optimized, without asserts.
#include <Eigen/Core>
#include <cstdlib>
#include <memory>
#include <vector>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/derivatives.hpp"
#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/inverse_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/operational_space.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/allocation/heap_calls.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/ik_arms.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace armature::testing;

TEST_CASE_TEMPLATE("algorithms on numbers of any kind make no heap call", S, double, Dual, Pack) {
  Random random(1);
  for (int dof = 1; dof <= max_joints; ++dof) {
    CAPTURE(dof);
    const Arm arm = random_arm(dof, random);
    const auto numbers = [&] { return VecX<S>(random_vector(dof, random, 2).cast<S>()); };
    const VecX<S> q = numbers(), qd = numbers(), qdd = numbers();
    const BodyWrench<S> wrench{dof - 1, Vec3<S>::Constant(S(1)), Vec3<S>::Constant(S(2))};
    const std::span<const BodyWrench<S>> wrenches(&wrench, 1);
    const Friction coulomb = CoulombViscous{};

    CHECK(heap_calls_of([&] {
            const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
            tool_pose(arm, poses);
            frame_pose(arm.frames().back(), poses);
            tool_jacobian(arm, poses);
            tool_jacobian_rate(arm, poses, qd);
            for (const auto convention : {EulerConvention::zyz, EulerConvention::rpy}) {
              analytical_jacobian(arm, poses, convention);
              analytical_jacobian_rate(arm, poses, qd, convention);
            }
          }) == 0);
    CHECK(heap_calls_of([&] {
            VecX<S> tau;
            inverse_dynamics<S>(arm, q, qd, qdd, wrenches, tau);
            lagrange_inverse_dynamics<S>(arm, q, qd, qdd);
            gravity_torque<S>(arm, q);
            coriolis_torque<S>(arm, q, qd);
          }) == 0);
    CHECK(heap_calls_of([&] {
            VecX<S> result;
            forward_dynamics<S>(arm, q, qd, qdd, wrenches, result);
            mass_matrix<S>(arm, q);
            coriolis_matrix<S>(arm, q, qd);
            energy<S>(arm, q, qd);
            smooth_friction<S>(coulomb, qd[0], S(0));
          }) == 0);
    CHECK(heap_calls_of([&] {
            InverseDynamicsDerivatives<S> inverse;
            inverse_dynamics_derivatives<S>(arm, q, qd, qdd, wrenches, inverse);
            ForwardDynamicsDerivatives<S> forward;
            forward_dynamics_derivatives<S>(arm, q, qd, qdd, wrenches, forward);
          }) == 0);
    CHECK(heap_calls_of([&] {
            torque_regressor<S>(arm, q, qd, qdd);
            energy_regressor<S>(arm, q, qd);
            smooth_friction_regressor<S>(qd, 1e-3);
            rotor_regressor<S>(arm, qdd);
            rotor_torque<S>(arm, qdd);
            smooth_friction<S>(arm, qd, qdd);
          }) == 0);
    CHECK(heap_calls_of([&] {
            operational_space<S>(arm, q, qd);
            operational_space<S>(arm, q, qd, TaskRows::position());
            manipulability<S>(TaskRows::position().of<S>(tool_jacobian<S>(arm, forward_kinematics<S>(arm, q))));
          }) == 0);
  }
}

TEST_CASE("algorithms that decide on values make no heap call") {
  Random random(2);
  for (int dof = 1; dof <= max_joints; ++dof) {
    CAPTURE(dof);
    const Arm arm = random_arm(dof, random);
    const VecX<double> q = random_vector(dof, random), qd = random_vector(dof, random);
    CHECK(heap_calls_of([&] { friction_torque(arm, qd, q); }) == 0);
    CHECK(heap_calls_of([&] { indefinite_configuration(arm); }) == 0);
    CHECK(heap_calls_of([&] { manipulability_gradient(arm, q); }) == 0);
    CHECK(heap_calls_of([&] { friction_regressor(qd); }) == 0);
    CHECK(heap_calls_of([&] { link_parameters(arm); }) == 0);

    const Pose<double> target = tool_pose(arm, forward_kinematics<double>(arm, qd));
    for (const auto method : {IkMethod::newton, IkMethod::damped_least_squares, IkMethod::transposed_jacobian})
      for (const auto task : {IkTask::position, IkTask::planar, IkTask::pose}) {
        const IkSettings settings{.task = task, .method = method, .max_iterations = 20, .restarts = 2};
        CHECK(heap_calls_of([&] {
                inverse_kinematics(arm, target, q, settings);
                transposed_jacobian_gain_bound(arm, q, settings);
              }) == 0);
      }
  }
}

TEST_CASE("functions written for an arm make no heap call") {
  for (const char* name : {"rrr", "ur5e", "panda"}) {
    const Arm arm = catalogue_arm(name, built_in_kernels());
    if (!arm.kernels()) continue;  // the test kernels finds out where they should be there
    Random random(3);
    const VecX<double> q = random_vector(arm.dof(), random, 2), qd = random_vector(arm.dof(), random, 2);
    CHECK(heap_calls_of([&] {
            VecX<double> tau, qdd;
            MatX<double> M, C;
            inverse_dynamics<double>(arm, q, qd, q, {}, tau);
            forward_dynamics<double>(arm, q, qd, tau, {}, qdd);
            mass_matrix<double>(arm, q, M);
            coriolis_matrix<double>(arm, q, qd, C);
            gravity_torque<double>(arm, q);
            coriolis_torque<double>(arm, q, qd);
          }) == 0);
  }
}

TEST_CASE("closed-form inverse kinematics makes no heap call, nor does finding the family") {
  Random random(3);
  for (const IkArm& member : ik_arms()) {
    const Arm& arm = member.arm;
    CAPTURE(arm.name());
    const Pose<double> target = tool_pose(arm, forward_kinematics<double>(arm, random_vector(arm.dof(), random, 3)));
    CHECK(heap_calls_of([&] { closed_form_ik(arm, target); }) == 0);
  }
}

TEST_CASE("the counter counts") {
  static void* volatile kept;  // where the compiler cannot see that nobody looks
  CHECK(heap_calls_of([] {
          kept = std::malloc(8);
          std::free(kept);
        }) == 2);
  CHECK(heap_calls_of([] {
          kept = std::calloc(1, 8);
          kept = std::realloc(kept, 16);
          std::free(kept);
        }) == 3);
  CHECK(heap_calls_of([] {
          kept = std::aligned_alloc(64, 64);
          std::free(kept);
        }) == 2);
  CHECK(heap_calls_of([] {
          kept = ::operator new(8);
          ::operator delete(kept);
        }) == 2);
  CHECK(heap_calls_of([] {
          kept = ::operator new(64, std::align_val_t(64));
          ::operator delete(kept, std::align_val_t(64));
        }) == 2);
  CHECK(heap_calls_of([] {
          const std::vector<double> numbers(3);
          kept = const_cast<double*>(numbers.data());
        }) == 2);
  CHECK(heap_calls_of([] {
          const Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
          kept = const_cast<double*>(A.data());
        }) == 2);
}
