#include "armature/codegen/compiled/kernel_library.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::codegen;

namespace {

struct Compiled {
  explicit Compiled(const Arm& arm)
      : path((std::filesystem::temp_directory_path() / fmt::format("armature-kernels-{}.so", getpid())).string()) {
    write(kernel_source(arm, "test", "", {.effort = 0.02}), "-O1 -Wall -Werror");
  }
  ~Compiled() { std::filesystem::remove(path); }
  void write(const std::string& text, const char* options) const {
    std::ofstream(path, std::ios::binary) << compile_shared_object(text, {.compiler = "", .options = options});
  }
  std::string path;
};

}  // namespace

TEST_CASE("an arm with functions of its own computes what the recursion computes, through the same functions") {
  for (const char* name : {"rpr", "ur5"}) {
    const Arm arm = catalogue_arm(name);
    const Compiled compiled(arm);
    const Arm fast = arm.with_kernels(load_kernels(compiled.path));
    REQUIRE((fast.kernels() != nullptr));
    Random random(2);
    double worst = 0;
    bool other = false;  // the last bits differ: it is indeed another way
    for (int k = 0; k < 200; ++k) {
      const auto vector = [&](double size) { return testing::random_vector(arm.dof(), random, size); };
      const VecX<double> q = vector(3), qd = vector(2), c = vector(5);
      const auto compare = [&](const auto& a, const auto& b) {
        worst = std::max(worst, testing::relative_error(a, b));
        other = other || a != b;
      };
      compare(inverse_dynamics<double>(fast, q, qd, c), inverse_dynamics<double>(arm, q, qd, c));
      compare(mass_matrix<double>(fast, q), mass_matrix<double>(arm, q));
      compare(coriolis_matrix<double>(fast, q, qd), coriolis_matrix<double>(arm, q, qd));
      compare(gravity_torque<double>(fast, q), gravity_torque<double>(arm, q));
      const MatX<double> M = mass_matrix<double>(arm, q);
      compare(VecX<double>(M * forward_dynamics<double>(fast, q, qd, c)),
              VecX<double>(M * forward_dynamics<double>(arm, q, qd, c)));
    }
    CAPTURE(name);
    CHECK(worst < 1e-12);
    CHECK(other);
  }
}

TEST_CASE("eight states at once give what eight calls give") {
  const Arm arm = catalogue_arm("ur5");
  const int n = arm.dof();
  const Compiled compiled(arm);
  const SharedObject library(compiled.path);
  using Function = void (*)(const double*, const double*, const double*, double*);
  const auto one = reinterpret_cast<Function>(library.find("armature_inverse_dynamics"));
  const auto eight = reinterpret_cast<Function>(library.find("armature_inverse_dynamics_eight"));
  REQUIRE((one && eight));
  Random random(6);
  std::vector<double> q(8 * n), qd(8 * n), qdd(8 * n), tau(8 * n);
  for (auto* x : {&q, &qd, &qdd})
    for (double& value : *x) value = random.uniform(-3, 3);
  eight(q.data(), qd.data(), qdd.data(), tau.data());
  for (int lane = 0; lane < 8; ++lane) {
    std::vector<double> a(n), b(n), c(n), t(n);
    for (int i = 0; i < n; ++i) {
      a[i] = q[8 * i + lane];
      b[i] = qd[8 * i + lane];
      c[i] = qdd[8 * i + lane];
    }
    one(a.data(), b.data(), c.data(), t.data());
    for (int i = 0; i < n; ++i) CHECK(tau[8 * i + lane] == t[i]);
  }
}

TEST_CASE("functions of another arm are refused, and files that hold none") {
  const Arm rpr = catalogue_arm("rpr"), printed = catalogue_arm("rpr_printed");
  const Compiled compiled(rpr);
  auto kernels = load_kernels(compiled.path);
  CHECK_THROWS_WITH_AS((void)printed.with_kernels(kernels),
                       "the functions were written for another arm than 'rpr_printed', or for an earlier state of "
                       "it\n  hint: derive them again",
                       ModelError);
  CHECK((rpr.with_kernels(kernels).with_bodies(printed.bodies()).kernels() == nullptr));
  CHECK_THROWS_AS((void)rpr.with_bodies(printed.bodies()).with_kernels(kernels), ModelError);
  kernels.reset();  // a file that is loaded is not read again
  CHECK_THROWS_AS(load_kernels("/no/such/file.so"), Error);
  compiled.write("extern \"C\" int nothing() { return 0; }\n", "-O0");
  CHECK_THROWS_WITH_AS(
      load_kernels(compiled.path),
      fmt::format("'{}' holds no functions of an arm\n  hint: derive ARM --build -o FILE writes one", compiled.path)
          .c_str(),
      Error);
}

TEST_CASE("an arm takes the functions that were written for it from those it is handed, and no others") {
  const Arm bare = catalogue_arm("rpr");
  CHECK((bare.kernels() == nullptr));
  const auto kernels = std::make_shared<const Kernels>(Kernels{.arm = checksum(bare), .source = "test"});
  const KernelSet set({kernels});
  const Arm arm = catalogue_arm("rpr", set);
  CHECK((arm.kernels() == kernels.get()));
  CHECK((catalogue_arm("rpr_printed", set).kernels() == nullptr));

  // another description keeps them as long as the algorithms see the same arm
  ArmDescription other = arm.description();
  other.joints[0].friction = CoulombViscous{.coulomb = 1, .viscous = 2};
  CHECK((arm.with_description(other).kernels() == kernels.get()));
  other.gravity *= 2;
  CHECK((arm.with_description(other).kernels() == nullptr));
}

TEST_CASE("the checksum of an arm changes with every number of its dynamics and with nothing else") {
  ArmDescription described = catalogue_arm("rrr").description();
  described.joints[1].placement = OriginAxis{.origin = {{0.1, 0.2, 0.3}, {1, 0, 0}}};
  described.payload = MassProperties{.mass = 1, .tensor = 0.01 * Mat3<double>::Identity()};
  const std::uint64_t sum = checksum(Arm(described));
  const auto changed = [&](auto change) {
    ArmDescription d = described;
    change(d);
    return checksum(Arm(d)) != sum;
  };
  CHECK_FALSE(changed([](ArmDescription& d) {
    d.name = "another name";
    d.joints[0].name = "another too";
  }));
  CHECK_FALSE(changed([](ArmDescription& d) {
    d.joints[0].limits.torque = 3;
    d.joints[0].drive.gear_ratio = 5;
  }));
  CHECK_FALSE(changed([](ArmDescription& d) { d.base.xyz[0] = -d.base.xyz[0]; }));  // -0 is 0
  CHECK(changed([](ArmDescription& d) { d.gravity[2] *= 1 + 1e-15; }));
  CHECK(changed([](ArmDescription& d) { d.convention = DhConvention::modified; }));
  CHECK(changed([](ArmDescription& d) { d.base.rpy[1] += 1e-12; }));
  CHECK(changed([](ArmDescription& d) { d.tool.xyz[0] += 1e-12; }));
  CHECK(changed([](ArmDescription& d) { d.joints.pop_back(); }));
  CHECK(changed([](ArmDescription& d) { d.joints[0].type = JointType::prismatic; }));
  for (auto number : {&DhRow::theta, &DhRow::d, &DhRow::a, &DhRow::alpha})
    CHECK(changed([&](ArmDescription& d) { std::get<DhRow>(d.joints[2].placement).*number += 1e-12; }));
  CHECK(changed([](ArmDescription& d) { std::get<OriginAxis>(d.joints[1].placement).origin.xyz[2] += 1e-12; }));
  CHECK(changed([](ArmDescription& d) { std::get<OriginAxis>(d.joints[1].placement).axis = {1, 0, 0}; }));
  CHECK(changed([](ArmDescription& d) { d.joints[2].link.mass->mass += 1e-12; }));
  CHECK(changed([](ArmDescription& d) { d.joints[2].link.mass->position[1] += 1e-12; }));
  CHECK(changed([](ArmDescription& d) { d.joints[2].link.mass->tensor(2, 2) += 1e-12; }));
  CHECK(changed([](ArmDescription& d) { d.payload.reset(); }));
  CHECK(changed([](ArmDescription& d) { d.payload->position_is_first_moment = true; }));
  CHECK(changed([](ArmDescription& d) { d.payload->tensor_about_origin = true; }));
}
